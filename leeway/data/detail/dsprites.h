// dSprites with colours: a square, an ellipse or a heart on a plain ground.
//
// Source of the factors: "dSprites: Disentanglement testing Sprites dataset" (Matthey et al., 2017): 3 shapes, 6 scales
// from .5 to 1, 40 orientations from 0 to 2 pi (both), 32 x 32 positions from 0 to 1; the colours are those of "An
// analysis of model robustness across concurrent distribution shifts", Table 2. Its pixels are not copied: the
// published sprites are black and white with hard edges, ours have the exact share of every pixel that the shape covers.
//
// Geometry, in shares of the image's side: the centre of area is at .25 + .5 position (x to the right, y down), the
// shape is turned counter-clockwise, and at scale 1 the square's side is .34, the ellipse's half axes are .24 and .14,
// the heart reaches .24 from its centre. So no sprite is cut off.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "leeway/data/rendered_set.h"

namespace leeway::data {

enum class Sprite { square, ellipse, heart };

// Share of every pixel, (size, size), that the sprite covers: exact for a polygon, of 128 corners and the shape's own
// area where the outline is curved. Orientation in radians, position in [0,1]. Cost: some 10 us.
[[nodiscard]] std::vector<float> sprite_coverage(Sprite sprite, double scale, double orientation, double x,
                                                 double y, std::size_t size);
// At scale 1, in shares of the image.
[[nodiscard]] double sprite_area(Sprite sprite);

}  // namespace leeway::data
