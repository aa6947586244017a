// libonnx is not instrumented: what is fuzzed is what leeway makes of its messages. The seeds are whole models of few bytes,
// since a mutation seldom leaves a message whole.
#include "leeway/nn/io/onnx_file.h"
#include "leeway/nn/io/onnx_head.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace onnx = leeway::nn::onnx;
  const auto file = leeway::fuzz::as_file(data, size);
  (void)onnx::looks_like_onnx(file.bytes);
  leeway::fuzz::guarded([&] { leeway::fuzz::touch(onnx::parse_onnx_tensor(file.bytes, "file")); });
  leeway::fuzz::guarded([&] {
    const onnx::Graph graph = onnx::parse_onnx(file.bytes, "file");
    for (const auto& [name, array] : graph.initializers) leeway::fuzz::touch(array);
    for (const onnx::Node& node : graph.nodes)
      for (const auto& [name, attribute] : node.attributes)
        if (const auto* const array = std::get_if<leeway::Array>(&attribute)) leeway::fuzz::touch(*array);
    (void)onnx::find_head(graph, "file");
  });
  return 0;
}
