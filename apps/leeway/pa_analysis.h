// Reads the files of leeway pa and hands them to the library.
//
// Errors (Error): those of read_outputs, read_labels, read_pairs and of the functions of leeway/agreement.
#pragma once

#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "apps/leeway/pa_results.h"
#include "leeway/core/outputs.h"

namespace leeway::app {

struct ModelFiles {
  std::string name, clean;
  std::vector<std::string> shifted;
};

struct PaOptions {
  std::vector<ModelFiles> models;  // at least one; each with as many shifted sets as the first
  std::string labels;              // a file, or empty: those of the outputs
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
  double level = .95;
  std::size_t bootstrap = 0, curve = 0;
  std::vector<double> ratios;
  std::string pairing = "given", pairs, save_pairs;  // files, or empty
  bool summaries = false, shared_beta = false;
};

[[nodiscard]] PaResults analyse_pa(Context& context, const PaOptions& options);

}  // namespace leeway::app
