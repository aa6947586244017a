#include "leeway/core/npz.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/zip_repair.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  return leeway::fuzz::mutate_zip(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    const auto file = leeway::fuzz::as_file(data, size);
    for (const auto& [name, array] : leeway::parse_npz(file, "file")) leeway::fuzz::touch(array);
  });
}
