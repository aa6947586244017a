// Handles of libturbojpeg that close themselves.
#pragma once

#include <fmt/format.h>
#include <turbojpeg.h>

#include <memory>
#include <stdexcept>

namespace leeway::data {

struct CloseJpeg {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using JpegHandle = std::unique_ptr<void, CloseJpeg>;

[[nodiscard]] inline JpegHandle checked(tjhandle handle) {
  if (!handle) throw std::runtime_error(fmt::format("jpeg: {}", tjGetErrorStr2(nullptr)));
  return JpegHandle(handle);
}
[[nodiscard]] inline JpegHandle jpeg_compressor() { return checked(tjInitCompress()); }
[[nodiscard]] inline JpegHandle jpeg_decompressor() { return checked(tjInitDecompress()); }

}  // namespace leeway::data
