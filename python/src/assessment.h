// Additional inputs and results of an assessment: columns per row, classifiers or Jacobians under noise. All
// but RowColumns::add hold the GIL. Errors (Error): those of classifier.h and tasks/models_under_noise.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/record/fields.h"
#include "leeway/tasks/assess.h"
#include "leeway/tasks/models_under_noise.h"
#include "python/src/request.h"

namespace leeway::python {

// Options that are none of the record's.
struct AssessExtras {
  bool rows = false;
  tasks::NoiseOptions noise;
};
void fields(AssessExtras& extras, record::Fields& f);

// What the command writes as rows.csv (tasks/assess/rows.h), column by column; -1 and NaN where that is empty.
class RowColumns {
 public:
  void add(const tasks::AssessRows& rows);
  // `model`, `target` and `n` of every target; the other columns of all rows.
  [[nodiscard]] ArrayMap arrays();

 private:
  std::vector<std::string> models_, targets_;
  std::vector<std::int64_t> counts_, rows_, labels_, clean_, shifted_, flipped_;
  std::vector<double> clean_confidences_, shifted_confidences_, agreements_;
};

// Of the argument `noise`, a list of (model, what messages call it, a leeway.Classifier or a Jacobian); inputs are `x`. They
// point to the sources of `task`.
[[nodiscard]] std::vector<tasks::NoiseSubject> noise_subjects(Request& request,
                                                              const tasks::AssessTask& task);

}  // namespace leeway::python
