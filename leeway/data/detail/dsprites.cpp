#include "leeway/data/detail/dsprites.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <string>

#include "leeway/data/render.h"

namespace leeway::data {
namespace {

struct Point {
  double x, y;
};
using Outline = std::vector<Point>;

constexpr std::size_t corners = 128;
constexpr double square_side = .34, ellipse_long = .24, ellipse_short = .14, heart_reach = .24;

double area_of(const Outline& outline) {
  double twice = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Point &a = outline[i], &b = outline[(i + 1) % outline.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  return std::abs(twice) / 2;
}

Point centre_of(const Outline& outline) {
  double twice = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const Point &a = outline[i], &b = outline[(i + 1) % outline.size()];
    const double cross = a.x * b.y - b.x * a.y;
    twice += cross;
    x += (a.x + b.x) * cross;
    y += (a.y + b.y) * cross;
  }
  return {x / (3 * twice), y / (3 * twice)};
}

void stretch(Outline& outline, double factor) {
  for (Point& point : outline) point = {point.x * factor, point.y * factor};
}

Outline square() {
  const double half = square_side / 2;
  return {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
}

Outline ellipse() {
  Outline outline;
  for (std::size_t i = 0; i < corners; ++i) {
    const double t = 2 * std::numbers::pi * static_cast<double>(i) / corners;
    outline.push_back({ellipse_long * std::cos(t), ellipse_short * std::sin(t)});
  }
  // The corners lie a little outside the curve, so that the area is the ellipse's.
  stretch(outline, std::sqrt(std::numbers::pi * ellipse_long * ellipse_short / area_of(outline)));
  return outline;
}

// x = 16 sin^3 t, y = 13 cos t - 5 cos 2t - 2 cos 3t - cos 4t, y up; then centred and made as large as asked.
Outline heart() {
  Outline outline;
  for (std::size_t i = 0; i < corners; ++i) {
    const double t = 2 * std::numbers::pi * static_cast<double>(i) / corners, s = std::sin(t);
    const double up = 13 * std::cos(t) - 5 * std::cos(2 * t) - 2 * std::cos(3 * t) - std::cos(4 * t);
    outline.push_back({16 * s * s * s, -up});
  }
  const Point centre = centre_of(outline);
  double reach = 0;
  for (Point& point : outline) {
    point = {point.x - centre.x, point.y - centre.y};
    reach = std::max(reach, std::hypot(point.x, point.y));
  }
  stretch(outline, heart_reach / reach);
  return outline;
}

const Outline& outline_of(Sprite sprite) {
  static const std::array<Outline, 3> outlines = {square(), ellipse(), heart()};
  return outlines[static_cast<std::size_t>(sprite)];
}

// Signed areas to the right of edges: entry i of a row, summed from the left, is the share of pixel i that lies
// inside. Exact for straight edges.
class Coverage {
 public:
  explicit Coverage(std::size_t size) : size_(size), sums_(size * (size + 2)) {}

  void add_edge(Point from, Point to) {
    if (from.y == to.y) return;
    const double sign = from.y < to.y ? 1 : -1;
    if (sign < 0) std::swap(from, to);
    const double slope = (to.x - from.x) / (to.y - from.y), side = static_cast<double>(size_);
    double x = from.x;
    const auto first = static_cast<std::size_t>(std::max(0., from.y));
    const auto last = static_cast<std::size_t>(std::ceil(std::clamp(to.y, 0., side)));
    for (std::size_t row = first; row < last; ++row) {
      const double top = std::max(from.y, static_cast<double>(row)),
                   bottom = std::min(to.y, static_cast<double>(row) + 1), next = x + slope * (bottom - top);
      add_piece(&sums_[row * (size_ + 2)], std::clamp(std::min(x, next), 0., side),
                std::clamp(std::max(x, next), 0., side), sign * (bottom - top));
      x = next;
    }
  }

  [[nodiscard]] std::vector<float> shares() const {
    std::vector<float> out(size_ * size_);
    for (std::size_t row = 0; row < size_; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i) {
        sum += sums_[row * (size_ + 2) + i];
        out[row * size_ + i] = static_cast<float>(std::clamp(std::abs(sum), 0., 1.));
      }
    }
    return out;
  }

 private:
  // A piece of an edge within one row, from x = low to x = high, of that signed height.
  static void add_piece(double* row, double low, double high, double height) {
    const double left = std::floor(low);
    auto i = static_cast<std::size_t>(left);
    const auto end = static_cast<std::size_t>(std::ceil(high));
    if (end <= i + 1) {
      const double right_of = (low + high) / 2 - left;
      row[i] += height * (1 - right_of);
      row[i + 1] += height * right_of;
      return;
    }
    // Over several pixels: the area left of x and right of the piece, differences of which are the pixels' shares.
    const double rate = height / (high - low);
    const auto area_until = [&](double x) {
      const double run = std::min(x, high) - low;
      return rate * (run * run / 2 + std::max(0., x - high) * (high - low));
    };
    double area = 0, share = 0;
    for (; i <= end; ++i) {
      const double next_area = area_until(static_cast<double>(i) + 1), next_share = next_area - area;
      row[i] += next_share - share;
      area = next_area;
      share = next_share;
    }
  }

  std::size_t size_;
  std::vector<double> sums_;
};

constexpr std::array<Color, 12> colors = {{{"red", {229, 32, 32}},
                                           {"yellow", {245, 224, 40}},
                                           {"blue", {36, 68, 228}},
                                           {"orange", {247, 146, 30}},
                                           {"green", {36, 160, 60}},
                                           {"purple", {128, 44, 160}},
                                           {"cyan", {40, 200, 220}},
                                           {"magenta", {226, 48, 160}},
                                           {"brown", {124, 76, 36}},
                                           {"gray", {128, 128, 128}},
                                           {"black", {0, 0, 0}},
                                           {"white", {255, 255, 255}}}};

// All colours, those of the protocol first and so the standard ones.
std::vector<std::string> colors_from(std::initializer_list<const char*> first) {
  std::vector<std::string> names(first.begin(), first.end());
  for (const Color& color : colors)
    if (std::ranges::find(names, color.name) == names.end()) names.emplace_back(color.name);
  return names;
}

std::vector<std::array<std::uint8_t, 3>> rgb_of(const std::vector<std::string>& names) {
  std::vector<std::array<std::uint8_t, 3>> values;
  for (const std::string& name : names) values.push_back(std::ranges::find(colors, name, &Color::name)->rgb);
  return values;
}

std::vector<std::string> object_colors() { return colors_from({"red", "yellow", "blue"}); }
std::vector<std::string> ground_colors() { return colors_from({"orange", "green", "purple"}); }

void draw_dsprite(std::span<const std::uint16_t> codes, std::size_t size, std::span<std::uint8_t> out) {
  static const auto objects = rgb_of(object_colors()), grounds = rgb_of(ground_colors());
  static const auto scales = evenly(.5, 1, 6), turns = evenly(0, 2 * std::numbers::pi, 40),
                    places = evenly(0, 1, 32);
  const auto shares = sprite_coverage(static_cast<Sprite>(codes[2]), scales[codes[3]], turns[codes[4]],
                                      places[codes[5]], places[codes[6]], size);
  for (std::size_t c = 0; c < 3; ++c) {
    const std::uint8_t ground = grounds[codes[1]][c], object = objects[codes[0]][c];
    const auto change = static_cast<float>(object) - static_cast<float>(ground);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const float share = shares[i];
      out[c * shares.size() + i] =
          share <= 0   ? ground
          : share >= 1 ? object
                       : static_cast<std::uint8_t>(std::lround(static_cast<float>(ground) + change * share));
    }
  }
}

}  // namespace

