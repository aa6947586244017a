#include "leeway/io/shards.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/io/columns.h"
#include "leeway/io/groups.h"

namespace leeway {
namespace {

using Parts = std::vector<Outputs>;

// The run of digits at the front of `text`, cut off from it; leading zeros do not count.
std::string_view take_number(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && is_digit(text[length])) ++length;
  std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  digits.remove_prefix(std::min(digits.size(), digits.find_first_not_of('0')));
  return digits;
}

// Runs of digits compare as numbers, all else as bytes.
bool natural_less(std::string_view a, std::string_view b) {
  const std::string_view whole_a = a, whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a), y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1), b.remove_prefix(1);
  }
  return a.empty() == b.empty() ? whole_a < whole_b : a.empty();
}

std::vector<std::filesystem::path> matches(const std::string& pattern) {
  glob_t found{};
  const std::unique_ptr<glob_t, void (*)(glob_t*)> guard(&found, globfree);
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  if (status != 0 && status != GLOB_NOMATCH)
    refuse(display_name(pattern), "a pattern whose folder can be read", "an error");
  std::vector<std::string> names;
  if (status == 0) names.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  if (names.empty()) refuse(display_name(pattern), "files that match", "none");
  std::ranges::sort(names, natural_less);
  return {names.begin(), names.end()};
}

// Whether all parts have a member that not all need to have.
template <class T>
bool all_have(const Parts& parts, std::string_view what, std::optional<T> Outputs::*member) {
  const bool first = (parts.front().*member).has_value();
  for (const Outputs& part : parts)
    if ((part.*member).has_value() != first)
      refuse(part.path, fmt::format("{}{}, as in {}", first ? "" : "no ", what, parts.front().path),
             first ? "none" : "some");
  return first;
}

void require_alike(const Parts& parts) {
  const Outputs& first = parts.front();
  for (const Outputs& part : parts) {
    const auto refuse_part = [&](const std::string& expected, const std::string& found) {
      refuse(part.path, fmt::format("{}, as in {}", expected, first.path), found);
    };
    require_alike(columns_of(first), columns_of(part));
    if (part.class_names.size() != first.class_names.size()) refuse_part("the same class names", "others");
    const auto same_name = [](const GroupColumn& a, const GroupColumn& b) { return a.name == b.name; };
    if (!std::ranges::equal(part.groups, first.groups, same_name)) refuse_part("the same groups", "others");
    if (part.features && first.features && part.features->shape[1] != first.features->shape[1])
      refuse_part(fmt::format("{} features", first.features->shape[1]),
                  fmt::format("{}", part.features->shape[1]));
  }
}

template <class T>
void append(std::optional<std::vector<T>>& all, const std::optional<std::vector<T>>& part) {
  if (!all) all.emplace();
  all->insert(all->end(), part->begin(), part->end());
}

void append_times(Outputs& all, const Outputs& part, const Outputs& first) {
  if (part.times->form != first.times->form)
    refuse(part.path, fmt::format("times of the same form as in {}", first.path), "another");
  if (!all.times) all.times.emplace(Times{{}, first.times->form});
  all.times->values.insert(all.times->values.end(), part.times->values.begin(), part.times->values.end());
}

