#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

// Sentences with the results they are about: one that concerns several is said once.
struct Said {
  std::string text;
  std::vector<const Result*> results;
};

void say(std::vector<Said>& list, const std::string& text, const Result& result) {
  for (Said& said : list)
    if (said.text == text) {
      said.results.push_back(&result);
      return;
    }
  list.push_back({text, {&result}});
}

// "every model and target", "pgd, blur (both models)", or the subjects one by one.
std::string whom(const Record& record, const std::vector<const Result*>& results) {
  if (results.size() == record.results.size())
    return record.results.size() == 1 ? "" : "every model and target";
  std::vector<std::string> whole;
  std::size_t covered = 0;
  for (const std::string& target : record.targets) {
    const auto of_target = [&](const Result& r) { return r.target == target; };
    const auto all =
        static_cast<std::size_t>(std::count_if(record.results.begin(), record.results.end(), of_target));
    const auto here = static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [&](const Result* r) { return of_target(*r); }));
    if (all != here || all == 0) continue;
    whole.push_back(target);
    covered += here;
  }
  if (covered == results.size()) return list_of(whole);
  const auto of_model = [&](const std::string& model) {
    return static_cast<std::size_t>(std::count_if(record.results.begin(), record.results.end(),
                                                  [&](const Result& r) { return r.model == model; }));
  };
  const std::string& model = results[0]->model;
  if (std::all_of(results.begin(), results.end(), [&](const Result* r) { return r->model == model; }) &&
      results.size() == of_model(model))
    return model + ", every target";
  std::vector<std::string> each;
  for (const Result* result : results) each.push_back(subject(record, *result));
  if (each.size() > 6) {
    const std::size_t more = each.size() - 5;
    each.resize(5);
    each.push_back(fmt::format("{} more", more));
  }
  return list_of(each);
}

std::string list(const Record& record, const std::vector<Said>& sentences) {
  std::string out;
  for (const Said& said : sentences) {
    const std::string about = whom(record, said.results);
    out += fmt::format("<li>{}{}</li>\n", escape(said.text),
                       about.empty() ? "" : " <span class=\"about\">" + escape(about) + "</span>");
  }
  return "<ul>\n" + out + "</ul>\n";
}

std::string sentence(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string words_for(const std::string& key) {
  static const std::map<std::string, std::string> words = {
      {"accuracy", "accuracy"},
      {"source_accuracy", "accuracy on the source"},
      {"accuracy_change", "the change of accuracy"},
      {"afr_pred", "the share of same predictions"},
      {"afr_true", "the share of same predictions"},
      {"pa", "posterior agreement"},
      {"pa_normalized", "posterior agreement"},
      {"log_pa_mean", "posterior agreement"},
      {"pa_low", "the interval of posterior agreement"},
      {"pa_high", "the interval of posterior agreement"},
      {"beta", "posterior agreement"},
      {"gap", "posterior agreement"},
      {"curve", "posterior agreement"},
      {"local_maxima", "posterior agreement"},
      {"error_bound", "an upper bound on the error"},
      {"error_bound_terms", "an upper bound on the error"},
      {"estimates", "estimated errors"},
      {"classes", "the table of classes"},
      {"groups", "the table of groups"},
      {"worst_class", "the weakest class"},
      {"worst_group", "the weakest group"},
      {"confusion", "the map of changed predictions"},
      {"top_flips", "the most frequent changes"},
      {"flips", "the samples that change"},
      {"confidence", "confidence"},
      {"predicted_shares", "the mix of predictions"}};
  const auto found = words.find(key);
  return found == words.end() ? key : found->second;
}

std::string shell_word(const std::string& word) {
  const bool plain =
      !word.empty() &&
      word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%") ==
          word.npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += word.starts_with("--") ? " \\\n    " : " ";
    std::string text = shell_word(word);
    std::string safe;
    for (const char c : text) safe += c == '\n' ? std::string("\xEF\xBF\xBD") : std::string(1, c);
    line += safe;
  }
  std::string out;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = line.find('\n', begin);
    out += escape(line.substr(begin, end - begin));
    if (end == line.npos) return out;
    out += '\n';
    begin = end + 1;
  }
}

}  // namespace

Section warnings_section(const Record& record) {
  Section section{"warnings", "Warnings", "", ""};
  std::vector<Said> sentences;
  for (const Result& result : record.results)
    for (const std::string& warning : result.warnings) say(sentences, warning, result);
  if (sentences.empty()) return section;
  section.link = fmt::format("Warnings ({})", sentences.size());
  section.heading =
      sentences.size() == 1
          ? std::string("One thing to keep in mind before trusting these numbers")
          : fmt::format("{} things to keep in mind before trusting these numbers", sentences.size());
  section.body = list(record, sentences);
  return section;
}

