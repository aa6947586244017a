#include "leeway/core/npz.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    const auto file = leeway::fuzz::as_file(data, size);
    for (const auto& [name, array] : leeway::parse_npz(file, "file")) leeway::fuzz::touch(array);
  });
}
