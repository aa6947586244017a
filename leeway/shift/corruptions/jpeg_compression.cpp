// The picture compressed as a JPEG file of quality q and read again (jpeg.h).
#include "leeway/shift/corruption.h"
#include "leeway/shift/jpeg.h"

namespace leeway::shift {
namespace {

constexpr std::array<std::array<int, 5>, 3> qualities{{
    {80, 65, 58, 50, 40},
    {65, 58, 50, 40, 25},
    {25, 18, 15, 10, 7},
}};

void change_levels_by_jpeg_compression(const CorruptedLevels& picture, const CorruptionSetting& setting) {
  compress_jpeg(picture.values, picture.height, picture.width, setting.of(qualities));
}

}  // namespace

Corruption corrupt_jpeg_compression() {
  return {{"jpeg-compression", "JPEG compression with color at half resolution", benchmark_paper},
          CorruptionGroup::digital,
          nullptr,
          change_levels_by_jpeg_compression};
}

}  // namespace leeway::shift
