#include "leeway/core/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "leeway/core/file.h"
#include "tests/core/files.h"

namespace leeway {
namespace {

using testing::npy_with;
using testing::raw;
using testing::TemporaryFolder;

std::string read_error(std::string_view bytes) {
  const auto data = std::as_bytes(std::span(bytes.data(), bytes.size()));
  return message_of([&] { static_cast<void>(parse_npy(data, nullptr, "a.npy")); });
}

struct BadNpy {
  std::string name, bytes, message;
};
void PrintTo(const BadNpy& bad, std::ostream* out) { *out << bad.name; }

class Refused : public ::testing::TestWithParam<BadNpy> {};
TEST_P(Refused, WithItsReason) { EXPECT_EQ(read_error(GetParam().bytes), GetParam().message); }

std::string dictionary(std::string_view descr, std::string_view shape) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': " + std::string(shape) +
         ", }\n";
}

const std::string f4 = dictionary("'<f4'", "(2, 3)");

INSTANTIATE_TEST_SUITE_P(
    Npy, Refused,
    ::testing::Values(
        BadNpy{"Empty", "", "a.npy: expected an npy header, found a file cut off after 0 bytes"},
        BadNpy{"OtherFile", "<html>", "a.npy: expected an npy file, found other first bytes"},
        BadNpy{"Version", "\x93NUMPY\x04" + std::string(20, '\0'),
               "a.npy: expected npy version 1.0, 2.0 or 3.0, found 4.0"},
        BadNpy{"HeaderLength", npy_with(f4, "").substr(0, 40),
               "a.npy: expected an npy header of 60 bytes, found 30 bytes left"},
        BadNpy{"GiantHeader", "\x93NUMPY\x02" + std::string(1, '\0') + "\xff\xff\xff\xff{}",
               "a.npy: expected an npy header of 4294967295 bytes, found 2 bytes left"},
        BadNpy{"ShortData", npy_with(f4, std::string(23, 'x')),
               "a.npy: expected 24 bytes of data for shape (2, 3) of '<f4', found 23"},
        BadNpy{"LongData", npy_with(f4, std::string(25, 'x')),
               "a.npy: expected 24 bytes of data for shape (2, 3) of '<f4', found 25"},
        BadNpy{"Giant", npy_with(dictionary("'<f4'", "(1000000000000, 3)"), "x"),
               "a.npy: expected 12000000000000 bytes of data for shape (1000000000000, 3) of '<f4', found 1"},
        BadNpy{
            "Overflow", npy_with(dictionary("'<f8'", "(4294967296, 4294967296)"), ""),
            "a.npy: expected fewer than 2^63 bytes of data, found shape (4294967296, 4294967296) of '<f8'"},
        BadNpy{"OverflowBesideZero", npy_with(dictionary("'<f8'", "(0, 4294967296, 4294967296)"), ""),
               "a.npy: expected fewer than 2^63 bytes of data, found shape (0, 4294967296, 4294967296) of "
               "'<f8'"},
        BadNpy{"NegativeSize", npy_with(dictionary("'<f4'", "(-1, 3)"), ""),
               "a.npy: expected a size of 0 to 2^64 - 1 in the npy header, found '-1, 3), }\\x0a'"},
        BadNpy{"HugeSize", npy_with(dictionary("'<f4'", "(99999999999999999999, )"), ""),
               "a.npy: expected a size of 0 to 2^64 - 1 in the npy header, found '99999999999999999999, ), "
               "}\\x0a'"},
        BadNpy{"ManyDimensions",
               npy_with(dictionary("'<f4'",
                                   "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
                        ""),
               "a.npy: expected at most 32 dimensions, found more in the npy header"},
        BadNpy{"Objects", npy_with(dictionary("'|O'", "(2,)"), "pickle"),
               "a.npy: expected numbers or text, found Python objects (dtype '|O')"},
        BadNpy{"Structure", npy_with(dictionary("[('a', '<f4'), ('b', '<i4')]", "(2,)"), ""),
               "a.npy: expected an array of numbers or text, found a structured dtype"},
        BadNpy{"RawBytes", npy_with(dictionary("'|V8'", "(2,)"), ""),
               "a.npy: expected numbers or text, found structured or raw bytes (dtype '|V8')"},
        BadNpy{"Complex", npy_with(dictionary("'<c16'", "(2,)"), ""),
               "a.npy: expected numbers or text, found complex numbers (dtype '<c16')"},
        BadNpy{"Dates", npy_with(dictionary("'<M8[ns]'", "(2,)"), ""),
               "a.npy: expected numbers or text, found dates or times (dtype '<M8[ns]')"},
        BadNpy{"LongDouble", npy_with(dictionary("'<f16'", "(2,)"), std::string(32, '\0')),
               "a.npy: expected numbers or text, found an element type of another width (dtype '<f16')"},
        BadNpy{"Unknown", npy_with(dictionary("'<q8'", "(2,)"), std::string(16, '\0')),
               "a.npy: expected numbers or text, found an unknown element type (dtype '<q8')"},
        BadNpy{"NoType", npy_with(dictionary("'<'", "(2,)"), ""),
               "a.npy: expected numbers or text, found no element type (dtype '<')"},
        BadNpy{"TextOfNoWidth", npy_with(dictionary("'<U0'", "(1000000000000,)"), ""),
               "a.npy: expected numbers or text, found text of an impossible width (dtype '<U0')"},
        BadNpy{"NotUnicode", npy_with(dictionary("'<U1'", "(1,)"), raw(std::uint32_t{0xd800})),
               "a.npy: expected text, found bytes that are not Unicode"},
        BadNpy{"NoShape", npy_with("{'descr': '<f4', 'fortran_order': False}", ""),
               "a.npy: expected descr, fortran_order and shape in the npy header, found "
               "'{'descr': '<f4', 'fortran_order': False}'"},
        BadNpy{"KeyTwice", npy_with("{'descr': '<f4', 'descr': '<f8'}", ""),
               "a.npy: expected the keys descr, fortran_order and shape, once each, found key 'descr'"},
        BadNpy{"AfterDictionary", npy_with(f4 + "import os", ""),
               "a.npy: expected nothing after the header's dictionary, found 'import os'"},
        BadNpy{"OpenQuote", npy_with("{'descr", ""),
               "a.npy: expected a closed quote in the npy header, found ''descr'"},
        BadNpy{"NoBoolean", npy_with("{'descr': '<f4', 'fortran_order': 0}", ""),
               "a.npy: expected True or False in the npy header, found '0}'"},
        BadNpy{"EmptyDictionary", npy_with("", ""),
               "a.npy: expected '{' in the npy header, found the end of the header"}),
    [](const auto& bad) { return bad.param.name; });

TEST(Npy, NativeDataIsMappedNotCopied) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", make_array<float>({2, 2}, {1, 2, 3, 4}));
  const auto file = map_file(folder / "a.npy");
  const Array array = parse_npy(file.bytes, file.storage, "a.npy");
  EXPECT_EQ(array.storage.get(), file.bytes.data() + 128);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.storage.get()) % 64, 0u);
  EXPECT_THAT(array.view<float>(), ::testing::ElementsAre(1, 2, 3, 4));
}

