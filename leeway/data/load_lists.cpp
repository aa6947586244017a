// Data sets whose attributes are lists of numbers, one line per picture.
//
// CelebA (Liu et al., ICCV 2015), list_attr_celeba.txt: the number of pictures, a line of 40 names, then per
// picture its file and 1 or -1 per name. The protocol's four columns come first. Pictures: FOLDER/000001.jpg.
//
// DeepFashion (Liu et al., CVPR 2016), Category and Attribute Prediction Benchmark. list_attr_cloth.txt: the
// number of attributes, a heading, then per attribute its name (may contain blanks) and type number.
// Pictures: FOLDER/img/... Either
//   Anno_coarse (1000 attributes), list_attr_img.txt: the number of pictures, a heading, then per picture its
//     file and 1 (yes), -1 (no) or 0 (unknown) for every attribute; or
//   Anno_fine (26 attributes), train_attr.txt: 1 or 0 per picture and attribute; train.txt: files; validation
//     and test likewise.
// The protocol's paper does not define its four columns. We assume the fine attributes, which name all of its
// values; if present, these columns come first:
//   dress    "others" for no_dress, "skirt" for maxi_length or mini_length (lengths of a skirt; the paper
//            asks whether "a person [is] wearing a dress"); "unknown" for neither or both
//   pattern ("floral", "solid"), sleeve ("long sleeve" for long_sleeve, "sleeveless"), fabric ("chiffon",
//            "cotton"): the one that is 1 if the other is 0, else "other"
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "leeway/core/file.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"
#include "leeway/io/csv.h"

namespace leeway::data {
namespace {

void expect_end(std::string_view text, std::string_view name, const std::string& what) {
  while (const auto line = next_line(text))
    if (!trimmed(*line).empty()) refuse(name, what, "more lines");
}

// Those of the next line: a file, where it names one, and the values.
std::vector<std::string_view> words_of_row(std::string_view& text, bool file, std::size_t values,
                                           std::size_t row, std::string_view name) {
  const auto line = next_line(text);
  auto words = words_of(line.value_or(""));
  if (words.size() != values + (file ? 1 : 0))
    refuse(name, fmt::format("{}{} values at row {}", file ? "a file and " : "", values, row),
           line ? fmt::format("{} words", words.size()) : "the end");
  return words;
}

// The first line, a number of lines to come, each of `least` bytes or more with its end.
std::size_t counted(std::string_view& text, std::string_view name, std::string_view what, std::size_t least) {
  const auto line = next_line(text);
  const auto n = line ? parse_number(*line) : std::nullopt;
  const std::size_t most = (text.size() + 1) / least;
  if (!n || !(*n >= 1 && *n <= static_cast<double>(most)) ||
      *n != static_cast<double>(static_cast<std::size_t>(*n)))
    refuse(name, fmt::format("the number of {}", what),
           line ? in_quotes(*line) : std::string("an empty file"));
  return static_cast<std::size_t>(*n);
}

std::size_t place_of(const std::vector<std::string_view>& names, std::string_view name,
                     std::string_view file) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) refuse(file, fmt::format("an attribute {}", in_quotes(name)), "none");
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> parse_attributes(std::string_view text, std::string_view name) {
  const std::size_t count = counted(text, name, "attributes", 4);
  (void)next_line(text);  // the heading
  std::vector<std::string> names;
  std::set<std::string_view> seen = {"image"};
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view line = trimmed(next_line(text).value_or(""));
    const std::size_t blank = line.find_last_of(" \t");
    if (blank == std::string_view::npos || !parse_number(line.substr(blank + 1)))
      refuse(name, fmt::format("{} attributes, each with a name and a type number", count),
             fmt::format("{} at attribute {}", in_quotes(line), i));
    const std::string_view attribute = trimmed(line.substr(0, blank));
    if (!seen.insert(attribute).second)
      refuse(name, "attributes with different names", in_quotes(attribute) + " twice");
    names.emplace_back(attribute);
  }
  expect_end(text, name, fmt::format("{} attributes", count));
  return names;
}

// Columns for those names, each with those values.
template <class Name>
std::vector<LoadedColumn> attribute_columns(const std::vector<Name>& names,
                                            const std::vector<std::string>& values, std::size_t rows) {
  std::vector<LoadedColumn> columns;
  for (const auto& one : names) {
    columns.push_back({printable(one), values, {}});
    columns.back().codes.reserve(rows);
  }
  return columns;
}

// One row of all columns, from the words beginning with `first`.
void add_row(std::vector<LoadedColumn>& columns, const std::vector<std::string_view>& words,
             std::size_t first, std::string_view file, std::size_t row) {
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto& values = columns[c].values;
    const auto found = std::ranges::find(values, words[first + c]);
    if (found == values.end())
      refuse(file, fmt::format("one of {}", fmt::join(values, ", ")),
             fmt::format("{} at row {}", in_quotes(words[first + c]), row));
    columns[c].codes.push_back(static_cast<std::uint32_t>(found - values.begin()));
  }
}

// n lines of a file and a value of every column: the files.
LoadedColumn read_rows(std::string_view text, std::vector<LoadedColumn>& columns, std::size_t n,
                       std::string_view name) {
  LoadedColumn image{"image", {}, {}};
  for (std::size_t row = 0; row < n; ++row) {
    const auto words = words_of_row(text, true, columns.size(), row, name);
    add_file(image, words[0]);
    add_row(columns, words, 1, name, row);
  }
  expect_end(text, name, fmt::format("{} images", n));
  return image;
}

