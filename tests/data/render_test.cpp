// Rendered data sets: what is drawn is what the factors say.
#include "leeway/data/render.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "leeway/core/file.h"
#include "leeway/core/images.h"
#include "leeway/data/detail/dsprites.h"
#include "leeway/data/training_data.h"
#include "tests/at_threads.h"
#include "tests/core/files.h"

namespace leeway::data {
namespace {

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
  const leeway::testing::TemporaryFolder folder;
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
  EXPECT_THAT(message_of([] { (void)rendered_set("x"); }),
              HasSubstr("expected one of " + names_of(rendered_sets()) + ", found 'x'"));
  const std::pair<std::map<std::string, std::vector<std::string>>, const char*> bad[] = {
      {{{"color", {"red"}}}, "a column, one of shape, obj_color"},
      {{{"scale", {"huge"}}}, "dsprites: scale: expected one of small, middle, big, found 'huge'"},
      {{{"scale", {"big"}}, {"scale_value", {"0.5"}}}, "values of scale_value that satisfy all conditions"}};
  for (const auto& one : bad)
    EXPECT_THAT(message_of([&] { RenderedRows(set, one.first); }), HasSubstr(one.second));
  EXPECT_THAT(message_of([&] { (void)drawn(RenderedRows(set, {}).sample(1, 0), 4); }),
              HasSubstr("8 to 1024 pixels"));
  const leeway::testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "table.csv";
  write_text(file, "shape\nheart\n");
  EXPECT_THAT(message_of([&] { RenderedRows::from_table(set, file); }),
              HasSubstr("a column 'obj_color' of dsprites"));
  write_text(file,
             "shape,obj_color,bg_color,scale_value,orientation,pos_x,pos_y\nheart,red,green,0.5,0,0,7\n");
  EXPECT_THAT(message_of([&] { RenderedRows::from_table(set, file); }), HasSubstr("'7' at row 0"));
  write_text(file, "index,split\n3,train\n9,val\n");
  EXPECT_EQ(read_split(file, 10).train, std::vector<std::size_t>{3});
  EXPECT_THAT(message_of([&] { (void)read_split(file, 9); }),
              HasSubstr("an index from 0 to 8, found '9' at row 1"));
  write_text(file, "index,split\n3,train\n3,train\n");
  EXPECT_EQ(read_split(file, 10).train, (std::vector<std::size_t>{3, 3}));
  write_text(file, "index,split\n3,train\n4,test\n3,test\n");
  EXPECT_THAT(message_of([&] { (void)read_split(file, 9); }),
              HasSubstr("each index in one set only, found 3 in two, again at row 2"));
}

}  // namespace
}  // namespace leeway::data
