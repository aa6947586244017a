#include "leeway/tasks/corruptions/corruptions.h"

#include <fmt/format.h>

#include "leeway/data/load.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/png.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/saved_work.h"
#include "leeway/tasks/sections.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t benchmark = 15;

struct Answers {
  Array logits;
  std::vector<std::uint8_t> wrong;
};

struct DoneUnit {
  CorruptedSet set = {};
  std::vector<std::uint8_t> wrong = {};  // (n) 1 where an image is misclassified; empty without labels
};

struct DoneUnits {
  Array clean;         // the model's logits of the images as they are
  bool paired = true;  // row i of the corrupted images is that of the others
  std::vector<DoneUnit> units = {};
};

// -- What was asked for

std::vector<const shift::Member*> chosen(const CorruptionsTask& task, const std::vector<std::string>& there) {
  const auto& wanted = task.options.corruptions;
  for (const std::string& name : wanted) {
    if (std::ranges::find(shift::corruptions(), name, &shift::Member::name) == shift::corruptions().end())
      throw OptionError(fmt::format("--corruptions: expected one of {}, found {}",
                                    names_of(shift::corruptions()), in_quotes(name)));
    if (std::ranges::count(wanted, name) > 1)
      throw OptionError(fmt::format("--corruptions: {} is named twice", name));
  }
  std::vector<const shift::Member*> list;
  for (const shift::Member& one : shift::corruptions()) {
    const bool found = std::ranges::find(there, published_name(one.name)) != there.end();
    const bool named = wanted.empty() ? task.published.empty() || found
                                      : std::ranges::find(wanted, one.name) != wanted.end();
    if (!named) continue;
    if (!task.published.empty() && !found)
      refuse(display_name(task.published),
             fmt::format("{}, or its folder", published_name(one.name) + ".npy"), "neither");
    list.push_back(&one);
  }
  if (list.empty()) refuse(display_name(task.published), "one of the published corruptions", "others");
  return list;
}

std::vector<std::size_t> severities_of(const CorruptionsTask& task) {
  std::vector<std::size_t> severities = task.options.severities;
  std::ranges::sort(severities);
  for (std::size_t i = 0; i < severities.size(); ++i) {
    if (severities[i] < 1 || severities[i] > 5)
      throw OptionError(fmt::format("--severities: expected 1 to 5, found {}", severities[i]));
    if (i > 0 && severities[i] == severities[i - 1])
      throw OptionError(fmt::format("--severities: {} is named twice", severities[i]));
  }
  if (severities.empty()) throw OptionError("--severities: expected at least one");
  return severities;
}

SavedWork saved_work(const CorruptionsTask& task) {
  CorruptionsOptions decisive = task.options;
  decisive.reference.reset();  // it decides no unit
  return {task.state, std::move(decisive), task.seed, task.made_of};
}

DoneUnits units_in(const Safetensors& state, const std::string& path) {
  DoneUnits done{state.tensors.at("clean"), state.metadata.at("paired") == "yes"};
  for (const Json& set : Json::parse(state.metadata.at("sets"))) {
    const auto wrong = state.tensors.find(fmt::format("wrong {}", done.units.size()));
    DoneUnit& one = done.units.emplace_back();
    read([&](Fields& f) { fields(one.set, f); }, set, path);
    if (wrong == state.tensors.end()) continue;
    const auto rows = wrong->second.view<std::uint8_t>();
    one.wrong.assign(rows.begin(), rows.end());
  }
  return done;
}

shift::ReferenceErrors reference_of(const Corruptions& record, const std::string& name) {
  shift::ReferenceErrors reference{display_name(name), {}, {}};
  if (record.clean) reference.clean = record.clean->error.value;
  for (const CorruptedSet& set : record.results) {
    if (set.judged.error.value)
      reference.corruptions[set.corruption].at(set.severity - 1) = set.judged.error.value;
  }
  if (reference.corruptions.empty())
    refuse(reference.name, "a record with errors of a model on labeled images", "none");
  return reference;
}

// -- The analysis

