// BREEDs (Santurkar, Tsipras and Madry, ICLR 2021): ImageNet's classes as subclasses of the nodes at one level
// of a hierarchy; source and target have different subclasses of the same classes. Draws and orders are those
// of the published program (robustness.tools.breeds_helpers), with its seed 2 unless another is given.
//
// The hierarchy's folder holds dataset_class_info.json (number, WNID and name of each class of ImageNet),
// class_hierarchy.txt (parent and child in each line) and node_names.txt (WNID, tab, name). The pictures are in
// folders named by WNID (train or val of ImageNet) or by number (ImageNetV2).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <set>

#include "leeway/core/file.h"
#include "leeway/core/result.h"
#include "leeway/data/detail/load_columns.h"
#include "leeway/data/detail/load_pictures.h"

namespace leeway::data {
namespace {

namespace fs = std::filesystem;

using Nodes = std::set<std::string>;  // WNIDs
using NodeList = std::vector<std::string>;

constexpr const char* root = "n00001740";
constexpr std::size_t most_steps_below = 20;  // of the published search for a node's descendants

struct Hierarchy {
  std::map<std::string, std::size_t> leaves;  // WNID to number of the class
  std::map<std::string, std::string> names;
  std::map<std::string, Nodes> children;  // of the leaves' ancestors

  [[nodiscard]] Nodes below(const Nodes& nodes) const {
    Nodes found;
    for (const std::string& node : nodes)
      if (const auto known = children.find(node); known != children.end())
        found.insert(known->second.begin(), known->second.end());
    return found;
  }
  // The classes of ImageNet at or below a node, not those below another class.
  [[nodiscard]] NodeList leaves_below(const std::string& node) const {
    Nodes found, todo = {node};
    if (leaves.contains(node)) found.insert(node);
    while (!(todo = below(todo)).empty())
      std::erase_if(
          todo, [&](const std::string& one) { return leaves.contains(one) && (found.insert(one), true); });
    return {found.begin(), found.end()};
  }
};

std::map<std::string, std::size_t> parse_leaves(std::string_view text, const std::string& file) try {
  std::map<std::string, std::size_t> leaves;
  for (const Json& one : parse_nested(text, file))
    leaves.emplace(one.at(1).get<std::string>(), one.at(0).get<std::size_t>());
  return leaves;
} catch (const Json::exception& error) {
  refuse(file, "a list of [number, WNID, name]", printable(error.what(), 200));
}

Hierarchy parse_hierarchy(const std::array<std::string_view, 3>& texts,
                          const std::array<std::string, 3>& files) {
  Hierarchy hierarchy{parse_leaves(texts[0], files[0]), {}, {}};
  std::map<std::string, Nodes> parents;
  for_each_line(texts[1], files[1], 2, "a parent and a child",
                [&](const auto& words, std::size_t) { parents[std::string(words[1])].emplace(words[0]); });
  for (std::string_view text = texts[2]; const auto line = next_line(text);) {
    const std::size_t tab = std::min(line->find('\t'), line->size());
    hierarchy.names.emplace(line->substr(0, tab),
                            printable(line->substr(std::min(tab + 1, line->size())), 200));
  }
  NodeList todo;
  for (const auto& [leaf, number] : hierarchy.leaves) todo.push_back(leaf);
  for (Nodes seen; !todo.empty();) {
    const std::string node = std::move(todo.back());
    todo.pop_back();
    if (!seen.insert(node).second) continue;
    for (const std::string& parent : parents[node]) {
      hierarchy.children[parent].insert(node);
      todo.push_back(parent);
    }
  }
  return hierarchy;
}

// The nodes whose longest path from the root has that many edges, among those below `ancestor`.
NodeList nodes_at(const Hierarchy& hierarchy, const BreedsSet& breeds, const std::string& file) {
  std::map<std::string, std::size_t> levels;
  std::size_t depth = 0;
  for (Nodes todo = {root}; !todo.empty(); todo = hierarchy.below(todo), ++depth) {
    if (depth > hierarchy.children.size()) refuse(file, "a hierarchy without cycles", "one");
    for (const std::string& node : todo) levels[node] = depth;
  }
  Nodes valid = {std::string(breeds.ancestor)}, layer = valid;
  for (std::size_t step = 0; step < most_steps_below && !layer.empty(); ++step) {
    layer = hierarchy.below(layer);
    valid.insert(layer.begin(), layer.end());
  }
  NodeList found;
  for (const auto& [node, level] : levels)
    if (level == breeds.level && (valid.contains(node) || breeds.ancestor.empty())) found.push_back(node);
  return found;
}

void append(NodeList& to, const NodeList& from, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, from.size()); ++i) to.push_back(from[i]);
}

