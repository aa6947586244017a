// A scene like 3dshapes: a solid on the floor of a room, seen from several sides.
//
// Factors and their order: "3D Shapes Dataset" (Burgess and Kim, 2018): hue of floor, wall and object (10
// each, from 0 in steps of .1), 8 scales from .75 to 1.25, 4 shapes (cube, cylinder, sphere, capsule), 15
// orientations from -30 to 30 degrees. The scene is our own: the camera orbits the object; floor and three
// walls; Lambert shading by one distant light fixed in the room, with its shadow, and a soft shadow near the
// floor. Shading multiplies colors, so hues stay.
//
// Rays go through the pixels' corners; if all four hit one surface, their mean is the pixel, else 4 x 4 rays
// are cast. Cost: about 3 ms for 64 x 64 pixels.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "leeway/data/render.h"

namespace leeway::data {
namespace {

enum class Solid { cube, cylinder, sphere, capsule };

struct Scene {
  double floor_hue, wall_hue, object_hue;  // [0,1)
  double scale;
  Solid solid;
  double orientation;  // degrees
};

struct Vec {
  double x, y, z;
  friend Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(double s, Vec a) { return {s * a.x, s * a.y, s * a.z}; }
};

double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec unit(Vec a) { return (1 / std::sqrt(dot(a, a))) * a; }

// z is up; at orientation 0 the camera looks along y.
constexpr double room = 3, camera_distance = 4.2, camera_height = 2.3, look_at_height = .7;
constexpr double half_view = .45;  // tangent of half the angle of view
constexpr double half_edge = .6, cylinder_radius = .6, cylinder_height = 1.3, sphere_radius = .72,
                 capsule_radius = .48, capsule_height = 1.75;
constexpr double saturation = .88, brightness = .97;
constexpr double shadow = .62;    // what is left of the light in the shadow
constexpr double close_by = .55;  // how much a near object takes from the floor's light
constexpr double nearest = 1e-6;

struct Hit {
  double t = std::numeric_limits<double>::infinity();
  Vec normal{0, 0, 0};
};

struct Ray {
  Vec from, to;  // `to` is a direction
  [[nodiscard]] Vec at(double t) const { return from + t * to; }
};

void keep(Hit& hit, double t, Vec normal) {
  if (t > nearest && t < hit.t) hit = {t, normal};
}

// Both roots of a t^2 + 2 b t + c, ascending.
std::optional<std::array<double, 2>> roots(double a, double b, double c) {
  const double square = b * b - a * c;
  if (square < 0 || a == 0) return std::nullopt;
  const double root = std::sqrt(square);
  return std::array<double, 2>{(-b - root) / a, (-b + root) / a};
}

void hit_sphere(Hit& hit, const Ray& ray, Vec centre, double radius) {
  const Vec d = ray.from - centre;
  if (const auto t = roots(dot(ray.to, ray.to), dot(d, ray.to), dot(d, d) - radius * radius))
    for (const double one : *t) keep(hit, one, (1 / radius) * (ray.at(one) - centre));
}

// The side of an upright cylinder round the z axis.
void hit_side(Hit& hit, const Ray& ray, double radius, double low, double high) {
  const auto t =
      roots(ray.to.x * ray.to.x + ray.to.y * ray.to.y, ray.from.x * ray.to.x + ray.from.y * ray.to.y,
            ray.from.x * ray.from.x + ray.from.y * ray.from.y - radius * radius);
  if (!t) return;
  for (const double one : *t) {
    const Vec p = ray.at(one);
    if (p.z >= low && p.z <= high) keep(hit, one, {p.x / radius, p.y / radius, 0});
  }
}

void hit_disc(Hit& hit, const Ray& ray, double radius, double z) {
  if (ray.to.z == 0) return;
  const double t = (z - ray.from.z) / ray.to.z;
  const Vec p = ray.at(t);
  if (p.x * p.x + p.y * p.y <= radius * radius) keep(hit, t, {0, 0, 1});
}

void hit_cube(Hit& hit, const Ray& ray, double half) {
  const std::array<double, 3> from = {ray.from.x, ray.from.y, ray.from.z - half},
                              to = {ray.to.x, ray.to.y, ray.to.z};
  double enter = -std::numeric_limits<double>::infinity(), leave = -enter;
  Vec normal{0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (to[axis] == 0) {
      if (std::abs(from[axis]) > half) return;
      continue;
    }
    const double sign = to[axis] > 0 ? -1 : 1, near = (sign * half - from[axis]) / to[axis],
                 far = (-sign * half - from[axis]) / to[axis];
    if (near > enter) {
      enter = near;
      normal = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
    }
    leave = std::min(leave, far);
  }
  if (enter <= leave) keep(hit, enter, normal);
}

Hit hit_solid(const Ray& ray, Solid solid, double scale) {
  Hit hit;
  switch (solid) {
    case Solid::cube:
      hit_cube(hit, ray, half_edge * scale);
      break;
    case Solid::cylinder:
      hit_side(hit, ray, cylinder_radius * scale, 0, cylinder_height * scale);
      hit_disc(hit, ray, cylinder_radius * scale, cylinder_height * scale);
      break;
    case Solid::sphere:
      hit_sphere(hit, ray, {0, 0, sphere_radius * scale}, sphere_radius * scale);
      break;
    case Solid::capsule: {
      const double radius = capsule_radius * scale, top = capsule_height * scale - radius;
      hit_side(hit, ray, radius, radius, top);
      hit_sphere(hit, ray, {0, 0, radius}, radius);
      hit_sphere(hit, ray, {0, 0, top}, radius);
      break;
    }
  }
  return hit;
}

double half_height(Solid solid) {
  switch (solid) {
    case Solid::cube:
      return half_edge;
    case Solid::cylinder:
      return cylinder_height / 2;
    case Solid::sphere:
      return sphere_radius;
    case Solid::capsule:
      return capsule_height / 2;
  }
  return 0;
}

using Rgb = std::array<double, 3>;

// Of full hue h in [0,1).
Rgb color_of(double hue) {
  const auto channel = [&](double shift) {
    const double k = std::fmod(shift + hue * 6, 6.);
    return brightness * (1 - saturation * std::clamp(std::min(k, 4 - k), 0., 1.));
  };
  return {channel(5), channel(3), channel(1)};
}

struct Sample {
  Rgb color;
  int surface;  // what was hit, and whether it lies in the shadow
};

class Picture {
 public:
  explicit Picture(const Scene& scene)
      : scene_(scene),
        light_(unit({-.5, -.75, 1.25})),
        floor_(color_of(scene.floor_hue)),
        wall_(color_of(scene.wall_hue)),
        object_(color_of(scene.object_hue)) {
    const double angle = scene.orientation * std::numbers::pi / 180;
    camera_ = {camera_distance * std::sin(angle), -camera_distance * std::cos(angle), camera_height};
    forward_ = unit(Vec{0, 0, look_at_height} - camera_);
    right_ = unit(cross(forward_, {0, 0, 1}));
    up_ = cross(right_, forward_);
  }