Section missing_section(const Record& record) {
  Section section{"missing", "Gaps", "", ""};
  std::vector<Said> sentences;
  for (const Result& result : record.results) {
    std::vector<std::pair<std::string, std::vector<std::string>>> by_reason;
    for (const auto& [key, reason] : result.not_computed) {
      auto found = std::find_if(by_reason.begin(), by_reason.end(),
                                [&why = reason](const auto& item) { return item.first == why; });
      if (found == by_reason.end()) found = by_reason.insert(by_reason.end(), {reason, {}});
      const std::string words = words_for(key);
      if (std::find(found->second.begin(), found->second.end(), words) == found->second.end())
        found->second.push_back(words);
    }
    for (const auto& [reason, things] : by_reason)
      say(sentences, sentence(list_of(things) + ": " + reason), result);
  }
  if (sentences.empty()) return section;
  section.heading = "What could not be computed, and why";
  section.body = list(record, sentences);
  return section;
}

Section assumptions_section(const Record& record) {
  Section section{"assumptions", "Assumptions", "What these numbers assume", ""};
  std::vector<std::string> items;
  double gap = 0;
  bool pairs = false, labels = false;
  std::size_t intervals = 0;
  std::vector<Said> evidence;
  for (const Result& result : record.results) {
    if (result.paired && !result.pairing.reason.empty()) say(evidence, result.pairing.reason, result);
    if (result.gap && std::isfinite(*result.gap)) gap = std::max(gap, *result.gap);
    pairs = pairs || result.paired;
    labels = labels || result.accuracy.value.has_value();
    for (const Measured* value : {&result.accuracy, &result.afr_pred, &result.pa})
      intervals += value->low && value->high ? 1 : 0;
  }
  items.push_back(
      "Samples are drawn independently of each other. Where they come in clusters (frames of a video, visits "
      "of one person), the intervals are too narrow.");
  if (intervals > 0)
    items.push_back(fmt::format(
        "Intervals have level {}: those of proportions are exact (Clopper and Pearson), those of PA use its "
        "variance at the maximum. "
        "Of the {} intervals in the first table about {} can be expected to miss.",
        percent(record.level, record.level > .99 ? 1 : 0), intervals,
        significant(std::max(1., std::round((1 - record.level) * static_cast<double>(intervals))), 2)));
  if (record.bounds) items.push_back(escape(record.bounds->assumption));
  if (labels) items.push_back("Labels are taken as true.");
  if (pairs)
    items.push_back(
        "In a paired target, row i is row i of the source after the shift. Files in another order would look "
        "like a shift that is none.");
  for (const Said& said : evidence) {
    const std::string about = whom(record, said.results);
    items.push_back(fmt::format("Pairs are told by this: {}{}.", escape(said.text),
                                about.empty() ? "" : " (" + escape(about) + ")"));
  }
  if (pairs && gap > 0)
    items.push_back(fmt::format("PA is the global maximum over all β: no β gives more than {} beyond it.",
                                significant(gap, 2)));
  items.push_back("Confidence is the largest softmax probability as the model gives it, not calibrated.");
  items.push_back(
      "A result speaks for this shift at this strength and for data like these, not for shifts that were not "
      "tried.");
  for (const std::string& item : items) section.body += "<li>" + item + "</li>\n";
  section.body = "<ul>\n" + section.body + "</ul>\n";
  return section;
}

Envelope envelope_of(const record::Envelope& envelope) {
  Envelope out;
  out.commands = envelope.joined_commands;
  out.commands.insert(out.commands.begin(), envelope.command);
  for (const record::Input& input : envelope.inputs) {
    std::string shape;
    for (const std::size_t length : input.shape) shape += (shape.empty() ? "" : " × ") + count(length);
    out.inputs.push_back({input.path, shape, input.xxh3_128, input.bytes});
  }
  out.version = envelope.version;
  out.instruction_set = envelope.instruction_set;
  out.seconds = envelope.seconds;
  if (envelope.joined_commands.empty()) out.seed = envelope.seed;
  return out;
}

Section source_section(const Envelope& envelope) {
  Section section{"source", "Reproduce", "", ""};
  section.heading = envelope.seconds
                        ? fmt::format("Computed in {} s by this command", significant(*envelope.seconds, 2))
                        : std::string("How this was computed");
  for (const auto& command : envelope.commands)
    if (!command.empty())
      section.body += fmt::format(
          "<div class=\"command\"><pre tabindex=\"0\"><code>{}</code></pre><button type=\"button\" "
          "class=\"copy-text\">Copy command</button></div>\n",
          shell_line(command));
  Table table("Inputs",
              {{"File", "", false}, {"Shape", "", false}, {"Size", ""}, {"XXH3-128 digest", "", false}});
  for (const Input& input : envelope.inputs)
    table.add({text_cell(input.path),
               input.shape.empty() ? dash_cell("not recorded") : text_cell(input.shape),
               input.bytes ? number_cell(static_cast<double>(*input.bytes), bytes(*input.bytes))
                           : dash_cell("not a file, or digests were switched off"),
               input.digest.empty() ? dash_cell("not a file, or digests were switched off")
                                    : html_cell("<code>" + escape(input.digest) + "</code>")});
  if (!table.empty()) section.body += table.html();
  std::string small =
      "leeway " + escape(envelope.version.empty() ? "of an unknown version" : envelope.version);
  if (envelope.seed) small += fmt::format(", seed {}", *envelope.seed);
  if (!envelope.instruction_set.empty()) small += ", instruction set " + escape(envelope.instruction_set);
  section.body += paragraph(small + ". The page is one file and works offline.");
  return section;
}

}  // namespace leeway::report
