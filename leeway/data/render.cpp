#include "leeway/data/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "leeway/core/array.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/data/detail/blocks.h"
#include "leeway/data/picture_file.h"
#include "leeway/io/csv.h"
#include "leeway/io/npy.h"

namespace leeway::data {
namespace {

constexpr std::size_t least_size = 8, largest_size = 1024;

// The column whose texts are the factor's values.
const RenderedColumn& column_of_factor(const RenderedSet& set, std::size_t factor) {
  return *std::ranges::find_if(set.columns, [&](const RenderedColumn& column) {
    return column.factor == factor && column.texts == set.factors[factor].values;
  });
}

}  // namespace

// Each is defined in a file of its name.
RenderedSet dsprites();
RenderedSet shapes3d();

std::span<const RenderedSet> rendered_sets() {
  static const RenderedSet list[] = {dsprites(), shapes3d()};
  return list;
}

const RenderedSet& rendered_set(std::string_view name) {
  return find_member(rendered_sets(), "rendered data set", name);
}

std::vector<double> evenly(double low, double high, std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = low + (high - low) * static_cast<double>(i) / static_cast<double>(count - 1);
  return values;
}

std::vector<std::string> texts_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{:.6g}", value));
  return texts;
}

std::size_t find_column(const RenderedSet& set, std::string_view column) {
  return index_of_name(column, set.columns, &RenderedColumn::name, set.name,
                       "a column, one of " + names_of(set.columns));
}

std::vector<std::string> values_of(const RenderedColumn& column) {
  std::vector<std::string> values;
  for (const std::string& text : column.texts)
    if (std::ranges::find(values, text) == values.end()) values.push_back(text);
  return values;
}

RenderedRows::RenderedRows(const RenderedSet& set,
                           const std::map<std::string, std::vector<std::string>>& only)
    : set_(&set) {
  std::vector<bool> asked(set.factors.size());
  std::vector<std::vector<bool>> kept;
  for (const Factor& factor : set.factors) kept.emplace_back(factor.values.size(), true);
  for (const auto& [name, values] : only) {
    const RenderedColumn& column = set.columns[find_column(set, name)];
    for (const std::string& value : values)
      if (std::ranges::find(column.texts, value) == column.texts.end())
        refuse(fmt::format("{}: {}", set.name, name),
               fmt::format("one of {}", fmt::join(values_of(column), ", ")), in_quotes(value));
    asked[column.factor] = true;
    for (std::size_t i = 0; i < column.texts.size(); ++i)
      if (std::ranges::find(values, column.texts[i]) == values.end()) kept[column.factor][i] = false;
  }
  for (std::size_t f = 0; f < set.factors.size(); ++f) {
    auto& codes = grid_.emplace_back();
    const std::size_t count = asked[f] ? kept[f].size() : set.factors[f].standard;
    for (std::size_t i = 0; i < count; ++i)
      if (kept[f][i]) codes.push_back(static_cast<std::uint16_t>(i));
    if (codes.empty())
      refuse(set.name, fmt::format("values of {} that satisfy all conditions", set.factors[f].name), "none");
    total_ *= codes.size();
  }
}

RenderedRows RenderedRows::from_table(const RenderedSet& set, const std::filesystem::path& table) {
  RenderedRows rows(set);
  struct Reader {
    std::size_t column = 0;
    std::unordered_map<std::string, std::uint16_t> codes;
  };
  const std::string name = display_name(table);
  const MappedFile file = csv_file(map_file(table), name);
  CsvRecords records(file.text(), name);
  std::vector<Reader> readers;
  for (std::size_t f = 0; f < set.factors.size(); ++f) {
    const RenderedColumn& column = column_of_factor(set, f);
    auto& reader = readers.emplace_back();
    reader.column = place_of_column(records.header(), column.name, name, fmt::format("of {}", set.name));
    for (std::size_t i = 0; i < column.texts.size(); ++i)
      reader.codes[column.texts[i]] = static_cast<std::uint16_t>(i);
    auto& codes = rows.grid_.emplace_back(set.factors[f].values.size());
    std::iota(codes.begin(), codes.end(), std::uint16_t{0});
    rows.total_ *= codes.size();
  }
  rows.chosen_.emplace();
  while (records.next()) {
    std::size_t number = 0;
    for (std::size_t f = 0; f < readers.size(); ++f) {
      const std::string value(trimmed(records.fields()[readers[f].column]));
      const auto code = readers[f].codes.find(value);
      if (code == readers[f].codes.end())
        refuse(name,
               printable(fmt::format("one of {} in column {}", fmt::join(set.factors[f].values, ", "),
                                     in_quotes(records.header()[readers[f].column])),
                         200),
               fmt::format("{} at row {}", in_quotes(value), rows.chosen_->size()));
      number = number * rows.grid_[f].size() + code->second;
    }
    rows.chosen_->push_back(number);
  }
  if (rows.chosen_->empty()) refuse(name, "at least 1 row", "none");
  return rows;
}

