#include "tests/report/pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "leeway/describe/json.h"
#include "tests/message_of.h"

namespace leeway::tasks::test {

Assess bare_record(std::size_t k) {
  Assess record;
  record.envelope.command = {"leeway", "assess"};
  record.envelope.instruction_set = "baseline";
  record.models = {"cnn"}, record.targets = {"noise"};
  for (std::size_t c = 0; c < k; ++c) record.class_names.push_back(fmt::format("class {}", c));
  AssessResult& result = record.results.emplace_back();
  result.model = "cnn", result.target = "noise";
  result.n = result.source_n = 100, result.k = k;
  return record;
}

namespace {

Measured about(double value) { return {value, value - .009, value + .009}; }

AssessCell cell(std::size_t c, double accuracy) {
  return {c,
          "",
          fmt::format("name {}", c),
          50,
          50,
          {accuracy, accuracy - .05, accuracy + .05},
          {.9, {}, {}},
          {.8, {}, {}}};
}

AssessResult full_result(const std::string& model, const std::string& target, std::size_t k,
                         double accuracy) {
  AssessResult r;
  r.model = model, r.target = target;
  r.n = r.source_n = 10000, r.k = k;
  r.paired = r.labelled = true;
  r.accuracy = about(accuracy), r.source_accuracy = about(.91), r.afr_pred = about(.82);
  r.accuracy_change.value = accuracy - .91;
  const double log_k = std::log(static_cast<double>(k));
  r.pa = {.6 * log_k, .59 * log_k, .61 * log_k};
  r.pa_normalized = .6, r.beta = 1.7, r.gap = 5e-10;
  for (int i = 0; i < 60; ++i) {
    const double beta = .01 * std::pow(1.15, i);
    r.curve.push_back({beta, -log_k + .6 * log_k * std::exp(-std::pow(std::log(beta / 1.7), 2))});
  }
  r.local_maxima = {{1.7, -.4 * log_k}};
  for (int b = 0; b <= 20; ++b) r.confidence.edges.push_back(b / 20.);
  r.confidence.clean = r.confidence.shifted = std::vector<std::size_t>(20, 500);
  r.confidence.clean_mean = .9, r.confidence.shifted_mean = .8;
  for (std::size_t c = 0; c < k; ++c)
    r.classes.push_back(cell(c, .05 + .9 * static_cast<double>(c) / static_cast<double>(k)));
  r.shares.clean = r.shares.shifted = std::vector<double>(k, 1. / static_cast<double>(k));
  for (std::size_t i = 0; k <= 100 && i < k; ++i) {
    std::vector<std::size_t>& row = r.confusion.emplace_back();
    for (std::size_t j = 0; j < k; ++j) row.push_back(i == j ? 90 : 1 + (i + j) % 7);
  }
  for (std::size_t i = 0; i < 50; ++i) r.top_flips.push_back({i % k, (i + 1) % k, 60 - i});
  for (std::size_t i = 0; i < 24; ++i)
    r.flips.push_back({i, i % k, i % k, (i + 1) % k, .99, .97, -3. - static_cast<double>(i)});
  return r;
}

}  // namespace

Assess full_record(std::size_t models, std::size_t targets, std::size_t k) {
  Assess record = bare_record(k);
  record.results.clear(), record.models.clear(), record.targets.clear();
  for (std::size_t t = 0; t < targets; ++t) record.targets.push_back(fmt::format("shift {}", t));
  for (std::size_t m = 0; m < models; ++m) {
    record.models.push_back(fmt::format("model {}", m));
    for (const std::string& target : record.targets)
      record.results.push_back(
          full_result(record.models.back(), target, k,
                      .5 + .01 * static_cast<double>(m + record.results.size() % targets)));
  }
  return record;
}

Json reference_record(const std::string& file) {
  return read_record(std::string(LEEWAY_REFERENCE) + "/" + file);
}

Assess reference_assessment() { return record_from<Assess>(reference_record(), "assess_record.json"); }

std::string markup(const std::string& html) {
  std::string out;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t script = html.find("<script", at), style = html.find("<style", at);
    const std::size_t next = std::min(script, style);
    if (next == html.npos) return out + html.substr(at);
    const std::size_t open = html.find('>', next) + 1;
    out += html.substr(at, open - at);
    at = html.find(next == script ? "</script" : "</style", open);
    if (at == html.npos) return out;
  }
  return out;
}

std::optional<std::string> malformed(const std::string& html) {
  static const std::set<std::string> empty = {"meta", "img", "input", "br"};
  const std::string text = markup(html);
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    if (text[at + 1] == '!') continue;
    const std::size_t end = text.find('>', at);
    if (end == text.npos) return "a tag without end: " + text.substr(at, 40);
    const bool closes = text[at + 1] == '/';
    const std::size_t begin = at + (closes ? 2 : 1);
    const std::string name = text.substr(begin, text.find_first_of(" >/\n", begin) - begin);
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") != name.npos)
      return "no tag: " + text.substr(at, 40);
    if (closes) {
      if (open.empty() || open.back() != name)
        return "</" + name + "> closes " + (open.empty() ? "nothing" : open.back()) + " before " +
               text.substr(at, 60);
      open.pop_back();
    } else if (!empty.contains(name) && text[end - 1] != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? std::nullopt : std::optional<std::string>(open.back() + " is not closed");
}

namespace {

std::string checked(const std::string& html) {
  EXPECT_EQ(malformed(html), std::nullopt);
  return markup(html);
}

}  // namespace

std::string page_of(const Json& record, const Pictures& pictures) {
  return checked(html_report(record, pictures));
}

std::string page_of(const Bound& record) { return checked(html_report(record)); }
std::string page_of(const BoundEvaluation& record) { return checked(html_report(record)); }

std::string page_of(const Assess& record, const Pictures& pictures) {
  return checked(html_report(record, pictures));
}

static void collect(const std::string& section, const Blocks& blocks, Parts& parts) {
  for (const Block& block : blocks.list) {
    if (const auto* table = std::get_if<Table>(&block.content)) parts.tables.emplace_back(section, *table);
    if (const auto* more = std::get_if<More>(&block.content)) collect(section, more->body, parts);
    if (const auto* charts = std::get_if<Charts>(&block.content))
      for (const ChartChoice& choice : charts->choices)
        for (const Chart& chart : choice.charts) parts.charts.emplace_back(section, chart);
  }
}

Parts parts_of(const View& view) {
  Parts parts;
  collect("overview", view.lead, parts);
  for (const Section& section : view.sections) collect(section.id, section.body, parts);
  return parts;
}

Json data_of(const Chart& chart, const std::string& name) {
  for (const auto& [set, rows] : chart.data)
    if (set == name) return rows;
  return {};
}

std::string complaint(const Json& record) {
  return message_of([&] { (void)render::page(view(record, {}, {.record_name = "r.json"})); });
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

}  // namespace leeway::tasks::test
