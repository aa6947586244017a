// Options that several commands share, written once.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "leeway/core/outputs.h"

namespace leeway::app {

inline void add_binary_flag(CLI::App& command, Binary& binary) {
  static const std::map<std::string, Binary> meanings = {{"logit", Binary::logit}, {"prob", Binary::prob}};
  command
      .add_option("--binary", binary,
                  "What a vector of outputs holds for the positive class of two: logit or prob")
      ->transform(CLI::CheckedTransformer(meanings).description(""))
      ->type_name("logit|prob");
}

}  // namespace leeway::app
