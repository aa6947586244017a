#include "leeway/report/pa_record.h"

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/report/chart.h"
#include "leeway/report/json_view.h"

namespace leeway::report {
namespace {

std::vector<PaRatio> ratios(const JsonView& list) {
  std::vector<PaRatio> out;
  for (const JsonView& item : list.items()) {
    const auto ratio = item["ratio"].share();
    if (!ratio) item["ratio"].refuse("a number from 0 to 1", "none");
    out.push_back({*ratio, item["shifted"].index(), read_numbers(item, "pa"), read_shares(item, "afr_pred"),
                   read_shares(item, "afr_true"), item["beta"].number()});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const PaRatio& a, const PaRatio& b) { return a.ratio < b.ratio; });
  return out;
}

std::vector<PaGroup> groups(const JsonView& object) {
  std::vector<PaGroup> out;
  for (const char* key : {"err", "mis", "adv", "rest"}) {
    const JsonView group = object[key];
    if (group.is_null()) continue;
    out.push_back({key, group["n"].index().value_or(0), group["sum"].number(), group["delta"].number(),
                   group["approximation"].number()});
  }
  return out;
}

std::vector<PaConfidence> confidences(const JsonView& list) {
  std::vector<PaConfidence> out;
  for (const JsonView& item : list.items())
    if (const auto beta = item["beta"].number())
      out.push_back({*beta, item["mean"].share(), item["se"].number()});
  return out;
}

std::vector<PaEntropy> entropies(const JsonView& list) {
  std::vector<PaEntropy> out;
  for (const JsonView& item : list.items())
    if (const auto beta = item["beta"].number())
      out.push_back({*beta, item["clean"].number(), item["shifted"].number(), item["clean_plain"].number(),
                     item["shifted_plain"].number()});
  return out;
}

// What models have in common; a single model's sets go by their paths.
std::string shift_of(const JsonView& item) {
  const std::string shift = item["shift"].text();
  return shift.empty() ? item["shifted"].text() : shift;
}

PaResult result(const JsonView& item) {
  PaResult out;
  out.model = item["model"].text();
  out.shifted = shift_of(item);
  out.file = item["shifted"].text();
  out.doubt = read_doubt(item["pairing"]);
  out.n = item["n"].index().value_or(0);
  out.k = std::max<std::size_t>(2, item["k"].index().value_or(2));
  out.pa = read_numbers(item, "pa");
  out.afr_pred = read_shares(item, "afr_pred");
  out.afr_true = read_shares(item, "afr_true");
  out.beta = item["beta"].number();
  out.gap = item["gap"].number();
  out.curve = read_points(item["curve"]);
  out.local_maxima = read_points(item["local_maxima"]);
  out.ratios = ratios(item["ratios"]);
  out.groups = groups(item["decomposition"]);
  out.entropy = entropies(item["entropy"]["at"]);
  out.entropy_samples = item["entropy"]["samples"].index().value_or(0);
  out.entropy_of_right = item["entropy"]["over"].text() == "right";
  const JsonView clean_right = item["confidence"]["clean_right"], moved = item["confidence"]["moved"];
  out.clean_right = confidences(clean_right["at"]);
  out.clean_right_n = clean_right["n"].index().value_or(0);
  out.moved = confidences(moved["at"]);
  out.moved_n = moved["n"].index().value_or(0);
  return out;
}

PaRatioGap ratio_gap(const JsonView& item) {
  PaRatioGap out{shift_of(item), item["model_plus"].text(), item["model_minus"].text(), {}};
  for (const JsonView& point : item["points"].items()) {
    const auto pa = point["pa"].number(), plus = point["ratio_plus"].share(),
               minus = point["ratio_minus"].share();
    if (pa && plus && minus) out.points.push_back({*pa, *plus, *minus});
  }
  return out;
}

}  // namespace

const std::string& PaResult::name() const {
  return file.empty() || file.find(shifted) != std::string::npos ? shifted : file;
}

double PaResult::log_k() const { return std::log(static_cast<double>(k)); }

const PaRatioGap::At* PaRatioGap::furthest() const {
  const auto most = std::max_element(points.begin(), points.end(),
                                     [](const At& a, const At& b) { return a.ratio_plus < b.ratio_plus; });
  return most == points.end() ? nullptr : &*most;
}

std::size_t PaRecord::slot(const PaResult& result) const {
  return static_cast<std::size_t>(std::find(models.begin(), models.end(), result.model) - models.begin()) %
         series;
}

const PaResult* PaRecord::find(const std::string& model, const std::string& shifted_set) const {
  for (const PaResult& one : results)
    if (one.model == model && one.shifted == shifted_set) return &one;
  return nullptr;
}

std::string subject(const PaRecord& record, const PaResult& result) {
  return record.models.size() > 1 ? result.model + " under " + result.name() : result.name();
}

PaRecord read_pa(const Json& record, const std::string& name) {
  const JsonView view(record, name);
  PaRecord out;
  out.envelope = read_envelope(record, name);
  for (const JsonView& item : view["results"].items()) out.results.push_back(result(item));
  if (out.results.empty()) refuse(name, "at least one result", "none");
  for (const JsonView& item : view["ar_gap"].items()) out.gaps.push_back(ratio_gap(item));
  for (const PaResult& one : out.results) {
    append_new(out.models, one.model);
    append_new(out.shifted, one.shifted);
  }
  return out;
}

}  // namespace leeway::report
