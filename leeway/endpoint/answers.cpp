#include "leeway/endpoint/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "leeway/core/characters.h"
#include "leeway/core/message.h"
#include "leeway/core/probabilities.h"
#include "leeway/core/utf8.h"
#include "leeway/io/csv.h"

namespace leeway::endpoint {
namespace {

constexpr std::size_t longest_tag = 20;

// Without reasoning and without tags such as <b>.
std::string without_markup(std::string_view text) {
  constexpr std::string_view thought = "</think>";
  if (const std::size_t end = text.rfind(thought); end != std::string_view::npos)
    text.remove_prefix(end + thought.size());
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '<' ? text.find_first_of("<>", i + 1) : std::string_view::npos;
    const bool tag = end != std::string_view::npos && text[end] == '>' && end - i <= longest_tag;
    out += tag ? ' ' : text[i];
    if (tag) i = end;
  }
  return out;
}

// A letter, mark or number.
bool is_word_character(char32_t point) {
  const char kind = category(point)[0];
  return kind == 'L' || kind == 'M' || kind == 'N';
}

std::vector<std::string> words_of(std::string_view plain) {
  std::vector<std::string> words;
  for (std::size_t at = 1; at < plain.size();) {
    const std::size_t end = plain.find(' ', at);
    words.emplace_back(plain.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// Without the blanks at both ends of plain words.
std::string_view inner(std::string_view plain) {
  return plain.size() < 2 ? std::string_view() : plain.substr(1, plain.size() - 2);
}

}  // namespace

std::string plain_words(std::string_view text, bool fold) {
  const std::string bare = without_markup(text);
  std::string out = " ";
  if (!is_utf8(bare)) return out;
  const std::u32string points = code_points_from_utf8(compatible(bare, fold)).value();
  for (const char32_t point : points) {
    if (is_word_character(point))
      out += utf8_from_code_points({&point, 1}).value();
    else if (out.back() != ' ')
      out += ' ';
  }
  if (out.back() != ' ') out += ' ';
  return out;
}

Aliases read_aliases(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  CsvRecords records(file.text(), display_name(path));
  const std::size_t alias = records.column("alias"), of = records.column("class");
  Aliases aliases;
  while (records.next())
    aliases.emplace_back(std::string(records.fields()[alias]), std::string(records.fields()[of]));
  return aliases;
}

AnswerReader::AnswerReader(const std::vector<std::string>& classes, AnswerForm form, const Aliases& aliases)
    : k_(classes.size()), form_(form) {
  const std::size_t most = form == AnswerForm::letters ? 26 : std::numeric_limits<std::size_t>::max();
  if (k_ < 2 || k_ > most)
    refuse("--classes", k_ < 2 ? "at least 2 classes" : "at most 26 classes for answers as letters", k_);
  const auto add = [&](const std::string& text, std::size_t j) {
    const std::string phrase = plain_words(text);
    const auto same = std::ranges::find(phrases_, phrase, &std::pair<std::string, std::size_t>::first);
    if (phrase == " ") refuse("--classes", "names with letters or digits", in_quotes(text));
    if (same != phrases_.end() && same->second != j)
      refuse("--classes", "names and aliases that differ in letters or digits",
             fmt::format("{} for {} and {}", in_quotes(text), in_quotes(classes[same->second]),
                         in_quotes(classes[j])));
    if (form_ != AnswerForm::names && class_of_option(inner(phrase)))
      refuse("--classes", "names that differ from the options A, B, ... or 1, 2, ...; use --answer names",
             in_quotes(text));
    if (same == phrases_.end()) phrases_.emplace_back(phrase, j);
  };
  for (std::size_t j = 0; j < k_; ++j) add(classes[j], j);
  for (const auto& [alias, name] : aliases) add(alias, index_of_name(name, classes, "--aliases"));
  std::ranges::stable_sort(phrases_,
                           [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

std::optional<std::size_t> AnswerReader::class_of_option(std::string_view word) const {
  for (std::size_t place = 0; place < k_; ++place) {
    const std::string option = option_name(form_, place);
    if (word == option || word == lower_case(option)) return place;
  }
  return std::nullopt;
}

std::optional<std::size_t> AnswerReader::class_in(std::string_view text) const {
  std::string words = plain_words(text);
  const bool options = form_ != AnswerForm::names;
  if (options)
    if (const auto alone = class_of_option(inner(words))) return alone;
  std::set<std::size_t> named;
  for (const auto& [phrase, j] : phrases_) {
    if (words == phrase) return j;
    for (std::size_t at = 0; (at = words.find(phrase, at)) != std::string::npos;) {
      named.insert(j);
      std::fill_n(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, phrase.size() - 2, '\0');  // masked
    }
  }
  if (named.empty() && options)
    for (const std::string& word : words_of(plain_words(text, false)))
      if (const auto option = class_of_option(word);
          option && (form_ == AnswerForm::numbers || word != lower_case(word)))
        named.insert(*option);
  return named.size() == 1 ? std::optional(*named.begin()) : std::nullopt;
}

std::optional<AnswerReader::Scores> AnswerReader::scores_of(
    const std::vector<std::pair<std::string, double>>& tokens) const {
  std::vector<double> mass(k_, 0);
  double least = 0, found = 0;
  for (const auto& [token, logarithm] : tokens) {
    least = std::min(least, logarithm);
    const std::string words = plain_words(token);
    const auto j = class_of_option(inner(words));
    if (j) mass[*j] += std::exp(logarithm), found += std::exp(logarithm);
  }
  if (found <= 0) return std::nullopt;
  Scores scores;
  const double bound = std::clamp(1 - found, 0., std::exp(least));
  for (double& p : mass)
    if (p <= 0) p = bound, ++scores.censored;
  double sum = std::max(0., 1 - found);
  for (const double p : mass) sum += p;
  mass.push_back(std::max(0., 1 - found));
  for (const double p : mass)
    scores.logarithms.push_back(
        static_cast<float>(p > 0 ? std::max(std::log(p / sum), log_of_zero) : log_of_zero));
  return scores;
}

AnswerKind kind_of(const ChatReply& reply, bool found) {
  if (!reply.refusal.empty() || reply.finish == "content_filter") return AnswerKind::refused;
  if (!reply.readable) return AnswerKind::unreadable;
  if (reply.text.find_first_not_of(" \t\r\n") == std::string::npos) return AnswerKind::empty;
  if (found) return AnswerKind::parsed;
  return reply.finish == "length" ? AnswerKind::cut_off : AnswerKind::unparsed;
}

}  // namespace leeway::endpoint