class CorruptionsAnalysis {
 public:
  CorruptionsAnalysis(const CorruptionsTask& task, Progress* progress)
      : task_(task),
        images_(task.images),
        progress_(progress),
        severities_(severities_of(task)),
        state_(saved_work(task)) {
    if (!task.published.empty() && task.options.how != CorruptionChoice{})
      throw OptionError("--set, --variant, --frost-dir: not applicable to published images");
    if (!task.published.empty()) folder_ = data::corruption_folder(task.published);
    const auto list = chosen(task, folder_.corruptions);
    for (const shift::Member* one : list)
      for (const std::size_t severity : severities_) units_.push_back({one, severity});
    if (task.options.reference == "alexnet")
      reference_ = shift::alexnet_errors();
    else if (task.reference)
      reference_ = reference_of(*task.reference, task.options.reference.value_or("reference"));
    const bool frost = std::ranges::any_of(list, [](const auto* one) { return one->takes_frost; });
    how_ = options_of(task.options.how, frost, task.seed);
  }

  Corruptions run() {
    begin_record();
    note_files();
    if (!task_.sheet.empty()) write_png(task_.sheet, sheet());
    try {
      run_units();
    } catch (const Interrupted&) {
      if (task_.state.empty()) throw Interrupted("corruptions: stopped; nothing was saved");
      throw Interrupted(fmt::format(
          "corruptions: stopped after {} of {} sets, which were saved; the same command resumes from there",
          done_.size(), units_.size()));
    }
    for (DoneUnit& one : done_) record_.results.push_back(one.set);
    if (clean_ && images_.labels) add_errors();
    return clock_.finished(std::move(record_), task_.seed);
  }

 private:
  void warn(std::string line) { record_.envelope.warnings.push_back(std::move(line)); }

  void begin_record() {
    record_.options = task_.options;
    record_.options.severities = severities_;
    record_.model = task_.model_file, record_.data = task_.data, record_.published = task_.published;
    record_.shape = images_.pixels.shape;
    if (task_.published.empty()) record_.use = use_of(task_.options.how, images_);
  }

  // Arrays of published corruptions; of pictures there are too many.
  void note_files() const {
    if (!task_.was_read || !folder_.format.starts_with("cifar")) return;
    const fs::path folder = task_.published;
    task_.was_read((folder / "labels.npy").string(), {});
    for (const ShiftUnit& unit : units_)
      if (unit.severity == severities_.front())
        task_.was_read((folder / (published_name(unit.member->name) + ".npy")).string(), {});
  }

  // One picture at random: a line for each corruption, as it is and at every severity.
  [[nodiscard]] Bitmap sheet() const {
    const std::size_t row = data::rows_of_sheet(images_.n(), 1, task_.seed).front();
    data::PictureSheet sheet(images_.channels(), images_.height(), images_.width(), severities_.size() + 1);
    for (const ShiftUnit& unit : units_) {
      if (unit.severity == severities_.front()) sheet.add(images_, row);
      const ShiftedImages set = images_of(unit);
      if (row < set.shape[0])
        sheet.add(set.block(row, row + 1), 0);
      else
        sheet.leave_empty();
    }
    return sheet.bitmap();
  }

  [[nodiscard]] ShiftedImages images_of(const ShiftUnit& unit) const {
    return task_.published.empty() ? shifted(images_, unit, how_)
                                   : published(task_.published, folder_.format, unit, images_);
  }

  void take_over() {
    auto saved = state_.load([this](std::string line) { warn(std::move(line)); },
                             [this](const Safetensors& state) { return units_in(state, task_.state); });
    if (!saved || saved->units.size() > units_.size()) return;
    clean_ = answered(std::move(saved->clean), images_.labels);
    paired_ = saved->paired;
    done_ = std::move(saved->units);
    if (task_.resumed && !done_.empty()) task_.resumed(done_.size(), units_.size());
  }

  void save() const {
    if (!state_.saves()) return;
    Safetensors state{{{"clean", clean_->logits}}, {{"paired", paired_ ? "yes" : "no"}}};
    Json sets = Json::array();
    for (const DoneUnit& one : done_) {
      if (!one.wrong.empty())
        state.tensors[fmt::format("wrong {}", sets.size())] = make_array({one.wrong.size()}, one.wrong);
      sets.push_back(to_json(one.set));
    }
    state.metadata["sets"] = sets.dump();
    state_.save(std::move(state));
  }

  void run_units() {
    take_over();
    // A set that is left out takes no time, and one that was done before none any more.
    std::size_t total = 0, before = 0;
    const std::size_t n = images_.n();
    for (std::size_t i = done_.size(); i < units_.size(); ++i)
      if (defined_on(*units_[i].member, images_)) total += n;
    if (!clean_) {
      total += n;
      clean_ = ask(as_they_are(images_), {progress_, "clean", before, total}, nullptr);
      before += n;
      save();
    }
    record_.k = clean_->logits.shape[1];
    record_.clean = judged(*clean_);
    while (done_.size() < units_.size()) {
      const ShiftUnit& unit = units_[done_.size()];
      DoneUnit one = run_unit(unit, before, total);
      if (one.set.left_out.empty()) before += n;
      done_.push_back(std::move(one));
      save();
    }
    if (!paired_)
      warn(fmt::format(
          "{}: its images are not paired with the images of {}: no agreement and no relative errors",
          display_name(task_.published), display_name(task_.data)));
  }

