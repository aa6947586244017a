// Sets of DiagViB pictures: draws digits and factors, and writes the set.
//
// Digits come from labeled 28 x 28 gray pictures. The first 80% of each class of the training file are the
// training pool, the rest the validation pool; the test file is the test pool. Pictures without a pixel above
// 100, or with an empty glyph, are excluded first.
//
// Row i of a set has class i mod k of k. Random(seed, split, i) draws its digit and factor values for all
// environments, so pictures of row i differ only by their factors' classes (common random numbers). Unpaired
// rows of environment e of E draw separate numbers from the part [e floor(m/E), (e+1) floor(m/E)) of each
// pool. Tests take the digits of a pool in order, other splits draw with replacement.
//
// Errors (Error: name, expected, found): no labels, another picture size, a class without pictures, an empty
// pool or part, an unknown class of a factor. Deterministic, the same bits for any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/data/diagvib.h"
#include "leeway/data/diagvib_environments.h"
#include "leeway/io/images.h"
#include "leeway/io/png.h"

namespace leeway::data {

struct DiagvibDigit {
  std::size_t row = 0;  // of the file
  DiagvibGlyph glyph;
};

// The place of a class among diagvib_classes, or of a texture among `textures`. Error that lists the names there are.
[[nodiscard]] std::uint8_t diagvib_code(DiagvibFactor factor, const std::string& name,
                                        const std::vector<DiagvibTexture>& textures);

struct DiagvibDigits {
  std::vector<std::size_t> classes;                 // labels of the file; y counts them in this order
  std::vector<std::vector<DiagvibDigit>> of_class;  // in the order of the file
  std::size_t left_out = 0;                         // pictures without a digit
};

[[nodiscard]] DiagvibDigits diagvib_digits(const Images& pictures, std::span<const std::size_t> classes);

enum class DiagvibSplit { train, val, test };
// What a part of an experiment belongs to: val-id to val.
[[nodiscard]] DiagvibSplit split_of(std::string_view part);
// The pool of a split.
[[nodiscard]] DiagvibDigits pool_of(DiagvibDigits digits, DiagvibSplit split);

struct DiagvibRow {
  std::size_t label = 0, digit = 0;  // digit: place in of_class[label]
  std::size_t environment = 0;       // its number
  DiagvibCodes codes{};
  std::uint64_t sample = 0;  // keys its random numbers
};

struct DiagvibSet {
  DiagvibDigits digits;
  std::vector<DiagvibTexture> textures;
  DiagvibSplit split = DiagvibSplit::train;
  std::uint64_t seed = 0;
  std::vector<DiagvibRow> rows;
  std::vector<std::string>
      groups;  // factors that are written as groups: of co-occurrence digit and learning factor

  [[nodiscard]] DiagvibLook look(const DiagvibRow& row) const;
  void draw(const DiagvibRow& row, std::size_t size, std::span<std::uint8_t> out) const;
  [[nodiscard]] std::string class_of(const DiagvibRow& row, DiagvibFactor factor) const;
  [[nodiscard]] std::size_t digit_row(const DiagvibRow& row) const;  // of the digits' file
};

struct DiagvibRows {
  std::size_t n = 0;  // of each environment
  DiagvibPairing pairing = DiagvibPairing::paired;
  double shift_ratio = 1;  // the first n - round(ratio n) rows are those of `reference`
};

// Rows of the environments one after the other; `all` are those among which pools are shared out, `all[0]` is the reference of
// the shift ratio.
void add_rows(DiagvibSet& set, std::span<const DiagvibEnvironment> all, std::span<const std::size_t> chosen,
              const DiagvibRows& rows);

// n rows whose pairs of digit and learning factor have the weights, in random order. `fixed` names factors
// that have one class in all rows. Three classes of digits. Environments are unpaired samples; row i has the
// same digit class in all of them.
void add_co_occurrence(DiagvibSet& set, const PairWeights& weights, DiagvibFactor learning,
                       const std::map<DiagvibFactor, std::string>& fixed, std::size_t n,
                       std::size_t environment = 0, std::size_t environments = 1);

// Of the pixels in [0,1], by channel.
struct ChannelStatistics {
  std::size_t n = 0;  // pictures
  std::array<double, 3> mean{}, std{};
};
using EnvironmentStatistics = std::map<std::size_t, ChannelStatistics>;  // by number

// x (n,3,size,size) in u8, y, environment, class_names, and groups with group_names. Returns the pictures' statistics.
EnvironmentStatistics write_diagvib(const std::filesystem::path& path, const DiagvibSet& set,
                                    std::size_t size, Progress* progress);
// Of all environments together.
[[nodiscard]] ChannelStatistics pooled(const EnvironmentStatistics& statistics);

// A row for each picture: digit, the row of the digits' file, environment, classes and values of the factors.
void write_diagvib_table(const std::filesystem::path& path, const DiagvibSet& set);

// Ten pictures a row: for each `n` rows of each set (an environment) ten of them, the same row numbers in all.
struct ShownSet {
  const DiagvibSet* set = nullptr;
  std::size_t n = 0;
};
[[nodiscard]] Bitmap sheet_of(std::span<const ShownSet> sets, std::size_t size, std::uint64_t seed);

}  // namespace leeway::data
