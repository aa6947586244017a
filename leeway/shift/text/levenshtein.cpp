// K = 2^W times, each on what the one before left: a character at a place uniform over the text, and with equal chances a letter
// before it, the character gone, or a letter in its place; letters uniform from a to z, so that one may take its own place. Nothing
// happens to texts of at most two characters, and the edits end when two are left. The Levenshtein distance to the original is
// at most K; the length changes by 0 in the mean, with standard deviation sqrt(2 K / 3).
//
// Source: Carvalho et al. 2025, appendix C.
#include "leeway/shift/detail/running_counts.h"
#include "leeway/shift/text.h"

namespace leeway::shift {
namespace {

constexpr std::size_t characters_in_block = 256;

// A text in blocks. An edit moves the rest of its block alone: edits are uniform over the characters, so that no block grows far
// beyond its share, and K edits of n characters take n + K log n steps.
class Blocks {
 public:
  explicit Blocks(std::u32string_view text) : blocks_(split(text)), places_(sizes()), size_(text.size()) {}

  [[nodiscard]] std::size_t size() const { return size_; }

  void insert(std::size_t place, char32_t letter) {
    const auto [block, at] = places_.find(place);
    blocks_[block].insert(at, 1, letter);
    places_.add_one(block);
    ++size_;
  }
  void erase(std::size_t place) {
    const auto [block, at] = places_.find(place);
    blocks_[block].erase(at, 1);
    places_.take_one(block);
    --size_;
  }
  void replace(std::size_t place, char32_t letter) {
    const auto [block, at] = places_.find(place);
    blocks_[block][at] = letter;
  }

  [[nodiscard]] std::u32string joined() const {
    std::u32string text;
    text.reserve(size_);
    for (const std::u32string& block : blocks_) text += block;
    return text;
  }

 private:
  static std::vector<std::u32string> split(std::u32string_view text) {
    std::vector<std::u32string> blocks;
    for (std::size_t begin = 0; begin < text.size(); begin += characters_in_block)
      blocks.emplace_back(text.substr(begin, characters_in_block));
    return blocks;
  }
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> found;
    for (const std::u32string& block : blocks_) found.push_back(block.size());
    return found;
  }

  std::vector<std::u32string> blocks_;
  RunningCounts places_;
  std::size_t size_;
};

std::u32string change(std::u32string_view text, const TextSetting& setting, Random& random) {
  Blocks blocks(text);
  for (std::size_t edit = 0; edit < setting.edits && blocks.size() > 2; ++edit) {
    const std::size_t place = random.below(blocks.size());
    const auto operation = random.below(3);
    const auto letter = static_cast<char32_t>(U'a' + random.below(26));
    if (operation == 0)
      blocks.insert(place, letter);
    else if (operation == 1)
      blocks.erase(place);
    else
      blocks.replace(place, letter);
  }
  return blocks.joined();
}

}  // namespace

TextShift text_levenshtein() {
  return {{"levenshtein",
           "letters inserted, deleted and replaced at random",
           "Carvalho et al., TMLR 2025, appendix C",
           {{"strength", 4, 0, 16, "W: 2^W edits of a text"}}},
          {.edits = true},
          {},
          change};
}

}  // namespace leeway::shift
