// PyTorch checkpoints (.pt, .pth, .th): named tensors, read without LibTorch; nothing is executed (pickle.h).
//
// Formats, detected by content: zip archives (since PyTorch 1.6: PREFIX/data.pkl names storages,
// PREFIX/data/KEY holds bytes) and the older sequence of pickles (magic number, protocol 1001, system,
// object, storage keys), then each storage's length and bytes.
//
// Nested containers give dotted names ("state.0.exp_avg"); other values and objects of other classes are
// ignored. float16 and bfloat16 become float32. Contiguous, aligned tensors (as in zip archives) are views of
// the mapped file; others are copied in C order.
//
// Errors, before large allocations: pickle.h's; a pickled module (with Python code to save tensors); a
// TorchScript archive; big-endian data; short storages; tensors outside their storage; duplicate names; more
// than 2^18 entries or 32 levels (cycles); copies above 64 MiB + 16 times the file; complex, quantized or
// sparse tensors.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/io/safetensors.h"

namespace leeway::nn {

// The first of the entries state_dict, model_state_dict, model, net, ... with tensors; else the only dictionary of
// tensors among the entries or in a list (Error where a list holds several); else all tensors. Where other entries
// hold tensors, too (an average of the weights, a second network), a line that names all these entries.
struct NamedTensors : Safetensors {
  std::string note;
};
[[nodiscard]] NamedTensors read_checkpoint(const std::filesystem::path& path);

// From memory. `name` opens error messages.
[[nodiscard]] NamedTensors parse_checkpoint(const MappedFile& file, std::string_view name);

[[nodiscard]] bool is_legacy_checkpoint(const MappedFile& file);

// OpenAI's download of CLIP is a TorchScript archive; only the tensors of its modules are read.
[[nodiscard]] bool is_clip_archive(const MappedFile& file);

}  // namespace leeway::nn