TEST(Npy, TheArrayKeepsItsFileMapped) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", make_array<double>({3}, {1, 2, 3}));
  const Array array = read_npy(folder / "a.npy");
  std::filesystem::remove(folder / "a.npy");
  EXPECT_THAT(array.view<double>(), ::testing::ElementsAre(1, 2, 3));
}

// Random shapes and values of T come back as they were written, and are written the same way again.
template <class T>
void round_trip() {
  const auto shape = *rc::gen::container<std::vector<std::size_t>>(3, rc::gen::inRange<std::size_t>(0, 5));
  const auto values =
      *rc::gen::container<std::vector<T>>(shape[0] * shape[1] * shape[2], rc::gen::arbitrary<T>());
  const std::string bytes = npy_bytes(make_array(shape, values));
  const auto owner = allocate_bytes(bytes.size());
  std::memcpy(owner.get(), bytes.data(), bytes.size());
  const Array back = parse_npy({owner.get(), bytes.size()}, owner, "x");
  RC_ASSERT(back.shape == shape);
  RC_ASSERT(testing::values_of<T>(back) == values);
  RC_ASSERT(npy_bytes(back) == bytes);
  RC_ASSERT(bytes.size() % 64 == values.size() * sizeof(T) % 64);
}
RC_GTEST_PROP(Npy, RoundTripOfInt8, ()) { round_trip<std::int8_t>(); }
RC_GTEST_PROP(Npy, RoundTripOfUint16, ()) { round_trip<std::uint16_t>(); }
RC_GTEST_PROP(Npy, RoundTripOfInt64, ()) { round_trip<std::int64_t>(); }
RC_GTEST_PROP(Npy, RoundTripOfFloat, ()) { round_trip<float>(); }
RC_GTEST_PROP(Npy, RoundTripOfDouble, ()) { round_trip<double>(); }

TEST(Npy, TextThatIsNotUtf8IsNotWritten) {
  EXPECT_EQ(message_of([] { static_cast<void>(npy_bytes(make_text_array({1}, {"\xff"}))); }),
            "write_npy: expected UTF-8 text, found '\\xff'");
}

// Any change of any byte of the header gives the array of another valid header, or an Error: never a crash.
TEST(Npy, EveryByteOfTheHeaderMayBeWrong) {
  const std::string good = npy_bytes(make_array<float>({2, 2}, {1, 2, 3, 4}));
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 128; ++i)
    for (int value = 0; value < 256; ++value) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      refused += read_error(bad).empty() ? 0 : 1;
    }
  EXPECT_GT(refused, 128u * 180u);
}

}  // namespace
}  // namespace leeway
