// Prompts that ask a model for the class of an image.
//
// The family: those of the paper on concurrent distribution shifts (its Table 10). In a text, {labels}
// becomes "square, ellipse, or heart" and {list} becomes "square, ellipse, heart"; underscores in names
// become blanks. A prompt that asks for yes or no has `answers`, one for each class.
//
// For answers as letters or numbers, the text lists options ("A. square, B. ellipse, or C. heart") and asks
// for the letter or number alone.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::endpoint {

struct PromptMember : Member {
  std::string text;
  std::vector<std::string> answers = {};  // of each class; empty: the names of the classes
};
[[nodiscard]] std::span<const PromptMember> prompts();

// The member of that name, or the text itself, which has a blank. Error: a word that names no member; a
// member with answers for another number of classes.
[[nodiscard]] PromptMember prompt_of(const std::string& name_or_text, std::size_t classes);

enum class AnswerForm { names, letters, numbers };
inline constexpr AnswerForm every_answer_form[] = {AnswerForm::names, AnswerForm::letters,
                                                   AnswerForm::numbers};
[[nodiscard]] constexpr std::string_view name_of(AnswerForm form) {
  constexpr std::string_view names[] = {"names", "letters", "numbers"};
  return names[static_cast<std::size_t>(form)];
}

// "A" or "1" for the first place.
[[nodiscard]] std::string option_name(AnswerForm form, std::size_t place);

[[nodiscard]] std::string prompt_text(const PromptMember& prompt, std::span<const std::string> classes,
                                      AnswerForm form = AnswerForm::names);

}  // namespace leeway::endpoint
