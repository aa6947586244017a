#include "leeway/report/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/record/json.h"

namespace leeway::report {
namespace {

std::vector<Member> members(const JsonView& list) {
  std::vector<Member> out;
  for (const JsonView& item : list.items()) {
    Member member;
    member.index = item["class"].index().value_or(0);
    member.group = item["group"].text();
    member.name = member.group.empty() ? item["name"].text() : item["level"].text();
    member.n = item["n"].index().value_or(0);
    member.source = item["source_accuracy"].share();
    member.accuracy = {item["accuracy"].share(), item["low"].share(), item["high"].share()};
    member.afr_pred = item["afr_pred"].share();
    out.push_back(std::move(member));
  }
  return out;
}

std::optional<Confidence> confidence(const JsonView& object) {
  if (object.is_null()) return std::nullopt;
  Confidence out{object["edges"].numbers(), object["clean"].numbers(), object["shifted"].numbers(),
                 object["clean_mean"].share(), object["shifted_mean"].share()};
  for (const char* key : {"clean", "shifted"}) {
    const std::size_t bins = object[key].items().size();
    if (out.edges.size() != bins + 1)
      object[key].refuse("one count less than there are edges",
                         fmt::format("{} counts and {} edges", bins, out.edges.size()));
  }
  return out;
}

std::vector<std::vector<std::size_t>> confusion(const JsonView& object) {
  std::vector<std::vector<std::size_t>> counts;
  const auto rows = object["counts"].items();
  for (const JsonView& row : rows) {
    std::vector<std::size_t> line;
    for (const JsonView& item : row.items()) line.push_back(item.index().value_or(0));
    if (line.size() != rows.size())
      row.refuse(fmt::format("{} counts", rows.size()), fmt::format("{}", line.size()));
    counts.push_back(std::move(line));
  }
  return counts;
}

std::vector<TopFlip> top_flips(const JsonView& list) {
  std::vector<TopFlip> out;
  for (const JsonView& item : list.items())
    out.push_back({item["from"].index().value_or(0), item["to"].index().value_or(0),
                   item["count"].index().value_or(0)});
  return out;
}

std::vector<Flip> flips(const JsonView& list) {
  std::vector<Flip> out;
  for (const JsonView& item : list.items()) {
    Flip flip;
    flip.row = item["row"].index().value_or(0);
    flip.label = item["label"].index();
    flip.clean_pred = item["clean_pred"].index().value_or(0);
    flip.shifted_pred = item["shifted_pred"].index().value_or(0);
    flip.clean_confidence = item["clean_confidence"].share();
    flip.shifted_confidence = item["shifted_confidence"].share();
    flip.agreement = item["agreement"].number();
    out.push_back(flip);
  }
  return out;
}

Comparison comparison(const JsonView& object) {
  return {object["target"].text(),
          object["model"].text(),
          object["other"].text(),
          object["n"].index().value_or(0),
          {object["difference"].number(), object["low"].number(), object["high"].number()},
          object["mcnemar_p"].share()};
}

Gate gate(const JsonView& object) {
  Gate out{object["gate"].text(), {}, object["not_computed"].items().size()};
  for (const JsonView& item : object["violations"].items())
    out.violations.push_back({item["model"].text(), item["target"].text(), item["value"].number()});
  return out;
}

Result result(const JsonView& object) {
  Result out;
  out.model = object["model"].text();
  out.target = object["target"].text();
  out.n = object["n"].index().value_or(0);
  out.source_n = object["source_n"].index().value_or(out.n);
  out.paired = object["paired"].flag();
  out.labelled = object["labelled"].flag();
  out.pairing = object["pairing"]["words"].text();
  out.accuracy = read_shares(object, "accuracy");
  out.source_accuracy = read_shares(object, "source_accuracy");
  out.change = read_numbers(object, "accuracy_change");
  if (!out.change.value && out.accuracy.value && out.source_accuracy.value)
    out.change.value = *out.accuracy.value - *out.source_accuracy.value;
  out.afr_pred = read_shares(object, "afr_pred");
  out.pa = read_numbers(object, "pa");
  out.pa_normalized = object["pa_normalized"].number();
  out.beta = object["beta"].number();
  out.gap = object["gap"].number();
  out.error_bound = object["error_bound"].share();
  out.terms = read_terms(object["error_bound_terms"]);
  for (const std::string& method : object["estimates"].keys()) {
    const JsonView interval = object["estimate_intervals"][method];
    out.estimates.push_back(
        {method, {object["estimates"][method].share(), interval["low"].share(), interval["high"].share()}});
  }
  out.curve = read_points(object["curve"]);
  out.local_maxima = read_points(object["local_maxima"]);
  out.confidence = confidence(object["confidence"]);
  out.classes = members(object["classes"]);
  for (const JsonView& item : object["classes"].items())
    if (item["by"].text() == "prediction") out.classes_by_prediction = true;
  out.groups = members(object["groups"]);
  out.confusion = confusion(object["confusion"]);
  out.top_flips = top_flips(object["top_flips"]);
  out.flips = flips(object["flips"]);
  out.clean_shares = object["predicted_shares"]["clean"].numbers();
  out.shifted_shares = object["predicted_shares"]["shifted"].numbers();
  out.warnings = object["warnings"].texts();
  for (const std::string& key : object["not_computed"].keys())
    out.not_computed[key] = object["not_computed"][key].text();
  return out;
}

// Names in the order of the record's list, then those that only results have.
std::vector<std::string> names(std::vector<std::string> listed, const std::vector<Result>& results,
                               std::string Result::*member) {
  for (const Result& one : results) append_new(listed, one.*member);
  return listed;
}

record::DescribedShifts read_shifts(const Json& json, const std::string& name) {
  record::DescribedShifts shifts;
  record::read([&](record::Fields& f) { fields(shifts, f); }, json, name);
  check(shifts, name);
  return shifts;
}

}  // namespace

void append_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

Measured read_shares(const JsonView& object, const std::string& key) {
  return {object[key].share(), object[key + "_low"].share(), object[key + "_high"].share()};
}

Measured read_numbers(const JsonView& object, const std::string& key) {
  return {object[key].number(), object[key + "_low"].number(), object[key + "_high"].number()};
}

std::string read_doubt(const JsonView& pairing) {
  return pairing["evidence"].text() == "none" ? pairing["words"].text() : "";
}

std::vector<Point> read_points(const JsonView& list) {
  std::vector<Point> out;
  for (const JsonView& item : list.items()) {
    const auto beta = item["beta"].number(), value = item["value"].number();
    if (beta && *beta < 0) item["beta"].refuse("a number from 0");
    if (beta && value) out.push_back({*beta, *value});
  }
  std::stable_sort(out.begin(), out.end(), [](const Point& a, const Point& b) { return a.beta < b.beta; });
  return out;
}

std::string Result::reason(std::string_view key) const {
  const auto found = not_computed.find(std::string(key));
  if (found != not_computed.end()) return found->second;
  if (key == "accuracy" && !labelled) return "the target has no labels";
  if (!paired) return "the target is not paired with the source";
  return "the record does not say why";
}

std::array<double, 3> Result::rank() const {
  if (accuracy.value) return {0, *accuracy.value, 0};
  if (afr_pred.value) return {1, *afr_pred.value, 0};
  double low = 1, high = 0;
  for (const Estimate& estimate : estimates)
    if (estimate.error.value)
      low = std::min(low, *estimate.error.value), high = std::max(high, *estimate.error.value);
  const bool estimated = low <= high;
  const double right = estimated ? 1 - (low + high) / 2 : 0;
  if (error_bound) return {2, 1 - *error_bound, right};
  if (estimated) return {3, right, 0};
  return {4, confidence && confidence->shifted_mean ? *confidence->shifted_mean : 1, 0};
}

std::string Record::class_name(std::size_t index) const {
  return index < class_names.size() && !class_names[index].empty() ? class_names[index]
                                                                   : fmt::format("class {}", index);
}

std::size_t Record::model_index(std::string_view model) const {
  return static_cast<std::size_t>(std::find(models.begin(), models.end(), model) - models.begin());
}

const Result* Record::find(std::string_view model, std::string_view target) const {
  for (const Result& one : results)
    if (one.model == model && one.target == target) return &one;
  return nullptr;
}

std::vector<std::size_t> Record::worst_first() const {
  std::vector<std::size_t> order(results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return results[a].rank() < results[b].rank(); });
  return order;
}

