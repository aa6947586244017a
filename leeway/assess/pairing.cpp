#include "leeway/assess/pairing.h"

#include <fmt/format.h>

#include <cstring>

#include "leeway/core/error.h"

namespace leeway::assess {
namespace {

std::size_t count_differences(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

Pairing pair(const Outputs& source, const Outputs& target, Paired wanted) {
  Pairing pairing;
  const bool both = source.labels && target.labels;
  if (wanted == Paired::no) {
    pairing.reason = "source and target were said to be different samples";
  } else if (source.n() != target.n()) {
    if (wanted == Paired::yes)
      throw Error(
          fmt::format("{}: expected {} rows, one for each of {} with which it is said to be paired, found {}",
                      target.path, source.n(), source.path, target.n()));
    pairing.reason =
        fmt::format("source and target are different samples: {} rows and {}", source.n(), target.n());
  } else {
    const std::size_t differing = both ? count_differences(*source.labels, *target.labels) : 0;
    pairing.paired = wanted == Paired::yes || differing == 0;
    pairing.asserted = wanted == Paired::yes || (both && differing == 0);
    if (pairing.paired) {
      pairing.differing_labels = differing;
    } else {
      pairing.reason = fmt::format("source and target are different samples: {} of {} labels differ",
                                   differing, source.n());
    }
  }
  return pairing;
}

std::span<const std::int64_t> labels_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  if (own.labels) return *own.labels;
  if (pairing.asserted && other.labels) return *other.labels;
  return {};
}

const std::vector<GroupColumn>& groups_of(const Outputs& own, const Outputs& other, const Pairing& pairing) {
  return own.groups.empty() && pairing.asserted ? other.groups : own.groups;
}

bool same_logits(const Array& a, const Array& b) {
  return a.type == b.type && a.shape == b.shape &&
         std::memcmp(a.storage.get(), b.storage.get(), a.size() * size_of(a.type)) == 0;
}

}  // namespace leeway::assess
