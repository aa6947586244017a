#include "leeway/core/png.h"
#include "leeway/shift/load.h"
#include "tests/fuzz/fuzz.h"

using namespace leeway;

namespace {

// Every code is one of its column's values, and every picture can be read.
void touch(const shift::Loaded& set) {
  for (const auto& column : set.columns) {
    if (column.codes.size() != set.n) std::abort();
    for (const auto code : column.codes)
      if (code >= column.values.size()) std::abort();
  }
  if (!set.has_pictures() || set.n == 0) return;
  std::vector<std::uint8_t> out(set.shape[0] * set.shape[1] * set.shape[2]);
  set.picture(0, out);
  set.picture(set.n - 1, out);
}

}  // namespace

// The first byte chooses the format; of SmallNORB's three files the next two say where the second and third begin, in
// 16 bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::uint8_t* rest = data + 3;
  const std::size_t left = size - 3;
  const auto part = [&](std::size_t begin, std::size_t end) {
    begin = std::min(begin, left);
    return fuzz::as_file(rest + begin, std::clamp(end, begin, left) - begin);
  };
  return fuzz::guarded([&] {
    const std::size_t second = std::size_t{16} * data[1], third = second + std::size_t{16} * data[2];
    switch (data[0] % 5) {
      case 0:
        return touch(shift::parse_cifar({part(0, left)}, {"file"}, false));
      case 1:
        return touch(shift::parse_cifar({part(0, left)}, {"file"}, true));
      case 2:
        return touch(shift::parse_smallnorb(part(0, second), part(second, third), part(third, left),
                                            {"dat", "cat", "info"}));
      case 3:
        return touch(shift::parse_celeba({reinterpret_cast<const char*>(rest), left}, "file"));
      default: {
        const auto bytes = part(0, left).bytes;
        // A picture's size is what libpng allows; small ones are enough here.
        if (left < 24 || bytes[16] != std::byte{0} || bytes[17] != std::byte{0} ||
            bytes[20] != std::byte{0} || bytes[21] != std::byte{0})
          return;
        (void)parse_png(bytes, "file");
      }
    }
  });
}
