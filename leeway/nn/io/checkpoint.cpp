#include "leeway/nn/io/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/io/zip.h"
#include "leeway/nn/io/pickle.h"

namespace leeway::nn {
namespace {

using pickle::Id;
using pickle::Object;

constexpr std::string_view magic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::int64_t legacy_protocol = 1001;
constexpr std::string_view wrappers[] = {"state_dict",  "model_state_dict", "model",  "net",
                                         "model_state", "network",          "weights"};
constexpr std::size_t most_listed = 100, longest_place = 200;
constexpr std::size_t max_depth = 32, max_entries = std::size_t{1} << 18, max_name = 1000;
constexpr std::size_t copies_floor = std::size_t{64} << 20, copies_factor = 16;

// The bytes of a storage, by its key.
using Blocks = std::function<MappedFile(const std::string& key)>;

// What a key of a dictionary adds to a tensor's name.
std::optional<std::string> key_text(const Object& key) {
  if (const auto* text = std::get_if<std::string>(&key)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&key)) return std::to_string(*number);
  return std::nullopt;
}

class Collector {
 public:
  Collector(const pickle::Pickle& pickle, Blocks blocks, std::size_t file_size, std::string_view name,
            bool modules = false)
      : pickle_(pickle),
        blocks_(std::move(blocks)),
        budget_{copies_floor + copies_factor * file_size},
        name_(name),
        modules_(modules) {}

  [[nodiscard]] NamedTensors collect() {
    const auto weights = weights_inside(pickle_.root, 0);
    if (!modules_ && !weights && !holds_tensors(pickle_.root)) refuse_whole_module();
    const Id start = weights.value_or(pickle_.root);
    visit(start, "", 0);
    if (tensors_.empty()) {
      refuse_whole_module();
      refuse(name_, "tensors", fmt::format("none in {}", kind_of(pickle_.objects[start])));
    }
    return {{std::move(tensors_), {}}, note_of(start)};
  }

 private:
  [[nodiscard]] const Object& object(Id id) const { return pickle_.objects[id]; }

  // A dictionary of which a value is one.
  [[nodiscard]] bool holds_tensors(Id id) {
    const auto* const dict = std::get_if<pickle::Dict>(&object(id));
    if (dict == nullptr) return false;
    const auto [known, is_new] = holds_tensors_.emplace(id, false);
    if (is_new)
      known->second = std::ranges::any_of(dict->items, [&](const auto& item) {
        return std::holds_alternative<pickle::Tensor>(object(item.second));
      });
    return known->second;
  }

  // The dictionary inside `id` that a wrapper's name leads to and that holds tensors; else the only one there.
  [[nodiscard]] std::optional<Id> weights_inside(Id id, std::size_t depth) {
    if (depth > std::size(wrappers)) return std::nullopt;
    const auto [known, is_new] = inside_.emplace(id, std::nullopt);  // which ends cycles
    if (is_new) known->second = search(id, depth);
    return known->second;
  }

  [[nodiscard]] std::optional<Id> search(Id id, std::size_t depth) {
    if (const auto* list = std::get_if<pickle::List>(&object(id))) return only_weights(list->items, depth);
    if (const auto* tuple = std::get_if<pickle::Tuple>(&object(id))) return only_weights(tuple->items, depth);
    const auto* const dict = std::get_if<pickle::Dict>(&object(id));
    if (dict == nullptr) return std::nullopt;
    for (const std::string_view wrapper : wrappers) {
      const auto entry = std::find_if(dict->items.rbegin(), dict->items.rend(), [&](const auto& item) {
        const auto* const key = std::get_if<std::string>(&object(item.first));
        return key != nullptr && *key == wrapper;
      });
      if (entry == dict->items.rend()) continue;
      if (const auto deeper = weights_inside(entry->second, depth + 1)) return deeper;
      if (holds_tensors(entry->second)) return entry->second;
    }
    if (holds_tensors(id)) return std::nullopt;
    std::vector<Id> inner;
    for (const auto& [key, value] : dict->items)
      if (holds_tensors(value)) inner.push_back(value);
    return inner.size() == 1 ? std::optional(inner[0]) : std::nullopt;
  }