  DoneUnit run_unit(const ShiftUnit& unit, std::size_t before, std::size_t total) {
    DoneUnit done;
    CorruptedSet& set = done.set;
    set.corruption = unit.member->name, set.group = unit.member->group, set.severity = *unit.severity;
    set.judged.n = images_.n();
    if (task_.published.empty() && !defined_on(*unit.member, images_)) {
      set.left_out = "not defined on grayscale images";
      return done;
    }
    const ShiftedImages images = images_of(unit);
    const PassProgress progress{progress_, fmt::format("{} {}", unit.member->name, *unit.severity), before,
                                total};
    if (images.shape[0] != images_.n() ||
        (images.labels && images_.labels && *images.labels != *images_.labels))
      paired_ = false;
    double change = 0;
    const Answers answers = ask(images, progress, paired_ ? &change : nullptr);
    if (paired_) set.mean_change = change;
    set.judged.n = images.shape[0];
    if (answers.logits.shape[1] != clean_->logits.shape[1])
      refuse(task_.model_file, fmt::format("{} classes on all images", clean_->logits.shape[1]),
             answers.logits.shape[1]);
    set.judged = judged(answers);
    done.wrong = answers.wrong;
    if (done_.empty() && paired_ && !task_.published.empty()) paired_ = !doubted(answers, images);
    if (paired_) add_agreement(set, answers);
    return done;
  }

  // Whether something speaks against row i being the same sample in the published files.
  bool doubted(const Answers& answers, const ShiftedImages& images) {
    const Rows before = clean_->logits, after = answers.logits;
    Outputs rest, published_rest;
    rest.labels = images_.labels, published_rest.labels = images.labels;
    return !pair_doubt(evidence_of({&before, &rest, {}}, {&after, &published_rest, {}}), task_.data,
                       task_.published)
                .empty();
  }

  // One pass: the model's outputs, and where it is asked for the images' mean change.
  Answers ask(const ShiftedImages& images, const PassProgress& progress, double* change) const {
    const std::size_t n = images.shape[0];
    std::vector<float> logits;
    std::size_t k = 0;
    for_blocks(images, progress, [&](std::size_t begin, const Images& block, Progress* of_block) {
      if (change != nullptr)
        *change += sum_of_changes(images_, block, begin) / static_cast<double>(block.pixels.size()) *
                   static_cast<double>(block.n()) / static_cast<double>(n);
      Images taken = block;
      (void)take_middle(task_.model.info(), taken);  // of what is corrupted
      const Outputs outputs = task_.model.outputs(taken, of_block);
      k = outputs.k();
      logits.reserve(n * k);
      for (const double value : to_f64(outputs.logits, task_.model_file))
        logits.push_back(static_cast<float>(value));
    });
    return answered(make_array<float>({n, k}, std::move(logits)), images.labels);
  }

