// Bad inputs through the command itself: exit code 3, nothing on stdout, one line on stderr that names the
// file and says what was expected.
#include "tests/apps/bad_inputs.h"

#include <sys/stat.h>

#include <cmath>

#include "leeway/core/npz.h"
#include "leeway/core/safetensors.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using ::testing::HasSubstr;
using std::string_literals::operator""s;

struct BadInput {
  std::string file, bytes, words;  // bytes: what the file holds
  std::string arguments = "pa good.npy FILE";
};
void PrintTo(const BadInput& bad, std::ostream* out) { *out << bad.file; }

class BadInputs : public ::testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, OneLineAndExitCodeThree) {
  const TemporaryFolder folder;
  const BadInput& bad = GetParam();
  write_npy(folder / "good.npy", good_logits);
  write_bytes(folder / bad.file, bad.bytes);
  std::string arguments = bad.arguments;
  for (std::size_t at; (at = arguments.find("FILE")) != std::string::npos;)
    arguments.replace(at, 4, bad.file);
  expect_refused(run(folder, arguments), bad.file, bad.words);
}

std::string test_name(const ::testing::TestParamInfo<BadInput>& info) {
  std::string name = info.param.file;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Npy, BadInputs,
    ::testing::Values(
        BadInput{"empty.npy", "", "found an empty file"},
        BadInput{"html.npy", "<!DOCTYPE html>\n<html><body>404</body></html>\n", "found an HTML or XML page"},
        BadInput{"text.npy", "1 2 3\n", "found text"},
        BadInput{"magic_only.npy", "\x93NUMPY", "expected an npy header"},
        BadInput{"half_magic.npy", "\x93NUM", "found unknown first bytes 93 4e 55 4d"},
        BadInput{"no_header.npy", good.substr(0, 10),
                 "expected an npy header of 118 bytes, found 0 bytes left"},
        BadInput{"half_header.npy", good.substr(0, 70),
                 "expected an npy header of 118 bytes, found 60 bytes left"},
        BadInput{"no_data.npy", good.substr(0, 128),
                 "expected 48 bytes of data for shape (4, 3) of '<f4', found 0"},
        BadInput{"short.npy", good.substr(0, 175),
                 "expected 48 bytes of data for shape (4, 3) of '<f4', found 47"},
        BadInput{"long.npy", good + "x", "expected 48 bytes of data for shape (4, 3) of '<f4', found 49"},
        BadInput{"version.npy", "\x93NUMPY\x09\x00"s + good.substr(8),
                 "expected npy version 1.0, 2.0 or 3.0, found 9.0"},
        BadInput{"giant_header.npy", "\x93NUMPY\x02\x00\xf0\xff\xff\xff"s + good,
                 "expected an npy header of 4294967280 bytes"},
        BadInput{"lying_shape.npy", npy_with(header("'<f4'", "(1000000000, 1000)"), good.substr(128)),
                 "expected 4000000000000 bytes of data for shape (1000000000, 1000) of '<f4', found 48"},
        BadInput{"overflow.npy", npy_with(header("'<f8'", "(4294967296, 536870912)"), ""),
                 "expected fewer than 2^63 bytes"},
        BadInput{"overflow_to_fit.npy",
                 npy_with(header("'<f4'", "(4611686018427387907, 4)"), std::string(48, 'x')),
                 "expected fewer than 2^63 bytes"},
        BadInput{"overflow_zero.npy", npy_with(header("'<f8'", "(0, 4294967296, 4294967296)"), ""),
                 "expected fewer than 2^63 bytes"},
        BadInput{"negative.npy", npy_with(header("'<f4'", "(-4, -3)"), good.substr(128)),
                 "expected a size of 0 to 2^64 - 1"},
        BadInput{"objects.npy", npy_with(header("'|O'", "(4, 3)"), "\x80\x04pickled"),
                 "found Python objects (dtype '|O')"},
        BadInput{"structure.npy",
                 npy_with(header("[('a', '<f4'), ('b', '<f8')]", "(4,)"), std::string(48, 'x')),
                 "found a structured dtype"},
        BadInput{"void.npy", npy_with(header("'|V2'", "(4, 3)"), std::string(24, 'x')),
                 "found structured or raw bytes (dtype '|V2')"},
        BadInput{"complex.npy", npy_with(header("'<c8'", "(4, 3)"), std::string(96, 'x')),
                 "found complex numbers (dtype '<c8')"},
        BadInput{"dates.npy", npy_with(header("'<M8[s]'", "(4, 3)"), std::string(96, 'x')),
                 "found dates or times (dtype '<M8[s]')"},
        BadInput{"long_double.npy", npy_with(header("'<f16'", "(4, 3)"), std::string(192, 'x')),
                 "(dtype '<f16')"},
        BadInput{"unknown_type.npy", npy_with(header("'<z4'", "(4, 3)"), std::string(48, 'x')),
                 "found an unknown element type (dtype '<z4')"},
        BadInput{"no_shape.npy", npy_with("{'descr': '<f4', 'fortran_order': False}", ""),
                 "expected descr, fortran_order and shape"},
        BadInput{"code.npy", npy_with("__import__('os')", ""), "expected '{' in the npy header"},
        BadInput{"words.npy", npy_bytes(make_text_array({4, 3}, std::vector<std::string>(12, "x"))),
                 "expected numbers, found text"},
        BadInput{"no_rows.npy", npy<float>({0, 3}, {}), "expected at least one row, found shape (0, 3)"},
        BadInput{"no_classes.npy", npy<float>({4, 0}, {}),
                 "expected at least two classes, found shape (4, 0)"},
        BadInput{"one_class.npy", npy<float>({4, 1}, {1, 2, 3, 4}), "--binary logit or --binary prob"},
        BadInput{"vector.npy", npy<float>({4}, {1, 2, 3, 4}), "--binary logit or --binary prob"},
        BadInput{"vector_prob.npy", npy<float>({4}, {1, 2, 3, 4}), "expected probabilities in [0,1]",
                 "pa FILE FILE --binary prob"},
        BadInput{"scalar.npy", npy<float>({}, {1}),
                 "expected shape (n, k): a row a sample, a column a class, found shape ()"},
        BadInput{"cube.npy", npy<float>({4, 3, 1}, std::vector<float>(12)), "found shape (4, 3, 1)"},
        BadInput{"wrong_k.npy", npy<float>({4, 2}, std::vector<float>(8)),
                 "expected 3 classes, as in good.npy, found 2"},
        BadInput{"wrong_n.npy", npy<float>({5, 3}, std::vector<float>(15)), "(5, 3)"},
        BadInput{"nan.npy", good_with(7, NAN), "found nan at row 2, class 1"},
        BadInput{"nan_row.npy", npy<double>({2, 2}, {1, 2, NAN, NAN}), "found nan at row 1, class 0",
                 "pa FILE FILE"},
        BadInput{"inf.npy", good_with(3, inf), "found inf at row 1, class 0"},
        BadInput{"minus_inf.npy", good_with(11, -inf), "found -inf at row 3, class 2"},
        BadInput{"clean_nan.npy", good_with(0, NAN), "found nan at row 0, class 0", "pa FILE good.npy"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(OtherKinds, BadInputs,
                         ::testing::Values(BadInput{"a.pkl", "\x80\x04\x95\x10", "found a Python pickle"},
                                           BadInput{"a.h5", "\x89HDF\r\n\x1a\n", "found an HDF5 file"},
                                           BadInput{"a.png", "\x89PNG\r\n", "found a picture"},
                                           BadInput{"a.pdf", "%PDF-1.4\n", "found a PDF document"},
                                           BadInput{"a.json", "{\"logits\": [[1, 2]]}", "found JSON"},
                                           BadInput{"a.npy.gz", gzip(good), "found a gzip file"},
                                           BadInput{"a.idx", "\0\0\x08\x01\0\0\0\x01x"s, "found an IDX file"},
                                           BadInput{"a.txt", "logit_0,logit_1\n1,2\n",
                                                    "a table is read where the name ends in .csv"},
                                           BadInput{"a.bin", "\x01\x02\x03\x04",
                                                    "found unknown first bytes 01 02 03 04"},
                                           BadInput{"a.pt", make_zip({stored_entry("archive/data.pkl", "x")}),
                                                    "found the member 'archive/data.pkl'"}),
                         test_name);

// A stored npz whose only entry was changed.
template <class Change>
std::string changed(ZipEntry entry, const Change& change) {
  change(entry);
  return make_zip({std::move(entry)});
}
const ZipEntry stored = stored_entry("logits.npy", good), packed = deflated_entry("logits.npy", good);

std::string nested_zip() {
  const std::string inner = make_zip({stored}).substr(0, 30 + 10 + good.size());
  ZipEntry second = stored;
  second.offset = 30 + 5;
  return make_zip({stored_entry("x.npy", inner), second});
}

std::string wide_bomb() {
  ZipEntry entry = deflated_entry("x.npy", std::string(1'000'000, '\0'));
  entry.packed.resize(1'100'000);
  entry.size = 1'100'000'000;
  std::vector<ZipEntry> entries{stored};
  for (int i = 0; i < 5; ++i) {
    entry.name = "x" + std::to_string(i) + ".npy";
    entries.push_back(entry);
  }
  return make_zip(entries);
}

std::string zip64_lie() {
  return changed(stored, [](ZipEntry& e) {
    e.extra = raw(std::uint16_t{1}) + raw(std::uint16_t{16}) + raw(std::uint64_t{1} << 60) +
              raw(std::uint64_t{1} << 60);
    e.size = 0xffffffff;
    e.packed_size = 0xffffffff;
  });
}

INSTANTIATE_TEST_SUITE_P(
    Zip, BadInputs,
    ::testing::Values(
        BadInput{"no_end.npz", "PK\x03\x04 and no more", "expected a zip archive's end record"},
        BadInput{"empty.npz", make_zip({}), "found an empty archive"},
        BadInput{"encrypted.npz", changed(stored, [](ZipEntry& e) { e.flags = 1; }),
                 "found an encrypted one"},
        BadInput{"bzip2.npz", changed(stored, [](ZipEntry& e) { e.method = 12; }),
                 "found compression method 12"},
        BadInput{"twice.npz", make_zip({stored, stored}), "'logits.npy' twice"},
        BadInput{"nested.npz", nested_zip(), "expected members that do not overlap"},
        BadInput{"bomb.npz",
                 changed(deflated_entry("logits.npy", std::string(100'000, '\0')),
                         [](ZipEntry& e) { e.size = 0xfffffff0; }),
                 "packed bytes can hold, found 4294967280"},
        BadInput{"wide_bomb.npz", wide_bomb(),
                 "expected at most 4294967296 bytes when inflated, found 5500000000"},
        BadInput{"deep_bomb.npz",
                 make_zip({deflated_entry("logits.npy", npy_with(header("'<f4'", "(1000000000000, 10)"),
                                                                 std::string(100'000, '\0')))}),
                 "expected 40000000000000 bytes of data"},
        BadInput{"stored_size.npz", changed(stored, [](ZipEntry& e) { e.size = 1 << 30; }),
                 "packed bytes can hold, found 1073741824"},
        BadInput{"local_size.npz", changed(stored, [](ZipEntry& e) { e.local_size = 1; }),
                 "in the local header"},
        BadInput{"size_above.npz", changed(packed, [](ZipEntry& e) { e.size += 9; }),
                 "more bytes in the compressed stream"},
        BadInput{"size_below.npz", changed(packed, [](ZipEntry& e) { e.size -= 9; }),
                 "expected the end of the compressed stream"},
        BadInput{"checksum.npz", changed(packed, [](ZipEntry& e) { e.crc ^= 1; }), "expected checksum"},
        BadInput{"damaged.npz", changed(packed, [](ZipEntry& e) { e.packed[0] = '\x07'; }),
                 "expected a sound compressed stream"},
        BadInput{"cut_stream.npz", changed(packed, [](ZipEntry& e) { e.packed.pop_back(); }),
                 "found a stream cut off"},
        BadInput{"offset.npz", changed(stored, [](ZipEntry& e) { e.offset = 9; }),
                 "expected a local header at byte 9"},
        BadInput{"outside.npz", changed(stored, [](ZipEntry& e) { e.packed_size = e.size = 1 << 30; }),
                 "ends outside the file"},
        BadInput{"zip64.npz", zip64_lie(), "ends outside the file"},
        BadInput{"directory.npz", make_zip({stored}, {.offset = 1}),
                 "expected a zip directory that ends at the end record"},
        BadInput{"count.npz", make_zip({stored}, {.count = 9999}),
                 "expected at most 1 members in the zip directory"},
        BadInput{"member_html.npz", make_zip({stored_entry("logits.npy", "<html>")}),
                 "logits: expected an npy file"},
        BadInput{"member_cut.npz", make_zip({stored_entry("logits.npy", good.substr(0, 170))}),
                 "logits: expected 48 bytes of data"},
        BadInput{"member_objects.npz",
                 make_zip({stored_entry("logits.npy", npy_with(header("'|O'", "(1,)"), "x"))}),
                 "logits: expected numbers or text, found Python objects"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Arrays, BadInputs,
    ::testing::Values(
        BadInput{"no_logits.npz", npz({{"weights", good_logits}}), "expected an array named logits or probs"},
        BadInput{"label_large.npz", npz_with("labels", i64({0, 1, 2, 3})),
                 "labels: expected labels in 0..2, found 3 at row 3", "pa FILE good.npy"},
        BadInput{"label_negative.npz", npz_with("y", i64({0, -1, 2, 0})),
                 "y: expected labels in 0..2, found -1 at row 1"},
        BadInput{"label_half.npz", npz_with("labels", make_array<double>({4}, {0, 1, .5, 0})),
                 "expected whole numbers, found 0.5 at row 2"},
        BadInput{"label_nan.npz", npz_with("labels", make_array<double>({4}, {NAN, 1, 0, 0})),
                 "expected whole numbers, found nan at row 0"},
        BadInput{"label_length.npz", npz_with("labels", i64({0, 1})),
                 "labels: expected shape (4), one value a sample, found shape (2)"},
        BadInput{"label_matrix.npz", npz_with("labels", good_logits),
                 "expected shape (4), one value a sample, found shape (4, 3)"},
        BadInput{"label_words.npz", npz_with("labels", make_text_array({4}, {"a", "b", "c", "d"})),
                 "expected labels that are numbers, or --class-names beside them, found 'a' at row 0"},
        BadInput{"label_twice.npz",
                 npz({{"logits", good_logits}, {"y", i64({0, 0, 0, 0})}, {"labels", i64({0, 0, 0, 0})}}),
                 "expected one of labels, y, y_true"},
        BadInput{"probs_sum.npz", npz({{"probs", probs({.5, .5, .5})}}),
                 "expected probabilities that sum to 1, found a sum of 1.5 at row 0"},
        BadInput{"probs_negative.npz", npz({{"probs", probs({-.5, .5, 1})}}),
                 "expected probabilities in [0,1], found -0.5 at row 0, class 0"},
        BadInput{"probs_large.npz", npz({{"pred_probs", probs({0, 1.5, 0})}}),
                 "expected probabilities in [0,1], found 1.5 at row 0, class 1"},
        BadInput{"probs_nan.npz", npz({{"probs", probs({0, 0, NAN})}}),
                 "expected probabilities in [0,1], found nan at row 0, class 2"},
        BadInput{"probs_vector.npz", npz({{"probs", make_array<double>({4}, {0, 1, 0, 1})}}), "--binary"},
        BadInput{"probs_as_logit.npz", npz({{"probs", make_array<double>({4}, {0, 1, 0, 1})}}),
                 "expected logits, as --binary logit says", "pa FILE FILE --binary logit"},
        BadInput{"features_length.npz", npz_with("features", make_array<float>({3, 1}, {1, 2, 3})),
                 "features: expected shape (4, d), found shape (3, 1)"},
        BadInput{"groups_length.npz", npz_with("groups", i64({1, 2})),
                 "groups: expected shape (4) or (4, g), found shape (2)"},
        BadInput{"groups_half.npz", npz_with("groups", make_array<double>({4}, {0, .5, 0, 0})),
                 "groups: expected whole numbers, found 0.5 at row 1"},
        BadInput{"class_names.npz", npz_with("class_names", make_text_array({2}, {"a", "b"})),
                 "class_names: expected shape (3), one name a class"},
        BadInput{"norms.npz", npz_with("norms", make_array<double>({4}, {0, 0, 0, -1})),
                 "norms: expected norms of at least 0, found -1 at row 3"}),
    test_name);

std::string safetensors(const std::string& text, const std::string& data = "") {
  return raw(std::uint64_t{text.size()}) + text + data;
}
std::string tensor(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return "{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}
const std::string data(48, '\0'), whole = tensor("F32", "[4,3]", "[0,48]");

INSTANTIATE_TEST_SUITE_P(
    Safetensors, BadInputs,
    ::testing::Values(
        BadInput{"short.safetensors", "\x05\0\0"s, "found a file of 3 bytes"},
        BadInput{"header_outside.safetensors", raw(std::uint64_t{5000}) + "{}",
                 "expected a header of 5000 bytes, found 2 bytes left"},
        BadInput{"giant_header.safetensors", raw(std::uint64_t{4'000'000'000}) + "{}",
                 "expected a header of at most 100000000 bytes"},
        BadInput{"json.safetensors", safetensors("{\"logits\":}"), "expected a JSON header"},
        BadInput{"bomb.safetensors", safetensors("{\"logits\":" + std::string(2'000'000, '[')),
                 "expected dtype, shape and data_offsets, found a list"},
        BadInput{"object_bomb.safetensors", safetensors([] {
                   std::string text = "{\"a\":";
                   for (int i = 0; i < 200'000; ++i) text += "{\"a\":";
                   return text;
                 }()),
                 "expected dtype, shape and data_offsets, found an object"},
        BadInput{"short_data.safetensors", safetensors("{\"logits\":" + whole + "}", data.substr(1)),
                 "expected offsets within 47 bytes of data"},
        BadInput{"long_data.safetensors", safetensors("{\"logits\":" + whole + "}", data + "x"),
                 "expected 48 bytes of tensors"},
        BadInput{"shape.safetensors",
                 safetensors("{\"logits\":" + tensor("F32", "[5,3]", "[0,48]") + "}", data),
                 "expected 60 bytes for shape (5, 3) of F32, found 48"},
        BadInput{"overflow.safetensors",
                 safetensors("{\"logits\":" + tensor("F32", "[4611686018427387907,4]", "[0,48]") + "}", data),
                 "expected fewer than 2^63 bytes"},
        BadInput{"overlap.safetensors",
                 safetensors("{\"logits\":" + whole + ",\"y\":" + tensor("U8", "[4]", "[44,48]") + "}", data),
                 "expected data from byte 48"},
        BadInput{"hole.safetensors",
                 safetensors("{\"logits\":" + tensor("F32", "[3,3]", "[12,48]") + "}", data),
                 "expected data from byte 0"},
        BadInput{"type.safetensors",
                 safetensors("{\"logits\":" + tensor("F8_E5M2", "[48]", "[0,48]") + "}", data),
                 "found 'F8_E5M2'"},
        BadInput{"twice.safetensors",
                 safetensors("{\"logits\":" + whole + ",\"logits\":" + whole + "}", data),
                 "expected names that stand once"},
        BadInput{"no_logits.safetensors", safetensors("{\"x\":" + whole + "}", data),
                 "expected an array named logits or probs, found x"}),
    test_name);

INSTANTIATE_TEST_SUITE_P(
    Csv, BadInputs,
    ::testing::Values(
        BadInput{"empty.csv", "", "expected a header line and rows, found an empty file"},
        BadInput{"html.csv", "<html>\n", "found an HTML or XML page"},
        BadInput{"no_header.csv", "1,2,3\n4,5,6\n", "expected a header line, found a first line of numbers"},
        BadInput{"no_rows.csv", "logit_0,logit_1\n", "expected at least one row"},
        BadInput{"short_row.csv", "logit_0,logit_1,logit_2\n1,2,3\n1,2\n",
                 "expected 3 fields, as in the header, found 2 in line 3"},
        BadInput{"long_row.csv", "logit_0,logit_1,logit_2\n1,2,3,4\n",
                 "expected 3 fields, as in the header, found more in line 2"},
        BadInput{"open_quote.csv", "logit_0,logit_1,name\n1,2,\"x\n3,4,y\n",
                 "expected a closing quote, found none for the one in line 2"},
        BadInput{"columns.csv", "logit_0,logit_0\n1,2\n",
                 "expected columns of different names, found 'logit_0' twice"},
        BadInput{"word.csv", "logit_0,logit_1\n1,2\n1,two\n",
                 "expected numbers in column 'logit_1', found 'two' at row 1"},
        BadInput{"hole.csv", "logit_0,logit_1\n1,2\n1,\n",
                 "expected numbers in column 'logit_1', found '' at row 1"},
        BadInput{"too_large.csv", "logit_0,logit_1\n1,1e999\n",
                 "expected numbers in column 'logit_1', found '1e999' at row 0"},
        BadInput{"no_logits.csv", "a,b\n1,2\n", "(--class-columns names others), found a, b"},
        BadInput{"gap.csv", "logit_0,logit_2\n1,2\n",
                 "expected columns logit_0 to logit_1 (--class-columns, where these are all), found logit_2"},
        BadInput{"latin1.csv", "logit_0,logit_1,n\n1,2,\xe4\n", "found unknown first bytes"},
        BadInput{"nan.csv", "logit_0,logit_1\n1,2\n1,nan\n", "found nan at row 1, class 1", "pa FILE FILE"},
        BadInput{"probs.csv", "p_0,p_1\n.5,.5\n.5,.6\n",
                 "expected probabilities that sum to 1, found a sum of 1.1 at row 1"},
        BadInput{"label.csv", "logit_0,logit_1,label\n1,2,3\n", "expected labels in 0..1, found 3 at row 0"},
        BadInput{"labels.csv", "logit_0,logit_1,label,y_true\n1,2,0,0\n", "expected one column of labels"}),
    test_name);

const std::string with_labels = "pa good.npy good.npy --labels FILE";

INSTANTIATE_TEST_SUITE_P(
    Labels, BadInputs,
    ::testing::Values(
        BadInput{"page.html", "<html>", "expected labels in an .npy, .npz, .safetensors, .csv or IDX file",
                 with_labels},
        BadInput{"length.npy", npy<std::int64_t>({3}, {0, 1, 2}),
                 "expected shape (4), one value a sample, found shape (3)", with_labels},
        BadInput{"range.npy", npy<std::int64_t>({4}, {0, 1, 7, 2}),
                 "expected labels in 0..2, found 7 at row 2", with_labels},
        BadInput{"half.npy", npy<float>({4}, {0, 1, 1.5, 2}), "expected whole numbers, found 1.5 at row 2",
                 with_labels},
        BadInput{"none.npz", npz({{"logits", good_logits}}), "expected an array named labels, y or y_true",
                 with_labels},
        BadInput{"none.csv", "a,b\n1,2\n", "expected a column y_true or label", with_labels},
        BadInput{"cut.idx", idx_labels.substr(0, 11), "expected data for shape (4) of uint8", with_labels},
        BadInput{"long.idx", idx_labels + "x", "expected nothing after the data", with_labels},
        BadInput{"pictures.idx", "\0\0\x08\x03\0\0\0\x04\0\0\0\x01\0\0\0\x01"s + "abcd",
                 "found shape (4, 1, 1)", with_labels},
        BadInput{"cut.gz", gzip(idx_labels).substr(0, 15), "found a stream cut off", with_labels},
        BadInput{"no_trailer.gz", gzip(idx_labels).substr(0, gzip(idx_labels).size() - 8),
                 "found a stream cut off", with_labels},
        BadInput{"long.gz", gzip(idx_labels + "x"), "expected the end of the compressed stream", with_labels},
        BadInput{"lie.gz", gzip("\0\0\x08\x01\x7f\xff\xff\xff"s), "of uint8, found at most ", with_labels},
        BadInput{"text.gz", gzip("hello"), "expected an IDX file", with_labels}),
    test_name);

TEST(BadPaths, MissingDirectoryAndPipe) {
  const TemporaryFolder folder;
  write_npy(folder / "good.npy", good_logits);
  std::filesystem::create_directory(folder / "folder.npy");
  ASSERT_EQ(::mkfifo((folder / "pipe.npy").c_str(), 0600), 0);
  expect_refused(run(folder, "pa good.npy missing.npy"), "missing.npy",
                 "expected a readable file, found no such file");
  expect_refused(run(folder, "pa missing.npy good.npy"), "missing.npy", "found no such file");
  expect_refused(run(folder, "pa good.npy good.npy --labels missing.npy"), "missing.npy",
                 "found no such file");
  expect_refused(run(folder, "pa good.npy folder.npy"), "folder.npy",
                 "expected a regular file, found a directory");
  expect_refused(run(folder, "pa good.npy pipe.npy"), "pipe.npy", "found a pipe or device");
  expect_refused(run(folder, "pa good.npy ''"), "expected a readable file", "no such file");
  expect_refused(run(folder, "pa good.npy 'two\nlines.npy'"), "two\\x0alines.npy", "no such file");
}

TEST(BadPaths, GoodInputsAreNotRefused) {
  const TemporaryFolder folder;
  write_npy(folder / "good.npy", good_logits);
  write_bytes(folder / "good.npz", npz_with("labels", i64({0, 1, 2, 0})));
  write_bytes(folder / "labels.gz", gzip(idx_labels));
  const Outcome outcome = run(folder, "pa good.npy good.npz --labels labels.gz --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"afr_true\": 1.0"));
}

}  // namespace
}  // namespace leeway
