// Evidence from saved outputs. Internal.
#pragma once

#include <optional>

#include "leeway/average_case/detail/evidence.h"

namespace leeway::average_case {

class FileEvidence : public Evidence {
 public:
  // Rows [begin, end) of the files, whose shapes are checked.
  FileEvidence(const MadeElsewhere& files, const Noise& noise, std::size_t begin, std::size_t end,
               const AverageCaseOptions& options);

  [[nodiscard]] const Linearised& at_input() override;

 private:
  const MadeElsewhere& files_;
  const Noise& noise_;
  std::optional<Linearised> at_input_;
};

// Throws Error for shapes that do not fit.
void check(const MadeElsewhere& files, const Noise& noise);

}  // namespace leeway::average_case
