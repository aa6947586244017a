#include "leeway/tasks/diagvib/diagvib.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/data/diagvib_set.h"
#include "leeway/io/csv.h"
#include "leeway/io/inflate.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

namespace fs = std::filesystem;
using data::DiagvibFactor;

constexpr std::array<std::string_view, 3> pairs_of_test = {"seen", "unseen", "all"};
constexpr std::size_t shifted_tests = 5;  // of co-occurrence

// NAME:WHICH; WHICH is empty where the text has none.
std::pair<std::string, std::string> split_part(const std::string& part) {
  const std::size_t colon = part.find(':');
  return {part.substr(0, colon), colon == std::string::npos ? "" : part.substr(colon + 1)};
}

// A part of the experiment: its environments; of the tests of co-occurrence the pairs, and the number of shifts
// (0: none).
struct ChosenPart {
  std::string text;
  const data::DiagvibPart* part = nullptr;
  std::vector<std::size_t> environments;
  data::SeenPairs pairs = data::SeenPairs::seen;
  std::size_t test = 0;
};

std::optional<std::size_t> number_below(const std::string& text, std::size_t end) {
  const auto number = parse_number(text);
  if (!number || !(*number >= 0 && *number < static_cast<double>(end)) || std::floor(*number) != *number)
    return std::nullopt;
  return static_cast<std::size_t>(*number);
}

// A test of co-occurrence: NUMBER or the name of its pairs.
void choose_pairs(ChosenPart& chosen, const std::string& which) {
  chosen.pairs = data::SeenPairs::all;
  if (which.empty()) return;
  chosen.test = number_below(which, shifted_tests + 1).value_or(0);
  if (chosen.test > 0) return;
  const auto found = std::ranges::find(pairs_of_test, which);
  if (found == pairs_of_test.end())
    refuse("part test", fmt::format("test:1 to test:{}, test:seen, test:unseen or test:all", shifted_tests),
           in_quotes(chosen.text));
  chosen.pairs = static_cast<data::SeenPairs>(found - pairs_of_test.begin());
}

ChosenPart part_of(const data::DiagvibExperiment& experiment, const std::string& text) {
  const auto [name, which] = split_part(text);
  if (which.empty() && text.ends_with(':')) refuse("part", "NAME or NAME:WHICH", in_quotes(text));
  ChosenPart chosen{text, &experiment.part(name), {}};
  const auto& environments = chosen.part->environments;
  if (environments.empty()) {
    choose_pairs(chosen, which);
    return chosen;
  }
  if (which.empty()) {
    for (std::size_t e = 0; e < environments.size(); ++e) chosen.environments.push_back(e);
    return chosen;
  }
  const auto number = number_below(which, environments.size());
  if (!number)
    refuse(fmt::format("part {} of {}", name, experiment.name),
           fmt::format("an environment from 0 to {}", environments.size() - 1), in_quotes(which));
  chosen.environments.push_back(*number);
  chosen.text = fmt::format("{}:{}", name, chosen.environments.front());
  return chosen;
}

// What the library refuses of an option's value is usage.
template <class Look>
auto as_option(const char* option, const Look& look) {
  try {
    return look();
  } catch (const Error& error) {
    throw OptionError(fmt::format("--{}: {}", option, error.what()));
  }
}

ChosenPart chosen_part(const data::DiagvibExperiment& experiment, const std::string& text) {
  return as_option("part", [&] { return part_of(experiment, text); });
}

using Fixed = std::map<DiagvibFactor, std::string>;

Fixed fixed_of(const std::vector<std::string>& texts) {
  Fixed fixed;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    const auto factor = data::diagvib_factor(text.substr(0, at));
    if (at == std::string::npos || !factor)
      throw OptionError(
          fmt::format("--factors: expected FACTOR=CLASS, where FACTOR is hue, lightness, position, scale or "
                      "texture, found {}",
                      in_quotes(text)));
    fixed[*factor] = text.substr(at + 1);
  }
  return fixed;
}

