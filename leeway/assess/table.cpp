#include "leeway/assess/table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "leeway/assess/words.h"
#include "leeway/core/text.h"

namespace leeway::assess {
namespace {

constexpr std::size_t max_width = 100, gap = 2;

std::size_t byte_at(const std::string& text, std::size_t column) {
  std::size_t byte = 0;
  for (std::size_t seen = 0; byte < text.size(); ++byte) {
    const bool starts = (static_cast<unsigned char>(text[byte]) & 0xc0) != 0x80;
    if (starts && seen++ == column) break;
  }
  return byte;
}

// "a_very_long_name" -> "a_ver..name"
std::string cut(const std::string& text, std::size_t width) {
  const std::size_t length = text_width(text);
  if (length <= width) return text;
  const std::size_t tail = (width - 2) / 2, head = width - 2 - tail;
  return text.substr(0, byte_at(text, head)) + ".." + text.substr(byte_at(text, length - tail));
}

std::string pad(const std::string& text, std::size_t width, bool left) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return left ? text + space : space + text;
}

struct Column {
  std::string title;
  std::size_t narrowest = 0;  // 0: never cut
  bool left = false;
  std::vector<std::string> cells = {};

  [[nodiscard]] std::size_t width() const {
    std::size_t widest = text_width(title);
    for (const std::string& cell : cells) widest = std::max(widest, text_width(cell));
    return widest;
  }
};

// "74.0 [73.1 74.9]" in units of 1/scale; digits one finer than the interval is wide.
std::string with_interval(const Json& result, const std::string& key, double scale) {
  if (result[key].is_null()) return "-";
  const double value = scale * result[key].get<double>();
  const double low = scale * number_from_json(result[key + "_low"]),
               high = scale * number_from_json(result[key + "_high"]);
  const int digits = std::min(3, percent_digits(high - low) + (high - low < 10 ? 1 : 0));
  return fmt::format("{:.{}f} [{:.{}f} {:.{}f}]", value, digits, low, digits, high, digits);
}

std::string single(const Json& value, double scale, const char* format) {
  if (value.is_null()) return "-";
  const double number = number_from_json(value);
  return std::isinf(number) ? "inf" : fmt::format(fmt::runtime(format), scale * number);
}

std::string worst_class(const Json& result) {
  const Json& cell = result["worst_class"];
  if (cell.is_null()) return "-";
  const std::string name = cell["name"];
  if (!cell["accuracy"].is_null())
    return fmt::format("{}: {:.0f}", name, 100 * cell["accuracy"].get<double>());
  if (!cell["afr_pred"].is_null())
    return fmt::format("{} ({:.0f})", name, 100 * cell["afr_pred"].get<double>());
  return "-";
}

std::vector<Column> columns(const Json& record) {
  const std::string level = fmt::format(" [{:g}%]", 100 * record["level"].get<double>());
  std::vector<Column> all{
      {"model", 8, true}, {"target", 10, true}, {"n"}, {"accuracy" + level}, {"AFR"}, {"agreement" + level},
      {"beta"},           {"worst class", 11}};
  for (const Json& result : record["results"]) {
    const std::string cells[] = {result["model"],
                                 result["target"],
                                 std::to_string(result["n"].get<std::size_t>()),
                                 with_interval(result, "accuracy", 100),
                                 single(result["afr_pred"], 100, "{:.1f}"),
                                 with_interval(result, "pa", 1),
                                 single(result["beta"], 1, "{:.3g}"),
                                 worst_class(result)};
    for (std::size_t j = 0; j < all.size(); ++j) all[j].cells.push_back(cells[j]);
  }
  if (record["models"].size() == 1) all.erase(all.begin());
  return all;
}

bool has_bounds(const Json& result) {
  return !result["error_bound"].is_null() ||
         std::ranges::any_of(result["estimates"], [](const Json& error) { return !error.is_null(); });
}

// What is said of errors without the target's labels; empty where nothing is.
std::vector<Column> bound_columns(const Json& record) {
  std::vector<Column> all{{"model", 8, true}, {"target", 10, true}, {"error at most"}};
  for (const auto& [method, error] : record["results"][0]["estimates"].items()) all.push_back({method});
  all.push_back({"true"});
  bool any = false;
  for (const Json& result : record["results"]) {
    any |= has_bounds(result);
    std::size_t j = 0;
    all[j++].cells.push_back(result["model"]);
    all[j++].cells.push_back(result["target"]);
    all[j++].cells.push_back(single(result["error_bound"], 100, "{:.1f}"));
    for (const auto& [method, error] : result["estimates"].items())
      all[j++].cells.push_back(single(error, 100, "{:.1f}"));
    const Json& accuracy = result["accuracy"];
    all[j].cells.push_back(accuracy.is_null() ? "-" : single(1 - accuracy.get<double>(), 100, "{:.1f}"));
  }
  if (!any) return {};
  if (record["models"].size() == 1) all.erase(all.begin());
  return all;
}

// Widths that fit; what is too much is taken from the widest column that may be cut.
std::vector<std::size_t> fit(const std::vector<Column>& all) {
  std::vector<std::size_t> widths;
  std::size_t total = gap * (all.size() - 1);
  for (const Column& column : all) total += widths.emplace_back(column.width());
  while (total > max_width) {
    std::size_t widest = all.size();
    for (std::size_t j = 0; j < all.size(); ++j)
      if (all[j].narrowest > 0 && widths[j] > all[j].narrowest &&
          (widest == all.size() || widths[j] > widths[widest]))
        widest = j;
    if (widest == all.size()) break;
    --widths[widest], --total;
  }
  return widths;
}

std::string line(const std::vector<std::string>& cells, const std::vector<Column>& all,
                 const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t j = 0; j < all.size(); ++j)
    text += pad(cut(cells[j], widths[j]), widths[j], all[j].left) + std::string(gap, ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
}

// A line of titles and one for each result.
std::string lines(const std::vector<Column>& all) {
  const std::vector<std::size_t> widths = fit(all);
  std::vector<std::string> cells;
  for (const Column& column : all) cells.push_back(column.title);
  std::string text = line(cells, all, widths);
  for (std::size_t i = 0; i < all.front().cells.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) cells[j] = all[j].cells[i];
    text += line(cells, all, widths);
  }
  return text;
}