RenderedRows RenderedRows::sample(std::size_t count, std::uint64_t seed) const {
  if (count >= n()) return *this;
  return take(sample_rows(Random(seed, stream("render")), n(), count));
}

RenderedRows RenderedRows::take(std::span<const std::size_t> rows) const {
  RenderedRows taken(*set_);
  taken.grid_ = grid_;
  taken.total_ = total_;
  taken.chosen_.emplace();
  for (const std::size_t row : rows) {
    if (row >= n()) refuse("RenderedRows::take", fmt::format("rows below {}", n()), row);
    taken.chosen_->push_back(chosen_ ? (*chosen_)[row] : row);
  }
  return taken;
}

std::vector<std::uint16_t> RenderedRows::codes(std::size_t row) const {
  std::size_t number = chosen_ ? (*chosen_)[row] : row;
  std::vector<std::uint16_t> codes(grid_.size());
  for (std::size_t f = grid_.size(); f-- > 0; number /= grid_[f].size())
    codes[f] = grid_[f][number % grid_[f].size()];
  return codes;
}

void render(const RenderedRows& rows, std::size_t size,
            const std::function<void(std::span<const std::uint8_t>)>& write, Progress* progress) {
  if (size < least_size || size > largest_size)
    refuse("render: size", fmt::format("{} to {} pixels", least_size, largest_size), size);
  in_blocks(
      rows.n(), 3 * size * size, "render", "rendering stopped, nothing was written", progress,
      [&](std::size_t row, std::span<std::uint8_t> out) { rows.set().draw(rows.codes(row), size, out); },
      write);
}

void write_rendered(const std::filesystem::path& path, const RenderedRows& rows, std::size_t size,
                    std::size_t label, Progress* progress) {
  const RenderedColumn& column = rows.set().columns.at(label);
  const auto values = values_of(column);
  std::vector<std::int64_t> codes, labels;
  for (const std::string& text : column.texts)
    codes.push_back(std::ranges::find(values, text) - values.begin());
  labels.reserve(rows.n());
  for (std::size_t row = 0; row < rows.n(); ++row) labels.push_back(codes[rows.codes(row)[column.factor]]);
  NpzWriter file(path);
  file.begin("x", ElementType::u8, {rows.n(), 3, size, size});
  render(
      rows, size, [&](std::span<const std::uint8_t> block) { file.append(std::as_bytes(block)); }, progress);
  file.end();
  file.add("y", make_array({rows.n()}, std::move(labels)));
  file.add("class_names", make_text_array(values));
  file.commit();
}

void write_attributes(const std::filesystem::path& path, const RenderedRows& rows) {
  AtomicFile file(path);
  const auto& columns = rows.set().columns;
  std::string line;
  for (const RenderedColumn& column : columns) line += (line.empty() ? "" : ",") + column.name;
  file.write(line + "\n");
  for (std::size_t row = 0; row < rows.n(); ++row) {
    const auto codes = rows.codes(row);
    line.clear();
    for (const RenderedColumn& column : columns) {
      if (!line.empty()) line += ',';
      line += column.texts[codes[column.factor]];
    }
    line += '\n';
    file.write(line);
  }
  file.commit();
}

Bitmap sheet_of(const RenderedRows& rows, std::size_t size, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint8_t> pictures;
  render(
      rows.sample(count, seed), size,
      [&](std::span<const std::uint8_t> block) {
        pictures.insert(pictures.end(), block.begin(), block.end());
      },
      nullptr);
  return contact_sheet(pictures, 3, size, size);
}

}  // namespace leeway::data
