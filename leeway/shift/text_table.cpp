#include "leeway/shift/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "leeway/core/characters.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/utf8.h"
#include "leeway/io/csv.h"
#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

constexpr std::size_t rows_of_block = 2048, bytes_of_block = 16 << 20;
constexpr std::size_t bytes_of_edit = 16;  // a word with its space

struct Row {
  std::size_t number = 0;
  std::string_view raw;  // the cell as it stands in the file
  std::string before;
  Sign sign = Sign::positive;
  std::string after;
  std::size_t characters = 0, words = 0, distance = 0, words_distance = 0;
};

Sign sign_of_label(std::string_view label, const TextColumns& columns, std::string_view name,
                   std::size_t row) {
  const std::string_view field = trimmed(label);
  if (is_among(field, columns.positive)) return Sign::positive;
  if (is_among(field, columns.negative)) return Sign::negative;
  refuse(name,
         fmt::format("a label in column {}, positive ({}) or negative ({})", in_quotes(columns.label),
                     fmt::join(columns.positive, ", "), fmt::join(columns.negative, ", ")),
         fmt::format("{} at row {}", in_quotes(label), row));
}

// The words of two texts, equal ones by equal numbers.
std::pair<std::u32string, std::u32string> numbered(const Words& before, const Words& after) {
  std::unordered_map<std::u32string_view, char32_t> numbers;
  const auto text_of = [&](const Words& words) {
    std::u32string text;
    for (const std::u32string_view word : words.words)
      text += numbers.try_emplace(word, static_cast<char32_t>(numbers.size())).first->second;
    return text;
  };
  std::u32string first = text_of(before);
  return {std::move(first), text_of(after)};
}

void change_row(Row& row, const TextShift& member, const TextOptions& options) {
  row.after = member.apply(row.before, row.number, row.sign, options);
  const std::u32string before = code_points_from_utf8(row.before).value();
  const Words words = words_of(before);
  row.characters = before.size();
  row.words = words.words.size();
  if (row.after == row.before) return;
  const std::u32string after = code_points_from_utf8(row.after).value();
  row.distance = edit_distance(before, after);
  const auto [words_before, words_after] = numbered(words, words_of(after));
  row.words_distance = edit_distance(words_before, words_after);
}

// The changed rows with the smallest random numbers.
class Sample {
 public:
  Sample(std::size_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  void take(Row& row) {
    Random random(seed_, stream("sheet"), row.number);
    const std::pair key(random.bits(), row.number);
    if (kept_.size() == size_ && (size_ == 0 || key > kept_.rbegin()->first)) return;
    kept_[key] = {row.number, row.distance, std::move(row.before), std::move(row.after)};
    if (kept_.size() > size_) kept_.erase(std::prev(kept_.end()));
  }
  [[nodiscard]] std::vector<ChangedText> rows() && {
    std::vector<ChangedText> rows;
    for (auto& [key, row] : kept_) rows.push_back(std::move(row));
    std::ranges::sort(rows, {}, &ChangedText::row);
    return rows;
  }

 private:
  std::size_t size_;
  std::uint64_t seed_;
  std::map<std::pair<std::uint32_t, std::size_t>, ChangedText> kept_;
};

// A cell that replaces one that stood like this.
std::string cell(std::string_view text, std::string_view raw, bool only_column) {
  std::string field = csv_field(text);
  const bool quoted = field.size() != text.size();
  if (quoted || (!raw.starts_with('"') && !(only_column && text.empty()))) return field;
  return '"' + field + '"';
}

// The rows of the table, block by block.
class Blocks {
 public:
  Blocks(std::string_view csv, std::string_view name, const TextColumns& columns, const TextShift& member,
         const TextOptions& options)
      : records_(csv, name),
        name_(name),
        columns_(columns),
        growth_(member.edits(options.strength) * bytes_of_edit),
        labelled_(member.needs.label),
        text_(records_.column(columns.text)),
        label_(labelled_ ? records_.column(columns.label) : 0) {}

  [[nodiscard]] std::size_t columns() const { return records_.header().size(); }
  [[nodiscard]] std::size_t rows() const { return rows_; }  // read so far

  // The next ones, as many as go into bytes_of_block before and after together, but at least one; none at the end.
  void read(std::vector<Row>& block) {
    block.clear();
    for (std::size_t bytes = 0; block.size() < rows_of_block && bytes < bytes_of_block && records_.next();) {
      Row& row = block.emplace_back();
      row.number = rows_++;
      row.raw = records_.raw(text_);
      row.before = records_.fields()[text_];
      if (labelled_) row.sign = sign_of_label(records_.fields()[label_], columns_, name_, row.number);
      bytes += row.before.size() + growth_;
    }
  }

