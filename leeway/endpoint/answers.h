// The class that an answer names.
//
// Texts are compared after Unicode compatibility composition and case folding; markup, punctuation and
// underscores become blanks. (1) An answer that is a class name or an alias. (2) Names and aliases as whole
// words, the longest first; what matched is masked, so that "airport hangar" does not name "airport". If
// exactly one class is named, it is the answer; if several are named, there is no answer. (3) For answers as
// letters or numbers, an option: alone, or the only option among the words where no class is named. Negations
// count only as aliases. Text before "</think>" is left out.
//
// Errors (Error): two names that read alike, a name that reads as an option, an alias of an unknown class.
// Cost: a search for each name; thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "leeway/endpoint/chat.h"
#include "leeway/endpoint/prompts.h"

namespace leeway::endpoint {

// What became of a row. All but `parsed` name no class.
enum class AnswerKind : std::uint8_t { missing, parsed, unparsed, empty, cut_off, refused, unreadable };
inline constexpr std::size_t answer_kinds = 7;
[[nodiscard]] constexpr std::string_view name_of(AnswerKind kind) {
  constexpr std::string_view names[] = {"missing", "parsed",  "unparsed",  "empty",
                                        "cut off", "refused", "unreadable"};
  return names[static_cast<std::size_t>(kind)];
}

using Aliases = std::vector<std::pair<std::string, std::string>>;  // alias, class name
// A CSV file with the columns alias and class.
[[nodiscard]] Aliases read_aliases(const std::filesystem::path& path);

class AnswerReader {
 public:
  explicit AnswerReader(const std::vector<std::string>& classes, AnswerForm form = AnswerForm::names,
                        const Aliases& aliases = {});

  // Nothing: the text names no class, or several.
  [[nodiscard]] std::optional<std::size_t> class_in(std::string_view text) const;

  // Logarithms of the probabilities of k classes, and last that of no class, from the alternatives of an
  // answer's first token: each class has the sum of the variants of its option ("A", " A", "a", "A.").
  // Options without a token have the smallest logarithm that was returned, as an upper bound, and count as
  // censored.
  struct Scores {
    std::vector<float> logarithms;
    std::size_t censored = 0;
  };
  // Nothing: no option is among them.
  [[nodiscard]] std::optional<Scores> scores_of(
      const std::vector<std::pair<std::string, double>>& tokens) const;

  [[nodiscard]] std::size_t k() const { return k_; }

 private:
  [[nodiscard]] std::optional<std::size_t> class_of_option(std::string_view word) const;

  std::size_t k_;
  AnswerForm form_;
  std::vector<std::pair<std::string, std::size_t>> phrases_;  // " airport hangar ", class; the longest first
};

// The text with blanks around its words, as it is compared: " airport hangar ". `fold`: case does not matter.
[[nodiscard]] std::string plain_words(std::string_view text, bool fold = true);

// Of a reply in which `found` is the class.
[[nodiscard]] AnswerKind kind_of(const ChatReply& reply, bool found);

}  // namespace leeway::endpoint
