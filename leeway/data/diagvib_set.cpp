#include "leeway/data/diagvib_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "leeway/core/array.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/data/detail/blocks.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"

namespace leeway::data {
namespace {

constexpr std::string_view split_names[] = {"train", "val", "test"};

// Random numbers of one purpose in a split.
std::uint32_t stream_of(std::string_view purpose, DiagvibSplit split) {
  return stream(fmt::format("diagvib {} {}", purpose, split_names[static_cast<std::size_t>(split)]));
}

DiagvibCodes codes_of(const std::array<std::string, diagvib_factors>& classes,
                      const std::vector<DiagvibTexture>& textures) {
  DiagvibCodes codes{};
  for (std::size_t f = 0; f < diagvib_factors; ++f)
    codes[f] = diagvib_code(static_cast<DiagvibFactor>(f), classes[f], textures);
  return codes;
}

// Place of a row's digit in its class, within share `part` of `parts` of the pool; `turn` counts the draws of
// a class.
std::size_t draw_digit(const DiagvibSet& set, std::size_t label, std::size_t turn, std::uint64_t sample,
                       std::size_t part = 0, std::size_t parts = 1) {
  const std::size_t count = set.digits.of_class[label].size() / parts;
  if (count == 0)
    refuse(fmt::format("digits of class {}", set.digits.classes[label]),
           fmt::format("at least {} in the {} pool", parts, split_names[static_cast<std::size_t>(set.split)]),
           set.digits.of_class[label].size());
  if (set.split == DiagvibSplit::test) return part * count + turn % count;
  const double share = Random(set.seed, stream_of("digit", set.split), sample).uniform();
  return part * count + static_cast<std::size_t>(share * static_cast<double>(count));
}

// Exact sums of bytes, so that their order does not matter.
struct Sums {
  std::size_t n = 0;
  std::array<std::uint64_t, 3> sum{}, squares{};

  void add(std::span<const std::uint8_t> picture) {
    const std::size_t area = picture.size() / 3;
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint32_t total = 0;  // of 512 x 512 pixels at most
      std::uint64_t square = 0;
      for (const std::uint8_t value : picture.subspan(c * area, area)) {
        total += value;
        square += static_cast<std::uint32_t>(value) * value;
      }
      sum[c] += total, squares[c] += square;
    }
    ++n;
  }
  void add(const Sums& other) {
    n += other.n;
    for (std::size_t c = 0; c < 3; ++c) sum[c] += other.sum[c], squares[c] += other.squares[c];
  }
  [[nodiscard]] ChannelStatistics statistics(std::size_t area) const {
    ChannelStatistics result;
    result.n = n;
    const double count = static_cast<double>(n * area);
    for (std::size_t c = 0; c < 3; ++c) {
      const double mean = static_cast<double>(sum[c]) / count,
                   variance = static_cast<double>(squares[c]) / count - mean * mean;
      result.mean[c] = mean / 255;
      result.std[c] = std::sqrt(std::max(0., variance)) / 255;
    }
    return result;
  }
};

// Draws all rows in blocks and hands them on.
EnvironmentStatistics draw_all(const DiagvibSet& set, std::size_t size, Progress* progress,
                               const std::function<void(std::span<const std::uint8_t>)>& take) {
  std::vector<Sums> sums(set.rows.size());
  in_blocks(
      set.rows.size(), 3 * size * size, "draw", "drawing stopped: the current file was not written", progress,
      [&](std::size_t row, std::span<std::uint8_t> picture) {
        set.draw(set.rows[row], size, picture);
        sums[row].add(picture);
      },
      take);
  std::map<std::size_t, Sums> totals;
  for (std::size_t row = 0; row < sums.size(); ++row) totals[set.rows[row].environment].add(sums[row]);
  EnvironmentStatistics statistics;
  for (const auto& [number, total] : totals) statistics[number] = total.statistics(size * size);
  return statistics;
}

// n pairs, as 3 digit + class of the learning factor, in random order. An environment but the first gives the
// digits of the first their classes in an order of its own.
std::vector<std::size_t> drawn_pairs(const DiagvibSet& set, const PairWeights& weights, std::size_t n,
                                     std::size_t environment) {
  std::vector<double> flat;
  for (const auto& row : weights) flat.insert(flat.end(), row.begin(), row.end());
  const std::vector<std::size_t> counts = largest_remainder(flat, n);
  std::vector<std::size_t> pairs;
  for (std::size_t pair = 0; pair < counts.size(); ++pair) pairs.insert(pairs.end(), counts[pair], pair);
  std::vector<std::size_t> own = pairs;
  shuffle(pairs, set.seed, stream_of("pairs", set.split));
  if (environment == 0) return pairs;
  shuffle(own, set.seed, stream_of(fmt::format("pairs {}", environment), set.split));
  const auto digit = [](std::size_t pair) { return pair / 3; };
  std::ranges::stable_sort(own, {}, digit);
  std::array<std::size_t, 3> next{};
  for (std::size_t p = 0; p < 3; ++p)
    next[p] = static_cast<std::size_t>(std::ranges::lower_bound(own, p, {}, digit) - own.begin());
  for (std::size_t& pair : pairs) pair = own[next[digit(pair)]++];
  return pairs;
}

template <class T, class Of>
Array column(const DiagvibSet& set, const Of& of) {
  std::vector<T> values;
  for (const DiagvibRow& row : set.rows) values.push_back(static_cast<T>(of(row)));
  return make_array(std::vector<std::size_t>{set.rows.size()}, std::move(values));
}

std::string group_of(const DiagvibSet& set, const DiagvibRow& row, const std::string& name) {
  if (const auto factor = diagvib_factor(name)) return set.class_of(row, *factor);
  return std::to_string(set.digits.classes[row.label]);
}

}  // namespace

