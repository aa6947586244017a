#include "leeway/tasks/select/select.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

struct OpenPair {
  OutputsShards clean, shifted;
};

class SelectAnalysis {
 public:
  SelectAnalysis(const SelectTask& task, Progress* progress) : task_(task), progress_(progress) {}

  Select run() {
    if (task_.checkpoints.empty()) refuse("select", "at least one checkpoint", "none");
    record_.options = task_.options;
    find_labels();
    number_them();
    for (const NamedCheckpoint& checkpoint : task_.checkpoints) add(checkpoint);
    choose();
    return clock_.finished(std::move(record_), task_.seed);
  }

 private:
  void warn(std::string line) { record_.envelope.warnings.push_back(std::move(line)); }

  void require_like_first(const std::string& name, OutputsShards& set) {
    if (n_ == 0) n_ = set.n(), k_ = set.k(), first_ = display_name(name);
    if (class_names_.empty() && !set.rest.class_names.empty())
      class_names_ = set.rest.class_names, names_classes_ = set.rest.path;
    const Columns first{names_classes_.empty() ? first_ : names_classes_, k_, false, class_names_};
    align_classes(first, set);
    if (!class_names_.empty() && !set.rest.class_names.empty()) require_same_classes(first, columns_of(set));
    if (set.n() != n_ || set.k() != k_)
      refuse(display_name(name), fmt::format("{} rows and {} classes, as in {}", n_, k_, first_),
             fmt::format("{} rows and {} classes", set.n(), set.k()));
  }

  OpenPair open(const NamedCheckpoint& checkpoint) {
    OpenPair pair{checkpoint.clean.open(), checkpoint.shifted.open()};
    for (OutputsShards* set : {&pair.clean, &pair.shifted})
      number_labels(set->rest, set->n(), std::span(&coding_, 1));
    require_like_first(checkpoint.clean.name, pair.clean);
    require_like_first(checkpoint.shifted.name, pair.shifted);
    require_same_scores(columns_of(pair.clean), columns_of(pair.shifted));
    return pair;
  }

  // In any set, so that they serve also the checkpoints before.
  void find_labels() {
    if (task_.labels) {
      (void)open(task_.checkpoints[0]);
      ClassLabels given = task_.labels(n_, k_, class_names_);
      labels_ = std::move(given.values), coding_ = given.coding;
      labels_from_ = task_.labels_name;
    }
    for (const NamedCheckpoint& checkpoint : task_.checkpoints) {
      if (labels_) break;
      const OpenPair pair = open(checkpoint);
      const bool clean = pair.clean.rest.labels.has_value();
      const Outputs& set = clean ? pair.clean.rest : pair.shifted.rest;
      labels_ = set.labels, coding_ = set.coding;
      labels_from_ = clean ? checkpoint.clean.name : checkpoint.shifted.name;
    }
  }

  // Where they leave it open, all sets say how they are numbered.
  void number_them() {
    if (!labels_ || !is_open(coding_)) return;
    std::vector<LabelCoding> all;
    for (const NamedCheckpoint& checkpoint : task_.checkpoints)
      for (const LabelCoding coding : codings_of({checkpoint.clean, checkpoint.shifted}))
        all.push_back(coding);
    Outputs own;
    own.path = labels_from_, own.labels = labels_, own.coding = coding_;
    const OpenPair last = open(task_.checkpoints.back());
    number_labels(own, labels_->size(), all, &last.clean.logits);
    labels_ = own.labels, coding_ = own.coding;
  }

  [[nodiscard]] std::span<const std::int64_t> labels() const {
    return labels_ ? std::span<const std::int64_t>(*labels_) : std::span<const std::int64_t>();
  }

  void tell_warnings_of(const std::string& name, const OutputsShards& set) {
    for (const std::string& warning : set.rest.warnings) warn(warning);
    if (labels_ && set.rest.labels && !std::ranges::equal(*set.rest.labels, *labels_, same_label))
      warn(fmt::format("{}: its labels differ from the labels used: are its rows in the same order as in {}?",
                       name, labels_from_));
  }

  void add(const NamedCheckpoint& checkpoint) {
    if (progress_ != nullptr) {
      progress_->update("select", record_.results.size(), task_.checkpoints.size(), checkpoint.name);
      if (progress_->stop_requested()) throw Interrupted("select: stopped; nothing was written");
    }
    const auto& [name, clean, shifted] = checkpoint;
    const OpenPair pair = open(checkpoint);
    tell_warnings_of(clean.name, pair.clean);
    tell_warnings_of(shifted.name, pair.shifted);
    SelectCheckpoint result;
    result.checkpoint = name;
    result.measured = agreement::measure_checkpoint(
        pair.clean.logits, pair.shifted.logits, labels(),
        {.clean_name = display_name(clean.name), .shifted_name = display_name(shifted.name)});
    result.pairing = evidence_of({&pair.clean.logits, &pair.clean.rest, labels()},
                                 {&pair.shifted.logits, &pair.shifted.rest, {}})
                         .value();
    result.doubt = pair_doubt(result.pairing, clean.name, shifted.name);
    if (!result.doubt.empty() && result.pairing.differing_labels == 0) warn(result.doubt);
    record_.results.push_back(std::move(result));
  }

  [[nodiscard]] Chosen chosen(std::size_t index) const { return {index, record_.results[index].checkpoint}; }

  void choose() {
    std::vector<agreement::Checkpoint> checkpoints;
    for (const SelectCheckpoint& result : record_.results) checkpoints.push_back(result.measured);
    const agreement::Selection selection = agreement::select_checkpoint(checkpoints);
    Selected& selected = record_.selected;
    selected.pa = chosen(selection.pa);
    if (selection.accuracy) selected.accuracy = chosen(*selection.accuracy);
    if (selection.accuracy_shifted) selected.accuracy_shifted = chosen(*selection.accuracy_shifted);
    if (selection.accuracy && *selection.accuracy != selection.pa)
      selected.pa_difference = difference(selection.pa, *selection.accuracy);
  }

  Estimate difference(std::size_t one, std::size_t other) {
    const auto rows_of = [&](std::size_t i) {
      const OpenPair pair = open(task_.checkpoints[i]);
      return agreement::agreement_per_row(pair.clean.logits, pair.shifted.logits,
                                          record_.results[i].measured.agreement.beta);
    };
    const auto pa_of = [&](std::size_t i) {
      const agreement::Agreement& a = record_.results[i].measured.agreement;
      return Estimate{a.pa, a.pa_interval};
    };
    const std::vector<double> first = rows_of(one), second = rows_of(other);
    return agreement::pa_difference({pa_of(one), first}, {pa_of(other), second});
  }

  const TaskClock clock_;
  const SelectTask& task_;
  Progress* progress_;
  Select record_;
  std::size_t n_ = 0, k_ = 0;
  std::string first_, names_classes_, labels_from_;  // names_classes_: the first set that names its classes
  std::vector<std::string> class_names_;
  std::optional<std::vector<std::int64_t>> labels_;
  LabelCoding coding_ = LabelCoding::none;
};

}  // namespace

Select select(const SelectTask& task, Progress* progress) { return SelectAnalysis(task, progress).run(); }

std::vector<std::string> unproved_maxima(const Select& record) {
  std::vector<std::string> lines;
  for (const SelectCheckpoint& result : record.results)
    note_unproved(lines, result.checkpoint, result.measured.agreement);
  return lines;
}

}  // namespace leeway::tasks