// All but the logits.
Outputs join_rest(Parts& parts) {
  std::vector<LabelCoding> codings;
  for (const Outputs& part : parts) codings.push_back(part.coding);
  for (Outputs& part : parts) {
    number_labels(part, part.n(), codings);
    align_classes(columns_of(parts.front()), part);
    align_features(parts.front(), part);
  }
  require_alike(parts);
  Outputs rest;
  rest.class_names = parts.front().class_names;
  rest.feature_names = parts.front().feature_names;
  rest.from_probs = parts.front().from_probs;
  const auto any = [&](LabelCoding coding) {
    return std::ranges::any_of(parts, [&](const Outputs& part) { return part.coding == coding; });
  };
  for (const LabelCoding coding : {LabelCoding::missing, LabelCoding::either, LabelCoding::signs,
                                   LabelCoding::from_zero, LabelCoding::from_one})
    if (any(coding)) rest.coding = coding;
  const bool labels = std::ranges::any_of(parts, [](const Outputs& part) { return part.labels.has_value(); });
  const bool norms = all_have(parts, "norms", &Outputs::norms), ids = all_have(parts, "ids", &Outputs::ids),
             timed = all_have(parts, "times", &Outputs::times),
             featured = all_have(parts, "features", &Outputs::features);
  std::vector<Array> features;
  for (Outputs& part : parts) {
    if (labels && !part.labels) {  // labels that arrive late
      part.labels.emplace(part.n(), no_label);
      part.warnings.push_back(missing_labels_text(part.path, *part.labels));
    }
    if (labels) append(rest.labels, part.labels);
    if (norms) append(rest.norms, part.norms);
    if (ids) append(rest.ids, part.ids);
    if (timed) append_times(rest, part, parts.front());
    if (featured) features.push_back(*part.features);
    rest.warnings.insert(rest.warnings.end(), part.warnings.begin(), part.warnings.end());
    rest.from_table |= part.from_table;
  }
  if (featured) rest.features = Rows(std::move(features)).joined();
  for (std::size_t g = 0; g < parts.front().groups.size(); ++g) {
    std::vector<const GroupColumn*> columns;
    for (const Outputs& part : parts) columns.push_back(&part.groups[g]);
    rest.groups.push_back(join_columns(columns));
  }
  return rest;
}

template <class T>
void keep(std::optional<std::vector<T>>& values, std::span<const std::size_t> rows) {
  if (values) values = at_rows(*values, rows);
}

}  // namespace

std::vector<std::filesystem::path> expand_paths(const std::string& text) {
  std::error_code failure;
  const bool listed = text.find(',') != std::string::npos,
             pattern = text.find_first_of("*?") != std::string::npos;
  if (!(listed || pattern) || std::filesystem::exists(text, failure)) return {text};
  if (!listed) return matches(text);
  std::vector<std::filesystem::path> paths;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(',', begin));
    const std::string one = text.substr(begin, end - begin);
    if (one.empty()) refuse(display_name(text), "files between commas", "an empty name");
    for (auto& path : expand_paths(one)) paths.push_back(std::move(path));
    begin = end + 1;
  }
  return paths;
}

OutputsShards read_shards(const std::string& text, const OutputsOptions& options) {
  Parts parts;
  std::vector<OutputsFile> files;
  for (const auto& path : expand_paths(text)) {
    parts.push_back(read_outputs(path, options));
    files.push_back({path.string(), parts.back().logits.shape, parts.back().reading});
  }
  if (parts.size() == 1) return {parts.front().logits, std::move(parts.front()), std::move(files)};
  Outputs rest = join_rest(parts);
  rest.path = display_name(text);
  std::vector<Array> logits;
  for (Outputs& part : parts) logits.push_back(std::move(part.logits));
  return {Rows(std::move(logits)), std::move(rest), std::move(files)};
}

Outputs joined(OutputsShards shards) {
  shards.rest.logits = shards.logits.joined();
  return std::move(shards.rest);
}

OutputsShards take(const OutputsShards& set, std::span<const std::size_t> rows) {
  OutputsShards some{Rows(set.logits.take(rows)), set.rest, set.files};
  Outputs& rest = some.rest;
  rest.logits = some.logits.joined();
  keep(rest.labels, rows), keep(rest.norms, rows), keep(rest.ids, rows);
  if (rest.times) rest.times->values = at_rows(rest.times->values, rows);
  if (rest.features) rest.features = Rows(*rest.features).take(rows);
  for (GroupColumn& group : rest.groups) group.codes = at_rows(group.codes, rows);
  return some;
}

}  // namespace leeway
