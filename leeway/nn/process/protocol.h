// Messages between a caller and the process that runs its model file.
//
// The control socket (core/child_process.h) carries the descriptors of the channels, then texts: what to load, and
// what was loaded or the reason for a failure. It closes when the caller ends. Each channel then carries one call at
// a time: a Request and a Reply over a socket, tensors (float32, C order, one after the other) and texts in memory
// that both processes map. The caller checks everything that it receives, because the model may control the process.
#pragma once

#include <torch/torch.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/nn/predictor.h"

namespace leeway::nn {

inline constexpr int most_channels = 64;

inline constexpr std::size_t most_dimensions = 8;
struct Sizes {
  std::int32_t dimensions = -1;  // -1: no tensor
  std::array<std::int64_t, most_dimensions> size{};
};

enum class Call : std::uint32_t { run, differentiate };
struct Request {
  Call call = Call::run;
  std::uint32_t track = 0;   // run: whether gradients will be asked for
  std::uint64_t graph = 0;   // number of the run: given by the caller to be tracked, or to be differentiated
  Sizes first, second;       // run: the images; differentiate: factors of logits and of features
  std::uint64_t memory = 0;  // bytes of the channel's memory
  std::uint32_t released = 0;
  std::array<std::uint64_t, 64> graphs{};  // that are not needed any more
};

enum class Answer : std::uint32_t { done, more_memory, failed, bad_input, no_memory };
struct Reply {
  Answer answer = Answer::done;
  std::uint32_t tracked = 0, features_tracked = 0;  // whether they depend on the images
  std::uint64_t bytes = 0;  // more_memory: needed; failed, bad_input: length of the reason in memory
  std::uint32_t act = 0;    // length of refused_act() in `refused`
  std::array<char, 32> refused{};
  Sizes first, second;  // run: logits and features; differentiate: the gradient
};

// Memory of a channel. The file may grow, never shrink: a shorter one would end the caller by a signal.
class SharedMemory {
 public:
  explicit SharedMemory(int descriptor) : descriptor_(descriptor) {}
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // A new memory file, for the caller.
  [[nodiscard]] static int create();
  // Makes the file at least this long, in steps, and maps it; for the caller. std::runtime_error on failure.
  void grow(std::size_t bytes);
  // Maps the first `bytes`.
  void map(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  int descriptor_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// False if the other side is gone.
[[nodiscard]] bool send_all(int socket, const void* data, std::size_t size);
[[nodiscard]] bool receive_all(int socket, void* data, std::size_t size);
// Texts with their length; of at most `most` bytes.
[[nodiscard]] bool send_text(int socket, const std::string& text);
[[nodiscard]] std::optional<std::string> receive_text(int socket, std::size_t most);
// Socket and memory of each of at most most_channels channels; receive_descriptors returns none if the other side is gone.
[[nodiscard]] bool send_descriptors(int socket, const std::vector<int>& descriptors);
[[nodiscard]] std::vector<int> receive_descriptors(int socket);

[[nodiscard]] Sizes sizes_of(const torch::Tensor& tensor);
// Bytes of float32 numbers; nothing for negative or too many sizes, or more than 2^40 bytes.
[[nodiscard]] std::optional<std::size_t> bytes_of(const Sizes& sizes);
// Puts a tensor at `place` and returns the place after it.
std::size_t put(const torch::Tensor& tensor, std::byte* memory, std::size_t place);
// A copy of the tensor at `place`, which then is the place after it.
[[nodiscard]] torch::Tensor take(const Sizes& sizes, const std::byte* memory, std::size_t& place);

// A text that the other side reads with info_from(), without `training`, which no program has.
[[nodiscard]] std::string text_of(const ModelInfo& info);
[[nodiscard]] ModelInfo info_from(const std::string& text);

}  // namespace leeway::nn
