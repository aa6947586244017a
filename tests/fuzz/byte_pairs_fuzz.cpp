// merges.txt and, from '{"', vocab.json: an Error, or ids of any text between start and end.
#include <algorithm>
#include <string>

#include "leeway/nn/io/byte_pairs.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find("{\""), size);
  for (std::string merges : {"", "\"bpe_simple_vocab"})  // Hugging Face's format, OpenAI's
    leeway::fuzz::guarded([&] {
      const leeway::nn::BytePairs pairs(merges.append(text.substr(0, cut)), text.substr(cut), "file");
      const std::int32_t start = pairs.ids("").front();
      for (std::size_t i = 0; i < size; i += 20)
        leeway::fuzz::guarded([&] {
          const auto ids = pairs.ids(text.substr(i, 20));
          if (ids.front() != start || ids.back() != start + 1 || std::ranges::max(ids) > start + 1)
            std::abort();
        });
    });
  return 0;
}