// The class with the lowest mean at that sigma: "shirt: 41".
std::string least_robust(const Json& subject, const Json& sigma) {
  const Json* least = nullptr;
  for (const Json& comparison : subject["class_bias"])
    if (comparison["sigma"] == sigma)
      for (const Json& one : comparison["classes"])
        if (one["n"] != 0 && (least == nullptr || one["mean"] < (*least)["mean"])) least = &one;
  if (least == nullptr) return "-";
  const std::string name = (*least)["name"], number = (*least)["class"].dump();
  return fmt::format("{}: {:.0f}", name == number ? "class " + name : name,
                     100 * (*least)["mean"].get<double>());
}

// "1000 of 10000", or "500" where all were taken.
std::string rows_taken(const Json& subject) {
  const std::size_t n = subject["n"], all = subject.value("source_n", n);
  return n < all ? fmt::format("{} of {}", n, all) : std::to_string(n);
}

// What is said of predictions under noise, by each model's leading method.
std::string noise_lines(const Json& record) {
  const std::string level = fmt::format(" [{:g}%]", 100 * record["level"].get<double>());
  std::vector<Column> all{{"model", 8, true},   {"n"},       {"method", 0, true}, {"sigma"},
                          {"survives" + level}, {"1 in 20"}, {"median"},          {"least robust class", 18}};
  std::string warnings;
  for (const Json& subject : record["average_case"]) {
    for (const Json& warning : subject.value("warnings", Json::array()))
      warnings += wrapped(
          fmt::format("warning: {}: {}", subject["model"].get<std::string>(), warning.get<std::string>()));
    for (const Json& result : subject["results"]) {
      if (result["method"] != subject["leading"]) continue;
      const bool interval = !result["mean_low"].is_null();
      const std::string cells[] = {
          subject["model"],
          rows_taken(subject),
          result["method"],
          fmt::format("{:g}", result["sigma"].get<double>()),
          interval ? with_interval(result, "mean", 100) : single(result["mean"], 100, "{:.1f}"),
          single(result["quantiles"]["0.05"], 100, "{:.1f}"),
          single(result["quantiles"]["0.5"], 100, "{:.1f}"),
          least_robust(subject, result["sigma"])};
      for (std::size_t j = 0; j < all.size(); ++j) all[j].cells.push_back(cells[j]);
    }
  }
  if (record["models"].size() == 1) all.erase(all.begin());
  return warnings + lines(all) +
         wrapped(
             "n: rows of the source, its first ones. survives: mean probability in % that noise leaves the "
             "prediction "
             "as it is; one sample in 20 has no more than 1 in 20 says, half no more than the median.");
}

