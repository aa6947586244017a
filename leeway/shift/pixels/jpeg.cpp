// jpeg, jpeg-compression: every picture is compressed as a JPEG file of quality q and read again (jpeg.h).
#include "leeway/shift/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/data/jpeg_handle.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<int, 5>, 3> qualities{{
    {80, 65, 58, 50, 40},
    {65, 58, 50, 40, 25},
    {25, 18, 15, 10, 7},
}};

constexpr std::size_t largest_side = 65500;  // the library's limit
constexpr int flags = TJFLAG_NOREALLOC | TJFLAG_ACCURATEDCT;

// Pixels of three colours as words: red in the lowest byte.
constexpr int words_of_colours = std::endian::native == std::endian::little ? TJPF_RGBX : TJPF_XBGR;

// A thread's compressor and decompressor, and buffers that grow to the largest picture it has seen.
class Codec {
 public:
  // `channels` (1 or 3) planes of `height` x `width` as a file and back.
  void run(std::span<std::uint8_t> planes, int channels, int height, int width, int quality) {
    const int colours = channels == 3 ? TJSAMP_420 : TJSAMP_GRAY;
    const std::size_t area = planes.size() / static_cast<std::size_t>(channels);
    std::uint8_t* const red = planes.data();
    unsigned char* pixels = red;
    if (channels == 3) {
      words_.resize(area);
      for (std::size_t i = 0; i < area; ++i)
        words_[i] = red[i] | static_cast<std::uint32_t>(red[area + i]) << 8 |
                    static_cast<std::uint32_t>(red[2 * area + i]) << 16;
      pixels = reinterpret_cast<unsigned char*>(words_.data());
    }
    file_.resize(std::max<std::size_t>(file_.size(), tjBufSize(width, height, colours)));
    unsigned char* file = file_.data();
    unsigned long size = file_.size();
    if (tjCompress2(compressor_.get(), pixels, width, 0, height, format_of(channels), &file, &size, colours,
                    quality, flags) != 0)
      throw std::runtime_error(fmt::format("jpeg: {}", tjGetErrorStr2(compressor_.get())));
    if (tjDecompress2(decompressor_.get(), file, size, pixels, width, 0, height, format_of(channels),
                      flags) != 0)
      throw std::runtime_error(fmt::format("jpeg: {}", tjGetErrorStr2(decompressor_.get())));
    if (channels != 3) return;
    for (int c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < area; ++i)
        red[static_cast<std::size_t>(c) * area + i] = static_cast<std::uint8_t>(words_[i] >> 8 * c);
  }

 private:
  static int format_of(int channels) { return channels == 3 ? words_of_colours : TJPF_GRAY; }

  data::JpegHandle compressor_ = data::jpeg_compressor(), decompressor_ = data::jpeg_decompressor();
  std::vector<std::uint32_t> words_;
  std::vector<unsigned char> file_;
};

Codec& codec_of_thread(std::size_t height, std::size_t width) {
  if (height > largest_side || width > largest_side)
    throw Error(
        fmt::format("jpeg: expected at most {} pixels per side, found {} x {}", largest_side, height, width));
  thread_local Codec codec;
  return codec;
}

std::span<std::uint8_t> levels_of(std::span<const float> picture) {
  thread_local std::vector<std::uint8_t> levels;
  levels.resize(picture.size());
  for (std::size_t i = 0; i < picture.size(); ++i)
    levels[i] = static_cast<std::uint8_t>(std::lround(std::clamp(picture[i], 0.f, 1.f) * 255));
  return levels;
}

void change_by_jpeg(const Picture& picture, const Setting& setting, Random&) {
  compress_jpeg(picture.values, picture.height, picture.width, static_cast<int>(setting.strength));
}

void change_levels_by_jpeg_compression(const PictureLevels& picture, const Setting& setting) {
  compress_jpeg(picture.values, picture.height, picture.width, setting.of(qualities));
}

}  // namespace

void compress_jpeg(std::span<std::uint8_t> picture, std::size_t height, std::size_t width, int quality) {
  Codec& codec = codec_of_thread(height, width);
  const std::size_t area = height * width, channels = picture.size() / area;
  const std::size_t together = channels == 3 ? 3 : 1;
  for (std::size_t c = 0; c < channels; c += together)
    codec.run(picture.subspan(c * area, together * area), static_cast<int>(together),
              static_cast<int>(height), static_cast<int>(width), quality);
}

void compress_jpeg(std::span<float> picture, std::size_t height, std::size_t width, int quality) {
  const std::span<std::uint8_t> levels = levels_of(picture);
  compress_jpeg(levels, height, width, quality);
  for (std::size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<float>(levels[i]) / 255.f;
}

Member jpeg() {
  return {{"jpeg",
           "JPEG compression with color at half resolution",
           benchmark_paper,
           {{"strength", 50, 1, 100, "quality, an integer; 100 = best", true}}},
          {},
          nullptr,
          change_by_jpeg};
}

Member jpeg_compression() {
  return {{"jpeg-compression", "JPEG compression with color at half resolution", benchmark_paper},
          "digital",
          nullptr,
          nullptr,
          change_levels_by_jpeg_compression};
}

}  // namespace leeway::shift
