// Evidence from outputs that were made elsewhere. Internal.
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

  // Not asked for: the methods that need them are refused before.
  [[nodiscard]] const Linearised& averaged(std::size_t sigma) override;
  void count_kept(std::size_t sigma, std::span<const std::size_t> rows, std::size_t first, std::size_t draws,
                  std::vector<Kept>& counts, Spent& spent) override;

 private:
  const MadeElsewhere& files_;
  const Noise& noise_;
  std::optional<Linearised> at_input_;
};

// Throws Error for shapes that do not fit.
void check(const MadeElsewhere& files, const Noise& noise);

}  // namespace leeway::average_case