 private:
  CsvRecords records_;
  std::string_view name_;
  const TextColumns& columns_;
  std::size_t growth_;  // bytes by which edits make a text longer
  bool labelled_;
  std::size_t text_, label_, rows_ = 0;
};

void add_row(TableChange& sum, const Row& row) {
  sum.characters += row.characters, sum.words += row.words;
  sum.distance += row.distance, sum.words_distance += row.words_distance;
  sum.n_changed += row.after == row.before ? 0 : 1;
}

std::string utf8(std::u32string_view text) { return utf8_from_code_points(text).value(); }

std::string part(std::u32string_view text, std::size_t begin, std::size_t limit) {
  begin = std::min(begin, text.size());
  return (begin > 0 ? "..." : "") + utf8(text.substr(begin, limit)) +
         (text.size() - begin > limit ? "..." : "");
}

// Words and what is between them, none empty.
std::vector<std::u32string_view> tokens_of(std::u32string_view text) {
  const Words words = words_of(text);
  std::vector<std::u32string_view> tokens;
  for (std::size_t i = 0; i < words.gaps.size(); ++i) {
    if (!words.gaps[i].empty()) tokens.push_back(words.gaps[i]);
    if (i < words.words.size()) tokens.push_back(words.words[i]);
  }
  return tokens;
}

// Tokens next to each other share their marks.
std::string with_marks(const std::vector<std::u32string_view>& tokens, const std::vector<bool>& common,
                       char open, char close) {
  std::string out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!common[i] && (i == 0 || common[i - 1])) out += open;
    out += utf8(tokens[i]);
    if (!common[i] && (i + 1 == tokens.size() || common[i + 1])) out += close;
  }
  return out;
}

}  // namespace

bool is_among(std::string_view field, const std::vector<std::string>& values) {
  const auto number = parse_number(field);
  return std::ranges::any_of(values, [&](const std::string& value) {
    const auto other = parse_number(value);
    return number && other ? *number == *other : lower_case(field) == lower_case(trimmed(value));
  });
}

TableChange shift_table(std::string_view csv, std::string_view name, const TextShift& member,
                        const TextOptions& options, const TextColumns& columns, std::size_t sampled,
                        const std::function<void(std::string_view)>& write, Progress* progress) {
  member.check(options.strength);
  Blocks blocks(csv, name, columns, member, options);
  TableChange sum;
  sum.columns = blocks.columns();
  Sample sample(sampled, options.seed);
  const std::size_t edits = member.edits(options.strength);
  const bool overwrites = member.needs.label && options.placing == Placing::replace;
  const char* written = csv.data();  // all before it is
  std::vector<Row> block;
  for (blocks.read(block); !block.empty(); blocks.read(block)) {
    if (progress && progress->stop_requested())
      throw Interrupted(
          fmt::format("{} stopped after {} rows; nothing was written", member.name, block.front().number));
    parallel_for(block.size(), [&](std::size_t i) { change_row(block[i], member, options); });
    for (Row& row : block) {
      add_row(sum, row);
      sum.n_overwritten += overwrites && row.words > 1 && edits >= row.words ? 1 : 0;
      if (row.after == row.before) continue;
      write({written, static_cast<std::size_t>(row.raw.data() - written)});
      write(cell(row.after, row.raw, sum.columns == 1));
      written = row.raw.data() + row.raw.size();
      sample.take(row);
    }
    const auto done = static_cast<std::size_t>(block.back().raw.data() - csv.data());
    if (progress) progress->update(member.name, done, csv.size(), "bytes");
  }
  sum.n = blocks.rows();
  if (sum.n == 0) refuse(name, "rows", "a header only");
  if (progress) progress->update(member.name, csv.size(), csv.size(), "bytes");
  write({written, csv.size() - static_cast<std::size_t>(written - csv.data())});
  sum.sample = std::move(sample).rows();
  return sum;
}

TextPair excerpts(std::string_view before, std::string_view after, std::size_t limit) {
  const std::u32string a = code_points_from_utf8(before).value(), b = code_points_from_utf8(after).value();
  const auto first =
      static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t begin = std::max(a.size(), b.size()) <= limit ? 0 : first - std::min(first, limit / 4);
  return {part(a, begin, limit), part(b, begin, limit)};
}

TextPair marked(std::string_view before, std::string_view after) {
  const std::u32string a = code_points_from_utf8(before).value(), b = code_points_from_utf8(after).value();
  const auto was = tokens_of(a), is = tokens_of(b);
  // longest[i][j]: of the tokens from i and from j on.
  std::vector<std::vector<std::uint32_t>> longest(was.size() + 1, std::vector<std::uint32_t>(is.size() + 1));
  for (std::size_t i = was.size(); i-- > 0;)
    for (std::size_t j = is.size(); j-- > 0;)
      longest[i][j] =
          was[i] == is[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
  std::vector<bool> kept(was.size()), old(is.size());
  for (std::size_t i = 0, j = 0; i < was.size() && j < is.size();) {
    if (was[i] == is[j])
      kept[i++] = old[j++] = true;
    else if (longest[i + 1][j] >= longest[i][j + 1])
      ++i;
    else
      ++j;
  }
  return {with_marks(was, kept, '[', ']'), with_marks(is, old, '{', '}')};
}

}  // namespace leeway::shift
