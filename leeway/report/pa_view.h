// A record of posterior agreement as its page looks at it: by model and by shift.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/record/pa.h"

namespace leeway::report {

// Valid as long as the record is.
struct PaView {
  explicit PaView(const record::Pa& pa);

  const std::vector<record::PaSet>& results;
  const std::vector<record::PaGap>& gaps;
  std::vector<std::string> models, shifted;  // in the order of the results; one model has the name ""

  [[nodiscard]] std::size_t slot(const record::PaSet& result) const;  // of its model's colour
  [[nodiscard]] const record::PaSet* find(const std::string& model, const std::string& shift) const;
};

[[nodiscard]] Measured pa_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_pred_of(const agreement::Agreement& agreement);
[[nodiscard]] Measured afr_true_of(const agreement::Agreement& agreement);

// The point of the largest ratio_plus that model_minus reaches: how far the steadier model goes; null where there is none.
[[nodiscard]] const agreement::ArGapPoint* furthest(const record::PaGap& gap);

// "cnn under pgd.npz", or without the model where there is only one.
[[nodiscard]] std::string subject(const PaView& record, const record::PaSet& result);

}  // namespace leeway::report
