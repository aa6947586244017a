#include "leeway/core/idx.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    const auto file = leeway::fuzz::as_file(data, size);
    leeway::fuzz::touch(leeway::parse_idx(file, "file"));
  });
}
