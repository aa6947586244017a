// What stands behind the numbers: warnings, what is missing, what is assumed, and how a record came about.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// Sentences with the results they are about: one that concerns several is said once.
struct Said {
  std::string text;
  std::vector<const AssessResult*> results;
};

void say(std::vector<Said>& list, const std::string& text, const AssessResult& result) {
  auto found = std::ranges::find(list, text, &Said::text);
  if (found == list.end()) found = list.insert(list.end(), {text, {}});
  found->results.push_back(&result);
}

// "every model and target", "pgd, blur (both models)", or the subjects one by one.
std::string whom(const Assess& record, const std::vector<const AssessResult*>& results) {
  if (results.size() == record.results.size())
    return record.results.size() == 1 ? "" : "every model and target";
  std::map<std::string, std::size_t> of_target, of_model, here;
  for (const AssessResult& result : record.results) ++of_target[result.target], ++of_model[result.model];
  for (const AssessResult* result : results) ++here[result->target];
  std::vector<std::string> whole, each;
  std::size_t covered = 0;
  for (const std::string& target : record.targets) {
    if (here[target] == 0 || here[target] != of_target[target]) continue;
    whole.push_back(target);
    covered += here[target];
  }
  if (covered == results.size()) return list_of(whole);
  const std::string& model = results[0]->model;
  if (results.size() == of_model[model] &&
      std::ranges::all_of(results, [&](const AssessResult* result) { return result->model == model; }))
    return model + ", every target";
  for (const AssessResult* result : results) each.push_back(subject(record, *result));
  return list_of(at_most(6, each));
}

// Each with the results that it concerns.
std::vector<std::string> said_items(const Assess& record, const std::vector<Said>& sentences) {
  std::vector<std::string> items;
  for (const auto& [text, results] : sentences) {
    const std::string about = whom(record, results);
    items.push_back(text + (about.empty() ? "" : " (" + about + ")"));
  }
  return items;
}

// What a key of not_computed is about; a space around each key.
std::string words_for(const std::string& key) {
  for (const std::string_view end : {"_low", "_high"})
    if (key.ends_with(end)) return "the interval of " + words_for(key.substr(0, key.size() - end.size()));
  for (const QualityMeasure& one : quality_measures) {
    if (key == fmt::format("quality.{}", one.key)) return one.words;
    if (key == fmt::format("source_quality.{}", one.key)) return std::string(one.words) + " on the source";
    if (key == fmt::format("quality_change.{}", one.key)) return std::string("the change of ") + one.words;
  }
  struct Words {
    std::string_view words, keys;
  };
  constexpr std::array things{
      Words{"accuracy on the source", " source_accuracy "},
      Words{"the change of accuracy", " accuracy_change "},
      Words{"the changes of quality", " quality_change "},
      Words{"the share of unchanged predictions", " afr_pred afr_true "},
      Words{"posterior agreement", " pa pa_normalized log_pa_mean beta gap curve local_maxima "},
      Words{"an upper bound on the error", " error_bound error_bound_terms "},
      Words{"estimated errors", " estimates "},
      Words{"the table of classes", " classes "},
      Words{"the table of groups", " groups "},
      Words{"the weakest class", " worst_class "},
      Words{"the weakest group", " worst_group "},
      Words{"the map of changed predictions", " confusion "},
      Words{"the most frequent changes", " top_flips "},
      Words{"the samples that change", " flips "},
      Words{"the mix of predictions", " predicted_shares "}};
  const auto* found = std::ranges::find_if(
      things, [&](const Words& one) { return one.keys.find(" " + key + " ") != one.keys.npos; });
  return found == things.end() ? key : std::string(found->words);
}

// The command as it can be pasted into a shell, an option a line.
std::string shell_line(const std::vector<std::string>& words) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += word.starts_with("--") ? " \\\n    " : " ";
    std::string text;
    for (const char c : word) text += c == '\'' ? "'\\''" : c == '\n' ? "\xEF\xBF\xBD" : std::string(1, c);
    const bool bare = !word.empty() && word.find_first_not_of(plain) == word.npos;
    line += (bare ? text : "'" + text + "'");
  }
  return line;
}

}  // namespace

std::string sentence_case(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Section warnings_section(const Assess& record) {
  std::vector<Said> sentences;
  for (const AssessResult& result : record.results)
    for (const std::string& warning : result.warnings) say(sentences, warning, result);
  if (sentences.empty()) return {};
  const std::size_t n = sentences.size();
  return {"warnings", fmt::format("Warnings ({})", n),
          (n == 1 ? "One warning" : fmt::format("{} warnings", n)) + " about these numbers",
          bullets(said_items(record, sentences))};
}

Section missing_section(const Assess& record) {
  std::vector<Said> sentences;
  for (const AssessResult& result : record.results) {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const auto& [key, reason] : result.not_computed) append_new(by_reason[reason], words_for(key));
    for (const auto& [reason, things] : by_reason)
      say(sentences, sentence_case(list_of(things)) + ": " + reason + (reason.ends_with('.') ? "" : "."),
          result);
  }
  if (sentences.empty()) return {};
  return {"missing", "Gaps", "What could not be computed, and why", bullets(said_items(record, sentences))};
}

