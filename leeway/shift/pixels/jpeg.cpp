// Every picture is compressed as a JPEG file of quality q and read again (jpeg.h).
//
// Source: the JPEG compression of Hendrycks and Dietterich, ICLR 2019: q = 25 to 7 on ImageNet, 80 to 40 on CIFAR-10.
#include "leeway/shift/jpeg.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "leeway/core/error.h"
#include "leeway/data/jpeg_handle.h"
#include "leeway/shift/detail/family.h"

namespace leeway::shift {
namespace {

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

Shifted apply_jpeg(const Images& images, const Options& options, Progress* progress) {
  const auto quality = static_cast<int>(options.strength);
  return change_pictures(images, "jpeg", progress, [&](std::size_t, std::span<float> picture) {
    compress_jpeg(picture, images.height(), images.width(), quality);
  });
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
           "Hendrycks and Dietterich, ICLR 2019",
           {{"strength", 50, 1, 100, "quality, a whole number; 100 = best", true}}},
          {},
          apply_jpeg};
}

}  // namespace leeway::shift
