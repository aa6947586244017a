#include "leeway/nn/io/byte_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "leeway/core/characters.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/io/inflate.h"

namespace leeway::nn {
namespace {

using nlohmann::json;
using SymbolIds = std::unordered_map<std::string, std::int32_t>;

constexpr std::int32_t byte_ids = 256, printable_bytes = 188;
constexpr std::size_t published_merges = 48'894;
constexpr std::u32string_view start_word = U"<|startoftext|>", end_word = U"<|endoftext|>";

// The id of each byte: first those that print, in Latin-1.
constexpr std::array<std::int32_t, byte_ids> ids_of_bytes = [] {
  std::array<std::int32_t, byte_ids> ids{};
  std::int32_t printable = 0, other = printable_bytes;
  for (std::size_t i = 0; i < ids.size(); ++i)
    ids[i] = (i > 32 && i < 127) || (i > 160 && i != 173) ? printable++ : other++;
  return ids;
}();

// Files write a byte as a character that prints.
SymbolIds ids_of_alphabet() {
  SymbolIds ids;
  for (std::int32_t byte = 0; byte < byte_ids; ++byte) {
    const std::int32_t id = ids_of_bytes[static_cast<std::size_t>(byte)];
    const auto point = static_cast<char32_t>(id < printable_bytes ? byte : byte_ids + id - printable_bytes);
    const std::string symbol = utf8_from_code_points({&point, 1}).value();
    ids[symbol] = id;
    ids[symbol + "</w>"] = byte_ids + id;
  }
  return ids;
}

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

void check_ids(std::string_view vocab_json, const SymbolIds& ids, const std::string& name) {
  const json vocab = json::parse(vocab_json, nullptr, false);
  if (!vocab.is_object() || vocab.size() != ids.size())
    refuse(name, fmt::format("an object of {} ids, for bytes, merges, start and end", ids.size()),
           vocab.is_object() ? std::to_string(vocab.size()) : vocab.type_name());
  for (const auto& [symbol, id] : vocab.items()) {
    const auto known = ids.find(symbol);
    if (known == ids.end()) refuse(name, "symbols that the merges make", in_quotes(symbol));
    if (id != known->second)
      refuse(name, fmt::format("{} for {}", known->second, in_quotes(symbol)),
             id.is_number() ? id.dump() : id.type_name());
  }
}

constexpr std::pair<std::string_view, char> entities[] = {
    {"&amp", '&'}, {"&AMP", '&'},  {"&lt", '<'},   {"&LT", '<'},   {"&gt", '>'},
    {"&GT", '>'},  {"&quot", '"'}, {"&QUOT", '"'}, {"&nbsp", ' '}, {"&apos;", '\''}};

// What HTML 5 reads for a number: 80 to 9F are characters of Windows-1252, some numbers no characters.
std::string character(std::uint32_t number) {
  constexpr const char* replacement = "\xef\xbf\xbd";  // U+FFFD
  const char32_t point = number;
  if (point == 0 || point > 0x10ffff) return replacement;
  if (point >= 0x80 && point < 0xa0)
    return to_utf8(std::string(1, static_cast<char>(number)), Encoding::windows_1252, "HTML");
  const bool control = (point < 0x20 && !is_white_space(point)) || point == 0xb || point == 0x7f;
  if (control || (point >= 0xfdd0 && point < 0xfdf0) || (point & 0xfffe) == 0xfffe) return "";
  return utf8_from_code_points({&point, 1}).value_or(replacement);
}

// As Python's html.unescape, for these entities.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; (at = text.find('&')) != text.npos;) {
    plain += text.substr(0, at);
    text.remove_prefix(at);
    const bool hexadecimal = text.starts_with("&#x") || text.starts_with("&#X");
    const char* const digits = text.data() + (hexadecimal ? 3 : std::min<std::size_t>(2, text.size()));
    std::uint32_t number = 0;
    const auto read = std::from_chars(digits, text.data() + text.size(), number, hexadecimal ? 16 : 10);
    const auto* const entity =
        std::ranges::find_if(entities, [&](const auto& one) { return text.starts_with(one.first); });
    std::size_t length = 1;
    std::string found = "&";
    if (text.starts_with("&#") && read.ptr != digits) {
      found = character(read.ec == std::errc() ? number : 0x110000);
      length = static_cast<std::size_t>(read.ptr - text.data());
    } else if (entity != std::end(entities)) {
      found = entity->second;
      length = entity->first.size();
    }
    plain += found;
    if (length > 1 && text[length - 1] != ';' && text.substr(length).starts_with(';')) ++length;
    text.remove_prefix(length);
  }
  return plain.append(text);
}

// 'L': letter, 'N': number, ' ': white space, 'S': other.
char kind_of_point(char32_t point) {
  if (is_white_space(point)) return ' ';
  const char kind = category(point)[0];
  return kind == 'L' || kind == 'N' ? kind : 'S';
}

