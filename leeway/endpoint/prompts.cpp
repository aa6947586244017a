#include "leeway/endpoint/prompts.h"

#include <fmt/format.h>

#include <algorithm>

namespace leeway::endpoint {
namespace {

constexpr std::string_view paper = "concurrent distribution shifts, Table 10",
                           name_alone = "Please provide only the name of the label.";

PromptMember paper_prompt(std::string_view name, std::string_view summary, std::string_view text,
                          std::vector<std::string> answers = {}) {
  return {{name, summary, paper}, std::string(text), std::move(answers)};
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
    text.replace(at, what.size(), with);
}

// "a, b, or c"; "a or b"; with `last` empty: "a, b, c".
std::string joined(const std::vector<std::string>& names, std::string_view last) {
  std::string text;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (j > 0) text += j + 1 < names.size() || last.empty() || names.size() > 2 ? ", " : " ";
    if (j > 0 && j + 1 == names.size()) text += last;
    text += names[j];
  }
  return text;
}

}  // namespace

std::span<const PromptMember> prompts() {
  static const std::vector<PromptMember> list = {
      paper_prompt("general1", "any data set: classify the image",
                   "Classify the image into {labels}. Please provide only the name of the label."),
      paper_prompt("general2", "any data set: choose from a list",
                   "Choose a label that best describes the image. Here is the list of labels to choose from: "
                   "{list}. Please provide only the name of the label."),
      paper_prompt(
          "tailored-object", "dSprites, Shapes3D, SmallNorb",
          "Classify the object in the image into {labels}. Please provide only the name of the label."),
      paper_prompt(
          "tailored-celeba", "CelebA",
          "Classify the person in the image into {labels}. Please provide only the name of the label."),
      paper_prompt("tailored-deepfashion", "DeepFashion; classes in the order dress, no_dress",
                   "Is a person wearing a dress or not? Please answer in yes or no.", {"yes", "no"}),
      paper_prompt(
          "tailored-iwildcam", "iWildCam",
          "Classify the object or animal in the image. Here is the list of labels to choose from: {list}. "
          "Please provide only the name of the label."),
      paper_prompt(
          "tailored-fmow", "fMoW",
          "Classify the building or land-use in the image into {list}. Please provide only the name of "
          "the label."),
      paper_prompt(
          "camelyon17-general1", "Camelyon17; classes in the order without tumor, with tumor",
          "Please answer yes if the image contains any tumor tissue, and no otherwise. Please provide only "
          "the name of the label.",
          {"no", "yes"}),
      paper_prompt(
          "camelyon17-general2", "Camelyon17; classes in the order without tumor, with tumor",
          "Please answer yes if the image contains any tumor tissue, and no otherwise. Please respond with "
          "a single word.",
          {"no", "yes"}),
      paper_prompt(
          "tailored-camelyon17", "Camelyon17; classes in the order without tumor, with tumor",
          "Please analyze the image and determine if it contains any tumor tissue. Respond with 'Yes' if "
          "tumor tissue is present, or 'No' if it is not.",
          {"no", "yes"})};
  return list;
}

PromptMember prompt_of(const std::string& name_or_text, std::size_t classes) {
  if (name_or_text.find_first_of(" \n") != std::string::npos) return {{"", "", ""}, name_or_text};
  const PromptMember& found = find_member(prompts(), "--prompt", name_or_text);
  if (!found.answers.empty() && found.answers.size() != classes)
    refuse("--prompt " + name_or_text, fmt::format("{} classes", found.answers.size()), classes);
  return found;
}

std::string option_name(AnswerForm form, std::size_t place) {
  return form == AnswerForm::letters ? std::string(1, static_cast<char>('A' + place))
                                     : std::to_string(place + 1);
}

std::string prompt_text(const PromptMember& prompt, std::span<const std::string> classes, AnswerForm form) {
  const std::size_t k = classes.size();
  std::vector<std::string> names(k);
  for (std::size_t j = 0; j < k; ++j) {
    names[j] = form == AnswerForm::names ? classes[j] : option_name(form, j) + ". " + classes[j];
    std::ranges::replace(names[j], '_', ' ');
  }
  std::string text(prompt.text);
  if (form != AnswerForm::names) {
    replace_all(text, name_alone, "");
    while (text.ends_with(' ')) text.pop_back();
    text += fmt::format(" Answer with the {} alone.", form == AnswerForm::letters ? "letter" : "number");
  }
  replace_all(text, "{list}", joined(names, ""));
  replace_all(text, "{labels}", joined(names, "or "));
  return text;
}

}  // namespace leeway::endpoint
