// PyTorch checkpoints (.pt, .pth, .th), as torch.save writes them: tensors by name, read without LibTorch.
//
// Both forms: the zip archive (since 1.6: PREFIX/data.pkl, a pickle that names storages, and PREFIX/data/KEY,
// their bytes) and the older sequence of pickles (magic number, protocol 1001, system, object, storage keys)
// followed by each storage's length and bytes. Known by content. Nothing is executed (see pickle.h).
//
// Dictionaries, lists and tuples inside one another become names with dots ("state.0.exp_avg"); what is no
// tensor (epochs, options) is left out. float16 and bfloat16 become float32. Contiguous tensors are views of
// the mapped file where they are aligned, as they are in zip archives; others are copied into C order.
//
// Objects of other classes (argparse.Namespace, NumPy's numbers, an optimizer) are inert and left out. Where the tensors stand
// in such an object alone, the file is a whole module, pickled: an Error with the two lines of Python that save its tensors.
//
// Error: what pickle.h refuses, by name; a whole module; a TorchScript archive; big-endian data;
// storages shorter than the pickle says; tensors that reach outside theirs; names that two tensors share;
// more than 2^18 entries or 32 levels (cyclic references end there); copies of more than 64 MiB + 16 times the
// file. All of it is checked before anything of that size is allocated. Complex, quantized and sparse tensors
// are refused.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway::nn {

enum class CheckpointPart {
  everything,
  // What the entry state_dict, model_state_dict, model, net, ... holds, the first that holds tensors; else the only dictionary
  // of tensors among the entries, or in a list. Error where a list holds several.
  weights,
};

[[nodiscard]] ArrayMap read_checkpoint(const std::filesystem::path& path, CheckpointPart part);

// From memory. `name` opens error messages.
[[nodiscard]] ArrayMap parse_checkpoint(const MappedFile& file, std::string_view name, CheckpointPart part);

// Whether the file begins like a checkpoint of the older form.
[[nodiscard]] bool is_legacy_checkpoint(std::span<const std::byte> bytes);

}  // namespace leeway::nn
