#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/report/lines.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

struct Method {
  MethodWords words;
  Measured error;
  bool is_bound = false;
};

// One of the bounds of pca:range.
struct RangeBound {
  std::size_t components = 0;
  std::optional<double> validity_score, bound, estimate;
  bool kept = false;
};

struct BoundRecord {
  std::vector<Method> methods;
  std::optional<BoundTerms> terms;
  std::optional<double> bound, delta, truth;
  double holdout = .5;
  std::string representation, target;
  std::vector<double> restarts;  // discrepancies
  std::optional<double> corollary_error, corollary_threshold;
  std::vector<RangeBound> range;  // most components first
  Measured source_error;
  std::size_t n_source = 0, n_target = 0;
  double level = .95;

  [[nodiscard]] std::vector<Estimate> estimates() const {
    std::vector<Estimate> list;
    for (const Method& method : methods)
      if (!method.is_bound) list.push_back({method.words.method, method.error});
    return list;
  }
};

BoundRecord read_bound(const JsonView& view) {
  BoundRecord out;
  for (const JsonView& item : view["results"].items()) {
    Method method{read_method(item), {item["error"].share(), {}, {}}, item["is_bound"].flag()};
    if (!method.error.value) item["error"].refuse("a share", "none");
    if (!method.is_bound) method.error.low = item["lower"].share(), method.error.high = item["upper"].share();
    out.methods.push_back(std::move(method));
  }
  const JsonView dis2 = view["dis2"], source = view["source"], target = view["target"];
  out.terms = read_terms(dis2);
  out.bound = dis2["bound"].share();
  out.delta = dis2["delta"].share();
  out.holdout = dis2["holdout"].share().value_or(.5);
  out.representation = dis2["representation"].text();
  for (const JsonView& item : dis2["restarts"].items()) {
    const auto discrepancy = item.number();
    if (!discrepancy || std::abs(*discrepancy) > 1) item.refuse("a number from -1 to 1");
    out.restarts.push_back(*discrepancy);
  }
  const JsonView corollary = dis2["corollary"];
  out.corollary_error = corollary["target_error"].share();
  out.corollary_threshold = corollary["threshold"].number();
  for (const JsonView& item : dis2["range"]["bounds"].items())
    out.range.push_back({item["components"].index().value_or(0), item["validity_score"].share(),
                         item["bound"].share(), item["estimate"].share(), item["kept"].flag()});
  out.source_error = read_shares(source, "error");
  out.n_source = source["n"].index().value_or(0);
  out.n_target = target["n"].index().value_or(0);
  out.truth = target["error"].share();
  out.level = view["level"].share().value_or(.95);
  return out;
}

// The bound by each concentration, then the estimates.
std::vector<ErrorRow> rows_of(const BoundRecord& record) {
  std::vector<ErrorRow> rows;
  if (record.terms)
    for (const auto& one : record.terms->concentrations) {
      BoundTerms terms = *record.terms;
      terms.concentration = one.term;
      rows.push_back({one.name, {one.bound, {}, {}}, terms});
    }
  for (const Estimate& estimate : record.estimates()) rows.push_back({estimate.method, estimate.error, {}});
  return rows;
}

std::string headline(const BoundRecord& record) {
  std::vector<Estimate> others = record.estimates();
  std::erase_if(others, [](const Estimate& one) { return one.method.starts_with("dis2"); });
  const std::string range = range_words(others);
  std::string text;
  if (record.bound && *record.bound >= 1)
    text = "The bound says nothing here: it reaches 100%.";
  else if (record.bound && record.holdout > 0)
    text = fmt::format(
        "The error on the target is at most {} with probability {}, if the bound's assumption "
        "holds.",
        percent(*record.bound, 1), percent(1 - record.delta.value_or(.01)));
  else if (record.bound)
    text = fmt::format("The bound would be {}, but it was measured on the rows that chose it.",
                       percent(*record.bound, 1));
  if (!range.empty())
    text += fmt::format("{}Estimates without labels say {}.", text.empty() ? "" : " ", range);
  if (record.truth) {
    text += fmt::format(" By the target's labels the error is {}", percent(*record.truth, 1));
    text +=
        record.bound && *record.truth > *record.bound ? ", more than the bound: its assumption fails." : ".";
  }
  return text;
}

std::string method_table(const BoundRecord& record) {
  Table table(
      "Every method",
      {{"Method", "", false}, {"Error", "Of a bound, the bound", true, true}, {"What it is", "", false}});
  for (const Method& method : record.methods)
    table.add({text_cell(method.words.method), share_cell(method.error, ""),
               text_cell(method.is_bound ? "upper bound" : "estimate")});
  table.add({text_cell("source"), share_cell(record.source_error, ""), text_cell("by the source's labels")});
  if (record.truth)
    table.add({text_cell("target"), share_cell({record.truth, {}, {}}, ""),
               text_cell("by the target's labels, which no method saw")});
  return table.html();
}

// What a labelled target says of the assumption (Corollary E.2).
std::string corollary_words(const BoundRecord& record) {
  if (!record.corollary_error || !record.corollary_threshold) return "";
  const bool holds = *record.corollary_error <= *record.corollary_threshold;
  return paragraph(fmt::format(
      "By the target's labels the error on the held-out rows is {}; the assumption is proved where that is "
      "at most {}. {}",
      percent(*record.corollary_error, 1), percent(*record.corollary_threshold, 1),
      holds ? fmt::format("It is, unless an event of probability {} happened.",
                          percent(record.delta.value_or(.01)))
            : "It is not, which does not prove the contrary."));
}