const char* name_of(data::DiagvibPairing pairing) {
  return pairing == data::DiagvibPairing::paired ? "paired" : "unpaired";
}

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code unknown;
  return fs::equivalent(image_files(one).front(), image_files(other).front(), unknown);
}

class Digits {
 public:
  explicit Digits(const DataDiagvibTask& task, std::vector<std::size_t> classes)
      : task_(task), classes_(std::move(classes)) {}

  const data::DiagvibDigits& of(data::DiagvibSplit split) {
    const bool test = split == data::DiagvibSplit::test;
    auto& digits = test ? test_ : train_;
    if (digits) return *digits;
    std::string path = task_.digits;
    if (test) path = task_.test_digits.empty() ? test_digits_beside(path) : task_.test_digits;
    if (path.empty()) throw OptionError("--test-digits is required: the file of test images");
    if (test && is_same_file(path, task_.digits))
      throw OptionError(
          "--test-digits: expected a file other than --digits (the training images), found the same");
    digits = data::diagvib_digits(task_.open ? task_.open(path) : read_images(path), classes_);
    left_out_ += digits->left_out;
    return *digits;
  }
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  const DataDiagvibTask& task_;
  const std::vector<std::size_t> classes_;
  std::optional<data::DiagvibDigits> train_, test_;
  std::size_t left_out_ = 0;
};

void describe_pairs(const data::DiagvibSet& set, DiagvibFactor learning, DiagvibFile& file) {
  file.pairs.assign(3, std::vector<std::size_t>(3));
  data::PairWeights counts{};
  for (const std::string_view name : data::diagvib_triple(learning)) file.learning_classes.emplace_back(name);
  std::map<std::uint8_t, std::size_t> place;  // of a code, in the order of the triple
  for (std::size_t l = 0; l < 3; ++l)
    for (const data::DiagvibRow& row : set.rows) {
      const std::string name = set.class_of(row, learning);
      if (name != file.learning_classes[l] && name != file.learning_classes[l] + "*") continue;
      file.learning_classes[l] = name;
      place[row.codes[static_cast<std::size_t>(learning)]] = l;
      break;
    }
  for (const data::DiagvibRow& row : set.rows) {
    const std::size_t l = place.at(row.codes[static_cast<std::size_t>(learning)]);
    ++file.pairs[row.label][l];
    counts[row.label][l] += 1;
  }
  file.mutual_information = std::max(0., data::mutual_information(counts));
}

void describe_environments(const data::DiagvibSet& set, const data::EnvironmentStatistics& statistics,
                           DiagvibFile& file) {
  for (const data::DiagvibRow& row : set.rows) {
    auto found = std::ranges::find(file.environments, row.environment, &DiagvibEnvironment::number);
    if (found == file.environments.end()) {
      const auto of = [&](DiagvibFactor factor) { return set.class_of(row, factor); };
      DiagvibEnvironment one{row.environment,
                             0,
                             of(DiagvibFactor::hue),
                             of(DiagvibFactor::lightness),
                             of(DiagvibFactor::position),
                             of(DiagvibFactor::scale),
                             of(DiagvibFactor::texture),
                             {},
                             {}};
      if (const auto own = statistics.find(row.environment); own != statistics.end()) {
        one.mean.assign(own->second.mean.begin(), own->second.mean.end());
        one.std.assign(own->second.std.begin(), own->second.std.end());
      }
      found = file.environments.insert(found, std::move(one));
    }
    ++found->n;
  }
}

class Work {
 public:
  Work(const DataDiagvibTask& task, Progress* progress)
      : task_(task),
        progress_(progress),
        experiment_(data::diagvib_experiment(task.options.environment)),
        fixed_(fixed_of(task.options.factors)),
        learning_(data::diagvib_factor(task.options.learning_factor).value_or(DiagvibFactor::hue)),
        classes_(task.options.classes.empty() ? experiment_.digits : task.options.classes),
        digits_(task, classes_) {
    textures_ = task.textures.empty() ? data::diagvib_textures() : data::diagvib_textures(task.textures);
    std::vector<std::size_t> sorted = classes_;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      throw OptionError("--classes: expected each class once");
    if (classes_.size() < 2) throw OptionError("--classes: expected at least 2 classes");
    require_options_that_fit();
  }