  // Of a list: what of it leads to weights.
  [[nodiscard]] std::optional<Id> only_weights(const std::vector<Id>& items, std::size_t depth) {
    std::vector<Id> found;
    for (const Id item : items) {
      const bool is_dict = std::holds_alternative<pickle::Dict>(object(item));
      auto inner = is_dict ? weights_inside(item, depth + 1) : std::nullopt;
      if (!inner && holds_tensors(item)) inner = item;
      if (inner && std::ranges::find(found, *inner) == found.end()) found.push_back(*inner);
      if (found.size() > most_listed) break;
    }
    if (found.size() > 1)
      refuse(name_, "a single dictionary of tensors",
             fmt::format("a list of {}{} of them", found.size() > most_listed ? "more than " : "",
                         std::min(found.size(), most_listed)));
    return found.empty() ? std::nullopt : std::optional(found[0]);
  }

  // "f: the weights are those of state_dict; ema holds tensors, too": of the dictionaries that lead to the weights.
  [[nodiscard]] std::string note_of(Id weights) {
    constexpr std::size_t most_named = 8;
    std::string path;
    std::vector<std::string> others;
    Id at = pickle_.root;
    for (std::size_t depth = 0; at != weights && depth <= std::size(wrappers); ++depth) {
      const auto* const dict = std::get_if<pickle::Dict>(&object(at));
      if (dict == nullptr) break;
      std::string used;
      Id next = at;
      for (const auto& [key, value] : dict->items) {
        const auto* const name = std::get_if<std::string>(&object(key));
        const Id inner = weights_inside(value, 1).value_or(value);
        if (name == nullptr) continue;
        if (inner == weights)
          used = *name, next = value;
        else if (holds_tensors(inner) && others.size() < most_named)
          others.push_back(path + *name);
      }
      if (used.empty()) break;
      path += used + ".";
      at = next;
    }
    if (others.empty()) return {};
    path.pop_back();
    return fmt::format("{}: the weights are taken from {}; {} also hold{} tensors", name_,
                       printable(path, 100), comma_list(others, 200), others.size() == 1 ? "s" : "");
  }

  [[nodiscard]] std::vector<Id> parts_of(Id id) const {
    std::vector<Id> parts;
    if (const auto* list = std::get_if<pickle::List>(&object(id))) parts = list->items;
    if (const auto* tuple = std::get_if<pickle::Tuple>(&object(id))) parts = tuple->items;
    if (const auto* inert = std::get_if<pickle::Inert>(&object(id))) parts = inert->parts;
    if (const auto* dict = std::get_if<pickle::Dict>(&object(id)))
      for (const auto& [key, value] : dict->items) parts.push_back(value);
    return parts;
  }

  // Where a tensor stands in an object of a class that is not known: what of the file leads to that object is
  // told with it.
  void refuse_whole_module() const {
    struct Open {
      Id id;
      const pickle::Inert* module;
      std::string place;  // "['model']"
    };
    std::vector<bool> seen(pickle_.objects.size(), false);
    std::vector<Open> open{{pickle_.root, nullptr, ""}};
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      if (seen[at.id]) continue;
      seen[at.id] = true;
      const auto* const inert = std::get_if<pickle::Inert>(&object(at.id));
      const auto* const module = at.module == nullptr ? inert : at.module;
      if (module != nullptr && std::holds_alternative<pickle::Tensor>(object(at.id))) {
        const std::filesystem::path path(name_);
        refuse(name_, "tensors by name",
               fmt::format(
                   "a whole module ({}), which only its own program can load; run these two lines there: "
                   "model = torch.load({}, weights_only=False){}; torch.save(model.state_dict(), {})",
                   printable(module->name, 200), in_quotes(path.filename().string()), at.place,
                   in_quotes(path.stem().string() + "-weights.pt")));
      }
      const auto* const dict = std::get_if<pickle::Dict>(&object(at.id));
      if (at.module == nullptr && dict != nullptr) {
        for (const auto& [key, value] : dict->items) {
          const auto text = key_text(object(key));
          const bool named = text && at.place.size() < longest_place;
          open.push_back({value, nullptr, named ? at.place + "[" + in_quotes(*text) + "]" : at.place});
        }
        continue;
      }
      for (const Id part : parts_of(at.id)) open.push_back({part, module, at.place});
    }
  }