  // u to the right and v down, from -1 to 1.
  [[nodiscard]] Sample look(double u, double v) const {
    const Ray ray{camera_, forward_ + (half_view * u) * right_ - (half_view * v) * up_};
    Hit hit = hit_solid(ray, scene_.solid, scene_.scale);
    int surface = 0;
    const auto meet = [&](double distance, double speed, Vec normal, int number) {
      const double t = distance / speed;
      if (speed != 0 && t > nearest && t < hit.t) {
        hit = {t, normal};
        surface = number;
      }
    };
    meet(-ray.from.z, ray.to.z, {0, 0, 1}, 1);
    meet(room - ray.from.y, ray.to.y, {0, -1, 0}, 2);
    meet(-room - ray.from.x, ray.to.x, {1, 0, 0}, 3);
    meet(room - ray.from.x, ray.to.x, {-1, 0, 0}, 4);
    return shade(surface, ray.at(hit.t), hit.normal);
  }

 private:
  [[nodiscard]] Sample shade(int surface, Vec point, Vec normal) const {
    const double facing = dot(normal, light_);
    if (surface == 0) {
      // The cube's sides are surfaces of their own, so that its edges are smooth.
      const int side = scene_.solid == Solid::sphere || scene_.solid == Solid::capsule ? 0
                       : normal.z > .5                                                 ? 1
                       : scene_.solid == Solid::cylinder                               ? 2
                       : normal.x != 0                                                 ? 3
                                                                                       : 2;
      return {scaled(object_, .34 + .66 * std::max(0., facing)), side};
    }
    double light = .62 + .38 * std::max(0., facing);
    bool dark = false;
    if (surface == 1) light *= 1 - nearness(point);
    if (facing > 0 && std::isfinite(hit_solid({point, light_}, scene_.solid, scene_.scale).t)) {
      light *= shadow;
      dark = true;
    }
    return {scaled(surface == 1 ? floor_ : wall_, light), 10 * surface + (dark ? 1 : 0)};
  }

