#include "leeway/io/npy.h"

#include <gmock/gmock.h>

#include "leeway/core/file.h"
#include "leeway/io/idx.h"
#include "tests/core/files.h"
#include "tests/io/zip_maker.h"

namespace leeway::npy_test {

using ::testing::HasSubstr;
using namespace leeway::testing;
using std::string_literals::operator""s;

std::string dictionary(std::string_view descr, std::string_view shape) {
  return "{'descr': " + std::string(descr) + ", 'fortran_order': False, 'shape': " + std::string(shape) +
         ", }\n";
}

std::string npy(std::string_view descr, std::string_view shape, std::string_view data = "") {
  return npy_with(dictionary(descr, shape), data);
}

TEST(Npy, RefusesWithItsReason) {
  const std::string f4 = dictionary("'<f4'", "(2, 3)"), wrong = "expected numbers or text, found ";
  const std::pair<std::string, std::string> bad[] = {
      {"", "expected an npy header, found a file truncated after 0 bytes"},
      {"<html>", "expected an npy file, found other first bytes"},
      {"\x93NUMPY\x04" + std::string(20, '\0'), "expected npy version 1.0, 2.0 or 3.0, found 4.0"},
      {npy_with(f4, "").substr(0, 40), "expected an npy header of 60 bytes, found 30 bytes left"},
      {"\x93NUMPY\x02" + std::string(1, '\0') + "\xff\xff\xff\xff{}",
       "of 4294967295 bytes, found 2 bytes left"},
      {npy_with(f4, std::string(23, 'x')), "24 bytes of data for shape (2, 3) of '<f4', found 23"},
      {npy_with(f4, std::string(25, 'x')), "24 bytes of data for shape (2, 3) of '<f4', found 25"},
      {npy("'<f4'", "(1000000000000, 3)", "x"), "expected 12000000000000 bytes of data"},
      {npy("'<f8'", "(4294967296, 4294967296)"), "expected fewer than 2^63 bytes of data, found shape"},
      {npy("'<f8'", "(0, 4294967296, 4294967296)"), "expected fewer than 2^63 bytes of data, found shape"},
      {npy("'<f4'", "(-1, 3)"), "expected a tuple of sizes of 0 to 2^64 - 1 in the npy header, found [-1,3]"},
      {npy("'<f4'", "(99999999999999999999, )"),
       "expected a tuple of sizes of 0 to 2^64 - 1 in the npy header"},
      {npy("'<f4'", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)"),
       "expected at most 32 dimensions in the npy header, found [1,1,"},
      {npy("'|O'", "(2,)", "pickle"), wrong + "Python objects (dtype '|O')"},
      {npy("[('a', '<f4'), ('b', '<i4')]", "(2,)"), "found a structured dtype"},
      {npy("'|V8'", "(2,)"), wrong + "structured or raw bytes (dtype '|V8')"},
      {npy("'<c16'", "(2,)"), wrong + "complex numbers (dtype '<c16')"},
      {npy("'<M8[ns]'", "(2,)"), wrong + "dates or times (dtype '<M8[ns]')"},
      {npy("'<f16'", "(2,)", std::string(32, '\0')),
       wrong + "an element type of another width (dtype '<f16')"},
      {npy("'<q8'", "(2,)", std::string(16, '\0')), wrong + "an unknown element type (dtype '<q8')"},
      {npy("'<'", "(2,)"), wrong + "no element type (dtype '<')"},
      {npy("'<U0'", "(1000000000000,)"), wrong + "text of an impossible width (dtype '<U0')"},
      {npy("'<U1'", "(1,)", raw(std::uint32_t{0xd800})), "expected text, found bytes that are not Unicode"},
      {npy_with("{'descr': '<f4', 'fortran_order': False}", ""),
       "expected a dictionary of descr, fortran_order and shape, each once, in the"},
      {npy_with("{'descr': '<f4', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", ""),
       "shape, each once, in the npy header, found '{'descr'"},
      {npy_with(f4 + "import os", ""), "expected a dictionary of descr, fortran_order and shape"},
      {npy_with("{'descr", ""), "in the npy header, found '{'descr'"},
      {npy_with("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", ""),
       "expected True or False as fortran_order in the npy header, found 0"},
      {npy_with("", ""), "in the npy header, found ''"}};
  for (const auto& [bytes, part] : bad) {
    const auto data = std::as_bytes(std::span(bytes.data(), bytes.size()));
    EXPECT_THAT(message_of([&] { (void)parse_npy(data, nullptr, "a.npy"); }),
                ::testing::AllOf(::testing::StartsWith("a.npy: "), HasSubstr(part)));
  }
}

TEST(Npy, NativeDataIsMappedNotCopied) {
  const TemporaryFolder folder;
  write_npy(folder / "a.npy", make_array<float>({2, 2}, {1, 2, 3, 4}));
  const auto file = map_file(folder / "a.npy");
  const Array array = parse_npy(file.bytes, file.storage, "a.npy");
  EXPECT_EQ(array.storage.get(), file.bytes.data() + 128);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.storage.get()) % 64, 0u);
  EXPECT_THAT(array.view<float>(), ::testing::ElementsAre(1, 2, 3, 4));
}