// The strongest shifts of labels and groups, of each target that has any, or within the source.
std::string shift_lines(const Json& record) {
  constexpr std::size_t most = 3;
  std::string text;
  for (const Json& shift : record["shifts"]) {
    std::string name = shift["target"].is_null() ? "source alone" : shift["target"].get<std::string>();
    if (shift["models"].size() < record["models"].size())
      name += fmt::format(" ({})", fmt::join(shift["models"].get<std::vector<std::string>>(), ", "));
    const Json& findings = shift["findings"];
    if (findings.empty())
      text += fmt::format("{}: none found in {} tests\n", name, shift["tests"].get<std::size_t>());
    for (std::size_t i = 0; i < std::min(most, findings.size()); ++i)
      text += wrapped(fmt::format("{}: {}", name, findings[i]["text"].get<std::string>()));
    if (!shift["left_out"].empty())
      text += wrapped(fmt::format("{}: left out for too many cells: {}", name,
                                  fmt::join(shift["left_out"].get<std::vector<std::string>>(), ", ")));
    if (findings.size() > most) text += fmt::format("{}: and {} more\n", name, findings.size() - most);
  }
  return text;
}

// One line for every column with dashes and every reason: "accuracy: the target has no labels (prod, week
// 2)".
std::string footnotes(const Json& record) {
  static const std::vector<std::pair<const char*, const char*>> keys{
      {"accuracy", "accuracy"},
      {"pa", "AFR, agreement, beta"},
      {"worst_class", "worst class"},
      {"error_bound", "upper bound of the error"},
      {"estimates", "estimates of the error"}};
  std::string text;
  for (const auto& [key, title] : keys) {
    std::map<std::string, std::vector<std::string>> reasons;
    for (const Json& result : record["results"])
      if (result["not_computed"].contains(key)) {
        auto& targets = reasons[result["not_computed"][key]];
        const std::string target = result["target"];
        if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
      }
    for (const auto& [reason, targets] : reasons) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, targets.size()); ++i)
        names += (i ? ", " : "") + targets[i];
      if (targets.size() > 3) names += ", ...";
      text += fmt::format("-  {}: {} ({})\n", title, reason, names);
    }
  }
  return text;
}

std::string legend(const Json& record) {
  bool by_flips = false;
  for (const Json& result : record["results"])
    by_flips |= !result["worst_class"].is_null() && result["worst_class"]["accuracy"].is_null();
  std::string text =
      "accuracy, AFR (predictions unchanged) and worst class (its accuracy) in %; agreement from 0 to log k "
      "= " +
      fmt::format("{:.2f}", std::log(static_cast<double>(record["class_names"].size()))) + ".";
  if (by_flips) text += " (..): without labels the class whose predictions change most, and its AFR.";
  return text;
}

}  // namespace

std::string table(const Json& record) {
  std::string text =
      wrapped(record["headline"]) + "\n" + lines(columns(record)) + "\n" + wrapped(legend(record));
  if (const std::vector<Column> bounds = bound_columns(record); !bounds.empty())
    text += "\nThe error in % without labels of the target: an upper bound, and estimates\n" + lines(bounds) +
            wrapped(record["bounds"]["assumption"]);
  if (record.contains("average_case") && !record["average_case"].empty())
    text += "\nPredictions under noise of standard deviation sigma\n" + noise_lines(record);
  if (record.contains("shifts"))
    text += "\nShifts of labels and groups between source and target\n" + shift_lines(record);
  return text + footnotes(record);
}

}  // namespace leeway::assess
