// leeway shift corrupt: a model on images under the common corruptions (shift/shift.h) at several
// severities, or on published files of corrupted images (data/load.h). Keys: leeway schema corruptions.
//
// A unit is one corruption at one severity. Its images are made in blocks and discarded; its numbers and the
// misclassified rows stay. Accuracy has an exact interval; posterior agreement with the clean images that of
// agreement/agreement.h; corruption errors: shift/corruption_error.h. With a state, every finished unit is
// saved and a task of the same plan resumes (saved_work.h); a kill loses only the current unit. The caller
// removes the state after storing the record.
//
// OptionError: unknown or repeated corruptions, severities outside 1 to 5, conflicting options. Errors
// (Error): those of the headers above, published files of another image shape, a reference without errors.
// Interrupted on request after saving. Cost: a model pass a unit; memory: the images, two sets of logits, 64
// MiB of corrupted images. Deterministic for any number of threads if the model is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/core/statistics.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/nn/predictor.h"
#include "leeway/shift/corruption_error.h"
#include "leeway/tasks/model_reading.h"
#include "leeway/tasks/shifted_sets.h"

namespace leeway::tasks {

struct CorruptionsOptions {
  std::vector<std::string> corruptions;  // empty: all
  std::vector<std::size_t> severities = {1, 2, 3, 4, 5};
  CorruptionChoice how;
  std::optional<std::string> reference;  // "alexnet", or the record of a baseline
  double level = .95;                    // of intervals
};

// What the model makes of one set of images.
struct CorruptedAccuracy {
  std::size_t n = 0;
  Measured accuracy, error;  // of images with labels
};

struct CorruptedSet {
  std::string corruption, group;
  std::size_t severity = 1;
  std::string left_out;               // why there is nothing else; empty: there is
  std::optional<double> mean_change;  // of a pixel
  CorruptedAccuracy judged;
  Measured pa, afr_pred;  // against the images as they are
  std::optional<double> pa_normalized, beta, gap;
};

struct CorruptionErrorRow : shift::CorruptionError {
  std::string group = {};
};

struct MeanCorruptionError {
  std::size_t corruptions = 0;  // that are counted
  std::string variant;          // of the corruptions: "corrected", "published", or "files"
  Measured mean_error;          // unnormalised
  std::string reference;        // whose errors the two below are divided by; empty: nobody's
  Measured mce, relative_mce;
  std::vector<std::string> not_comparable;  // what keeps these from being compared with published tables
};

struct Corruptions {
  Envelope envelope = envelope_of("leeway.corruptions/3");
  CorruptionsOptions options;
  std::string model, data;  // files, as they were given
  std::string published;    // folder that the corrupted images were read from; empty: they were made
  std::optional<ModelReading> reading;  // of the model's file
  std::optional<nn::Variation> stochastic;
  std::vector<std::size_t> shape;    // n, channels, height, width
  std::optional<std::size_t> k;      // classes
  std::optional<CorruptionUse> use;  // none: published files
  std::optional<CorruptedAccuracy> clean;
  std::vector<CorruptedSet> results;       // by corruption, in the family's order, then by severity
  std::vector<CorruptionErrorRow> errors;  // empty without labels
  std::optional<MeanCorruptionError> mean;
};

void fields(CorruptionsOptions& options, Fields& f);
void fields(Corruptions& record, Fields& f);
void fields(CorruptedSet& set, Fields& f);
void fields(CorruptedAccuracy& judged, Fields& f);

// "corrected variant", "published files": printed with every mean.
[[nodiscard]] std::string variant_text(const MeanCorruptionError& mean);
// How far accuracy falls, and under what most.
[[nodiscard]] std::string headline_of(const Corruptions& record);
// The mean corruption errors and what they may be compared with, where PA is lowest, what was left out.
[[nodiscard]] std::vector<std::string> findings_of(const Corruptions& record);

// Of sets that have accuracies, the one with the least; null where there is none.
[[nodiscard]] const CorruptedSet* worst_of(const Corruptions& record);

struct CorruptionsTask {
  const Images& images;  // as they are
  const nn::Predictor& model;
  std::string data = {}, model_file = {};
  std::string published = {};             // folder of corrupted images; empty: they are made
  std::string sheet = {};                 // a contact sheet (PNG); empty: none
  std::string state = {};                 // file; empty: nothing is saved
  std::vector<std::string> made_of = {};  // what else decides the numbers; a state of another plan is no use
  std::optional<Corruptions> reference = {};  // the record that the option names
  CorruptionsOptions options = {};
  std::uint64_t seed = 0;
  std::function<void(std::size_t done, std::size_t units)> resumed = {};
  // Is told of each array of published corruptions that is read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

[[nodiscard]] Corruptions corruptions(const CorruptionsTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Corruptions& record);

}  // namespace leeway::tasks
