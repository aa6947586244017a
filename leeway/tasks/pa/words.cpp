#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/paired_rows.h"

namespace leeway::tasks {

std::string gap_words(const PaGap& gap) {
  const agreement::ArGapPoint* const reached = gap.furthest();
  // the file, unless its name lacks the shift's
  const bool one_name = gap.shift.empty() || gap.shifted.find(gap.shift) != std::string::npos;
  const std::string where = display_name(one_name ? gap.shifted : gap.shift);
  if (reached == nullptr)
    return fmt::format("{}: {} starts below the smallest PA of {}", where, display_name(gap.model_minus),
                       display_name(gap.model_plus));
  return fmt::format("{}: at {:.3g}% shifted samples, {} has the PA of {} at {:.3g}% (PA {:.4f})", where,
                     100 * *reached->ratio_minus, display_name(gap.model_minus), display_name(gap.model_plus),
                     100 * reached->ratio_plus, reached->pa);
}

const std::string& PaSet::shift_name() const { return shift.empty() ? shifted : shift; }
const std::string& PaGap::shift_name() const { return shift.empty() ? shifted : shift; }

const agreement::ArGapPoint* PaGap::furthest() const {
  return lowest(points, [](const agreement::ArGapPoint& point) {
    return point.ratio_minus ? std::optional(-point.ratio_plus) : std::nullopt;
  });
}

const std::string& PaSet::name() const {
  return shifted.find(shift_name()) != std::string::npos ? shift_name() : shifted;
}

std::string headline_of(const Pa& record) {
  const PaSet& worst =
      *std::ranges::min_element(record.results, {}, [](const PaSet& set) { return set.agreement.pa; });
  const agreement::Agreement& a = worst.agreement;
  const std::string left = fixed(a.pa, 2), most = fixed(worst.log_k(), 2),
                    same = percent(measured(a.afr_pred, a.afr_pred_interval));
  if (record.results.size() > 1 && !worst.model.empty())
    return fmt::format(
        "Between the clean set and {}, {} has a posterior agreement of {} (maximum {}); {} of its "
        "predictions are unchanged.",
        display_name(worst.name()), display_name(worst.model), left, most, same);
  return fmt::format(
      "Between the clean set and {}, posterior agreement is {} (maximum {}); {} of predictions are "
      "unchanged.",
      display_name(worst.name()), left, most, same);
}

std::vector<std::string> findings_of(const Pa& record) {
  std::vector<std::string> findings = doubts_of(record.results);
  for (const PaGap& gap : record.ar_gap) findings.push_back(gap_words(gap));
  return findings;
}

}  // namespace leeway::tasks
