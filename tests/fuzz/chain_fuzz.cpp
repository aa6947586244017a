// A chain of augmentations: an Error of one line, or a chain whose text makes the same chain.
#include "leeway/nn/augment/chain.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using leeway::nn::augment::Chain;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return leeway::fuzz::guarded([&] {
    const Chain chain(text);
    const std::string whole = chain.text();
    if (Chain(whole).text() != whole) std::abort();
    if (text.empty() && (chain.mixes() || chain.changes_pixels())) std::abort();
  });
}