TEST(Npy, TextThatIsNotUtf8IsNotWritten) {
  EXPECT_REFUSED(npy_bytes(make_text_array({1}, {"\xff"})), "write_npy: expected UTF-8 text, found '\\xff'");
}

std::string idx_error(const std::string& bytes) {
  const MappedFile file{nullptr, std::as_bytes(std::span(bytes.data(), bytes.size()))};
  return message_of([&] { static_cast<void>(parse_idx(file, "a")); });
}

const std::string good = "\0\0\x08\x02\0\0\0\x02\0\0\0\x03"s + "abcdef";

TEST(Idx, PlainAndGzipped) {
  for (const std::string& bytes : {good, gzip(good)}) {
    const Array array = parse_idx({nullptr, std::as_bytes(std::span(bytes.data(), bytes.size()))}, "a");
    EXPECT_EQ(array.shape_text(), "(2, 3)");
    EXPECT_THAT(array.view<std::uint8_t>(), ::testing::ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  }
}

TEST(Idx, Refused) {
  EXPECT_EQ(idx_error("<htm"), "a: expected an IDX file, found first bytes 3c 68 74 6d");
  EXPECT_EQ(idx_error("\0\0\x0a\x01"s), "a: expected an IDX file, found first bytes 00 00 0a 01");
  EXPECT_EQ(idx_error("\0\0\x08\0"s), "a: expected an IDX file of 1 to 32 dimensions, found 0");
  EXPECT_EQ(idx_error("\0\0\x08\xff"s), "a: expected an IDX file of 1 to 32 dimensions, found 255");
  EXPECT_EQ(idx_error("\0\0\x08"s), "a: expected an IDX header of 4 bytes, found 3 bytes");
  EXPECT_EQ(idx_error(good.substr(0, 10)), "a: expected an IDX header of 12 bytes, found 10 bytes");
  EXPECT_THAT(idx_error(good.substr(0, 17)), HasSubstr("found 5"));
  EXPECT_EQ(idx_error(good + "x"), "a: expected 6 bytes of data for shape (2, 3) of '|u1', found 7");
  EXPECT_THAT(idx_error("\0\0\x08\x03\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff"s),
              HasSubstr("found shape (2147483647, 2147483647, 2147483647)"));
}

TEST(Idx, GzipThatLies) {
  const std::string packed = gzip(good);
  EXPECT_THAT(idx_error(packed + "x"), HasSubstr("expected at most "));
  EXPECT_EQ(idx_error(gzip(good + "x")), "a: expected 6 bytes of data for shape (2, 3) of '|u1', found 7");
  // A gigabyte claimed by forty bytes.
  EXPECT_THAT(idx_error(gzip("\0\0\x08\x01\x40\0\0\0abc"s)), HasSubstr("found 3"));
}

}  // namespace leeway::npy_test
