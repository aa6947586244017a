// Pictures of DiagViB: against tests/reference/diagvib.py (numpy, scipy), and what geometry and colours must be.
#include "leeway/data/diagvib.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "leeway/core/png.h"
#include "tests/core/files.h"
#include "tests/data/digits.h"

namespace leeway::data {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t size = diagvib_canvas, area = size * size;

DiagvibTexture made_up_texture() {
  DiagvibTexture texture{"made-up", 256, 256, {}, false};
  for (std::size_t i = 0; i < std::size_t{256} * 256; ++i) {
    const std::size_t y = i / 256, x = i % 256;
    texture.pixels.push_back(static_cast<std::uint8_t>((7 * y + 13 * x + (x * y) % 31) % 256));
  }
  return texture;
}

DiagvibGlyph glyph_of(const std::string& kind) {
  return diagvib_glyph(kind == "ring" ? ring() : bar()).value();
}

std::vector<std::uint8_t> drawn(const DiagvibGlyph& glyph, const DiagvibLook& look,
                                const DiagvibTexture& texture, std::size_t side = size) {
  std::vector<std::uint8_t> out(3 * side * side);
  draw_diagvib(glyph, look, texture, side, out);
  return out;
}

const nlohmann::json& reference() {
  static const auto json =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/diagvib.json"));
  return json;
}

TEST(Diagvib, GlyphsAreScipysCubicSplines) {
  for (const auto& [kind, bits] : reference()["glyphs"].items()) {
    const DiagvibGlyph glyph = glyph_of(kind);
    const std::string wanted = bits;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < glyph.size(); ++i) differ += glyph[i] != (wanted[i] == '1') ? 1 : 0;
    EXPECT_EQ(differ, 0) << kind;
  }
}

TEST(Diagvib, PicturesAreThoseOfAnIndependentProgram) {
  const DiagvibTexture texture = made_up_texture();
  for (const auto& one : reference()["cases"]) {
    DiagvibLook look;
    look.lightness1 = one["lightness1"], look.lightness2 = one["lightness2"], look.hue = one["hue"];
    look.row = one["row"], look.column = one["column"], look.scale = one["scale"];
    look.crop_row = one["crop_row"], look.crop_column = one["crop_column"];
    const auto picture = drawn(glyph_of(one["digit"]), look, texture, one["size"]);
    const std::vector<std::size_t> at = one["at"];
    const std::vector<int> values = one["values"];
    for (std::size_t i = 0; i < at.size(); ++i) EXPECT_NEAR(picture[at[i]], values[i], 1) << at[i];
    const auto changed = std::ranges::count_if(picture, [](std::uint8_t v) { return v != diagvib_ground; });
    EXPECT_NEAR(static_cast<double>(changed), one["changed"], 3);
    double sum = 0;
    for (const std::uint8_t v : picture) sum += v;
    EXPECT_NEAR(sum, one["sum"], 20);
  }
}

TEST(Diagvib, ColorsHaveSaturationOne) {
  EXPECT_EQ(diagvib_color(0, .5), (std::array<std::uint8_t, 3>{255, 0, 0}));
  EXPECT_EQ(diagvib_color(120, .5), (std::array<std::uint8_t, 3>{0, 255, 0}));
  EXPECT_EQ(diagvib_color(-60, .5), (std::array<std::uint8_t, 3>{255, 0, 255}));
  EXPECT_EQ(diagvib_color(240, .75), (std::array<std::uint8_t, 3>{127, 127, 255}));
}

TEST(Diagvib, ABlankTextureGivesOneColor) {
  // Middle of dark red, l1 = 1/22 and l2 = 9/22, and of bright red; level 1 gives all but c2.
  const auto texture = diagvib_textures().front();
  for (const auto& [l1, l2, color] : {std::tuple(1. / 22, 9. / 22, std::array<int, 3>{207, 0, 0}),
                                      {13. / 22, 21. / 22, std::array<int, 3>{255, 230, 230}}}) {
    DiagvibLook look;
    look.lightness1 = l1, look.lightness2 = l2;
    const auto picture = drawn(glyph_of("ring"), look, texture);
    std::map<std::array<int, 3>, std::size_t> colors;
    for (std::size_t i = 0; i < area; ++i) ++colors[{picture[i], picture[area + i], picture[2 * area + i]}];
    EXPECT_GT((colors[{127, 127, 127}]), area * 9 / 10);  // ground
    colors.erase({127, 127, 127});
    EXPECT_EQ(std::ranges::max_element(colors, {}, [](const auto& c) { return c.second; })->first, color);
  }
}