Section assumptions_section(const Assess& record) {
  double gap = 0;
  bool pairs = false, labels = false;
  std::size_t intervals = 0;
  std::vector<Said> evidence;
  for (const AssessResult& result : record.results) {
    if (result.paired && !result.pairing.reason.empty())
      say(evidence, "Evidence for pairs: " + result.pairing.reason, result);
    if (result.gap && std::isfinite(*result.gap)) gap = std::max(gap, *result.gap);
    pairs = pairs || result.paired;
    labels = labels || result.accuracy.value.has_value();
    for (const Measured* value : {&result.accuracy, &result.afr_pred, &result.pa})
      intervals += value->low && value->high ? 1 : 0;
  }
  std::vector<std::string> items = {
      "Samples are drawn independently of each other. If they come in clusters (frames of a video, visits of "
      "one person), the intervals are too narrow."};
  if (intervals > 0)
    items.push_back(fmt::format(
        "Intervals have level {}: intervals of proportions are exact (Clopper and Pearson), intervals of PA "
        "use its variance at the maximum. Of the {} intervals in the first table, about {} are expected to "
        "miss the true value.",
        percent(record.level, record.level > .99 ? 1 : 0), intervals,
        significant(std::max(1., std::round((1 - record.level) * static_cast<double>(intervals))), 2)));
  if (record.bounds) items.push_back(record.bounds->assumption);
  if (labels) items.push_back("Labels are assumed to be correct.");
  if (pairs)
    items.push_back(
        "In a paired target, row i is row i of the source after the shift. Files in another order would look "
        "like a shift.");
  for (const std::string& item : said_items(record, evidence)) items.push_back(item + ".");
  if (pairs && gap > 0)
    items.push_back(fmt::format("PA is the global maximum over all β: no other β raises it by more than {}.",
                                significant(gap, 2)));
  items.push_back("Confidence is the largest softmax probability of the model, not calibrated.");
  items.push_back(
      "Results apply to this shift at this strength and to similar data, not to shifts that were not "
      "tested.");
  return {"assumptions", "Assumptions", "What these numbers assume", bullets(items)};
}

Section source_section(const Envelope& envelope) {
  Section section{"source",
                  "Reproduce",
                  fmt::format("Computed in {} s by this command", significant(envelope.seconds, 2)),
                  {}};
  std::vector<std::vector<std::string>> commands = envelope.joined_commands;
  commands.insert(commands.begin(), envelope.command);
  for (const std::vector<std::string>& command : commands)
    if (!command.empty()) section.body += single({ShellCommand{shell_line(command)}});
  const auto shape = [](const Input& input) {
    std::string text;
    for (const std::size_t length : input.shape) text += (text.empty() ? "" : " × ") + count(length);
    return text.empty() ? dash_cell("not recorded") : text_cell(text);
  };
  const std::vector<ColumnOf<Input>> columns = {
      {text_column("File"), &Input::path},
      {text_column("Shape"), shape},
      {number_column("Size"),
       [](const Input& input) { return number_cell(static_cast<double>(input.bytes), bytes(input.bytes)); }},
      {text_column("XXH3-128 digest"), [](const Input& input) {
         return input.xxh3_128.empty() ? dash_cell("not a file, or digests are off")
                                       : text_cell(input.xxh3_128, Mark::code);
       }}};
  section.body += table_of("Inputs", columns, envelope.inputs).block();
  std::string small = "leeway " + (envelope.version.empty() ? "of an unknown version" : envelope.version);
  if (envelope.joined_commands.empty()) small += fmt::format(", seed {}", envelope.seed);
  if (!envelope.instruction_set.empty()) small += ", instruction set " + envelope.instruction_set;
  section.body += paragraph(small + ". The page is a single file and works offline.");
  return section;
}

View view_of(const std::string& title, const Envelope& envelope, Blocks lead, std::vector<Section> sections,
             std::string scope) {
  sections.push_back(source_section(envelope));
  return {.title = "leeway: " + title,
          .headline = envelope.headline,
          .findings = envelope.findings,
          .scope = std::move(scope),
          .lead = std::move(lead),
          .sections = std::move(sections)};
}

View plain_view(const std::string& title, const Envelope& envelope, Blocks lead) {
  return view_of(title, envelope, in_both(std::move(lead)));
}

}  // namespace leeway::tasks