  void count(std::size_t entries) {
    entries_ += entries;
    if (entries_ > max_entries) refuse(name_, fmt::format("at most {} entries", max_entries), "more");
  }

  void visit(Id id, const std::string& name, std::size_t depth) {
    if (depth > max_depth)
      refuse(name_, fmt::format("at most {} levels", max_depth), "more at " + in_quotes(name));
    if (name.size() > max_name)
      refuse(name_, fmt::format("names of at most {} bytes", max_name), in_quotes(name));
    if (const auto* dict = std::get_if<pickle::Dict>(&object(id))) visit_dict(*dict, name, depth);
    if (const auto* list = std::get_if<pickle::List>(&object(id))) visit_items(list->items, name, depth);
    if (const auto* tuple = std::get_if<pickle::Tuple>(&object(id))) visit_items(tuple->items, name, depth);
    if (const auto* module = std::get_if<pickle::Inert>(&object(id)); module != nullptr && modules_)
      for (const Id part : module->parts)  // its attributes
        if (std::holds_alternative<pickle::Dict>(object(part))) visit(part, name, depth + 1);
    if (const auto* tensor = std::get_if<pickle::Tensor>(&object(id)))
      add(id, *tensor, name.empty() ? "tensor" : name);
  }

  void visit_dict(const pickle::Dict& dict, const std::string& name, std::size_t depth) {
    count(dict.items.size());
    std::map<std::string, Id> entries;
    for (const auto& [key, value] : dict.items) {
      const auto text = key_text(object(key));
      if (!text)
        refuse(name_, "strings and integers as keys",
               fmt::format("{} in {}", kind_of(object(key)), in_quotes(name)));
      if (text->size() > max_name)
        refuse(name_, fmt::format("names of at most {} bytes", max_name), in_quotes(*text));
      entries[*text] = value;
    }
    for (const auto& [key, value] : entries) visit(value, name.empty() ? key : name + "." + key, depth + 1);
  }

