#include "leeway/nn/io/checkpoint.h"
#include "leeway/nn/io/pickle.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/zip_repair.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = leeway::fuzz::as_file(data, size);
  // The pickle alone too: a zip archive and a sequence of pickles are hard to come by.
  leeway::fuzz::guarded([&] { (void)leeway::nn::pickle::unpickle(file.bytes, "file"); });
  leeway::fuzz::guarded([&] {
    const auto weights = leeway::nn::parse_checkpoint(file, "file");
    for (const auto& [name, array] : weights.tensors) leeway::fuzz::touch(array);
  });
  return 0;
}