std::uint8_t diagvib_code(DiagvibFactor factor, const std::string& name,
                          const std::vector<DiagvibTexture>& textures) {
  std::vector<std::string> names;
  if (factor == DiagvibFactor::texture)
    for (const DiagvibTexture& texture : textures) names.push_back(texture.name);
  else
    for (const DiagvibClass& one : diagvib_classes(factor)) names.emplace_back(one.name);
  return static_cast<std::uint8_t>(index_of_name(name, names, name_of(factor)));
}

DiagvibDigits diagvib_digits(const Images& pictures, std::span<const std::size_t> classes) {
  const std::string name = display_name(pictures.path);
  if (pictures.channels() != 1 || pictures.height() != diagvib_digit_side ||
      pictures.width() != diagvib_digit_side)
    refuse(name, "grayscale images of 28 x 28 pixels",
           fmt::format("{} channels of {} x {}", pictures.channels(), pictures.height(), pictures.width()));
  if (!pictures.labels) refuse(name, "labels: the digit of each image", "none");
  const std::vector<std::int64_t>& labels = *pictures.labels;
  DiagvibDigits digits{{classes.begin(), classes.end()}, {}, 0};
  for (const std::size_t one : classes) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < labels.size(); ++row)
      if (labels[row] == static_cast<std::int64_t>(one)) rows.push_back(row);
    if (rows.empty()) refuse(name, fmt::format("images of class {}", one), "none");
    std::vector<std::optional<DiagvibGlyph>> glyphs(rows.size());
    parallel_for(rows.size(),
                 [&](std::size_t i) { glyphs[i] = diagvib_glyph(levels_of(pictures, rows[i])); });
    auto& kept = digits.of_class.emplace_back();
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (glyphs[i])
        kept.push_back({rows[i], *glyphs[i]});
      else
        ++digits.left_out;
  }
  return digits;
}

DiagvibSplit split_of(std::string_view part) {
  return part.starts_with("train") ? DiagvibSplit::train
         : part.starts_with("val") ? DiagvibSplit::val
                                   : DiagvibSplit::test;
}

DiagvibDigits pool_of(DiagvibDigits digits, DiagvibSplit split) {
  if (split == DiagvibSplit::test) return digits;
  for (auto& of_class : digits.of_class) {
    const auto cut = of_class.begin() + static_cast<std::ptrdiff_t>(of_class.size() * 4 / 5);
    if (split == DiagvibSplit::train)
      of_class.erase(cut, of_class.end());
    else
      of_class.erase(of_class.begin(), cut);
  }
  return digits;
}

