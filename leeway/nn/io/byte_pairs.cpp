#include "leeway/nn/io/byte_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
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

constexpr std::int32_t bytes = 256, printable_bytes = 188;
constexpr std::size_t published_merges = 48'894;
constexpr std::u32string_view start_word = U"<|startoftext|>", end_word = U"<|endoftext|>";

// The id of each byte: first those that print, in Latin-1.
constexpr std::array<std::int32_t, bytes> ids_of_bytes = [] {
  std::array<std::int32_t, bytes> ids{};
  std::int32_t next = 0, next_other = printable_bytes;
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    const bool prints = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
    ids[byte] = prints ? next++ : next_other++;
  }
  return ids;
}();

// How files write a byte: as a character that prints.
std::string written(std::size_t byte) {
  const std::int32_t id = ids_of_bytes[byte];
  const std::size_t point =
      id < printable_bytes ? byte : static_cast<std::size_t>(bytes + id - printable_bytes);
  return *utf8_from_code_points(std::u32string(1, static_cast<char32_t>(point)));
}

json parsed(std::string_view text, const std::string& name) {
  constexpr int deepest = 16;
  const auto check = [&](int depth, json::parse_event_t, const json&) {
    if (depth > deepest) refuse(name, fmt::format("JSON of at most {} levels", deepest), "more");
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::exception&) {
    refuse(name, "JSON", "other text, or a number beyond float64");
  }
}

// The merges of a tokenizer.json, "A B" or ["A", "B"], as lines of merges.txt.
std::string merges_of(const json& tokenizer, const std::string& name) try {
  std::string text = "#version\n";
  for (const json& merge : tokenizer.at("model").at("merges"))
    text += (merge.is_string() ? merge.get<std::string>()
                               : merge.at(0).get<std::string>() + ' ' + merge.at(1).get<std::string>()) +
            '\n';
  return text;
} catch (const json::exception&) {
  refuse(name, "the vocab and the merges of a BPE model", "other JSON");
}

// Every id that the file gives must be that of its symbol, and no symbol may lack.
void check_ids(const json& vocab, const std::unordered_map<std::string, std::int32_t>& ids,
               const std::string& name) {
  if (!vocab.is_object()) refuse(name, "an object of ids", vocab.type_name());
  for (const auto& [symbol, id] : vocab.items()) {
    const auto known = ids.find(symbol);
    if (known == ids.end()) refuse(name, "symbols of the merges", in_quotes(symbol));
    if (id != known->second)
      refuse(name, fmt::format("id {} of {}", known->second, in_quotes(symbol)), printable(id.dump()));
  }
  if (vocab.size() != ids.size())
    refuse(name, fmt::format("ids of {} symbols, of bytes, merges, start and end", ids.size()), vocab.size());
}

// As HTML writes them; all but the last also without ";".
constexpr std::pair<std::string_view, char> entities[] = {
    {"amp", '&'}, {"AMP", '&'},  {"lt", '<'},   {"LT", '<'},   {"gt", '>'},
    {"GT", '>'},  {"quot", '"'}, {"QUOT", '"'}, {"nbsp", ' '}, {"apos;", '\''}};

// The character of "&#NUMBER;" in HTML 5: 80 to 9F are those of Windows-1252, and some numbers stand for none.
std::string character(std::uint32_t number) {
  if (number >= 0x80 && number < 0xa0)
    return to_utf8(std::string(1, static_cast<char>(number)), Encoding::windows_1252, "HTML");
  const bool control = number < 0x20 && !is_white_space(number);
  if (number == 0 || number > 0x10ffff) return "\ufffd";
  if (control || number == 0xb || number == 0x7f || (number >= 0xfdd0 && number < 0xfdf0) ||
      (number & 0xfffe) == 0xfffe)
    return "";
  return utf8_from_code_points(std::u32string(1, number)).value_or("\ufffd");
}

// Appends what the text after "&" refers to. Returns the length of the reference, 0 if there is none.
std::size_t append_reference(std::string_view text, std::string& to) {
  std::size_t length = 0;
  if (text.starts_with('#')) {
    const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    const char* const digits = text.data() + (hexadecimal ? 2 : 1);
    std::uint32_t number = 0;
    const auto read = std::from_chars(digits, text.data() + text.size(), number, hexadecimal ? 16 : 10);
    if (read.ptr == digits) return 0;
    to += character(read.ec == std::errc() ? number : 0x110000);
    length = static_cast<std::size_t>(read.ptr - text.data());
  } else {
    const auto* const entity =
        std::ranges::find_if(entities, [&](const auto& one) { return text.starts_with(one.first); });
    if (entity == std::end(entities)) return 0;
    to += entity->second;
    length = entity->first.size();
    if (entity->first.ends_with(';')) return length;
  }
  return length + (text.substr(length).starts_with(';') ? 1 : 0);
}

// As Python's html.unescape, which knows more names.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at; (at = text.find('&')) != text.npos;) {
    plain += text.substr(0, at);
    text.remove_prefix(at + 1);
    const std::size_t length = append_reference(text, plain);
    if (length == 0) plain += '&';
    text.remove_prefix(length);
  }
  return plain.append(text);
}

std::size_t length_of_run(std::u32string_view text, bool letters) {
  const auto end = std::ranges::find_if(text, [&](char32_t point) {
    return letters ? !is_letter(point) : is_white_space(point) || is_letter(point) || is_number(point);
  });
  return static_cast<std::size_t>(end - text.begin());
}

// Pieces that are not runs. OpenAI's pattern ignores case: a long s is an s, and still long in small letters.
constexpr std::u32string_view words[] = {start_word, end_word, U"'s",  U"'t", U"'re",
                                         U"'ve",     U"'m",    U"'ll", U"'d", U"'\u017f"};

