#include "leeway/io/images.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <numeric>

#include "leeway/io/npy.h"
#include "leeway/io/outputs.h"
#include "tests/io/outputs_folder.h"
#include "tests/io/zip_maker.h"

namespace leeway::images_test {

using namespace leeway::testing;
using ::testing::ElementsAre;
using std::string_literals::operator""s;
using ::testing::HasSubstr;

class ImagesFile : public OutputsFolder {
 protected:
  std::string error(const ArrayMap& arrays) {
    write_npz(path("a.npz"), arrays);
    return error("a.npz");
  }
  std::string error(std::string_view name) {
    return said([&] { (void)read_images(path(name)); });
  }
  Images read(const ArrayMap& arrays) {
    write_npz(path("a.npz"), arrays);
    return read_images(path("a.npz"));
  }
};

const Array bytes = make_array<std::uint8_t>({2, 1, 1, 2}, {0, 51, 102, 255});

TEST_F(ImagesFile, BytesStayBytesAndAreReadAsFractions) {
  const Images images = read({{"x", bytes}, {"y", make_array<std::uint8_t>({2}, {3, 1})}});
  EXPECT_EQ(images.pixels.type, ElementType::u8);
  EXPECT_EQ(images.n(), 2u);
  EXPECT_EQ(images.pixels_per_image(), 2u);
  EXPECT_THAT(*images.labels, ElementsAre(3, 1));
  std::vector<float> row(2);
  images.copy_row(1, row);
  EXPECT_THAT(row, ElementsAre(102 / 255.0f, 1.0f));
  EXPECT_NE(message_of([&] { images.copy_row(2, row); }), "no error");
  EXPECT_NE(message_of([&] { images.copy_row(0, std::span(row).first(1)); }), "no error");
}

TEST_F(ImagesFile, Floats) {
  const Images narrow = read({{"x", make_array<double>({1, 1, 1, 2}, {0, .1})}});
  EXPECT_EQ(narrow.pixels.type, ElementType::f32);
  EXPECT_THAT(narrow.pixels.view<float>(), ElementsAre(0, .1f));
  EXPECT_FALSE(narrow.labels.has_value());
  for (const double bad : {-.1, 1.5, static_cast<double>(NAN)}) {
    EXPECT_THAT(error({{"x", make_array<float>({2, 1, 1, 1}, {0, static_cast<float>(bad)})}}),
                ::testing::MatchesRegex(
                    "a.npz: x: expected float pixels in \\[0,1\\] \\(divide.*\\), found .* at row 1"));
    EXPECT_THAT(error({{"x", make_array<double>({2, 1, 1, 1}, {0, bad})}}), HasSubstr("at row 1"));
  }
}

TEST_F(ImagesFile, Refused) {
  EXPECT_THAT(error({{"x", make_array<std::uint8_t>({2, 2}, {0, 1, 2, 3})}}),
              HasSubstr("found shape (2, 2)"));
  EXPECT_THAT(error({{"x", make_array<std::uint8_t>({0, 1, 2, 2}, {})}}),
              HasSubstr("found shape (0, 1, 2, 2)"));
  EXPECT_THAT(error({{"x", make_array<std::int64_t>({1, 1, 1, 1}, {0})}}), HasSubstr("float, found int64"));
  EXPECT_EQ(error({{"images", bytes}}), "a.npz: expected an array named x, found images");
  EXPECT_THAT(error({{"x", bytes}, {"y", make_array<std::int64_t>({1}, {0})}}), HasSubstr("found shape (1)"));
  EXPECT_THAT(error({{"x", bytes}, {"labels", make_array<std::int64_t>({2}, {0, -1})}}),
              HasSubstr("found -1 or NaN at row 1"));
  const Array labels = make_array<std::int64_t>({2}, {0, 1});
  EXPECT_THAT(error({{"x", bytes}, {"labels", labels}, {"y", labels}}), HasSubstr("found y and labels"));
  write_bytes(path("page.npz"), "<html>");
  EXPECT_THAT(error("page.npz"), HasSubstr("found an HTML or XML page"));
}

TEST_F(ImagesFile, OtherLayoutsAreFoundOut) {
  const Images grey = read({{"x", make_array<std::uint8_t>({2, 1, 3}, {0, 1, 2, 3, 4, 5})}});
  EXPECT_THAT(grey.pixels.shape, ElementsAre(2, 1, 1, 3));
  EXPECT_THAT(grey.note, HasSubstr("(2, 1, 3) is read as grayscale images"));
  // (1, 2, 2, 3): pixel by pixel red, green, blue
  const Images colour =
      read({{"x", make_array<std::uint8_t>({1, 2, 2, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32})}});
  EXPECT_THAT(colour.pixels.shape, ElementsAre(1, 3, 2, 2));
  EXPECT_THAT(colour.pixels.view<std::uint8_t>(), ElementsAre(0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32));
  EXPECT_THAT(colour.note, HasSubstr("channels last"));
  const Images plain = read({{"x", make_array<float>({1, 3, 1, 3}, std::vector<float>(9))}});
  EXPECT_THAT(plain.pixels.shape, ElementsAre(1, 3, 1, 3)) << "either could be channels: as documented";
  EXPECT_EQ(plain.note, "");
  EXPECT_THAT(error({{"x", make_array<float>({1, 1, 2}, {0, 2})}}), HasSubstr("found 2 at row 0"));
}

TEST_F(ImagesFile, ModelsTakeRowsOfAnyRange) {
  ArrayMap others;
  const auto inputs = [&](const Array& x, Layout layout = Layout::found) {
    write_npz(
        path("a.npz"),
        {{"x", x}, {"y", make_array<std::int64_t>({x.shape[0]}, std::vector<std::int64_t>(x.shape[0]))}});
    return read_inputs(path("a.npz"), others, layout);
  };
  const Images table = inputs(make_array<double>({2, 3}, {-1, 2.5, 1e6, 0, 0, 0}));
  EXPECT_EQ(table.rank, 2u);
  EXPECT_TRUE(table.are_rows());
  EXPECT_THAT(table.pixels.shape, ElementsAre(2, 3, 1, 1));
  EXPECT_THAT(table.own_shape(), ElementsAre(2, 3));
  std::vector<float> row(3);
  table.copy_row(0, row);
  EXPECT_THAT(row, ElementsAre(-1, 2.5f, 1e6f));
  EXPECT_THAT(inputs(make_array<std::int32_t>({1, 2}, {3, -4})).pixels.view<float>(), ElementsAre(3, -4));
  EXPECT_THAT(inputs(make_array<std::uint8_t>({1, 2}, {3, 255})).pixels.view<float>(), ElementsAre(3, 255))
      << "bytes of a table are numbers";
  const Array sequence = make_array<float>({1, 2, 2}, {-1, 0, 1, 2});
  EXPECT_EQ(inputs(sequence).rank, 3u);
  EXPECT_THAT(inputs(sequence).pixels.shape, ElementsAre(1, 2, 2, 1));
  const Array fractions = make_array<float>({1, 2, 2}, {0, .5f, 1, 0});
  EXPECT_EQ(inputs(fractions).rank, 4u);
  EXPECT_THAT(inputs(fractions).note, HasSubstr("(--layout rows reads rows of numbers instead)"));
  EXPECT_EQ(inputs(fractions, Layout::rows).rank, 3u);
  EXPECT_EQ(inputs(fractions, Layout::rows).note, "");
  const Array levels = make_array<float>({1, 2, 2}, {0, 128, 255, 3});
  EXPECT_REFUSED(inputs(levels), "divide by 255, or store uint8; --layout...");
  EXPECT_EQ(inputs(levels, Layout::rows).rank, 3u);
  const Array last = make_array<float>({1, 3, 1, 3}, std::vector<float>(9));
  EXPECT_THAT(inputs(last, Layout::nhwc).pixels.shape, ElementsAre(1, 3, 3, 1));
  const auto refused = [&](const Array& x, Layout layout) {
    const std::string message = message_of([&] { (void)inputs(x, layout); });
    return message.substr(message.find("a.npz"));
  };
  EXPECT_THAT(refused(make_array<float>({1, 2}, {0, NAN}), Layout::found), HasSubstr("found nan at row 0"));
  EXPECT_THAT(refused(make_array<double>({2, 1}, {0, 1e300}), Layout::found),
              HasSubstr("found 1e+300 at row 1"));
  EXPECT_THAT(refused(sequence, Layout::nhw), HasSubstr("undo the normalization), found -1 at row 0"));
  EXPECT_THAT(refused(sequence, Layout::nchw), HasSubstr("found shape (1, 2, 2)"));
  EXPECT_THAT(refused(make_array<float>({2}, {0, 1}), Layout::found), HasSubstr("found shape (2)"));
  EXPECT_THAT(refused(make_array<float>({2, 0}, {}), Layout::found), HasSubstr("found shape (2, 0)"));
  write_images(path("b.npz"), table);
  EXPECT_THAT(read_npz(path("b.npz")).at("x").shape, ElementsAre(2, 3));
  const std::size_t second[] = {1};
  EXPECT_EQ(select_rows(table, second).rank, 2u);
}

TEST_F(ImagesFile, BareNpy) {
  write_npy(path("a.npy"), bytes);
  EXPECT_EQ(read_images(path("a.npy")).n(), 2u);
}

TEST_F(ImagesFile, IdxWithItsLabelsBeside) {
  const std::string pictures = "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02"s + "abcd",
                    labels = "\0\0\x08\x01\0\0\0\x02\x07\x00"s;
  write_bytes(path("t-images-idx3-ubyte"), pictures);
  EXPECT_FALSE(read_images(path("t-images-idx3-ubyte")).labels.has_value());
  write_bytes(path("t-labels-idx1-ubyte.gz"), gzip(labels));
  const Images images = read_images(path("t-images-idx3-ubyte"));
  EXPECT_EQ(images.pixels.shape_text(), "(2, 1, 1, 2)");
  EXPECT_THAT(*images.labels, ElementsAre(7, 0));
  write_bytes(path("t-images-idx3-ubyte.gz"), gzip(pictures));
  EXPECT_THAT(*read_images(path("t-images-idx3-ubyte.gz")).labels, ElementsAre(7, 0));
  write_bytes(path("t-labels-idx1-ubyte.gz"), gzip("\0\0\x08\x01\0\0\0\x01\x07"s));
  EXPECT_THAT(error("t-images-idx3-ubyte"), Says(": expected shape (2), one value per ... found shape (1)"));
  EXPECT_THAT(error("t-labels-idx1-ubyte.gz"), HasSubstr("found shape (1) of uint8"));
}

TEST_F(ImagesFile, WrittenAndSelected) {
  Images images{"x", bytes, std::vector<std::int64_t>{3, 1}};
  const Images turned = select_rows(images, std::vector<std::size_t>{1, 0, 1});
  EXPECT_THAT(turned.pixels.view<std::uint8_t>(), ElementsAre(102, 255, 0, 51, 102, 255));
  EXPECT_THAT(*turned.labels, ElementsAre(1, 3, 1));
  EXPECT_REFUSED(select_rows(images, std::vector<std::size_t>{2}), "select_rows: expected rows ... found 2");
  write_images(path("b.npz"), turned);
  const Images back = read_images(path("b.npz"));
  EXPECT_EQ(values_of<std::uint8_t>(back.pixels), values_of<std::uint8_t>(turned.pixels));
  EXPECT_EQ(back.labels, turned.labels);
}

TEST_F(ImagesFile, TheMiddle) {
  for (const auto& [whole, part, place] : {std::array<std::size_t, 3>{256, 224, 16},
                                           {7, 4, 2},
                                           {9, 4, 2},
                                           {8, 4, 2},
                                           {4, 3, 0},
                                           {6, 3, 2},
                                           {5, 5, 0}})
    EXPECT_EQ(place_of_middle(whole, part), place) << whole << ", " << part;
  std::vector<float> numbers(48);
  std::iota(numbers.begin(), numbers.end(), 0.F);
  const Images images{"x", make_array({2, 2, 4, 3}, numbers), std::vector<std::int64_t>{3, 1}};
  const Images middle = middle_of(images, 2);
  EXPECT_EQ(middle.pixels.shape_text(), "(2, 2, 2, 2)");
  EXPECT_THAT(middle.pixels.view<float>(),
              ElementsAre(3, 4, 6, 7, 15, 16, 18, 19, 27, 28, 30, 31, 39, 40, 42, 43));
  EXPECT_EQ(middle.labels, images.labels);
  EXPECT_REFUSED(middle_of(images, 4), "center crop: expected 1 to 3 pixels, found 4");
  EXPECT_REFUSED(middle_of(images, 0), "center crop: expected 1 to 3 pixels, found 0");
}

TEST(FashionMnist, ByName) {
  EXPECT_REFUSED(read_images("fashion-mnist:tset"), "fashion-mnist:tset: expected ... found 'tset'");
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  const Images images = read_images("fashion-mnist:test");
  EXPECT_EQ(images.path, "fashion-mnist:test");
  EXPECT_EQ(images.pixels.shape_text(), "(10000, 1, 28, 28)");
  EXPECT_THAT(std::vector(images.labels->begin(), images.labels->begin() + 5), ElementsAre(9, 2, 1, 1, 6));
  EXPECT_EQ(class_names_of(images, 10).at(9), "ankle boot");
}

TEST_F(ImagesFile, NamesItsClasses) {
  const Array x = make_array<std::uint8_t>({2, 1, 1, 1}, {7, 9}), y = make_array<std::int64_t>({2}, {0, 2}),
              names = make_text_array({3}, {"cat", "dog", "owl"});
  const Images images = read({{"x", x}, {"y", y}, {"class_names", names}});
  EXPECT_THAT(class_names_of(images, 3), ElementsAre("cat", "dog", "owl"));
  EXPECT_TRUE(class_names_of(images, 2).empty());
  const std::vector<std::size_t> last{1};
  write_images(path("b.npz"), select_rows(images, last));
  EXPECT_THAT(read_images(path("b.npz")).class_names, ElementsAre("cat", "dog", "owl"));
  EXPECT_TRUE(read({{"x", x}, {"y", y}}).class_names.empty());
  EXPECT_EQ(error({{"x", x}, {"y", y}, {"class_names", make_text_array({2}, {"cat", "dog"})}}),
            "a.npz: y: expected labels in 0..1, found 2 at row 1");
  EXPECT_EQ(error({{"x", x}, {"class_names", y}}), "a.npz: class_names: expected text, found int64");
}

TEST_F(ImagesFile, LabelsHaveTheNamesOfOutputsFiles) {
  const Array y = make_array<std::int64_t>({2}, {0, 2}), x = bytes;
  for (const char* const name : {"y_true", "label", "Labels", "target", "targets", "y_test", "class"})
    EXPECT_THAT(read({{"x", x}, {name, y}}).labels.value(), ElementsAre(0, 2)) << name;
  EXPECT_FALSE(read({{"x", x}, {"success", y}, {"targets", y}}).labels) << "of leeway attack";
  EXPECT_THAT(error({{"x", x}, {"label", y}, {"target", y}}), HasSubstr("found label and target"));
  const Array names = make_text_array({3}, {"cat", "dog", "owl"}),
              text = make_text_array({2}, {"owl", "cat"});
  const Images unread = read({{"x", x}, {"lables", y}, {"classes", y}, {"success", y}, {"d", names}});
  EXPECT_FALSE(unread.labels);
  EXPECT_THAT(unread.doubt, HasSubstr("no labels; ignored: classes, lables ("));
  const Images named = read({{"x", x}, {"y", text}, {"classes", names}});
  EXPECT_THAT(*named.labels, ElementsAre(2, 0));
  EXPECT_EQ(named.class_names.size(), 3u);
  EXPECT_THAT(error({{"x", x}, {"y", text}}), HasSubstr("numpy.unique(y, return_inverse=True)"));
}

TEST_F(ImagesFile, RowsWithoutLabels) {
  const auto inputs = [&](const Array& y) {
    write_npz(path("a.npz"), {{"x", bytes}, {"y", y}});
    ArrayMap others;
    return read_inputs(path("a.npz"), others);
  };
  const Array some = make_array<double>({2, 1}, {NAN, 0}), none = make_array<std::int64_t>({2}, {-1, -1});
  EXPECT_THAT(*inputs(some).labels, ElementsAre(no_label, 0));
  EXPECT_THAT(inputs(some).doubt, HasSubstr("1 of 2 rows have no label"));
  EXPECT_FALSE(inputs(none).labels);
  EXPECT_FALSE(read({{"x", bytes}, {"y", none}}).labels);
  EXPECT_THAT(error({{"x", bytes}, {"y", some}}), HasSubstr("found -1 or NaN at row 0"));
  EXPECT_REFUSED(inputs(make_array<std::int64_t>({2}, {-1, 1})), "found -1 and 1 only...");
}

TEST(PixelLevels, FloatsThatNobodyDivided) {
  EXPECT_TRUE(are_byte_levels(make_array<float>({1, 1, 2}, {0, 17.5f})));
  EXPECT_TRUE(are_byte_levels(make_array<double>({1, 1, 1, 2}, {0, 255})));
  EXPECT_FALSE(are_byte_levels(make_array<float>({1, 2}, {0, 17.5f})));
  for (const float other : {-1.f, 16.f, 256.f})
    EXPECT_FALSE(are_byte_levels(make_array<float>({1, 1, 2}, {other, 9}))) << other;
}

TEST_F(ImagesFile, DoubtsBytesOfZeroAndOneAndOtherChannels) {
  const auto doubt = [&](std::vector<std::uint8_t> levels, std::vector<std::size_t> shape) {
    return read({{"x", make_array(std::move(shape), std::move(levels))}}).doubt;
  };
  EXPECT_THAT(doubt({0, 1, 1, 0}, {1, 1, 2, 2}), HasSubstr("which is read as 0 and 1/255"));
  EXPECT_EQ(doubt({0, 1, 2, 0}, {1, 1, 2, 2}), "");
  EXPECT_THAT(doubt({0, 9, 2, 0}, {1, 2, 1, 2}), HasSubstr("images of 2 channels"));
}

}  // namespace leeway::images_test