  void visit_items(const std::vector<Id>& items, const std::string& name, std::size_t depth) {
    count(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      visit(items[i], fmt::format("{}{}{}", name, name.empty() ? "" : ".", i), depth + 1);
  }

  void add(Id id, const pickle::Tensor& tensor, const std::string& name) {
    auto made = made_.find(id);
    if (made == made_.end()) {
      const std::string where = fmt::format("{}: {}", name_, printable(name));
      const auto& storage = std::get<pickle::Storage>(object(tensor.storage));
      made =
          made_
              .emplace(id, make_strided(tensor.view, *storage.type, block_of(storage, where), budget_, where))
              .first;
    }
    if (!tensors_.emplace(name, made->second).second)
      refuse(name_, "tensors with different names", in_quotes(name) + " twice");
  }

  [[nodiscard]] MappedFile block_of(const pickle::Storage& storage, const std::string& where) {
    auto found = mapped_.find(storage.key);
    if (found == mapped_.end()) found = mapped_.emplace(storage.key, blocks_(storage.key)).first;
    const MappedFile& block = found->second;
    if (storage.count < 0 ||
        static_cast<std::uint64_t>(storage.count) > block.bytes.size() / storage.type->size)
      refuse(where, fmt::format("{} elements of {}", storage.count, storage.type->name),
             fmt::format("{} bytes", block.bytes.size()));
    return {block.storage, block.bytes.first(static_cast<std::size_t>(storage.count) * storage.type->size)};
  }

  const pickle::Pickle& pickle_;
  Blocks blocks_;
  CopyBudget budget_;
  std::string_view name_;
  bool modules_;              // whether the tensors of inert objects are read, too
  std::map<Id, Array> made_;  // several names may share a tensor
  // What was found of an object: files may refer to one from a million places.
  std::map<Id, bool> holds_tensors_;
  std::map<Id, std::optional<Id>> inside_;
  std::map<std::string, MappedFile> mapped_;
  ArrayMap tensors_;
  std::size_t entries_ = 0;
};

const ZipMember* find_member(const std::vector<ZipMember>& members, const std::string& name) {
  const auto found = std::ranges::find(members, name, &ZipMember::name);
  return found == members.end() ? nullptr : &*found;
}

// What stands before "data.pkl" in the names of the archive.
std::string prefix_of(const std::vector<ZipMember>& members, std::string_view name) {
  constexpr std::string_view object = "data.pkl";
  for (const ZipMember& member : members) {
    if (!member.name.ends_with(object)) continue;
    std::string prefix = member.name.substr(0, member.name.size() - object.size());
    if (!prefix.empty() && prefix.find('/') != prefix.size() - 1) continue;
    return prefix;
  }
  refuse(name, "a PyTorch checkpoint", "a zip archive without data.pkl");
}

NamedTensors parse_zip(const MappedFile& file, std::string_view name) {
  const std::vector<ZipMember> members = list_zip(file.bytes, name);
  const std::string prefix = prefix_of(members, name);
  const bool modules = find_member(members, prefix + "constants.pkl") != nullptr;
  if (modules && !is_clip_archive(file)) refuse(name, "a PyTorch checkpoint", "a TorchScript archive");
  const auto read = [&](const std::string& member) {
    const ZipMember* const found = find_member(members, prefix + member);
    if (found == nullptr) refuse(name, "a member " + printable(prefix + member), "none");
    return unpack(*found, file, fmt::format("{}: {}", name, printable(member)));
  };
  if (find_member(members, prefix + "byteorder") != nullptr &&
      read("byteorder").text().substr(0, 6) != "little")
    refuse(name, "little-endian tensors", in_quotes(read("byteorder").text()));
  const MappedFile object = read("data.pkl");
  const pickle::Pickle pickle = pickle::unpickle(object.bytes, name);
  return Collector(
             pickle, [&](const std::string& key) { return read("data/" + key); }, file.bytes.size(), name,
             modules)
      .collect();
}

// The older form: pickles and blocks one after another.
class LegacyFile {
 public:
  LegacyFile(const MappedFile& file, std::string_view name) : file_(file), name_(name) {}

  [[nodiscard]] NamedTensors parse() {
    check_start();
    const pickle::Pickle pickle = next();
    const pickle::Pickle keys = next();
    map_blocks(pickle, keys);
    const auto block = [this](const std::string& key) {
      const auto found = blocks_.find(key);
      if (found == blocks_.end()) refuse(name_, "a storage " + in_quotes(key), "none");
      return MappedFile{file_.storage, found->second};
    };
    return Collector(pickle, block, file_.bytes.size(), name_).collect();
  }

 private:
  [[nodiscard]] pickle::Pickle next() {
    pickle::Pickle pickle = pickle::unpickle(file_.bytes.subspan(at_), name_);
    at_ += pickle.end;
    return pickle;
  }

  void check_start() {
    const pickle::Pickle first = next();
    const auto* const number = std::get_if<pickle::Long>(&first.objects[first.root]);
    if (number == nullptr || number->bytes != magic)
      refuse(name_, "PyTorch's magic number", "another pickle");
    const pickle::Pickle second = next();
    const auto* const protocol = std::get_if<std::int64_t>(&second.objects[second.root]);
    if (protocol == nullptr || *protocol != legacy_protocol)
      refuse(name_, fmt::format("protocol {}", legacy_protocol),
             protocol == nullptr ? std::string(kind_of(second.objects[second.root]))
                                 : std::to_string(*protocol));
    const pickle::Pickle system = next();
    const auto* const facts = std::get_if<pickle::Dict>(&system.objects[system.root]);
    if (facts == nullptr) refuse(name_, "a dictionary of system data", kind_of(system.objects[system.root]));
    for (const auto& [key, value] : facts->items) {
      const auto* const text = std::get_if<std::string>(&system.objects[key]);
      const auto* const flag = std::get_if<bool>(&system.objects[value]);
      if (text != nullptr && *text == "little_endian" && (flag == nullptr || !*flag))
        refuse(name_, "little-endian tensors", "big-endian ones");
    }
  }

