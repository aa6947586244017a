// A scene like 3dshapes: a solid on the floor of a room, seen from several sides.
//
// Source of the factors and their order: "3D Shapes Dataset" (Burgess and Kim, 2018): hue of floor, wall and object
// (10 each, from 0 in steps of .1), 8 scales from .75 to 1.25, 4 shapes (cube, cylinder, sphere, capsule), 15
// orientations from -30 to 30 degrees. The scene is our own: the camera goes round the object by the orientation;
// floor and three walls; Lambert's shading by one distant light fixed in the room, with its shadow, and a
// soft one where the object comes close to the floor. Shading multiplies colours, so hues stay what they are.
//
// Rays are cast through the corners of the pixels; where the four hit one surface their mean is the pixel, elsewhere
// 4 x 4 rays are. Cost: some 3 ms for 64 x 64 pixels.
#pragma once

#include "leeway/data/rendered_set.h"

namespace leeway::data {

enum class Solid { cube, cylinder, sphere, capsule };

struct Scene {
  double floor_hue, wall_hue, object_hue;  // [0,1)
  double scale;
  Solid solid;
  double orientation;  // degrees
};

// (3, size, size)
void draw_scene(const Scene& scene, std::size_t size, std::span<std::uint8_t> out);

}  // namespace leeway::data
