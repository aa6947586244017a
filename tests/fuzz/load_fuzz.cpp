#include <algorithm>

#include "leeway/data/load.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/inflate.h"
#include "leeway/io/png.h"
#include "tests/fuzz/fuzz.h"

using namespace leeway;

namespace {

// Every code is one of its column's values, and every picture can be read.
void touch(const data::Loaded& set) {
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

// A picture's size is what its library allows; those below 256 pixels a side, if this is one, are enough here.
bool is_small_png(std::span<const std::byte> bytes) {
  return bytes.size() >= 24 && bytes[16] == std::byte{0} && bytes[17] == std::byte{0} &&
         bytes[18] == std::byte{0} && bytes[20] == std::byte{0} && bytes[21] == std::byte{0} &&
         bytes[22] == std::byte{0};
}

// Every marker of a frame is followed by its length, the bits of a sample, height and width; FFC4, FFC8 and FFCC are tables.
bool is_small_jpeg(std::span<const std::byte> bytes) {
  for (std::size_t i = 0; i + 8 < bytes.size(); ++i) {
    const auto marker = std::to_integer<unsigned>(bytes[i + 1]);
    const bool frame = marker == 0xc0 || ((marker & 0xf0u) == 0xc0 && (marker & 3u) != 0);
    if (bytes[i] == std::byte{0xff} && frame &&
        (bytes[i + 5] != std::byte{0} || bytes[i + 7] != std::byte{0}))
      return false;
  }
  return true;
}

void touch(const Bitmap& bitmap) {
  if (bitmap.pixels.size() != bitmap.channels * bitmap.height * bitmap.width) std::abort();
}

}  // namespace

// The first byte chooses the format; of two or three files the next two say where the second and third begin (/ 16).
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::uint8_t* rest = data + 3;
  const std::size_t left = size - 3;
  const auto part = [&](std::size_t begin, std::size_t end) {
    begin = std::min(begin, left);
    return fuzz::as_file(rest + begin, std::clamp(end, begin, left) - begin);
  };
  const auto text = [&](std::size_t begin, std::size_t end) {
    const auto bytes = part(begin, end).bytes;
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  return fuzz::guarded([&] {
    const std::size_t second = std::size_t{16} * data[1], third = second + std::size_t{16} * data[2];
    switch (data[0] % 11) {
      case 0:
        return touch(data::parse_cifar({part(0, left)}, {"file"}, false));
      case 1:
        return touch(data::parse_cifar({part(0, left)}, {"file"}, true));
      case 2:
        return touch(data::parse_smallnorb(part(0, second), part(second, third), part(third, left),
                                           {"dat", "cat", "info"}));
      case 3:
        return touch(data::parse_celeba({reinterpret_cast<const char*>(rest), left}, "file"));
      case 4:
        return is_small_png(part(0, left).bytes) ? touch(parse_png(part(0, left).bytes, "file")) : void();
      case 5:
        return is_small_jpeg(part(0, left).bytes) ? touch(data::parse_jpeg(part(0, left).bytes, "file"))
                                                  : void();
      case 6:
        return static_cast<void>(unpack_gzip(part(0, left), "file"));
      case 7:
        return touch(
            data::parse_deepfashion_coarse({text(0, second), text(second, left)}, {"list", "values"}));
      case 9:
        return static_cast<void>(data::parse_picture_list(text(0, left), "list"));
      case 10:
        for (const char* const division : {"good", "bad", "rand"})
          (void)data::parse_breeds({text(0, second), text(second, third), text(third, left)},
                                   {"classes", "edges", "names"}, {1, 2}, {division, 2});
        return;
      default:
        return touch(data::parse_deepfashion_fine({text(0, second), text(second, third), text(third, left)},
                                                  {"list", "values", "files"}));
    }
  });
}
