#include "leeway/nn/process/protocol.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <system_error>

namespace leeway {

NLOHMANN_JSON_SERIALIZE_ENUM(Binary,
                             {{Binary::refuse, "refuse"}, {Binary::logit, "logit"}, {Binary::prob, "prob"}})

}  // namespace leeway

namespace leeway::nn {
namespace {

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

struct DescriptorsMessage {
  char byte = 0;  // a message has at least one
  alignas(cmsghdr) std::array<char, CMSG_SPACE(2 * most_channels * sizeof(int))> place{};
  iovec content{&byte, 1};
  msghdr head{};

  explicit DescriptorsMessage(std::size_t size) {
    head.msg_iov = &content, head.msg_iovlen = 1;
    head.msg_control = place.data(), head.msg_controllen = size;
  }
};

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
}

int SharedMemory::create() {
  const int descriptor = memfd_create("leeway model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) fail("memory shared with a model's process");
  if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK) != 0) fail("memory shared with a model's process");
  return descriptor;
}

void SharedMemory::grow(std::size_t bytes) {
  constexpr std::size_t step = std::size_t{1} << 20;
  if (bytes <= size_) return;
  const std::size_t size = (std::max(bytes, size_ + size_ / 2) + step - 1) / step * step;
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0) fail("memory shared with a model's process");
  map(size);
}

void SharedMemory::map(std::size_t bytes) {
  if (bytes == size_) return;
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr, size_ = 0;
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) fail("memory shared with a model's process");
  data_ = static_cast<std::byte*>(place), size_ = bytes;
}

bool send_all(int socket, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent, size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_all(int socket, void* data, std::size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = recv(socket, bytes, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got, size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send_text(int socket, const std::string& text) {
  const std::uint64_t size = text.size();
  return send_all(socket, &size, sizeof size) && send_all(socket, text.data(), text.size());
}

std::optional<std::string> receive_text(int socket, std::size_t most) {
  std::uint64_t size = 0;
  if (!receive_all(socket, &size, sizeof size) || size > most) return std::nullopt;
  std::string text(size, '\0');
  if (!receive_all(socket, text.data(), text.size())) return std::nullopt;
  return text;
}

bool send_descriptors(int socket, const std::vector<int>& descriptors) {
  const std::size_t bytes = descriptors.size() * sizeof(int);
  DescriptorsMessage message(CMSG_SPACE(bytes));
  cmsghdr* const entry = CMSG_FIRSTHDR(&message.head);
  entry->cmsg_level = SOL_SOCKET, entry->cmsg_type = SCM_RIGHTS, entry->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(entry), descriptors.data(), bytes);
  return sendmsg(socket, &message.head, MSG_NOSIGNAL) == 1;
}

std::vector<int> receive_descriptors(int socket) {
  DescriptorsMessage message(CMSG_SPACE(2 * most_channels * sizeof(int)));
  if (recvmsg(socket, &message.head, MSG_CMSG_CLOEXEC) != 1 || (message.head.msg_flags & MSG_CTRUNC) != 0)
    return {};
  const cmsghdr* const entry = CMSG_FIRSTHDR(&message.head);
  if (entry == nullptr || entry->cmsg_type != SCM_RIGHTS) return {};
  std::vector<int> descriptors((entry->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  std::memcpy(descriptors.data(), CMSG_DATA(entry), descriptors.size() * sizeof(int));
  return descriptors;
}

Sizes sizes_of(const torch::Tensor& tensor) {
  Sizes sizes;
  if (!tensor.defined()) return sizes;
  sizes.dimensions = static_cast<std::int32_t>(tensor.dim());
  std::ranges::copy(tensor.sizes(), sizes.size.begin());
  return sizes;
}

std::optional<std::size_t> bytes_of(const Sizes& sizes) {
  constexpr std::size_t most = (std::size_t{1} << 40) / sizeof(float);
  if (sizes.dimensions < 0) return 0;
  if (sizes.dimensions > static_cast<std::int32_t>(most_dimensions)) return std::nullopt;
  std::size_t numbers = 1;
  for (std::int32_t d = 0; d < sizes.dimensions; ++d) {
    const std::int64_t size = sizes.size[static_cast<std::size_t>(d)];
    if (size < 0 || (size > 0 && numbers > most / static_cast<std::size_t>(size))) return std::nullopt;
    numbers *= static_cast<std::size_t>(size);
  }
  return numbers * sizeof(float);
}

std::size_t put(const torch::Tensor& tensor, std::byte* memory, std::size_t place) {
  if (!tensor.defined()) return place;
  const auto bytes = static_cast<std::size_t>(tensor.numel()) * sizeof(float);
  if (bytes > 0) {
    const torch::Tensor plain = tensor.contiguous();
    std::memcpy(memory + place, plain.data_ptr<float>(), bytes);
  }
  return place + bytes;
}

torch::Tensor take(const Sizes& sizes, const std::byte* memory, std::size_t& place) {
  if (sizes.dimensions < 0) return {};
  const std::vector<std::int64_t> shape(sizes.size.begin(), sizes.size.begin() + sizes.dimensions);
  torch::Tensor tensor = torch::empty(shape, torch::kFloat32);
  const auto bytes = static_cast<std::size_t>(tensor.numel()) * sizeof(float);
  if (bytes > 0) std::memcpy(tensor.data_ptr<float>(), memory + place, bytes);
  place += bytes;
  return tensor;
}

// What the texts hold of each struct.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(InputShape, channels, height, width, rank)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Normalization, scale, mean, std)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Layer, name, type, shape, parameters)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ModelInfo, path, format, input, classes, parameters, normalization,
                                   class_names, notes_file, layers, binary, notes)

std::string text_of(const ModelInfo& info) {
  return nlohmann::json(info).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ModelInfo info_from(const std::string& text) { return nlohmann::json::parse(text).get<ModelInfo>(); }

}  // namespace leeway::nn