// Of the first piece, or of white space.
std::size_t length_of_piece(std::u32string_view text, bool hugging_face) {
  for (const auto word : {start_word, end_word})
    if (text.starts_with(word)) return word.size();
  for (const auto* const word : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"})
    if (text.starts_with(word)) return std::u32string_view(word).size();
  // OpenAI's pattern ignores case, and a long s is a small letter.
  if (!hugging_face && text.starts_with(U"'\u017f")) return 2;
  const char kind = kind_of_point(text[0]);
  const auto end = std::ranges::find_if(text, [&](char32_t point) { return kind_of_point(point) != kind; });
  return kind == 'N' ? 1 : static_cast<std::size_t>(end - text.begin());
}

}  // namespace

BytePairs::BytePairs(const std::filesystem::path& vocabulary) {
  const std::string name = display_name(vocabulary);
  const MappedFile file = unpack_gzip(map_file(vocabulary), name);
  const std::filesystem::path beside = vocabulary.parent_path() / "vocab.json";
  const bool has_ids = file.text().starts_with('#') && is_there(beside);
  *this = BytePairs(file.text(), has_ids ? map_file(beside).text() : "", name);
}

BytePairs::BytePairs(std::string_view merges, std::string_view vocab_json, const std::string& name)
    : hugging_face_(merges.starts_with("#version")) {
  SymbolIds ids = ids_of_alphabet();
  for (std::size_t number = 1; !merges.empty(); ++number) {
    const std::size_t end = std::min(merges.find('\n'), merges.size());
    std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto refuse_line = [&](std::string_view expected) {
      refuse(fmt::format("{}: line {}", name, number), expected, in_quotes(line));
    };
    if (number == 1 && !hugging_face_ && !line.starts_with("\"bpe_simple_vocab"))
      refuse_line("the head of bpe_simple_vocab_16e6.txt or of merges.txt (#version)");
    if (number == 1) continue;
    if (!hugging_face_ && merged_.size() == published_merges) break;  // CLIP uses no more
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto left = ids.find(std::string(line.substr(0, blank)));
    const auto right = ids.find(std::string(line.substr(std::min(blank + 1, line.size()))));
    if (left == ids.end() || right == ids.end()) refuse_line("two symbols from earlier lines");
    const auto id = static_cast<std::int32_t>(ids.size());
    merged_[pair_of(left->second, right->second)] = id;
    if (!ids.emplace(left->first + right->first, id).second) refuse_line("a new symbol");
  }
  start_ = static_cast<std::int32_t>(ids.size());
  ids["<|startoftext|>"] = start_;
  ids["<|endoftext|>"] = start_ + 1;
  if (!vocab_json.empty())
    check_ids(vocab_json, ids, "vocab.json next to " + name);
  else if (merged_.size() != published_merges)
    refuse(name, fmt::format("{} merges", published_merges), merged_.size());
}

std::u32string BytePairs::prepared(std::string_view text) const {
  if (!hugging_face_) {
    std::u32string points = lower_case(code_points_from_utf8(unescaped(unescaped(text))).value());
    // Python's white space, and the letter that matches no part of a pattern without case.
    const auto is_gap = [](char32_t point) { return (point >= 0x1c && point < 0x20) || point == 0x345; };
    std::ranges::replace_if(points, is_gap, U' ');
    return points;
  }
  std::u32string lower;
  const std::u32string points = code_points_from_utf8(composed(text)).value();
  for (const char32_t point : points) lower += lower_case({&point, 1});  // without context: no final sigma
  return lower;
}

// Joins the pair of lowest id wherever it stands, left to right, until no pair is in the table.
void BytePairs::append_piece(std::u32string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece == start_word || piece == end_word) return ids.push_back(start_ + (piece == end_word ? 1 : 0));
  std::vector<std::int32_t> symbols;
  const std::string text = utf8_from_code_points(piece).value();
  for (const char byte : text) symbols.push_back(ids_of_bytes[static_cast<std::uint8_t>(byte)]);
  symbols.back() += byte_ids;
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const auto joined = [&](std::size_t i) {
    const auto found =
        i + 1 < symbols.size() ? merged_.find(pair_of(symbols[i], symbols[i + 1])) : merged_.end();
    return found == merged_.end() ? none : found->second;
  };
  for (;;) {
    std::int32_t best = none;
    for (std::size_t i = 0; i < symbols.size(); ++i) best = std::min(best, joined(i));
    if (best == none) break;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i)
      symbols[kept++] = joined(i) == best ? (++i, best) : symbols[i];
    symbols.resize(kept);
  }
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

std::vector<std::int32_t> BytePairs::ids(std::string_view text) const {
  if (!is_utf8(text)) refuse(in_quotes(text), "a text in UTF-8", "other bytes");
  std::vector<std::int32_t> ids{start_};
  const std::u32string points = prepared(text);
  for (std::u32string_view left = points; !left.empty();) {
    const std::u32string_view piece = left.substr(0, length_of_piece(left, hugging_face_));
    if (!is_white_space(piece[0])) append_piece(piece, ids);
    left.remove_prefix(piece.size());
  }
  ids.push_back(start_ + 1);
  if (ids.size() > most_ids)
    refuse(in_quotes(text), fmt::format("at most {} tokens with start and end", most_ids), ids.size());
  return ids;
}

}  // namespace leeway::nn
