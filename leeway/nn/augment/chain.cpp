#include "leeway/nn/augment/chain.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/nn/detail/parameters.h"

namespace leeway::nn::augment {
namespace {

Parameters parameters_of(const Augmentation& member, std::span<const std::string_view> texts) {
  const std::string name = fmt::format("augmentation {}", member.name);
  Parameters given;
  for (const std::string_view text : texts) {
    const std::size_t equals = text.find('=');
    const auto value =
        equals == std::string_view::npos ? std::nullopt : parse_fraction(text.substr(equals + 1));
    if (!value) refuse(name, "PARAMETER=NUMBER", in_quotes(text));
    if (!given.emplace(text.substr(0, equals), *value).second)
      refuse(name, fmt::format("{} once", in_quotes(text.substr(0, equals))), "it twice");
  }
  Parameters complete = complete_parameters(name, member.parameters, given);
  if (member.check) member.check(complete);
  return complete;
}

}  // namespace

Chain::Chain(std::string_view text) {
  if (text.empty()) return;
  for (const std::string_view part : split(text, ',')) {
    const std::vector<std::string_view> words = split(part, ':');
    const Augmentation& member = augmentation(words.front());
    if (mixes())
      refuse("augmentations", fmt::format("{}, which mixes images, at the end", mixing_.member->name),
             fmt::format("{} after it", member.name));
    Link link{&member, parameters_of(member, std::span(words).subspan(1))};
    if (member.plan)
      mixing_ = std::move(link);
    else
      pixels_.push_back(std::move(link));
  }
}

std::string Chain::text() const {
  std::string text;
  const auto add = [&](const Link& link) {
    if (!text.empty()) text += ',';
    text += link.member->name;
    for (const Parameter& one : link.member->parameters)
      text += fmt::format(":{}={}", one.name, link.parameters.at(std::string(one.name)));
  };
  for (const Link& link : pixels_) add(link);
  if (mixes()) add(mixing_);
  return text;
}

void Chain::change(const Picture& picture, Random& random) const {
  for (const Link& link : pixels_) link.member->change(picture, link.parameters, random);
}

void Chain::change(std::span<float> image, std::size_t channels, std::size_t height, std::size_t width,
                   Random& random) const {
  if (pixels_.empty()) return;
  Levels levels(image.size());
  std::ranges::transform(image, levels.begin(), [](float x) {
    return static_cast<std::uint8_t>(255.999f * std::clamp(x, 0.f, 1.f));
  });
  change({levels, channels, height, width}, random);
  std::ranges::transform(levels, image.begin(), [](std::uint8_t v) { return static_cast<float>(v) / 255.f; });
}

Mix Chain::plan(std::size_t rows, std::size_t height, std::size_t width, Random& random) const {
  return mixing_.member->plan(rows, height, width, mixing_.parameters, random);
}

}  // namespace leeway::nn::augment