// The protocol's columns, where all attributes are there that they are made of.
std::vector<LoadedColumn> protocol_columns(const std::vector<LoadedColumn>& attributes, std::size_t n) {
  struct Protocol {
    std::string name;
    std::array<std::string_view, 3> from;
    std::vector<std::string> values;  // of the first or second alone, of the third alone, of neither or both
  };
  static const Protocol protocol[] = {
      {"dress", {"maxi_length", "mini_length", "no_dress"}, {"skirt", "others", "unknown"}},
      {"pattern", {"floral", "floral", "solid"}, {"floral", "solid", "other"}},
      {"sleeve", {"long_sleeve", "long_sleeve", "sleeveless"}, {"long sleeve", "sleeveless", "other"}},
      {"fabric", {"chiffon", "chiffon", "cotton"}, {"chiffon", "cotton", "other"}}};
  const auto find = [&](std::string_view name) {
    return std::ranges::find(attributes, name, &LoadedColumn::name);
  };
  std::vector<LoadedColumn> columns;
  for (const auto& [name, from, values] : protocol) {
    const std::array found = {find(from[0]), find(from[1]), find(from[2])};
    if (find(name) != attributes.end() || std::ranges::count(found, attributes.end()) > 0) return {};
    LoadedColumn& made = columns.emplace_back(LoadedColumn{name, values, {}});
    for (std::size_t row = 0; row < n; ++row) {
      const auto yes = [&](std::size_t i) { return found[i]->values[found[i]->codes[row]] == "1"; };
      const bool first = yes(0) || yes(1), second = yes(2);
      made.codes.push_back(first == second ? 2 : (second ? 1 : 0));
    }
  }
  return columns;
}

// The set of these attributes and files, the protocol's columns before them.
Loaded with_protocol(std::vector<LoadedColumn> attributes, LoadedColumn image) {
  Loaded set;
  set.n = image.codes.size();
  set.columns = protocol_columns(attributes, set.n);
  std::ranges::move(attributes, std::back_inserter(set.columns));
  set.columns.push_back(std::move(image));
  return set;
}

}  // namespace

Loaded parse_celeba(std::string_view text, std::string_view name) {
  Loaded set;
  set.n = counted(text, name, "images", 2);
  const auto names = words_of(next_line(text).value_or(""));
  auto attributes = attribute_columns(names, {"1", "-1"}, 0);
  LoadedColumn image = read_rows(text, attributes, set.n, name);
  struct Protocol {
    std::string column, attribute;
    std::vector<std::string> values;  // of 1 and of -1
  };
  static const Protocol protocol[] = {{"gender", "Male", {"male", "female"}},
                                      {"black_hair", "Black_Hair", {"black", "others"}},
                                      {"smiling", "Smiling", {"smiling", "no smiling"}},
                                      {"straight_hair", "Straight_Hair", {"straight hair", "others"}}};
  for (const auto& [column, attribute, values] : protocol)
    set.columns.push_back({column, values, attributes[place_of(names, attribute, name)].codes});
  std::ranges::move(attributes, std::back_inserter(set.columns));
  set.columns.push_back(std::move(image));
  return set;
}

Loaded parse_deepfashion_coarse(const std::array<std::string_view, 2>& texts,
                                const std::array<std::string, 2>& names) {
  const auto attributes = parse_attributes(texts[0], names[0]);
  std::string_view text = texts[1];
  const std::size_t n = counted(text, names[1], "images", 2 * (attributes.size() + 1));
  (void)next_line(text);  // the heading
  auto columns = attribute_columns(attributes, {"1", "-1", "0"}, n);
  LoadedColumn image = read_rows(text, columns, n, names[1]);
  return with_protocol(std::move(columns), std::move(image));
}

Loaded parse_deepfashion_fine(const std::array<std::string_view, 3>& texts,
                              const std::array<std::string, 3>& names) {
  const auto attributes = parse_attributes(texts[0], names[0]);
  std::string_view values = texts[1], files = texts[2];
  auto columns = attribute_columns(attributes, {"1", "0"}, 0);
  LoadedColumn image{"image", {}, {}};
  for (std::size_t row = 0; const auto file = next_line(files); ++row) {
    if (trimmed(*file).empty()) {
      expect_end(files, names[2], fmt::format("a file at row {}", row));
      break;
    }
    const auto words = words_of_row(values, false, attributes.size(), row, names[1]);
    add_file(image, trimmed(*file));
    add_row(columns, words, 0, names[1], row);
  }
  expect_end(values, names[1], fmt::format("{} lines, as {} has", image.values.size(), names[2]));
  return with_protocol(std::move(columns), std::move(image));
}

Loaded load_celeba(const Paths& paths) {
  Loaded set = parse_celeba(map_file(paths[0]).text(), display_name(paths[0]));
  if (paths.size() == 2) add_pictures_of_folder(set, paths[1], paths[0]);
  return set;
}

Loaded load_deepfashion(const Paths& paths) {
  const bool pictures = is_folder(paths.back());
  const std::size_t count = paths.size() - (pictures ? 1 : 0);
  if (count != 2 && count != 3)
    refuse("deepfashion", "2 files (coarse) or 3 (fine), and optionally a folder",
           fmt::format("{} files", count));
  std::vector<MappedFile> files;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    files.push_back(map_file(paths[i]));
    names.push_back(display_name(paths[i]));
  }
  const auto text = [&](std::size_t i) { return files[i].text(); };
  Loaded set = count == 2
                   ? parse_deepfashion_coarse({text(0), text(1)}, {names[0], names[1]})
                   : parse_deepfashion_fine({text(0), text(1), text(2)}, {names[0], names[1], names[2]});
  if (pictures) add_pictures_of_folder(set, paths.back(), paths[count - 1]);
  return set;
}

}  // namespace leeway::data