  // For each key the number of elements (int64) and their bytes; the object tells the type.
  void map_blocks(const pickle::Pickle& pickle, const pickle::Pickle& keys) {
    std::map<std::string, const pickle::Storage*> storages;
    for (const Object& object : pickle.objects)
      if (const auto* storage = std::get_if<pickle::Storage>(&object))
        storages.emplace(storage->key, storage);
    const auto* const list = std::get_if<pickle::List>(&keys.objects[keys.root]);
    if (list == nullptr) refuse(name_, "a list of storage keys", kind_of(keys.objects[keys.root]));
    for (const Id id : list->items) {
      const auto* const key = std::get_if<std::string>(&keys.objects[id]);
      if (key == nullptr) refuse(name_, "strings as storage keys", kind_of(keys.objects[id]));
      const auto storage = storages.find(*key);
      if (storage == storages.end()) refuse(name_, "keys of the storages in use", in_quotes(*key));
      std::int64_t count = 0;
      std::memcpy(&count, take(sizeof count, *key).data(), sizeof count);
      const std::size_t size = storage->second->type->size;
      if (count < 0 || static_cast<std::uint64_t>(count) > file_.bytes.size() / size)
        refuse(name_, fmt::format("a storage {} that fits into the file", printable(*key)),
               fmt::format("{} elements of {}", count, storage->second->type->name));
      if (!blocks_.emplace(*key, take(static_cast<std::size_t>(count) * size, *key)).second)
        refuse(name_, "storages with different keys", in_quotes(*key) + " twice");
    }
  }

  [[nodiscard]] std::span<const std::byte> take(std::size_t size, const std::string& key) {
    const std::size_t left = file_.bytes.size() - at_;
    if (size > left)
      refuse(name_, fmt::format("{} bytes of storage {}", size, printable(key)), fmt::format("{}", left));
    at_ += size;
    return file_.bytes.subspan(at_ - size, size);
  }

  const MappedFile& file_;
  std::string_view name_;
  std::size_t at_ = 0;
  std::map<std::string, std::span<const std::byte>> blocks_;
};

}  // namespace

bool is_legacy_checkpoint(const MappedFile& file) {
  const std::string_view start = file.text().substr(0, 32);
  return start.starts_with('\x80') && start.find(magic) != std::string_view::npos;
}

bool is_clip_archive(const MappedFile& file) {
  constexpr std::string_view name = "archive";
  try {
    const std::vector<ZipMember> members = list_zip(file.bytes, name);
    const ZipMember* const object = find_member(members, prefix_of(members, name) + "data.pkl");
    const MappedFile pickle = unpack(*object, file, name);
    return std::ranges::all_of(
        std::array<std::string_view, 2>{"text_projection", "context_length"},
        [&](std::string_view part) { return pickle.text().find(part) != std::string_view::npos; });
  } catch (const Error&) {  // opening the program reports the fault
    return false;
  }
}

NamedTensors parse_checkpoint(const MappedFile& file, std::string_view name) {
  if (file.text().starts_with("PK")) return parse_zip(file, name);
  if (is_legacy_checkpoint(file)) return LegacyFile(file, name).parse();
  refuse(name, "a PyTorch checkpoint", file.bytes.empty() ? "an empty file" : "other bytes");
}

NamedTensors read_checkpoint(const std::filesystem::path& path) {
  return parse_checkpoint(map_file(path), display_name(path));
}

}  // namespace leeway::nn
