#include "leeway/core/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace leeway {

std::string digest_text(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace leeway