  DataDiagvib run() {
    DataDiagvib record;
    record.options = task_.options;
    const bool all = task_.options.part == "all";
    const std::vector<std::string> parts = diagvib_parts(task_.options);
    std::vector<data::DiagvibSet> sets;  // all are planned before any is drawn: mistakes are found first
    std::vector<ChosenPart> chosen;
    for (const std::string& text : parts) {
      chosen.push_back(chosen_part(experiment_, text));
      sets.push_back(set_of(chosen.back(), record.results.emplace_back()));
    }
    if (all && !task_.out.images.empty()) fs::create_directories(task_.out.images);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      std::string path = task_.out.images;
      if (all && !path.empty()) path = (fs::path(path) / diagvib_file_name(parts[i])).string();
      write(sets[i], path, record.results[i]);
    }
    if (!task_.out.sheet.empty()) {
      std::vector<data::ShownSet> shown;
      for (std::size_t i = 0; i < sets.size(); ++i)
        shown.push_back(
            {&sets[i], sets[i].rows.size() / std::max<std::size_t>(1, chosen[i].environments.size())});
      write_png(task_.out.sheet, data::sheet_of(shown, task_.options.size, task_.seed));
      record.sheet = written_file(task_.out.sheet, task_.out.digests);
    }
    for (const std::size_t one : classes_) record.classes.push_back(std::to_string(one));
    record.left_out = digits_.left_out();
    return record;
  }

 private:
  void require_options_that_fit() const {
    const DataDiagvibOptions& given = task_.options;
    const bool pairs = experiment_.weights != nullptr;
    const auto forbid = [&](bool is_given, const char* option) {
      if (is_given) throw OptionError(fmt::format("--{}: not applicable to {}", option, experiment_.name));
    };
    const DataDiagvibOptions defaults;
    forbid(!pairs && given.learning_factor != defaults.learning_factor, "learning-factor");
    forbid(experiment_.name != "fgo" && given.share != defaults.share, "share");
    forbid(pairs && given.pairing.has_value(), "pairing");
    forbid(pairs && given.shift_ratio != defaults.shift_ratio, "shift-ratio");
    if (pairs && classes_.size() != 3)
      throw OptionError(
          fmt::format("--classes: expected 3 digits, one for each class of the learning factor, found {}",
                      classes_.size()));
    if (pairs && fixed_.contains(learning_))
      throw OptionError(fmt::format("--factors: expected factors other than the learning factor, found {}",
                                    data::name_of(learning_)));
    as_option("factors", [&] {
      for (const auto& [factor, name] : fixed_) (void)data::diagvib_code(factor, name, textures_);
      return 0;
    });
    if (pairs && given.part != "all")
      as_option("part", [&] {
        return tested_pairs(experiment_.weights(given.share), part_of(experiment_, given.part).pairs);
      });
    if (given.part == "all" && !task_.out.attributes.empty())
      throw OptionError("--attributes: expected a single part, found all");
  }

  [[nodiscard]] std::size_t n_of(const data::DiagvibPart& part) const {
    if (!task_.options.n) return part.n;
    if (task_.options.part != "all") return *task_.options.n;
    const double share = static_cast<double>(part.n) / static_cast<double>(experiment_.parts.front().n);
    return static_cast<std::size_t>(std::max(1., std::round(share * static_cast<double>(*task_.options.n))));
  }

  data::DiagvibSet set_of(const ChosenPart& chosen, DiagvibFile& file) {
    const data::DiagvibSplit split = data::split_of(chosen.part->name);
    data::DiagvibSet set{pool_of(digits_.of(split), split), textures_, split, task_.seed, {}, {}};
    data::DiagvibRows rows{n_of(*chosen.part), chosen.part->pairing, task_.options.shift_ratio};
    if (const auto& pairing = task_.options.pairing)
      rows.pairing = *pairing == "paired" ? data::DiagvibPairing::paired : data::DiagvibPairing::unpaired;
    if (experiment_.weights != nullptr) {
      add_pairs(set, chosen, rows.n);
      describe_pairs(set, learning_, file);
    } else {
      std::vector<data::DiagvibEnvironment> environments = chosen.part->environments;
      for (auto& environment : environments)
        for (const auto& [factor, name] : fixed_)
          environment.classes[static_cast<std::size_t>(factor)] = name;
      add_rows(set, environments, chosen.environments, rows);
    }
    file.part = chosen.text;
    file.n = set.rows.size();
    file.shape = {file.n, 3, task_.options.size, task_.options.size};
    file.pairing = name_of(rows.pairing);
    for (const auto& of_class : set.digits.of_class) file.pool.push_back(of_class.size());
    return set;
  }

  void add_pairs(data::DiagvibSet& set, const ChosenPart& chosen, std::size_t n) const {
    const auto weights = tested_pairs(experiment_.weights(task_.options.share), chosen.pairs);
    Fixed fixed = fixed_;
    if (chosen.test > 0) fixed.merge(data::shifted_factors(learning_, chosen.test));
    for (const std::size_t environment : chosen.environments)
      add_co_occurrence(set, weights, learning_, fixed, n, environment, chosen.part->environments.size());
    if (chosen.environments.empty()) add_co_occurrence(set, weights, learning_, fixed, n);
  }

  void write(const data::DiagvibSet& set, const std::string& path, DiagvibFile& file) {
    data::EnvironmentStatistics statistics;
    if (!path.empty()) statistics = write_diagvib(path, set, task_.options.size, progress_);
    if (experiment_.weights == nullptr) describe_environments(set, statistics, file);
    if (!statistics.empty()) {
      const data::ChannelStatistics all = pooled(statistics);
      file.mean.assign(all.mean.begin(), all.mean.end());
      file.std.assign(all.std.begin(), all.std.end());
    }
    if (!task_.out.attributes.empty()) write_diagvib_table(task_.out.attributes, set);
    file.out = written_file(path, task_.out.digests);
    file.attributes = written_file(task_.out.attributes, task_.out.digests);
  }

  const DataDiagvibTask& task_;
  Progress* progress_;
  const data::DiagvibExperiment& experiment_;
  const Fixed fixed_;
  const DiagvibFactor learning_;
  const std::vector<std::size_t> classes_;
  Digits digits_;
  std::vector<data::DiagvibTexture> textures_;
};

}  // namespace