DiagvibLook DiagvibSet::look(const DiagvibRow& row) const {
  return diagvib_look(row.codes, textures[row.codes[static_cast<std::size_t>(DiagvibFactor::texture)]],
                      Random(seed, stream_of("look", split), row.sample));
}

void DiagvibSet::draw(const DiagvibRow& row, std::size_t size, std::span<std::uint8_t> out) const {
  draw_diagvib(digits.of_class[row.label][row.digit].glyph, look(row),
               textures[row.codes[static_cast<std::size_t>(DiagvibFactor::texture)]], size, out);
}

std::string DiagvibSet::class_of(const DiagvibRow& row, DiagvibFactor factor) const {
  const std::uint8_t code = row.codes[static_cast<std::size_t>(factor)];
  return factor == DiagvibFactor::texture ? textures[code].shown()
                                          : std::string(diagvib_classes(factor)[code].name);
}

std::size_t DiagvibSet::digit_row(const DiagvibRow& row) const {
  return digits.of_class[row.label][row.digit].row;
}

void add_rows(DiagvibSet& set, std::span<const DiagvibEnvironment> all, std::span<const std::size_t> chosen,
              const DiagvibRows& rows) {
  std::vector<DiagvibCodes> codes;
  for (const DiagvibEnvironment& environment : all)
    codes.push_back(codes_of(environment.classes, set.textures));
  if (!(rows.shift_ratio >= 0 && rows.shift_ratio <= 1))
    refuse("shift_ratio", "a number from 0 to 1", fmt::format("{}", rows.shift_ratio));
  const std::size_t k = set.digits.classes.size();
  const std::size_t kept =
      rows.n - static_cast<std::size_t>(std::llround(rows.shift_ratio * static_cast<double>(rows.n)));
  const bool paired = rows.pairing == DiagvibPairing::paired;
  for (const std::size_t environment : chosen)
    for (std::size_t i = 0; i < rows.n; ++i) {
      const std::size_t from = i < kept ? 0 : environment;
      const std::uint64_t own = paired ? 0 : std::uint64_t{environment + 1} << 40;
      const std::uint64_t sample = own | i;
      const std::size_t digit = paired ? draw_digit(set, i % k, i / k, sample)
                                       : draw_digit(set, i % k, i / k, sample, environment, all.size());
      set.rows.push_back({i % k, digit, all[from].number, codes[from], sample});
    }
}

void add_co_occurrence(DiagvibSet& set, const PairWeights& weights, DiagvibFactor learning,
                       const std::map<DiagvibFactor, std::string>& fixed, std::size_t n,
                       std::size_t environment, std::size_t environments) {
  if (set.digits.classes.size() != 3)
    refuse("classes", "3 digits, one for each class of the learning factor", set.digits.classes.size());
  const std::vector<std::size_t> pairs = drawn_pairs(set, weights, n, environment);
  std::array<std::vector<std::uint8_t>, diagvib_factors> codes;
  for (std::size_t f = 0; f < diagvib_factors; ++f) {
    const auto factor = static_cast<DiagvibFactor>(f);
    if (const auto one = fixed.find(factor); one != fixed.end())
      codes[f].push_back(diagvib_code(factor, one->second, set.textures));
    else
      for (const std::string_view name : diagvib_triple(factor))
        codes[f].push_back(diagvib_code(factor, std::string(name), set.textures));
  }
  if (codes[static_cast<std::size_t>(learning)].size() != 3)
    refuse("factors", "factors other than the learning factor", name_of(learning));
  std::array<std::size_t, 3> turns{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    DiagvibRow row;
    row.label = pairs[i] / 3;
    row.environment = environment;
    row.sample = std::uint64_t{environment} << 40 | i;
    row.digit = draw_digit(set, row.label, turns[row.label]++, row.sample, environment, environments);
    Random random(set.seed, stream_of("factors", set.split), row.sample);
    for (std::size_t f = 0; f < diagvib_factors; ++f) {
      const std::uint64_t any = random.below(3);  // drawn for every factor, so that others do not change it
      row.codes[f] = codes[f].size() == 1                      ? codes[f][0]
                     : f == static_cast<std::size_t>(learning) ? codes[f][pairs[i] % 3]
                                                               : codes[f][any];
    }
    set.rows.push_back(row);
  }
  set.groups = {"digit", std::string(name_of(learning))};
}