std::vector<float> sprite_coverage(Sprite sprite, double scale, double orientation, double x, double y,
                                   std::size_t size) {
  const Outline& outline = outline_of(sprite);
  const double side = static_cast<double>(size), c = side * scale * std::cos(orientation),
               s = side * scale * std::sin(orientation);
  const double middle_x = side * (.25 + .5 * x), middle_y = side * (.25 + .5 * y);
  const auto placed = [&](const Point& p) {
    return Point{middle_x + c * p.x + s * p.y, middle_y - s * p.x + c * p.y};
  };
  Coverage coverage(size);
  Point from = placed(outline.back());
  for (const Point& corner : outline) {
    const Point to = placed(corner);
    coverage.add_edge(from, to);
    from = to;
  }
  return coverage.shares();
}

double sprite_area(Sprite sprite) { return area_of(outline_of(sprite)); }

RenderedSet dsprites() {
  const auto scales = texts_of(evenly(.5, 1, 6)), turns = texts_of(evenly(0, 2 * std::numbers::pi, 40)),
             places = texts_of(evenly(0, 1, 32));
  const std::vector<std::string> shapes = {"square", "ellipse", "heart"};
  return {{"dsprites",
           "a square, ellipse or heart: 6 scales, 40 orientations, 32 x 32 positions, object and background "
           "colors",
           "factors of Matthey et al., 2017"},
          {{"obj_color", object_colors(), 3},
           {"bg_color", ground_colors(), 3},
           {"shape", shapes, 3},
           {"scale_value", scales, 6},
           {"orientation", turns, 40},
           {"pos_x", places, 32},
           {"pos_y", places, 32}},
          {{"shape", 2, shapes},
           {"obj_color", 0, object_colors()},
           {"bg_color", 1, ground_colors()},
           {"scale", 3, {"small", "small", "middle", "middle", "big", "big"}},
           {"scale_value", 3, scales},
           {"orientation", 4, turns},
           {"pos_x", 5, places},
           {"pos_y", 6, places}},
          draw_dsprite};
}

}  // namespace leeway::data
