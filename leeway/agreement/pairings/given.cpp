// Row i to row i; both sets have the same number of rows.
#include <fmt/format.h>

#include "leeway/agreement/pairings/detail/family.h"
#include "leeway/core/message.h"

namespace leeway::agreement {

Pairing given() {
  return {{"given", "row i of one set with row i of the other", ""},
          /*needs_labels=*/false,
          /*needs_features=*/false,
          [](const Sample& clean, const Sample& shifted, std::uint64_t) {
            const std::size_t n = rows_of(clean);
            if (rows_of(shifted) != n)
              refuse(
                  shifted.name,
                  fmt::format("{} rows, as in {}, because rows are paired in the given order", n, clean.name),
                  fmt::format("{}", rows_of(shifted)));
            std::vector<RowPair> pairs;
            for (std::size_t i = 0; i < n; ++i) pairs.push_back({i, i});
            return pairs;
          }};
}

}  // namespace leeway::agreement
