// Data sets in their own binary formats.
//
// CIFAR-10 and -100 (Krizhevsky), "binary version": records of a label (CIFAR-100: coarse and fine) and 3072
// bytes, 32 x 32 red, then green, then blue. Any number of files, joined.
//
// SmallNORB (LeCun, Huang, Bottou), binary matrices, little-endian: magic number 0x1E3D4C55 (bytes) or ..54
// (int32), the rank, at least three dimensions, the data; gzipped or not. NAME-dat.mat (n,2,96,96): left
// (used) and right eye; NAME-cat.mat (n): animal, human, airplane, truck, car; NAME-info.mat (n,4): instance,
// elevation (30 + 5 i degrees), azimuth (10 i degrees, even), lighting.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "leeway/data/detail/load_columns.h"
#include "leeway/io/inflate.h"

namespace leeway::data {
namespace {

static_assert(std::endian::native == std::endian::little, "matrices are little-endian");

constexpr std::size_t cifar_side = 32, cifar_pixels = 3 * cifar_side * cifar_side;
constexpr std::uint32_t matrix_of_bytes = 0x1E3D4C55, matrix_of_ints = 0x1E3D4C54;
constexpr std::size_t most_rows = std::numeric_limits<std::uint32_t>::max();

Loaded load_cifar(const Paths& paths, bool hundred) {
  std::vector<MappedFile> files;
  std::vector<std::string> names;
  for (const auto& path : paths) {
    files.push_back(map_file(path));
    names.push_back(display_name(path));
  }
  Loaded set = parse_cifar(files, names, hundred);
  LoadedColumn& file = set.columns.back();
  for (std::size_t i = 0; i < paths.size(); ++i) file.values[i] = paths[i].filename().string();
  return set;
}

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

struct Matrix {
  std::vector<std::size_t> shape;
  std::span<const std::byte> data;
};

Matrix parse_matrix(const MappedFile& file, std::string_view name, std::uint32_t kind, std::size_t rank) {
  const std::string what = fmt::format("a binary matrix of rank {} of {}", rank,
                                       kind == matrix_of_bytes ? "bytes" : "integers of 32 bits");
  const auto bytes = file.bytes;
  const std::size_t stored = std::max<std::size_t>(rank, 3), header = 8 + 4 * stored;
  if (bytes.size() < header) refuse(name, what, fmt::format("{} bytes", bytes.size()));
  if (word_at(bytes, 0) != kind || word_at(bytes, 4) != rank)
    refuse(name, what, fmt::format("magic number {:08x}, rank {}", word_at(bytes, 0), word_at(bytes, 4)));
  Matrix matrix;
  std::size_t size = kind == matrix_of_bytes ? 1 : 4;
  for (std::size_t i = 0; i < rank; ++i) {
    matrix.shape.push_back(word_at(bytes, 8 + 4 * i));
    // Below 2^32 each: two of them cannot overflow, and the file bounds the product from then on.
    if (matrix.shape[i] != 0 && size > bytes.size() / matrix.shape[i])
      refuse(name, "a matrix of the size in its header", fmt::format("{} bytes", bytes.size()));
    size *= matrix.shape[i];
  }
  if (size != bytes.size() - header)
    refuse(name, fmt::format("{} bytes after the header", size), bytes.size() - header);
  matrix.data = bytes.subspan(header);
  return matrix;
}

// NAME-cat.mat or -info.mat beside NAME-dat.mat, compressed or not whatever the first is.
std::filesystem::path beside(const std::filesystem::path& dat, std::size_t at, const std::string& part) {
  const std::filesystem::path same =
      dat.parent_path() / std::string(dat.filename().string()).replace(at, 4, part);
  const std::filesystem::path found = plain_or_gzip(same);
  return found.empty() ? same : found;
}

}  // namespace

Loaded parse_cifar(const std::vector<MappedFile>& files, const std::vector<std::string>& names,
                   bool hundred) {
  const std::size_t labels = hundred ? 2 : 1, record = labels + cifar_pixels;
  Loaded set;
  set.shape = {3, cifar_side, cifar_side};
  NumberedColumn label("label", hundred ? numbers(100) : cifar10_classes());
  NumberedColumn coarse("coarse_label", numbers(20));
  NumberedColumn file("file", numbers(files.size()));
  std::vector<const std::byte*> records;
  for (std::size_t f = 0; f < files.size(); ++f) {
    const auto bytes = files[f].bytes;
    if (bytes.empty() || bytes.size() % record != 0)
      refuse(names[f], fmt::format("records of {} bytes", record), fmt::format("{} bytes", bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += record) {
      label.add(std::to_integer<std::int64_t>(bytes[at + labels - 1]), names[f]);
      if (hundred) coarse.add(std::to_integer<std::int64_t>(bytes[at]), names[f]);
      file.add(static_cast<std::int64_t>(f), names[f]);
      records.push_back(bytes.data() + at + labels);
    }
  }
  set.n = records.size();
  set.columns.push_back(label.finish());
  if (hundred) set.columns.push_back(coarse.finish());
  set.columns.push_back(file.finish());
  set.picture = [files, records = std::move(records)](std::size_t row, std::span<std::uint8_t> out) {
    std::memcpy(out.data(), records[row], out.size());
  };
  return set;
}

Loaded load_cifar10(const Paths& paths) { return load_cifar(paths, false); }

Loaded load_cifar100(const Paths& paths) { return load_cifar(paths, true); }

Loaded parse_smallnorb(const MappedFile& packed_pictures, const MappedFile& packed_categories,
                       const MappedFile& packed_information, const std::array<std::string, 3>& names) {
  const MappedFile pictures = unpack_gzip(packed_pictures, names[0]),
                   categories = unpack_gzip(packed_categories, names[1]),
                   information = unpack_gzip(packed_information, names[2]);
  const Matrix pixels = parse_matrix(pictures, names[0], matrix_of_bytes, 4),
               category = parse_matrix(categories, names[1], matrix_of_ints, 1),
               info = parse_matrix(information, names[2], matrix_of_ints, 2);
  Loaded set;
  set.n = pixels.shape[0];
  if (pixels.shape[1] != 2 || pixels.shape[2] == 0 || pixels.shape[3] == 0 || set.n > most_rows)
    refuse(names[0], "pairs of images (n,2,h,w)",
           fmt::format("{} of {} x {}", pixels.shape[1], pixels.shape[2], pixels.shape[3]));
  if (category.shape[0] != set.n) refuse(names[1], fmt::format("{} categories", set.n), category.shape[0]);
  if (info.shape[0] != set.n || info.shape[1] != 4)
    refuse(names[2], fmt::format("a matrix ({}, 4)", set.n),
           fmt::format("({}, {})", info.shape[0], info.shape[1]));
  set.shape = {1, pixels.shape[2], pixels.shape[3]};
  // The protocol's order; the file's is animal, human, airplane, truck, car.
  constexpr std::array<std::int64_t, 5> place = {0, 1, 4, 3, 2};
  NumberedColumn object("object", {"animal", "human", "car", "truck", "airplane"}),
      instance("instance", numbers(10)), elevation("elevation", numbers(9, 30, 5)),
      azimuth("azimuth", numbers(18, 0, 20)), lighting("lighting", numbers(6));
  for (std::size_t row = 0; row < set.n; ++row) {
    const auto number = [&](const Matrix& matrix, std::size_t at) {
      return std::int64_t{static_cast<std::int32_t>(word_at(matrix.data, 4 * at))};
    };
    const std::int64_t one = number(category, row), angle = number(info, 4 * row + 2);
    object.add(one >= 0 && one < 5 ? place[static_cast<std::size_t>(one)] : one, names[1]);
    instance.add(number(info, 4 * row), names[2]);
    elevation.add(number(info, 4 * row + 1), names[2]);
    if (angle % 2 != 0)
      refuse(names[2], "an even azimuth from 0 to 34", fmt::format("{} at row {}", angle, row));
    azimuth.add(angle / 2, names[2]);
    lighting.add(number(info, 4 * row + 3), names[2]);
  }
  for (NumberedColumn* column : {&object, &azimuth, &lighting, &elevation, &instance})
    set.columns.push_back(column->finish());
  const std::size_t area = set.shape[1] * set.shape[2];
  set.picture = [pictures, data = pixels.data, area](std::size_t row, std::span<std::uint8_t> out) {
    std::memcpy(out.data(), data.data() + row * 2 * area, area);
  };
  return set;
}

Loaded load_smallnorb(const Paths& paths) {
  const std::string name = paths[0].filename().string();
  const std::size_t dat = name.rfind("-dat");
  if (dat == std::string::npos) refuse(display_name(paths[0]), "a file NAME-dat.mat", "another name");
  const std::array files = {paths[0], beside(paths[0], dat, "-cat"), beside(paths[0], dat, "-info")};
  return parse_smallnorb(map_file(files[0]), map_file(files[1]), map_file(files[2]),
                         {display_name(files[0]), display_name(files[1]), display_name(files[2])});
}

}  // namespace leeway::data