EnvironmentStatistics write_diagvib(const std::filesystem::path& path, const DiagvibSet& set,
                                    std::size_t size, Progress* progress) {
  if (size < diagvib_least_size || size > diagvib_largest_size)
    refuse("size", fmt::format("{} to {} pixels", diagvib_least_size, diagvib_largest_size), size);
  const std::size_t n = set.rows.size();
  NpzWriter file(path);
  file.begin("x", ElementType::u8, {n, 3, size, size});
  EnvironmentStatistics statistics = draw_all(
      set, size, progress, [&](std::span<const std::uint8_t> block) { file.append(std::as_bytes(block)); });
  file.end();
  file.add("y", column<std::int64_t>(set, [](const DiagvibRow& row) { return row.label; }));
  std::vector<std::string> names;
  for (const std::size_t one : set.digits.classes) names.push_back(std::to_string(one));
  file.add("class_names", make_text_array(names));
  file.add("environment", column<std::int64_t>(set, [](const DiagvibRow& row) { return row.environment; }));
  if (!set.groups.empty()) {
    std::vector<std::string> groups;
    for (const DiagvibRow& row : set.rows)
      for (const std::string& name : set.groups) groups.push_back(group_of(set, row, name));
    file.add("groups", make_text_array({n, set.groups.size()}, std::move(groups)));
    file.add("group_names", make_text_array(set.groups));
  }
  file.commit();
  return statistics;
}

ChannelStatistics pooled(const EnvironmentStatistics& statistics) {
  ChannelStatistics all;
  for (const auto& [number, one] : statistics) all.n += one.n;
  for (std::size_t c = 0; c < 3; ++c) {
    double mean = 0, square = 0;
    for (const auto& [number, one] : statistics) {
      const double share = static_cast<double>(one.n) / static_cast<double>(all.n);
      mean += share * one.mean[c];
      square += share * (one.std[c] * one.std[c] + one.mean[c] * one.mean[c]);
    }
    all.mean[c] = mean;
    all.std[c] = std::sqrt(std::max(0., square - mean * mean));
  }
  return all;
}

void write_diagvib_table(const std::filesystem::path& path, const DiagvibSet& set) {
  AtomicFile file(path);
  std::string line = "digit,digit_row,environment";
  for (std::size_t f = 0; f < diagvib_factors; ++f)
    line += fmt::format(",{}", name_of(static_cast<DiagvibFactor>(f)));
  file.write(line + ",hue_degrees,lightness_1,lightness_2,row,column,scale_factor,crop_row,crop_column\n");
  for (const DiagvibRow& row : set.rows) {
    line = fmt::format("{},{},{}", set.digits.classes[row.label], set.digit_row(row), row.environment);
    for (std::size_t f = 0; f < diagvib_factors; ++f)
      line += "," + csv_field(set.class_of(row, static_cast<DiagvibFactor>(f)));
    const DiagvibLook look = set.look(row);
    line += fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{}\n", look.hue, look.lightness1,
                        look.lightness2, look.row, look.column, look.scale, look.crop_row, look.crop_column);
    file.write(line);
  }
  file.commit();
}

Bitmap sheet_of(std::span<const ShownSet> sets, std::size_t size, std::uint64_t seed) {
  constexpr std::size_t columns = 10;
  struct Shown {
    const DiagvibSet* set = nullptr;
    const DiagvibRow* row = nullptr;
  };
  std::vector<Shown> shown;
  for (const auto& [set, n] : sets)
    for (std::size_t first = 0; first < set->rows.size(); first += n) {
      const auto rows = rows_of_sheet(n, columns, seed);
      for (std::size_t i = 0; i < columns; ++i)
        shown.push_back({set, i < rows.size() ? &set->rows[first + rows[i]] : nullptr});
    }
  const std::size_t each = 3 * size * size;
  std::vector<std::uint8_t> pixels(shown.size() * each, 255);
  parallel_for(shown.size(), [&](std::size_t i) {
    if (shown[i].row != nullptr)
      shown[i].set->draw(*shown[i].row, size, std::span(pixels).subspan(i * each, each));
  });
  return contact_sheet(pixels, 3, size, size);
}

}  // namespace leeway::data
