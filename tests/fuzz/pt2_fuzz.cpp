#include "leeway/nn/io/pt2_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/zip_repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = leeway::fuzz::as_file(data, size);
  leeway::fuzz::guarded([&] {
    const auto graph = leeway::nn::pt2::parse_pt2(file, "file");
    for (const auto& weight : graph.weights) leeway::fuzz::touch(weight.array);
  });
  return 0;
}