// Gives objects their darker color.
DiagvibTexture black_texture() {
  return {"black", 256, 256, std::vector<std::uint8_t>(std::size_t{256} * 256, 255), false};
}

struct Box {
  std::size_t top = size, bottom = 0, left = size, right = 0;
  [[nodiscard]] std::size_t height() const { return bottom - top + 1; }
  [[nodiscard]] std::size_t width() const { return right - left + 1; }
};

// Of the pixels that are at least half the object's.
Box box_of(const std::vector<std::uint8_t>& picture) {
  Box box;
  for (std::size_t i = 0; i < area; ++i) {
    if (picture[i] > 63) continue;  // an object of red 0
    box.top = std::min(box.top, i / size), box.bottom = std::max(box.bottom, i / size);
    box.left = std::min(box.left, i % size), box.right = std::max(box.right, i % size);
  }
  return box;
}

DiagvibCodes codes_of(std::size_t hue, std::size_t lightness, std::size_t position, std::size_t scale) {
  return {static_cast<std::uint8_t>(hue), static_cast<std::uint8_t>(lightness),
          static_cast<std::uint8_t>(position), static_cast<std::uint8_t>(scale), 0};
}

TEST(Diagvib, ObjectsHaveTheirScaleAndPlace) {
  const auto blank = black_texture();
  // A full ring is 28 of the object's 40 pixels high, and in its middle.
  const DiagvibGlyph glyph = glyph_of("ring");
  const auto positions = diagvib_classes(DiagvibFactor::position),
             scales = diagvib_classes(DiagvibFactor::scale);
  for (std::size_t p = 0; p < positions.size(); ++p)
    for (std::size_t s = 0; s < scales.size(); ++s)
      for (std::uint64_t row = 0; row < 12; ++row) {
        const DiagvibLook look = diagvib_look(codes_of(3, 0, p, s), blank, Random(1, 2, row));
        EXPECT_TRUE(look.scale >= scales[s].low && look.scale <= scales[s].high);
        EXPECT_TRUE(look.row >= positions[p].low && look.row <= positions[p].high);
        EXPECT_TRUE(look.column >= positions[p].low2 && look.column <= positions[p].high2);
        const Box box = box_of(drawn(glyph, look, blank));
        if (positions[p].name != "centre" && scales[s].name.starts_with("larg")) continue;  // may be cut
        EXPECT_NEAR(static_cast<double>(std::max(box.height(), box.width())), 28 * look.scale, 2);
        EXPECT_NEAR(static_cast<double>(box.top + box.bottom) / 2, 127 * look.row, 1.6);
        EXPECT_NEAR(static_cast<double>(box.left + box.right) / 2, 127 * look.column, 1.6);
      }
}

TEST(Diagvib, SidesHaveTheirRanges) {
  const auto side = [](double scale) { return std::lround(40 * scale); };
  const auto scales = diagvib_classes(DiagvibFactor::scale);
  const std::pair<long, long> sides[] = {{28, 30}, {32, 35}, {38, 42}, {46, 50}, {54, 58}};
  for (std::size_t s = 0; s < scales.size(); ++s)
    EXPECT_EQ(std::pair(side(scales[s].low), side(scales[s].high)), sides[s]);
}

TEST(Diagvib, LooksShareTheirRandomNumbers) {
  const auto textures = diagvib_textures();
  const DiagvibCodes one = codes_of(0, 0, 4, 2), other = codes_of(4, 0, 4, 2), far = codes_of(2, 3, 7, 4);
  for (std::uint64_t row = 0; row < 20; ++row) {
    const auto look = [&](const DiagvibCodes& codes, std::size_t texture) {
      return diagvib_look(codes, textures[texture], Random(5, 6, row));
    };
    const DiagvibLook a = look(one, 0), b = look(other, 0), c = look(far, 1);
    EXPECT_NEAR(b.hue - a.hue, 240, 1e-9);
    EXPECT_EQ(a.lightness1, b.lightness1);
    EXPECT_EQ(a.scale, b.scale);
    EXPECT_EQ(a.row, b.row);
    EXPECT_NEAR(c.lightness2 - a.lightness2, 6. / 11, 1e-9);
    EXPECT_NEAR(c.row - a.row, 2. / 7, 1e-9);
    EXPECT_EQ(c.column, a.column);
    EXPECT_EQ(c.crop_row, a.crop_row);
    EXPECT_LE(c.crop_row, 215);
  }
}

