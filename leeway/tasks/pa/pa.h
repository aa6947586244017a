// leeway pa: posterior agreement of one or more models under one or more shifts (leeway/agreement): one
// result for each shifted set, model by model; with several models and ratios, also the ratios at which two
// models agree equally. Keys: leeway schema pa.
//
// Sets are opened in turn; two are in memory (or mapped) at a time. Rows are pairs as they stand
// (PaOptions::pairing "given"; the record then gives the evidence for pairs), by another pairing, or by given
// pairs. Labels are those given, else the clean set's, else the shifted one's. PaOptions::binary and ::as are
// only recorded here; the caller that opens sets applies them.
// Errors (Error): no model, models with different numbers of shifted sets, two models of one name; sets
// that differ (io/columns.h); those of opening sets and of leeway/agreement. Interrupted on request. A
// maximum that is not certified is not an error: `converged` is false. A prior (PaOptions::prior, "labels":
// their shares in the pairs) has no decomposition. Cost and determinism: agreement/agreement.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/agreement/pairing.h"
#include "leeway/agreement/ratios.h"
#include "leeway/agreement/summaries.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/input_log.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view pa_schema = "leeway.pa/2";

struct PaOptions : OutputsReading {
  double level = .95;
  std::size_t bootstrap = 0;
  std::string pairing = "given";
  std::optional<std::string> prior;  // "uniform", "labels", or a file
  std::vector<double> ratios;
  bool summaries = false, shared_beta = false;
  std::size_t curve = 0;
  std::optional<std::size_t> suspects = {};  // rows to list; 0 or unset: none
};

// With PaOptions::summaries, the posteriors of its groups at beta 1 and at the beta of the maximum.
struct PaDecomposition : agreement::Decomposition {
  std::optional<agreement::Responses> initial = {}, optimal = {};
};

struct SuspectRow {
  std::size_t row = 0;  // in the set that PaSuspects names
  std::int64_t label = 0;
  std::optional<std::size_t> suggested;  // of a suspect of confident learning
  double self_confidence = 0, margin = 0, agreement = 0;
};

// Confident learning (agreement/confident_learning.h) on the clean set for rows paired as given, else on the
// shifted set, in which each row is in at most one pair; beside it a_i at the beta of the maximum.
struct PaSuspects {
  bool of_clean = true;
  std::size_t n = 0, suspects = 0;
  double noise_rate = 0;
  std::vector<SuspectRow> by_margin, by_agreement;  // lowest first
};

struct PaSet {
  std::string shifted;       // the path as it was given
  std::string model, shift;  // empty where there is one model
  agreement::Agreement agreement;
  std::optional<agreement::PairEvidence>
      pairing;        // where rows are taken as given and the sets are equally long
  std::string doubt;  // why rows need not be pairs; empty where nothing speaks against it
  std::vector<agreement::RatioPoint> ratios;
  std::optional<PaDecomposition> decomposition;      // where there are labels
  std::optional<agreement::Entropies> entropy;       // of PaOptions::summaries
  std::optional<agreement::Confidences> confidence;  // of PaOptions::summaries
  std::optional<PaSuspects> suspects;                // of PaOptions::suspects, with labels

  [[nodiscard]] double log_k() const;
  [[nodiscard]] const std::string& shift_name() const;  // what the shift is called, or the file
  // The same where the file's name has it, or the file: models may have files of other names.
  [[nodiscard]] const std::string& name() const;
};

struct PaGap {
  std::string shifted, shift;  // shifted: the path of the first model's set
  std::string model_plus, model_minus;
  std::vector<agreement::ArGapPoint> points;

  [[nodiscard]] const std::string& shift_name() const;
  // The point of the largest ratio_plus that model_minus reaches: how far the steadier model goes; null where there is none.
  [[nodiscard]] const agreement::ArGapPoint* furthest() const;
};

struct Pa {
  Envelope envelope = envelope_of(pa_schema);
  PaOptions options;
  std::vector<PaSet> results;
  std::vector<PaGap> ar_gap;
};

void fields(PaOptions& options, Fields& f);
void fields(Pa& record, Fields& f);

// The headline: which set keeps least, in two numbers. At least one result.
[[nodiscard]] std::string headline_of(const Pa& record);
// The ratios at which two models agree equally, without a full stop.
[[nodiscard]] std::string gap_words(const PaGap& gap);
// Rows that need not be pairs; the gaps in words.
[[nodiscard]] std::vector<std::string> findings_of(const Pa& record);

struct PaModel {
  std::string name;
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;  // under the same shifts, in the same order, in every model
};

using GivenPairs =
    std::function<std::vector<agreement::RowPair>(std::size_t clean_rows, std::size_t shifted_rows)>;

// The pairs of a file (agreement/pairing.h), which is noted once. `log` must outlive them.
[[nodiscard]] GivenPairs pairs_of_file(InputLog& log, const std::string& path);

// The numbers of the file that PaOptions::prior names, noted; none where it is no file.
[[nodiscard]] std::vector<double> prior_of_file(InputLog& log, const PaOptions& options);

struct PaTask {
  std::vector<PaModel> models;
  // Labels of the n clean samples of k classes, and pairs of rows; else of the outputs and PaOptions.
  GivenLabels labels = {};
  GivenPairs pairs = {};
  std::vector<double> prior = {};  // of the file of PaOptions::prior
  std::function<void(std::span<const agreement::RowPair>)> save_pairs =
      {};  // is given the pairs of every set
  PaOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Pa pa(const PaTask& task, Progress* progress = nullptr);

// A line for each set, and each ratio, whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const Pa& record);

[[nodiscard]] View view(const Pa& record);

}  // namespace leeway::tasks