std::string test_digits_beside(const std::string& digits) {
  constexpr std::string_view fashion = "fashion-mnist:", train = "train-images", test = "t10k-images";
  if (digits.starts_with(fashion))
    return digits == "fashion-mnist:train" ? std::string(fashion) + "test" : "";
  const fs::path path = digits;
  std::string name = path.filename().string();
  if (!name.starts_with(train)) return "";
  return plain_or_gzip(path.parent_path() / name.replace(0, train.size(), test)).string();
}

std::vector<std::string> diagvib_parts(const DataDiagvibOptions& options) {
  const data::DiagvibExperiment& experiment = data::diagvib_experiment(options.environment);
  if (options.part != "all") return {chosen_part(experiment, options.part).text};
  std::vector<std::string> parts;
  for (const data::DiagvibPart& part : experiment.parts)
    if (part.environments.empty()) {
      for (std::size_t test = 1; test <= shifted_tests; ++test) parts.push_back(fmt::format("test:{}", test));
    } else if (part.name == "train") {
      parts.push_back(part.name);
    } else {
      for (const data::DiagvibEnvironment& environment : part.environments)
        parts.push_back(fmt::format("{}:{}", part.name, environment.number));
    }
  return parts;
}

std::string diagvib_file_name(const std::string& part) {
  std::string name = part;
  std::ranges::replace(name, ':', '-');
  return name + ".npz";
}

DataDiagvib data_diagvib(const DataDiagvibTask& task, Progress* progress) {
  const TaskClock clock;
  return clock.finished(Work(task, progress).run(), task.seed);
}

}  // namespace leeway::tasks