  [[nodiscard]] Answers answered(Array logits, const std::optional<std::vector<std::int64_t>>& labels) const {
    Answers answers{std::move(logits), {}};
    if (!labels) return answers;
    const std::vector<std::int32_t> predicted =
        assess::predict(answers.logits, display_name(task_.model_file)).classes;
    const auto k = static_cast<std::int64_t>(answers.logits.shape[1]);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      if ((*labels)[i] >= k)
        refuse(display_name(task_.data), fmt::format("labels from 0 to {}", k - 1),
               fmt::format("{} at row {}", (*labels)[i], i));
      answers.wrong.push_back(predicted[i] != (*labels)[i] ? 1 : 0);
    }
    return answers;
  }

  [[nodiscard]] CorruptedAccuracy judged(const Answers& answers) const {
    CorruptedAccuracy found;
    found.n = answers.logits.shape[0];
    if (answers.wrong.empty()) return found;
    const auto wrong = static_cast<std::size_t>(std::ranges::count(answers.wrong, std::uint8_t{1}));
    found.accuracy = assess::share(found.n - wrong, found.n, task_.options.level);
    found.error = assess::share(wrong, found.n, task_.options.level);
    return found;
  }

  void add_agreement(CorruptedSet& set, const Answers& answers) const {
    const agreement::Agreement found =
        agreement::posterior_agreement(clean_->logits, answers.logits, {},
                                       {.level = task_.options.level,
                                        .clean_name = display_name(task_.data),
                                        .shifted_name = fmt::format("{} {}", set.corruption, set.severity)});
    set.pa = pa_of(found), set.pa_normalized = found.pa_normalized;
    set.beta = found.beta, set.gap = found.gap;
    set.afr_pred = afr_pred_of(found);
  }

  [[nodiscard]] bool frost_is_made(const shift::Member& corruption) const {
    return corruption.takes_frost && task_.published.empty() && !task_.options.how.frost_dir;
  }

  // Procedural frost is not what published numbers are of.
  [[nodiscard]] bool counts(const shift::Member& corruption) const {
    return corruption.group != "extra" &&
           !(task_.options.reference == "alexnet" && frost_is_made(corruption));
  }

  void add_errors() {
    std::vector<shift::CorruptionMistakes> all;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const ShiftUnit& unit = units_[i];
      if (done_[i].wrong.empty()) continue;
      if (all.empty() || all.back().corruption != unit.member->name)
        all.push_back({std::string(unit.member->name),
                       counts(*unit.member),
                       {},
                       std::vector<std::uint8_t>(done_[i].wrong.size(), 0)});
      shift::CorruptionMistakes& one = all.back();
      one.severities.push_back(*unit.severity);
      if (one.wrong.size() != done_[i].wrong.size())
        refuse(display_name(task_.published),
               fmt::format("the same number of images at every severity of {}", one.corruption),
               fmt::format("{} and {}", one.wrong.size(), done_[i].wrong.size()));
      for (std::size_t row = 0; row < one.wrong.size(); ++row)
        one.wrong[row] = static_cast<std::uint8_t>(one.wrong[row] + done_[i].wrong[row]);
    }
    if (all.empty()) return;
    const auto found = shift::corruption_errors(all, paired_ ? clean_->wrong : std::vector<std::uint8_t>(),
                                                reference_ ? &*reference_ : nullptr, task_.options.level);
    for (const shift::CorruptionError& one : found.corruptions)
      record_.errors.push_back({one, std::string(shift::member(one.corruption).group)});
    MeanCorruptionError& mean = record_.mean.emplace();
    mean.corruptions = found.counted;
    mean.variant = record_.use ? record_.use->variant : "files";
    mean.mean_error = found.mean_error, mean.mce = found.mce, mean.relative_mce = found.relative_mce;
    if (reference_) mean.reference = reference_->name;
    mean.not_comparable = not_comparable(found.counted);
  }

  [[nodiscard]] std::vector<std::string> not_comparable(std::size_t counted) const {
    std::vector<std::string> why;
    if (counted < benchmark) why.push_back(fmt::format("only {} of the 15 corruptions count", counted));
    if (severities_.size() < 5) why.push_back(fmt::format("only {} of 5 severities", severities_.size()));
    if (std::ranges::any_of(units_, [&](const auto& unit) { return frost_is_made(*unit.member); }))
      why.emplace_back("frost is procedural");
    if (task_.options.reference == "alexnet" && record_.k != 1000)
      why.push_back(
          fmt::format("AlexNet's errors are for 1,000 classes, but the model has {}", record_.k.value_or(0)));
    if (task_.reference && task_.reference->use != record_.use)
      why.emplace_back("the images of the reference were corrupted in another way");
    if (!record_.use) return why;
    const CorruptionUse& use = *record_.use;
    if (use.lengths != 1)
      why.push_back(fmt::format("lengths are {:.3g} times the lengths of {}", use.lengths, use.set));
    if (use.set != "cifar" && use.variant != "published")
      why.emplace_back("the published files were compressed as JPEG again");
    return why;
  }

  const TaskClock clock_;
  const CorruptionsTask& task_;
  const Images& images_;
  Progress* progress_;
  const std::vector<std::size_t> severities_;
  const SavedWork state_;
  data::CorruptionFolder folder_{};
  std::vector<ShiftUnit> units_;
  shift::Options how_;
  std::optional<shift::ReferenceErrors> reference_;
  Corruptions record_;
  std::optional<Answers> clean_;
  bool paired_ = true;
  std::vector<DoneUnit> done_;
};

}  // namespace

Corruptions corruptions(const CorruptionsTask& task, Progress* progress) {
  return CorruptionsAnalysis(task, progress).run();
}

}  // namespace leeway::tasks
