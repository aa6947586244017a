// Small pictures as data URIs.
#pragma once

#include <string>

#include "leeway/report/report.h"

namespace leeway::report {

// Of 1 or 3 channels, with all its pixels.
[[nodiscard]] bool complete(const Picture& picture);

// "data:image/png;base64,...". Deterministic for one version of libpng and zlib.
[[nodiscard]] std::string png_data_uri(const Picture& picture);

// What the shift did, pixel by pixel: middle grey where nothing changed, lighter where it added, darker where
// it took away; scaled so that the largest change of the picture is white or black. Both of one shape.
struct Difference {
  Picture picture;
  int largest = 0;  // largest absolute change, 0..255
};
[[nodiscard]] Difference difference(const Picture& clean, const Picture& shifted);

}  // namespace leeway::report