Envelope read_envelope(const Json& record, const std::string& name) {
  const JsonView view(record, name);
  Envelope envelope;
  for (const JsonView& words : view["commands"].items()) envelope.commands.push_back(words.texts());
  if (envelope.commands.empty() && !view["command"].is_null())
    envelope.commands.push_back(view["command"].texts());
  for (const JsonView& item : view["inputs"].items()) {
    Input input{item["path"].text(), "", item["xxh3_128"].text(), item["bytes"].index()};
    for (const JsonView& length : item["shape"].items()) {
      if (!input.shape.empty()) input.shape += " × ";
      input.shape += count(length.index().value_or(0));
    }
    envelope.inputs.push_back(std::move(input));
  }
  envelope.version = view["version"].text();
  envelope.instruction_set = view["instruction_set"].text();
  envelope.seconds = view["seconds"].number();
  envelope.seed = view["seed"].index();
  return envelope;
}

Record read_assessment(const Json& record, const std::string& name) {
  const JsonView view(record, name);
  Record out;
  out.envelope = read_envelope(record, name);
  out.headline = view["headline"].text();
  out.findings = view["findings"].texts();
  out.assumption = view["bounds"]["assumption"].text();
  for (const JsonView& item : view["bounds"]["methods"].items()) out.methods.push_back(read_method(item));
  out.class_names = view["class_names"].texts();
  out.level = view["level"].share().value_or(.95);
  for (const JsonView& item : view["comparisons"].items()) out.comparisons.push_back(comparison(item));
  for (const JsonView& item : view["gates"].items()) out.gates.push_back(gate(item));
  out.noise = record::read_models_under_noise(record, name);
  const auto shifts = view["shifts"].items();
  for (std::size_t i = 0; i < shifts.size(); ++i)
    out.shifts.push_back({shifts[i]["models"].texts(), shifts[i]["target"].text(),
                          read_shifts(record["shifts"][i], fmt::format("{}: shifts[{}]", name, i)),
                          shifts[i]["left_out"].texts()});
  for (const JsonView& item : view["results"].items()) out.results.push_back(result(item));
  if (out.results.empty()) refuse(name, "at least one result", "none");
  out.models = names(view["models"].texts(), out.results, &Result::model);
  out.targets = names(view["targets"].texts(), out.results, &Result::target);
  std::size_t k = out.class_names.size();
  for (const Result& one : out.results) k = std::max({k, one.confusion.size(), one.shifted_shares.size()});
  for (std::size_t c = out.class_names.size(); c < k; ++c)
    out.class_names.push_back(fmt::format("class {}", c));
  return out;
}

}  // namespace leeway::report
