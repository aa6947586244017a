#include "leeway/data/render.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "leeway/core/file.h"
#include "leeway/data/detail/dsprites.h"
#include "leeway/data/diagvib.h"
#include "leeway/data/training_data.h"
#include "leeway/io/images.h"
#include "leeway/io/png.h"
#include "tests/at_threads.h"
#include "tests/core/files.h"
#include "tests/data/digits.h"

namespace leeway::data::render_test {

using ::testing::HasSubstr;

constexpr std::array sprites = {Sprite::square, Sprite::ellipse, Sprite::heart};

double sum_of(const std::vector<float>& coverage) {
  double sum = 0;
  for (const float share : coverage) sum += share;
  return sum;
}

// Centre of what is covered, in pixels: x, y.
std::pair<double, double> centre_of(const std::vector<float>& coverage, std::size_t size) {
  double x = 0, y = 0;
  for (std::size_t i = 0; i < coverage.size(); ++i) {
    x += coverage[i] * (static_cast<double>(i % size) + .5);
    y += coverage[i] * (static_cast<double>(i / size) + .5);
  }
  return {x / sum_of(coverage), y / sum_of(coverage)};
}

TEST(Sprites, CoverTheirAreaAtEveryScaleTurnAndPlace) {
  EXPECT_NEAR(sprite_area(Sprite::square), .34 * .34, 1e-12);
  EXPECT_NEAR(sprite_area(Sprite::ellipse), std::numbers::pi * .24 * .14, 1e-12);
  for (const Sprite sprite : sprites)
    for (const std::size_t size : {8, 32, 64, 65})
      for (const double scale : {.5, .7, 1.})
        for (const double turn : {0., .3, 1.6, 4.})
          for (const double place : {0., .37, 1.}) {
            const auto coverage = sprite_coverage(sprite, scale, turn, place, 1 - place, size);
            const double side = static_cast<double>(size), area = sprite_area(sprite) * scale * scale;
            EXPECT_NEAR(sum_of(coverage) / (side * side), area, 1e-5 * area);
            const auto [x, y] = centre_of(coverage, size);
            // A pixel's centre is not that of the part covered, which moves the mean a little.
            EXPECT_NEAR(x, side * (.25 + .5 * place), .15);
            EXPECT_NEAR(y, side * (.25 + .5 * (1 - place)), .15);
          }
}

TEST(Sprites, EdgesAreSharesOfPixels) {
  // A square of 10.88 pixels a side, its centre on the corner of four pixels.
  const auto square = sprite_coverage(Sprite::square, .5, 0, .5, .5, 64);
  EXPECT_FLOAT_EQ(square[32 * 64 + 32], 1);
  EXPECT_NEAR(square[32 * 64 + 37], .44, 1e-6);
  EXPECT_NEAR(square[37 * 64 + 37], .44 * .44, 1e-6);
  EXPECT_EQ(square[32 * 64 + 38], 0);
}

std::vector<std::uint8_t> drawn(const RenderedRows& rows, std::size_t size) {
  std::vector<std::uint8_t> pixels;
  render(
      rows, size, [&](auto block) { pixels.insert(pixels.end(), block.begin(), block.end()); }, nullptr);
  return pixels;
}

TEST(Render, SetsHaveTheirPublishedSizesAndColumns) {
  const RenderedSet &flat = rendered_set("dsprites"), &solid = rendered_set("shapes3d");
  EXPECT_EQ(RenderedRows(flat, {{"obj_color", {"white"}}, {"bg_color", {"black"}}}).n(), 737'280);
  EXPECT_EQ(RenderedRows(flat, {}).n(), 9 * 737'280);
  EXPECT_EQ(RenderedRows(solid, {}).n(), 480'000);
  for (const RenderedSet& set : rendered_sets()) {
    EXPECT_EQ(set.columns.front().name, "shape");
    for (const RenderedColumn& column : set.columns)
      EXPECT_EQ(column.texts.size(), set.factors[column.factor].values.size()) << column.name;
  }
  // The published order: x and y fastest, then orientation, scale, shape.
  EXPECT_EQ(RenderedRows(flat, {}).codes(32 * 32 * 40 + 33),
            (std::vector<std::uint16_t>{0, 0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(RenderedRows(solid, {}).codes(15 * 4 + 16), (std::vector<std::uint16_t>{0, 0, 0, 1, 1, 1}));
}

// Recorded levels of both sets (tests/reference/recorded_levels.py): one in a hundred may be another by rounding.
TEST(Render, LevelsAreThoseRecorded) {
  const auto sets =
      nlohmann::json::parse(std::ifstream(std::string(LEEWAY_REFERENCE) + "/rendered_levels.json"));
  for (const auto& one : sets) {
    const RenderedRows rows(rendered_set(one.at("set").get<std::string>()), {});
    const auto found = drawn(rows.sample(one.at("n"), one.at("seed")), one.at("size"));
    const std::string hex = one.at("levels");
    const std::size_t every = one.at("every");
    ASSERT_EQ(hex.size() / 2, (found.size() + every - 1) / every);
    std::size_t different = 0;
    for (std::size_t i = 0; i < hex.size() / 2; ++i)
      different += found[i * every] != std::stoi(hex.substr(2 * i, 2), nullptr, 16);
    EXPECT_LE(different, hex.size() / 200) << one.at("set");
  }
}

TEST(Render, SameBitsAtAnyNumberOfThreadsAndInAnySubset) {
  for (const RenderedSet& set : rendered_sets()) {
    const RenderedRows rows = RenderedRows(set, {}).sample(50, 3);
    const auto whole = at_threads(1, [&] { return drawn(rows, 24); });
    for (const int count : {2, 7}) EXPECT_EQ(at_threads(count, [&] { return drawn(rows, 24); }), whole);
    const std::vector<std::size_t> some = {41, 3, 3, 17};
    const auto part = drawn(rows.take(some), 24);
    const std::size_t each = 3 * 24 * 24;
    for (std::size_t i = 0; i < some.size(); ++i)
      EXPECT_TRUE(std::equal(part.begin() + static_cast<std::ptrdiff_t>(i * each),
                             part.begin() + static_cast<std::ptrdiff_t>((i + 1) * each),
                             whole.begin() + static_cast<std::ptrdiff_t>(some[i] * each)));
  }
}

TEST(Render, ATableGivesTheRowsThatWroteItAndAFileHoldsThem) {
  const TemporaryFolder folder;
  for (const RenderedSet& set : rendered_sets()) {
    const RenderedRows rows = RenderedRows(set, {}).sample(37, 5);
    write_attributes(folder / "table.csv", rows);
    const RenderedRows again = RenderedRows::from_table(set, folder / "table.csv");
    ASSERT_EQ(again.n(), 37);
    for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(again.codes(i), rows.codes(i));
    write_rendered(folder / "images.npz", again, 16, 0, nullptr);
    const Images images = read_images((folder / "images.npz").string());
    EXPECT_EQ(images.pixels.shape, (std::vector<std::size_t>{37, 3, 16, 16}));
    const auto pixels = images.pixels.view<std::uint8_t>();
    EXPECT_EQ(std::vector(pixels.begin(), pixels.end()), drawn(rows, 16));
    for (std::size_t i = 0; i < 37; ++i)
      EXPECT_EQ((*images.labels)[i], rows.codes(i)[set.columns.front().factor]);
  }
}

TEST(Render, SamplesAreDifferentRowsInOrder) {
  const RenderedRows all(rendered_set("dsprites"), {{"orientation", {"0"}}, {"pos_x", {"0"}}});
  const RenderedRows some = all.sample(200, 1), same = all.sample(200, 1), other = all.sample(200, 2);
  std::size_t differ = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(some.codes(i), same.codes(i));
    differ += some.codes(i) != other.codes(i) ? 1 : 0;
    if (i > 0) {
      EXPECT_LT(some.codes(i - 1), some.codes(i));
    }
  }
  EXPECT_GT(differ, 150);
  EXPECT_EQ(all.sample(1'000'000, 1).n(), all.n());
}

TEST(Render, SaysWhatIsWrong) {
  const RenderedSet& set = rendered_set("dsprites");
  EXPECT_REFUSED(rendered_set("x"), "expected one of ..., found 'x'...");
  const std::pair<std::map<std::string, std::vector<std::string>>, const char*> bad[] = {
      {{{"color", {"red"}}}, "a column, one of shape, obj_color"},
      {{{"scale", {"huge"}}}, "dsprites: scale: expected one of small, middle, big, found 'huge'"},
      {{{"scale", {"big"}}, {"scale_value", {"0.5"}}}, "values of scale_value that satisfy all conditions"}};
  for (const auto& one : bad)
    EXPECT_THAT(message_of([&] { RenderedRows(set, one.first); }), HasSubstr(one.second));
  EXPECT_REFUSED(drawn(RenderedRows(set, {}).sample(1, 0), 4), "8 to 1024 pixels...");
  const TemporaryFolder folder;
  const std::filesystem::path file = folder / "table.csv";
  write_text(file, "shape\nheart\n");
  EXPECT_REFUSED(RenderedRows::from_table(set, file), "a column 'obj_color' (of dsprites)...");
  write_text(file,
             "shape,obj_color,bg_color,scale_value,orientation,pos_x,pos_y\nheart,red,green,0.5,0,0,7\n");
  EXPECT_REFUSED(RenderedRows::from_table(set, file), "'7' at row 0...");
  write_text(file, "index,split\n3,train\n9,val\n");
  EXPECT_EQ(read_split(file, 10).train, std::vector<std::size_t>{3});
  EXPECT_REFUSED(read_split(file, 9), "an index from 0 to 8, found '9' at row 1...");
  write_text(file, "index,split\n3,train\n3,train\n");
  EXPECT_EQ(read_split(file, 10).train, (std::vector<std::size_t>{3, 3}));
  write_text(file, "index,split\n3,train\n4,test\n3,test\n");
  EXPECT_REFUSED(read_split(file, 9), "each index in one set only, found 3 in two, again at row 2...");
  write_text(file, "y,split\n1,val\n0,id_val\n0,train\n");  // a table of WILDS
  EXPECT_EQ(read_split(file, 3).validation, std::vector<std::size_t>{0});
  EXPECT_EQ(read_split(file, 3).train, std::vector<std::size_t>{2});
  EXPECT_REFUSED(read_split(file, 2), "2 rows, one per image, found 3");
}

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
    EXPECT_REFUSED(drawn(glyph_of("bar"), look, texture, side),
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
  const TemporaryFolder folder;
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

}  // namespace leeway::data::render_test