  // How much of the floor's sky a ball of the object's size takes away.
  [[nodiscard]] double nearness(Vec point) const {
    const double radius = half_height(scene_.solid) * scene_.scale;
    const double square = point.x * point.x + point.y * point.y + radius * radius;
    return close_by * std::min(1., std::pow(radius * radius / square, 1.5));
  }

  static Rgb scaled(const Rgb& color, double factor) {
    return {color[0] * factor, color[1] * factor, color[2] * factor};
  }

  Scene scene_;
  Vec light_;
  Rgb floor_, wall_, object_;
  Vec camera_{}, forward_{}, right_{}, up_{};
};

constexpr std::size_t rays = 4;  // a side, in pixels that several surfaces meet in

constexpr std::array<const char*, 10> hue_names = {"red",  "orange", "yellow", "green",   "spring",
                                                   "cyan", "azure",  "blue",   "magenta", "rose"};

// (3, size, size)
void draw_scene(const Scene& scene, std::size_t size, std::span<std::uint8_t> out) {
  const Picture picture(scene);
  const double side = static_cast<double>(size);
  const auto look = [&](double x, double y) { return picture.look(2 * x / side - 1, 2 * y / side - 1); };
  std::vector<Sample> above(size + 1), below(size + 1);
  for (std::size_t i = 0; i <= size; ++i) below[i] = look(static_cast<double>(i), 0);
  for (std::size_t row = 0; row < size; ++row) {
    std::swap(above, below);
    const auto y = static_cast<double>(row);
    for (std::size_t i = 0; i <= size; ++i) below[i] = look(static_cast<double>(i), y + 1);
    for (std::size_t i = 0; i < size; ++i) {
      const std::array<const Sample*, 4> around = {&above[i], &above[i + 1], &below[i], &below[i + 1]};
      Rgb sum{0, 0, 0};
      double count = 4;
      if (std::ranges::all_of(around, [&](const Sample* s) { return s->surface == above[i].surface; })) {
        for (const Sample* sample : around)
          for (std::size_t c = 0; c < 3; ++c) sum[c] += sample->color[c];
      } else {
        count = static_cast<double>(rays * rays);
        for (std::size_t k = 0; k < rays * rays; ++k) {
          const std::size_t across = k % rays, down = k / rays;
          const Sample sample = look(static_cast<double>(i) + (static_cast<double>(across) + .5) / rays,
                                     y + (static_cast<double>(down) + .5) / rays);
          for (std::size_t c = 0; c < 3; ++c) sum[c] += sample.color[c];
        }
      }
      for (std::size_t c = 0; c < 3; ++c)
        out[(c * size + row) * size + i] =
            static_cast<std::uint8_t>(std::lround(255 * std::clamp(sum[c] / count, 0., 1.)));
    }
  }
}

void draw_shapes3d(std::span<const std::uint16_t> codes, std::size_t size, std::span<std::uint8_t> out) {
  static const auto hues = evenly(0, .9, 10), scales = evenly(.75, 1.25, 8), turns = evenly(-30, 30, 15);
  draw_scene({hues[codes[0]], hues[codes[1]], hues[codes[2]], scales[codes[3]], static_cast<Solid>(codes[4]),
              turns[codes[5]]},
             size, out);
}

}  // namespace

RenderedSet shapes3d() {
  const auto hues = texts_of(evenly(0, .9, 10)), scales = texts_of(evenly(.75, 1.25, 8)),
             turns = texts_of(evenly(-30, 30, 15));
  const std::vector<std::string> solids = {"cube", "cylinder", "sphere", "capsule"},
                                 names(hue_names.begin(), hue_names.end());
  return {{"shapes3d",
           "a cube, cylinder, sphere or capsule in a room: 10 hues of floor, wall and object, 8 scales, 15 "
           "orientations",
           "factors of Burgess and Kim, 2018"},
          {{"floor_hue", hues, 10},
           {"wall_hue", hues, 10},
           {"object_hue", hues, 10},
           {"scale_value", scales, 8},
           {"shape", solids, 4},
           {"orientation", turns, 15}},
          {{"shape", 4, solids},
           {"obj_color", 2, names},
           {"bg_color", 1, names},
           {"scale", 3, {"tiny", "tiny", "small", "small", "middle", "middle", "big", "big"}},
           {"floor_color", 0, names},
           {"floor_hue", 0, hues},
           {"wall_hue", 1, hues},
           {"object_hue", 2, hues},
           {"scale_value", 3, scales},
           {"orientation", 5, turns}},
          draw_shapes3d};
}

}  // namespace leeway::data
