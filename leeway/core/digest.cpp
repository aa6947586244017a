#include "leeway/core/digest.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace leeway {

std::string digest_text(std::string_view text) { return digest_bytes({std::as_bytes(std::span(text))}); }

std::string digest_bytes(std::initializer_list<std::span<const std::byte>> parts) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const auto& part : parts) XXH3_128bits_update(state, part.data(), part.size());
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  XXH3_freeState(state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace leeway