std::string range_table(const BoundRecord& record) {
  if (record.range.empty()) return "";
  Table table("The bound on fewer and fewer principal components",
              {{"Components", "Of the features, the leading ones"},
               {"Validity score", "Low where critics are hard to train: too few components hold the truth"},
               {"Estimate", "Without the term for chance"},
               {"Error at most", "At this bound's share of delta"},
               {"Kept", "The score is high enough; the least bound of those kept counts", false}});
  for (const RangeBound& one : record.range)
    table.add({number_cell(static_cast<double>(one.components), count(one.components)),
               number_cell(one.validity_score.value_or(0), fixed(one.validity_score.value_or(0), 2)),
               share_cell({one.estimate, {}, {}}, ""), share_cell({one.bound, {}, {}}, ""),
               text_cell(one.kept ? "yes" : "no")});
  return table.html();
}

Section terms_section(const BoundRecord& record) {
  Section section{"terms", "Terms", "", ""};
  if (!record.terms) return section;
  const BoundTerms& terms = *record.terms;
  section.heading = fmt::format(
      "Critics on the {} contradict the classifier {} points more on the target than on "
      "the source",
      escape(record.representation), fixed(100 * terms.discrepancy, 1));
  Table table("The bound by each inequality for chance",
              {{"Inequality", "", false},
               {"Source error", "On the held-out rows"},
               {"Discrepancy", "On the held-out rows"},
               {"Chance", "What is added for what the held-out rows may hide"},
               {"Error at most", "The sum, no more than 100%"}});
  for (const auto& one : terms.concentrations)
    table.add({text_cell(one.name), number_cell(terms.source_error, percent(terms.source_error, 1)),
               number_cell(terms.discrepancy, percent(terms.discrepancy, 1)),
               number_cell(one.term, percent(one.term, 1)), number_cell(one.bound, percent(one.bound, 1))});
  std::string validity = terms.validity_score ? fixed(*terms.validity_score, 2) : "not known";
  section.body = table.html() +
                 paragraph(fmt::format(
                     "Measured on {} source and {} target rows that chose {}. Validity "
                     "score: {}. The bound that counts is that of the first line; the others "
                     "each hold by themselves.",
                     count(terms.n_source), count(terms.n_target),
                     record.holdout > 0 ? "no critic" : "the critics, which proves nothing", validity)) +
                 range_table(record) + corollary_words(record) + terms_html(bound_meanings());
  return section;
}

// The discrepancy of every critic in its order, and the largest so far.
Section restarts_section(const BoundRecord& record) {
  Section section{"restarts", "Restarts", "", ""};
  if (record.restarts.empty()) return section;
  Line each{"this one", 0, {}}, best{"largest", 1, {}};
  std::size_t last = 0;
  for (std::size_t i = 0; i < record.restarts.size(); ++i) {
    if (record.restarts[i] > record.restarts[last]) last = i;
    const std::string at = fmt::format("restart {}", i + 1);
    for (auto [line, value] : {std::pair(&each, record.restarts[i]), {&best, record.restarts[last]}})
      line->points.push_back(
          {static_cast<double>(i + 1), {value, {}, {}}, at, at + "\ndiscrepancy " + fixed(value, 4)});
  }
  const std::size_t n = record.restarts.size();
  LineAxes axes;
  axes.x_low = n == 1 ? 0 : 1;
  axes.x_high = n == 1 ? 2 : static_cast<double>(n);
  axes.x_title = "restart";
  for (std::size_t i = 1; i <= n; i += std::max<std::size_t>(1, (n + 7) / 8)) {
    axes.x_ticks.push_back(static_cast<double>(i));
    axes.x_names.push_back(std::to_string(i));
  }
  const std::vector<Line> lines = n == 1 ? std::vector{each} : std::vector{best, each};
  section.heading = n == 1 ? std::string("One critic was tried")
                           : fmt::format("The largest discrepancy came with restart {} of {}", last + 1, n);
  section.body =
      panels_html({line_chart("Discrepancy", "on held-out rows", lines, fit_y(axes, lines, -1, 1))}) +
      paragraph(
          "A larger discrepancy is the honest answer: where it still grows, more restarts "
          "would raise the bound.");
  return section;
}

Section assumptions_of_methods(const BoundRecord& record) {
  std::vector<MethodWords> words;
  for (const Method& method : record.methods) words.push_back(method.words);
  return {"methods", "Assumptions", "What every method assumes, and when it is too low",
          methods_html(words) +
              paragraph(fmt::format(
                  "An estimate is no bound. Its {} interval tells how far the rows there are settle it, not "
                  "whether what it assumes is true.",
                  percent(record.level)))};
}

}  // namespace

std::string bound_page(const Json& json, const Options& options) {
  const JsonView view(json, options.record_name);
  const BoundRecord record = read_bound(view);
  if (record.methods.empty()) refuse(options.record_name, "at least one result", "none");
  const std::string scope = fmt::format("<p class=\"scope\">{} source and {} target rows</p>\n",
                                        count(record.n_source), count(record.n_target));
  const std::string warning = record.terms && !record.terms->critic_warning.empty()
                                  ? paragraph("<b>Warning:</b> " + escape(record.terms->critic_warning))
                                  : std::string();
  const std::string lead =
      scope + warning + error_key(record.truth.has_value()) +
      panels_html({error_chart("Error on the target", "bounds by each inequality for chance, and estimates",
                               rows_of(record), record.truth)}) +
      method_table(record);
  return page("leeway: error without labels", headline(record), lead,
              {terms_section(record), restarts_section(record), assumptions_of_methods(record),
               source_section(read_envelope(json, options.record_name))});
}

}  // namespace leeway::report