// The subclasses of source and target, of groups that are ordered by size: similar ones are in one group.
std::array<NodeList, 2> divided(const std::vector<NodeList>& groups, std::size_t half, bool bad) {
  NodeList a, b, spare;
  for (const NodeList& group : groups) {
    const std::size_t left_a = half - a.size(), left_b = half - b.size();
    if (bad) {
      if (left_a == 0 && left_b == 0) continue;
      NodeList& side = left_a >= left_b && left_a > 0 ? a : b;
      const std::size_t room = half - side.size();
      append(side, group, 0, room);
      append(spare, group, room, group.size());
      continue;
    }
    const std::size_t cut = std::min(group.size() == 1 ? 1 : group.size() / 2, left_a);
    append(a, group, 0, cut);
    append(b, group, cut, cut + left_b);
  }
  append(a, spare, 0, half - a.size());
  append(b, spare, 0, half - b.size());
  return {a, b};
}

// At random: the first places of numpy.random.RandomState's permutation for the source, the next for the target.
std::array<NodeList, 2> divided_at_random(const std::vector<NodeList>& groups, std::size_t half,
                                          std::mt19937& state) {
  NodeList all;
  for (const NodeList& group : groups) append(all, group, 0, group.size());
  std::ranges::sort(all);
  for (std::size_t i = all.size(); i-- > 1;) {
    const std::size_t mask = std::bit_ceil(i + 1) - 1;
    std::size_t j = state() & mask;
    while (j > i) j = state() & mask;
    std::swap(all[i], all[j]);
  }
  std::array<NodeList, 2> halves;
  append(halves[0], all, 0, half);
  append(halves[1], all, half, 2 * half);
  return halves;
}

// The classes below each child of the node, or of the first one below it that has several children; most first.
std::vector<NodeList> groups_below(const Hierarchy& hierarchy, const std::string& node) {
  Nodes children = hierarchy.below({node});
  while (children.size() == 1) children = hierarchy.below(children);
  std::vector<NodeList> groups;
  for (const std::string& child : children) groups.push_back(hierarchy.leaves_below(child));
  std::ranges::stable_sort(groups, std::ranges::greater{}, &NodeList::size);
  return groups;
}

}  // namespace

BreedsClasses parse_breeds(const std::array<std::string_view, 3>& texts,
                           const std::array<std::string, 3>& files, const BreedsSet& breeds,
                           const BreedsPart& part) {
  const Hierarchy hierarchy = parse_hierarchy(texts, files);
  const std::size_t half = breeds.subclasses / 2;
  std::mt19937 state(part.seed);
  BreedsClasses classes;
  for (const std::string& node : nodes_at(hierarchy, breeds, files[1])) {
    if (hierarchy.leaves_below(node).size() < breeds.subclasses) continue;
    const auto groups = groups_below(hierarchy, node);
    const auto halves = part.division == "rand" ? divided_at_random(groups, half, state)
                                                : divided(groups, half, part.division == "bad");
    const std::size_t before = classes.subclasses.size();
    for (const std::uint32_t side : {0u, 1u})
      for (const std::string& leaf : halves[side])
        classes.subclasses[leaf] = {hierarchy.leaves.at(leaf), classes.names.size(), side};
    if (halves[0].size() != halves[1].size() || classes.subclasses.size() != before + 2 * halves[0].size())
      refuse(files[1],
             fmt::format("the same number of different subclasses of {} in source and target", node),
             fmt::format("{} and {}", halves[0].size(), halves[1].size()));
    const auto name = hierarchy.names.find(node);
    classes.names.push_back(name == hierarchy.names.end() ? node : name->second);
  }
  if (!classes.names.empty()) return classes;
  refuse(files[1], fmt::format("classes of {} subclasses at level {}", breeds.subclasses, breeds.level),
         "none");
}

Loaded load_breeds(const Paths& paths, const BreedsSet& breeds, const BreedsPart& part) {
  std::array<MappedFile, 3> files;
  std::array<std::string, 3> names = {"dataset_class_info.json", "class_hierarchy.txt", "node_names.txt"};
  for (std::size_t i = 0; i < files.size(); ++i) {
    files[i] = map_file(paths[0] / names[i]);
    names[i] = display_name(paths[0] / names[i]);
  }
  const BreedsClasses classes =
      parse_breeds({files[0].text(), files[1].text(), files[2].text()}, names, breeds, part);
  LoadedColumn label{"class", classes.names, {}}, split{"split", {"source", "target"}, {}},
      image{"image", {}, {}};
  TextColumn subclass("subclass");
  for (const auto& [leaf, one] : classes.subclasses) {
    const fs::path by_number = paths[1] / std::to_string(one.number);
    for (const fs::path& file : pictures_in(is_folder(by_number) ? by_number : paths[1] / leaf, "images")) {
      label.codes.push_back(static_cast<std::uint32_t>(one.label));
      subclass.add(leaf);
      split.codes.push_back(one.side);
      add_file(image, file.lexically_relative(paths[1]).generic_string());
    }
  }
  return set_in(paths[1], {std::move(label), subclass.finish(), std::move(split), std::move(image)});
}

}  // namespace leeway::data
