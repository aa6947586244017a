#include "leeway/tasks/shift_text/shift_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t sheet_rows = 10, excerpt = 160;  // characters
constexpr std::string_view own_words = "adjectives";

shift::TextColumns columns_of(const ShiftTextOptions& asked) {
  shift::TextColumns columns;
  columns.text = asked.column;
  if (asked.label) columns.label = *asked.label;
  if (!asked.positive.empty()) columns.positive = asked.positive;
  if (!asked.negative.empty()) columns.negative = asked.negative;
  return columns;
}

// The member of that name, which the options go with.
const shift::TextShift& chosen(const std::string& name, const ShiftTextOptions& options) {
  const auto member = std::ranges::find(shift::text_shifts(), name, &shift::TextShift::name);
  if (member == std::end(shift::text_shifts()))
    throw OptionError(
        fmt::format("NAME: expected one of {}, found {}", names_of(shift::text_shifts()), in_quotes(name)));
  for (const auto& [option, given] : {std::pair("--label", options.label.has_value()),
                                      {"--mode", options.mode.has_value()},
                                      {"--words", options.words.has_value()},
                                      {"--positive", !options.positive.empty()},
                                      {"--negative", !options.negative.empty()}})
    if (given && !member->needs.label)
      throw OptionError(fmt::format("{}: {} does not use this option", option, name));
  const shift::TextColumns columns = columns_of(options);
  for (const std::string& value : columns.positive)
    if (shift::is_among(value, columns.negative))
      throw OptionError(fmt::format(
          "--positive, --negative: expected different labels, found {} in both{}", in_quotes(value),
          options.positive.empty() || options.negative.empty() ? ": specify the other list too" : ""));
  const Parameter& legal = member->strength();
  const double strength = options.strength.value_or(legal.value);
  if (!(strength >= legal.low && strength <= legal.high))
    throw OptionError(
        fmt::format("--strength: expected {} to {} for {}, found {}", legal.low, legal.high, name, strength));
  return *member;
}

shift::TextOptions text_options(const ShiftTextTask& task, const shift::TextShift& member) {
  const ShiftTextOptions& asked = task.options;
  shift::TextOptions options;
  options.strength = asked.strength.value_or(member.strength().value);
  if (asked.mode == "insert") options.placing = shift::Placing::insert;
  options.seed = task.seed;
  if (const std::string words = asked.words.value_or(std::string(own_words)); words != own_words) {
    options.words = shift::read_word_lists(words);
    if (task.was_read)
      task.was_read(words, {options.words->positive.size() + options.words->negative.size()});
  }
  return options;
}

ShiftedTexts described(const ShiftTextTask& task, const shift::TextShift& member,
                       const shift::TextOptions& options, const shift::TextColumns& columns,
                       const shift::TableChange& change) {
  ShiftedTexts set;
  set.shift = member.name;
  set.strength = options.strength;
  set.strength_means = member.strength().meaning;
  if (member.needs.edits) set.edits = member.edits(options.strength);
  set.column = columns.text;
  if (member.needs.label) {
    set.label = columns.label;
    set.mode = task.options.mode.value_or("replace");
    set.words = task.options.words.value_or(std::string(own_words));
    if (options.placing == shift::Placing::replace) set.n_overwritten = change.n_overwritten;
  }
  set.n = change.n;
  set.n_changed = change.n_changed;
  const auto mean = [&](std::size_t sum) { return static_cast<double>(sum) / static_cast<double>(change.n); };
  set.mean_characters = mean(change.characters), set.mean_words = mean(change.words);
  set.mean_distance = mean(change.distance), set.mean_words_changed = mean(change.words_distance);
  set.out = task.out;
  for (const shift::ChangedText& one : change.sample) {
    shift::TextPair texts = shift::excerpts(one.before, one.after, excerpt);
    set.sheet.push_back({one.row, one.distance, std::move(texts.before), std::move(texts.after)});
  }
  return set;
}

}  // namespace

ShiftText shift_text(const ShiftTextTask& task, Progress* progress) {
  const shift::TextShift& member = chosen(task.shift, task.options);
  const TaskClock clock;
  const shift::TextOptions options = text_options(task, member);
  const shift::TextColumns columns = columns_of(task.options);
  const MappedFile file = task.text ? MappedFile{} : csv_file(map_file(task.data), display_name(task.data));
  const std::string_view csv = task.text ? std::string_view(*task.text) : file.text();
  std::optional<AtomicFile> out;
  if (!task.out.empty()) out.emplace(task.out);
  std::string taken;
  const auto write = [&](std::string_view piece) {
    if (out) out->write(piece);
    if (task.take) taken += piece;
  };
  const shift::TableChange change = shift::shift_table(csv, display_name(task.data), member, options, columns,
                                                       task.options.sheet ? sheet_rows : 0, write, progress);
  if (out) out->commit();
  if (task.take) task.take(std::move(taken));
  if (task.was_read) task.was_read(task.data, {change.n, change.columns});
  ShiftText record;
  record.options = task.options;
  record.results.push_back(described(task, member, options, columns, change));
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