TEST(Diagvib, CanvasesHave28To512Pixels) {
  const auto texture = diagvib_textures().front();
  const DiagvibLook look;
  for (const std::size_t side : {28, 512})
    EXPECT_EQ(drawn(glyph_of("bar"), look, texture, side)[0], diagvib_ground);
  for (const std::size_t side : {27, 513})
    EXPECT_EQ(message_of([&] { (void)drawn(glyph_of("bar"), look, texture, side); }),
              "size: expected 28 to 512 pixels, found " + std::to_string(side));
}

TEST(Diagvib, FaintPicturesHaveNoGlyph) {
  Digit faint{};
  EXPECT_FALSE(diagvib_glyph(faint));
  faint.fill(100);
  EXPECT_FALSE(diagvib_glyph(faint));
  faint.fill(120);  // a box, but nothing of it above 150
  EXPECT_FALSE(diagvib_glyph(faint));
  faint.fill(0);
  faint[0] = 255;  // one pixel becomes 28 x 28
  EXPECT_EQ(diagvib_glyph(faint)->count(), 28u * 28);
  faint.fill(255);
  EXPECT_EQ(diagvib_glyph(faint)->count(), 28u * 28);
}

TEST(DiagvibTextures, HaveAFlatHistogramAndRepeat) {
  const auto textures = diagvib_textures();
  ASSERT_EQ(textures.size(), 6);
  EXPECT_EQ(textures[0].shown(), "blank");
  EXPECT_TRUE(std::ranges::all_of(textures[0].pixels, [](auto v) { return v == 1; }));
  for (std::size_t t = 1; t < textures.size(); ++t) {
    const std::string& name = textures[t].name;
    const std::size_t height = textures[t].height, width = textures[t].width;
    const std::vector<std::uint8_t>& pixels = textures[t].pixels;
    EXPECT_EQ(textures[t].shown(), name + "*");
    std::array<std::size_t, 256> counts{};
    for (const std::uint8_t v : pixels) ++counts[v];
    EXPECT_TRUE(std::ranges::all_of(counts, [](std::size_t count) { return count == 256; })) << name;
    // The step over the edge is as large as one inside.
    const auto step = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t x = 0; x < width; ++x) sum += std::abs(pixels[a * width + x] - pixels[b * width + x]);
      return sum / static_cast<double>(width);
    };
    double most = 0;
    for (std::size_t y = 1; y < height; ++y) most = std::max(most, step(y - 1, y));
    EXPECT_LE(step(height - 1, 0), most) << name;
  }
}

TEST(DiagvibTextures, AFolderReplacesAndAdds) {
  const leeway::testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder / "none");
  Bitmap color{3, 40, 41, std::vector<std::uint8_t>(std::size_t{3} * 40 * 41)};
  for (std::size_t i = 0; i < color.pixels.size(); i += 3) color.pixels[i] = 200;  // red
  write_png(folder / "tiles.png", color);
  write_png(folder / "marble.png", color);
  const auto textures = diagvib_textures(folder.path());
  ASSERT_EQ(textures.size(), 7);
  EXPECT_EQ(textures[1].shown(), "tiles");
  EXPECT_EQ(textures[1].width, 41);
  EXPECT_EQ(textures[1].pixels[0], 60);  // .299 x 200
  EXPECT_EQ(textures[2].shown(), "wood*");
  EXPECT_EQ(textures[6].shown(), "marble");
  const auto refused = [&](const std::filesystem::path& path) {
    return message_of([&] { (void)diagvib_textures(path); });
  };
  EXPECT_THAT(refused(folder / "none"), HasSubstr("expected images (.png, .jpg, .jpeg), found none"));
  EXPECT_THAT(refused(folder / "nowhere"), HasSubstr("expected a folder of images, found nothing"));
  write_png(folder / "small.png", Bitmap{1, 39, 60, std::vector<std::uint8_t>(std::size_t{39} * 60)});
  EXPECT_THAT(refused(folder.path()), HasSubstr("expected sides of at least 40 pixels, found 39 x 60"));
  std::filesystem::rename(folder / "small.png", folder / "none" / "blank.png");
  write_png(folder / "none" / "blank.png", color);
  EXPECT_THAT(refused(folder / "none"), HasSubstr("expected a unique texture name, found 'blank'"));
}

}  // namespace
}  // namespace leeway::data
