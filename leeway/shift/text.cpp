#include "leeway/shift/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "leeway/core/characters.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/utf8.h"
#include "leeway/io/csv.h"

namespace leeway::shift {
namespace {

constexpr std::string_view own_positive =
    "good great excellent amazing wonderful fantastic superb brilliant outstanding marvelous terrific "
    "splendid magnificent delightful lovely charming beautiful gorgeous stunning perfect flawless "
    "masterful masterly exquisite sublime superlative exceptional extraordinary remarkable impressive "
    "phenomenal sensational spectacular fabulous glorious dazzling radiant captivating compelling "
    "gripping riveting enthralling engaging engrossing absorbing fascinating intriguing thrilling "
    "exciting exhilarating electrifying inspiring inspired uplifting moving touching heartwarming tender "
    "sweet warm gentle kind graceful elegant refined stylish polished crisp vivid lively vibrant "
    "energetic dynamic spirited playful joyful joyous cheerful merry happy jolly funny hilarious witty "
    "humorous amusing entertaining enjoyable pleasant pleasing agreeable satisfying rewarding gratifying "
    "fulfilling refreshing fresh original inventive imaginative creative innovative ingenious clever "
    "smart intelligent insightful thoughtful wise profound deep rich nuanced subtle honest sincere "
    "authentic genuine believable convincing credible truthful faithful powerful potent strong robust "
    "solid sturdy reliable dependable trustworthy consistent coherent balanced skillful skilled talented "
    "gifted expert accomplished adept able capable competent effective efficient useful helpful valuable "
    "worthwhile priceless precious treasured beloved adorable likable lovable endearing memorable "
    "unforgettable timeless classic legendary iconic epic heroic noble brave courageous bold daring "
    "triumphant victorious successful winning admirable commendable praiseworthy laudable exemplary ideal "
    "unmatched unrivaled peerless matchless incomparable unsurpassed supreme premium superior finest best "
    "fine nice neat cool awesome astonishing astounding breathtaking jaw-dropping mesmerizing enchanting "
    "magical dreamy heavenly divine blissful serene peaceful hopeful optimistic bright brightest sunny "
    "golden luminous lush sumptuous tasteful harmonious melodious satisfied grateful thankful generous "
    "favorable recommended essential unmissable must-see top-notch first-rate world-class well-made "
    "well-written well-acted stellar";

constexpr std::string_view own_negative =
    "bad terrible awful horrible poor disappointing dreadful atrocious abysmal appalling horrid "
    "horrendous horrific hideous ghastly grim gruesome ugly nasty vile foul gross disgusting revolting "
    "repulsive repugnant repellent sickening nauseating loathsome detestable despicable deplorable "
    "contemptible shameful disgraceful embarrassing humiliating pathetic pitiful lousy lame weak feeble "
    "flimsy shoddy sloppy careless clumsy inept incompetent amateurish unskilled untalented "
    "unprofessional crude coarse vulgar tasteless tacky cheesy corny trite stale hackneyed cliched "
    "derivative unoriginal unimaginative uninspired uninspiring bland dull drab dreary boring tedious "
    "tiresome tiring monotonous repetitive plodding sluggish slow endless interminable lifeless soulless "
    "hollow empty shallow superficial vapid vacuous insipid inane silly stupid dumb idiotic moronic "
    "foolish senseless mindless brainless witless nonsensical absurd ridiculous ludicrous laughable "
    "preposterous illogical incoherent confusing confused muddled messy chaotic disjointed scattered "
    "convoluted contrived forced phony fake false dishonest insincere misleading deceptive manipulative "
    "pretentious pompous smug arrogant conceited obnoxious annoying irritating irksome grating "
    "aggravating infuriating maddening frustrating exasperating unbearable intolerable insufferable "
    "unpleasant disagreeable unlikable unlovable unappealing unattractive unconvincing unbelievable "
    "implausible improbable wooden stilted awkward cringeworthy painful agonizing excruciating torturous "
    "depressing dismal bleak gloomy miserable wretched sad sorry hopeless helpless useless worthless "
    "pointless futile needless wasteful wasted forgettable unremarkable mediocre inferior substandard "
    "second-rate third-rate subpar deficient defective flawed faulty broken ruined failed failing "
    "unsuccessful unwatchable unreadable unfunny humorless joyless charmless graceless tuneless tone-deaf "
    "heartless cold cruel harsh mean hateful hostile offensive insulting rude disrespectful ignorant "
    "bigoted toxic poisonous rotten putrid rancid lackluster lacklustre underwhelming unsatisfying "
    "unsatisfactory unacceptable inadequate inexcusable unforgivable regrettable lamentable tragic "
    "disastrous catastrophic calamitous worst worse negative dire woeful frightful trashy cheap bloated "
    "overlong overblown overrated overdone hamfisted half-baked ill-conceived laborious murky sour bitter "
    "dated";

std::vector<std::u32string> split(std::string_view words) {
  std::vector<std::u32string> list;
  std::istringstream stream{std::string(words)};
  for (std::string word; stream >> word;) list.push_back(code_points_from_utf8(word).value());
  return list;
}

std::optional<Sign> sign_of(std::string_view field) {
  const std::string_view text = trimmed(field);
  for (const std::string_view one : {"positive", "pos", "+"})
    if (text == one) return Sign::positive;
  for (const std::string_view one : {"negative", "neg", "-"})
    if (text == one) return Sign::negative;
  const auto number = parse_number(text);
  if (!number || !(*number < 0 || *number > 0)) return std::nullopt;
  return *number > 0 ? Sign::positive : Sign::negative;
}

}  // namespace

const std::shared_ptr<const WordLists>& own_word_lists() {
  static const auto lists =
      std::make_shared<const WordLists>(WordLists{split(own_positive), split(own_negative)});
  return lists;
}

std::shared_ptr<const WordLists> parse_word_lists(std::string_view text, std::string_view name) {
  CsvRecords records(text, name);
  const std::size_t word_column = records.column("word"), sign_column = records.column("sign");
  WordLists lists;
  for (std::size_t row = 0; records.next(); ++row) {
    const std::string_view field = records.fields()[word_column];
    auto word = code_points_from_utf8(trimmed(field)).value();
    if (word.empty() || std::ranges::any_of(word, is_white_space))
      refuse(name, "a word", fmt::format("{} at row {}", in_quotes(field), row));
    const auto sign = sign_of(records.fields()[sign_column]);
    if (!sign)
      refuse(name, "a sign, positive or negative",
             fmt::format("{} at row {}", in_quotes(records.fields()[sign_column]), row));
    (*sign == Sign::positive ? lists.positive : lists.negative).push_back(std::move(word));
  }
  if (lists.positive.empty() || lists.negative.empty())
    refuse(name, "positive and negative words",
           fmt::format("{} positive and {} negative ones", lists.positive.size(), lists.negative.size()));
  return std::make_shared<const WordLists>(std::move(lists));
}

std::shared_ptr<const WordLists> read_word_lists(const std::filesystem::path& path) {
  const std::string name = display_name(path);
  return parse_word_lists(csv_file(map_file(path), name).text(), name);
}

// Each is defined in text/, in a file of its name; text_lower_case and text_upper_case in letter_case.cpp.
TextShift text_levenshtein();
TextShift text_amplify();
TextShift text_contradict();
TextShift text_remove();
TextShift text_lower_case();
TextShift text_upper_case();
TextShift text_typos();
TextShift text_truncate();
TextShift text_whitespace();
TextShift text_punctuation();

std::span<const TextShift> text_shifts() {
  static const TextShift list[] = {
      text_levenshtein(), text_amplify(), text_contradict(), text_remove(),     text_lower_case(),
      text_upper_case(),  text_typos(),   text_truncate(),   text_whitespace(), text_punctuation(),
  };
  return list;
}

const TextShift& text_shift(std::string_view name) { return find_member(text_shifts(), "text shift", name); }

std::size_t TextShift::edits(double strength) const {
  return needs.edits ? static_cast<std::size_t>(std::llround(std::exp2(strength))) : 0;
}

void TextShift::check(double wanted) const {
  const Parameter& legal = strength();
  if (!(wanted >= legal.low && wanted <= legal.high))
    refuse(fmt::format("text shift {}", name),
           fmt::format("a strength ({}) from {} to {}", legal.meaning, legal.low, legal.high),
           fmt::format("{}", wanted));
}

std::string TextShift::apply(std::string_view text, std::size_t row, Sign sign,
                             const TextOptions& options) const {
  check(options.strength);
  const auto points = code_points_from_utf8(text);
  if (!points)
    refuse(fmt::format("text shift {}", name), "UTF-8 text", fmt::format("other bytes at row {}", row));
  const WordLists& lists = options.words ? *options.words : *own_word_lists();
  const Sign placed = (sign == Sign::positive) != needs.opposite ? Sign::positive : Sign::negative;
  const TextSetting setting{options.strength, edits(options.strength), options.placing, lists.of(placed)};
  Random random(options.seed, stream(name), row);
  return utf8_from_code_points(change(*points, setting, random)).value();
}

}  // namespace leeway::shift