// Of the first piece of a text that begins with no white space.
std::size_t length_of_piece(std::u32string_view text, bool hugging_face) {
  for (const std::u32string_view word : std::span(words).first(std::size(words) - (hugging_face ? 1 : 0)))
    if (text.starts_with(word)) return word.size();
  return is_number(text[0]) ? 1 : length_of_run(text, is_letter(text[0]));
}

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint64_t>(right);
}

}  // namespace

BytePairs::BytePairs(const std::filesystem::path& vocabulary) {
  const std::string name = display_name(vocabulary);
  const MappedFile file = unpack_gzip(map_file(vocabulary), name);
  const std::filesystem::path beside = vocabulary.parent_path() / "vocab.json";
  const bool has_ids = file.text().starts_with("#version") && is_there(beside);
  *this = BytePairs(file.text(), has_ids ? map_file(beside).text() : "", name);
}

BytePairs::BytePairs(std::string_view content, std::string_view vocab_json, const std::string& name) {
  json vocab;
  std::string merges;
  if (content.starts_with('{')) {
    const json tokenizer = parsed(content, name);
    content = merges = merges_of(tokenizer, name);
    vocab = tokenizer["model"].value("vocab", json());
  } else if (!vocab_json.empty()) {
    vocab = parsed(vocab_json, "vocab.json beside " + name);
  }
  const Ids ids = read_merges(content, name);
  if (!vocab.is_null())
    check_ids(vocab, ids, name + ": vocab");
  else if (merged_.size() != published_merges)
    refuse(name, fmt::format("{} merges", published_merges), merged_.size());
}

BytePairs::Ids BytePairs::read_merges(std::string_view text, const std::string& name) {
  Ids ids;
  for (std::size_t byte = 0; byte < bytes; ++byte) {
    ids[written(byte)] = ids_of_bytes[byte];
    ids[written(byte) + "</w>"] = ids_of_bytes[byte] + bytes;
  }
  hugging_face_ = text.starts_with("#version");
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto refuse_line = [&](std::string_view expected) {
      refuse(fmt::format("{}: line {}", name, number), expected, in_quotes(line));
    };
    if (number == 1) {
      if (!hugging_face_ && !line.starts_with("\"bpe_simple_vocab"))
        refuse_line("the head of bpe_simple_vocab_16e6.txt or of merges.txt (#version)");
      continue;
    }
    if (!hugging_face_ && merged_.size() == published_merges) break;  // more lines that CLIP does not use
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto left = ids.find(std::string(line.substr(0, blank)));
    const auto right = ids.find(std::string(line.substr(std::min(blank + 1, line.size()))));
    if (left == ids.end() || right == ids.end()) refuse_line("two symbols from lines before");
    const auto id = static_cast<std::int32_t>(ids.size());
    const std::uint64_t pair = pair_of(left->second, right->second);
    if (!ids.emplace(left->first + right->first, id).second) refuse_line("a symbol that is new");
    merged_.emplace(pair, id);
  }
  start_ = static_cast<std::int32_t>(ids.size());
  ids["<|startoftext|>"] = start_;
  ids["<|endoftext|>"] = start_ + 1;
  return ids;
}

std::u32string BytePairs::prepared(std::string_view text) const {
  if (!is_utf8(text)) refuse(in_quotes(text), "a text in UTF-8", "other bytes");
  if (!hugging_face_) {
    std::u32string points = lower_case(*code_points_from_utf8(unescaped(unescaped(text))));
    std::ranges::replace_if(
        points, [](char32_t point) { return point >= 0x1c && point < 0x20; }, U' ');
    return points;
  }
  std::u32string small;
  const std::u32string points = code_points_from_utf8(composed(text)).value();
  for (const char32_t point : points)
    small += lower_case(std::u32string_view(&point, 1));  // without context: no final sigma
  return small;
}

// The pair of lowest rank is joined wherever it stands, left to right, until no pair is in the table.
void BytePairs::append_piece(std::u32string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece == start_word || piece == end_word) {
    ids.push_back(start_ + (piece == end_word ? 1 : 0));
    return;
  }
  std::vector<std::int32_t> symbols;
  const std::string text = utf8_from_code_points(piece).value();
  for (const char byte : text) symbols.push_back(ids_of_bytes[static_cast<std::uint8_t>(byte)]);
  symbols.back() += bytes;
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();
  const auto joined = [&](std::size_t i) {
    const auto found = merged_.find(pair_of(symbols[i], symbols[i + 1]));
    return found == merged_.end() ? none : found->second;
  };
  for (;;) {
    std::int32_t best = none;
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) best = std::min(best, joined(i));
    if (best == none) break;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < symbols.size(); ++i)
      symbols[kept++] = i + 1 < symbols.size() && joined(i) == best ? (++i, best) : symbols[i];
    symbols.resize(kept);
  }
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

std::vector<std::int32_t> BytePairs::ids(std::string_view text) const {
  std::vector<std::int32_t> ids{start_};
  const std::u32string points = prepared(text);
  for (std::u32string_view left = points; !left.empty();) {
    const bool blank = is_white_space(left[0]);
    const std::size_t length = blank ? 1 : length_of_piece(left, hugging_face_);
    if (!blank) append_piece(left.substr(0, length), ids);
    left.remove_prefix(length);
  }
  ids.push_back(start_ + 1);
  if (ids.size() > most_ids)
    refuse(in_quotes(text), fmt::format("at most {} tokens with start and end", most_ids), ids.size());
  return ids;
}

}  // namespace leeway::nn
