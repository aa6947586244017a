#include "leeway/data/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "leeway/core/array.h"
#include "leeway/core/csv.h"
#include "leeway/core/npz.h"
#include "leeway/core/parallel.h"
#include "leeway/data/detail/contact_sheet.h"

namespace leeway::data {
namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 20;

// Those rows; columns keep their values.
Loaded rows_of(Loaded set, std::vector<std::size_t> rows) {
  for (LoadedColumn& column : set.columns) {
    std::vector<std::uint32_t> codes;
    for (const std::size_t row : rows) codes.push_back(column.codes[row]);
    column.codes = std::move(codes);
  }
  set.n = rows.size();
  const auto shared = std::make_shared<const std::vector<std::size_t>>(std::move(rows));
  if (set.picture)
    set.picture = [shared, all = std::move(set.picture)](std::size_t row, std::span<std::uint8_t> out) {
      all((*shared)[row], out);
    };
  if (set.stored)
    set.stored = [shared, all = std::move(set.stored)](std::size_t row) { return all((*shared)[row]); };
  return set;
}

}  // namespace

// Each is defined in a load_KIND.cpp, by the kind of its files.
LoadedFormat dsprites_format();
LoadedFormat shapes3d_format();
LoadedFormat smallnorb_format();
LoadedFormat cifar10_format();
LoadedFormat cifar100_format();
LoadedFormat cifar10_c_format();
LoadedFormat cifar100_c_format();
LoadedFormat cifar10_1_format();
LoadedFormat idx_format();
LoadedFormat celeba_format();
LoadedFormat deepfashion_format();
LoadedFormat iwildcam_format();
LoadedFormat fmow_format();
LoadedFormat camelyon17_format();
LoadedFormat imagenet_c_format();
LoadedFormat tiny_imagenet_c_format();
LoadedFormat folder_format();

std::span<const LoadedFormat> loaded_formats() {
  static const LoadedFormat list[] = {
      dsprites_format(), shapes3d_format(),   smallnorb_format(),   cifar10_format(),
      cifar100_format(), cifar10_c_format(),  cifar100_c_format(),  cifar10_1_format(),
      idx_format(),      celeba_format(),     deepfashion_format(), iwildcam_format(),
      fmow_format(),     camelyon17_format(), imagenet_c_format(),  tiny_imagenet_c_format(),
      folder_format(),
  };
  return list;
}

Loaded load_set(std::string_view name, const Paths& paths, const CorruptionPart& part) {
  const LoadedFormat& format = find_member(loaded_formats(), "format", name);
  if (paths.size() < format.fewest || paths.size() > format.most)
    refuse(name,
           format.fewest == format.most
               ? fmt::format("{} paths ({})", format.fewest, format.paths)
               : fmt::format("{} to {} paths ({})", format.fewest, format.most, format.paths),
           fmt::format("{}", paths.size()));
  if (!part.is_all() && format.load_part == nullptr)
    refuse(name, "a set of corruptions, of which one can be chosen", "another");
  if (part.severity && (*part.severity < 1 || *part.severity > 5))
    refuse(name, "a severity from 1 to 5", fmt::format("{}", *part.severity));
  Loaded set = part.is_all() ? format.load(paths) : format.load_part(paths, part);
  if (set.n == 0) refuse(display_name(paths[0]), "at least 1 row", "none");
  return set;
}

Loaded protocol_rows(Loaded set, const TableColumns& protocol, std::string_view name) {
  std::vector<char> kept(set.n, 1);
  // Numbers a column's values as the protocol does; rows of others go.
  const auto choose = [&](const std::string& column) {
    const std::vector<std::string>& order = protocol.orders.at(column);
    const auto found = std::ranges::find(set.columns, column, &LoadedColumn::name);
    if (found == set.columns.end()) return false;
    std::vector<std::uint32_t> place;
    for (const std::string& value : found->values)
      place.push_back(static_cast<std::uint32_t>(std::ranges::find(order, value) - order.begin()));
    for (std::size_t row = 0; row < set.n; ++row) {
      found->codes[row] = place[found->codes[row]];
      if (found->codes[row] == order.size()) kept[row] = 0;
    }
    found->values = order;
    return true;
  };
  if (!choose(protocol.label)) refuse(name, fmt::format("a column {}", in_quotes(protocol.label)), "none");
  for (const std::string& attribute : protocol.attributes) choose(attribute);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < set.n; ++row)
    if (kept[row] != 0) rows.push_back(row);
  if (rows.empty()) refuse(name, "a row with the protocol's values", "none");
  return rows_of(std::move(set), std::move(rows));
}

void write_loaded(const std::filesystem::path& path, const Loaded& set, std::size_t label,
                  Progress* progress) {
  const auto [channels, height, width] = set.shape;
  const std::size_t each = channels * height * width,
                    most = std::clamp<std::size_t>(block_bytes / std::max<std::size_t>(each, 1), 1, 4096);
  NpzWriter file(path);
  file.begin("x", ElementType::u8, {set.n, channels, height, width});
  std::vector<std::uint8_t> block(std::min(set.n, most) * each);
  for (std::size_t begin = 0; begin < set.n; begin += most) {
    const std::size_t count = std::min(most, set.n - begin);
    parallel_for(count,
                 [&](std::size_t i) { set.picture(begin + i, std::span(block).subspan(i * each, each)); });
    file.append(std::as_bytes(std::span(block).first(count * each)));
    if (progress == nullptr) continue;
    progress->update("load", begin + count, set.n, "");
    if (begin + count < set.n && progress->stop_requested())
      throw Interrupted("loading stopped, nothing was written");
  }
  file.end();
  const auto& codes = set.columns.at(label).codes;
  file.add("y", make_array(std::vector<std::size_t>{set.n},
                           std::vector<std::int64_t>(codes.begin(), codes.end())));
  file.commit();
}

Bitmap sheet_of(const Loaded& set, std::size_t count, std::uint64_t seed) {
  constexpr std::size_t largest = 256;
  Loaded pictures;  // without the columns
  pictures.n = set.n;
  pictures.shape = set.shape;
  pictures.picture = set.picture;
  pictures.stored = set.stored;
  if (std::max(set.shape[1], set.shape[2]) > largest) pictures = resized(std::move(pictures), largest);
  const auto [channels, height, width] = pictures.shape;
  const auto rows = sample_rows(Random(seed, stream("sheet")), set.n, count);
  const std::size_t each = channels * height * width;
  std::vector<std::uint8_t> pixels(rows.size() * each);
  parallel_for(rows.size(),
               [&](std::size_t i) { pictures.picture(rows[i], std::span(pixels).subspan(i * each, each)); });
  return contact_sheet(pixels, channels, height, width);
}

void write_table(const std::filesystem::path& path, const Loaded& set) {
  AtomicFile file(path);
  std::string line;
  std::vector<std::vector<std::string>> fields;
  for (const LoadedColumn& column : set.columns) {
    if (!line.empty()) line += ',';
    line += csv_field(column.name);
    auto& values = fields.emplace_back();
    for (const std::string& value : column.values) values.push_back(csv_field(value));
  }
  file.write(line + "\n");
  for (std::size_t row = 0; row < set.n; ++row) {
    line.clear();
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (c > 0) line += ',';
      line += fields[c][set.columns[c].codes[row]];
    }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

}  // namespace leeway::data
