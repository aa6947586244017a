// amplify: words that say what the label says; contradict: words that say the opposite.
//
// K = 2^W times. Placing::replace: a word at a place uniform over those not used before is overwritten by a random word of the list; where
// the text has no more than K words all are, and the label can be read from what was put in. Texts of one word stay as they
// are. Placing::insert: a random word is put before a word uniform over the text as it is by then, or after the last; texts
// without words stay as they are. A word may take its own place.
//
// Source: Carvalho et al. 2025, appendix C (whose text says that words are added) and Figure 10 (words are replaced).
#include <algorithm>
#include <utility>

#include "leeway/shift/detail/running_counts.h"
#include "leeway/shift/detail/words.h"

namespace leeway::shift {
namespace {

const std::u32string& drawn_word(const TextSetting& setting, Random& random) {
  return setting.words[random.below(setting.words.size())];
}

std::u32string joined(const Words& text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.words.size(); ++i) out.append(text.gaps[i]).append(text.words[i]);
  return out.append(text.gaps.back());
}

std::u32string replaced(Words text, const TextSetting& setting, Random& random) {
  std::vector<std::size_t> order = places_of(text);
  for (std::size_t edit = 0; edit < std::min(setting.edits, order.size()); ++edit) {
    const std::size_t place = draw_one(order, edit, random);
    text.words[place] = drawn_word(setting, random);
  }
  return joined(text);
}

using Pieces = std::vector<std::u32string_view>;

// added[i] put before place places[i] of what stands by then, one after the other. From the last one backwards each has that place
// among the ones still free, which counts find: n log n steps.
Pieces with_inserted(const Pieces& pieces, const Pieces& added, const std::vector<std::size_t>& places) {
  const std::size_t size = pieces.size() + added.size();
  RunningCounts free(std::vector<std::size_t>(size, 1));
  Pieces all(size);
  std::vector<bool> taken(size);
  for (std::size_t i = added.size(); i-- > 0;) {
    const std::size_t place = free.find(places[i]).first;
    all[place] = added[i];
    taken[place] = true;
    free.take_one(place);
  }
  for (std::size_t place = 0, next = 0; place < size; ++place)
    if (!taken[place]) all[place] = pieces[next++];
  return all;
}

std::u32string inserted(const Words& text, const TextSetting& setting, Random& random) {
  Pieces words;
  std::vector<std::size_t> places, gaps;
  for (std::size_t edit = 0; edit < setting.edits; ++edit) {
    const std::size_t n = text.words.size() + edit, place = random.below(n + 1);
    places.push_back(place);
    // The space goes behind the new word, at the end before it.
    gaps.push_back(place == n ? place : place + 1);
    words.push_back(drawn_word(setting, random));
  }
  const Pieces spaces(setting.edits, U" ");
  return joined({with_inserted(text.words, words, places), with_inserted(text.gaps, spaces, gaps)});
}

std::u32string change(std::u32string_view text, const TextSetting& setting, Random& random) {
  const bool insert = setting.placing == Placing::insert;
  Words words = words_of(text);
  if (words.words.size() < (insert ? 1u : 2u)) return std::u32string(text);
  return insert ? inserted(words, setting, random) : replaced(std::move(words), setting, random);
}

constexpr std::string_view source = "Carvalho et al., TMLR 2025, appendix C";
constexpr Parameter strength{"strength", 4, 0, 16, "W: 2^W words replaced or inserted in a text"};

}  // namespace

TextShift text_amplify() {
  return {{"amplify", "words of the label's own sign, in the place of others", source, {strength}},
          {.edits = true, .label = true},
          {},
          change};
}

TextShift text_contradict() {
  return {{"contradict", "words of the opposite sign, in the place of others", source, {strength}},
          {.edits = true, .label = true, .opposite = true},
          {},
          change};
}

}  // namespace leeway::shift
