#include "leeway/nn/io/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "leeway/core/message.h"
#include "leeway/nn/io/pickle_reader.h"

namespace leeway::nn::pickle {
namespace {

constexpr std::size_t max_objects = std::size_t{1} << 21, max_rank = 64;
constexpr std::string_view expected_kind = "tensors only";

class Machine {
 public:
  Machine(std::span<const std::byte> bytes, std::string_view name) : reader_(bytes, name), name_(name) {
    pickle_.objects = {None{}, false, true};
  }
  [[nodiscard]] Pickle run();

 private:
  static constexpr Id none = 0, no = 1, yes = 2;

  [[noreturn]] void refuse_pickle(std::string_view found) const { refuse(name_, expected_kind, found); }
  [[noreturn]] void refuse_call(std::string_view callee) const {
    refuse_pickle("a call of " + printable(callee, 2 * longest_name));
  }
  void spend(std::size_t count);
  void push(Id id) { stack_.push_back(id); }
  void push_new(Object object);
  [[nodiscard]] Id pop();
  [[nodiscard]] Id top() {
    push(pop());
    return stack_.back();
  }
  [[nodiscard]] std::vector<Id> pop_to_mark();
  [[nodiscard]] std::vector<Id> pop_some(std::size_t count);

  template <class T>
  [[nodiscard]] T& get(Id id, std::string_view what);

  struct Instruction {
    std::uint8_t code;
    void (*follow)(Machine& m);
  };
  static const Instruction instructions[];
  // Functions whose calls are known; the number of arguments is checked first.
  struct Callee {
    std::string_view name;
    std::size_t least_arguments;
    void (*call)(Machine& m, const Tuple& arguments);
  };
  static const Callee callees[];

  template <class Number>
  [[nodiscard]] Number number() {
    return reader_.number<Number>();
  }
  template <class Size>
  void push_text() {
    push_new(reader_.text(number<Size>()));
  }
  // Bytes are no part of a tensor here.
  template <class Size>
  void push_bytes() {
    (void)reader_.text(number<Size>());
    push_new(Inert{"builtins.bytes", {}});
  }
  void push_long();
  void set_items(const std::vector<Id>& items);
  void append(const std::vector<Id>& items);
  void inert(Id callee, std::vector<Id> parts);
  void remember(std::uint64_t place);
  void recall(std::uint64_t place);
  void global(const std::string& module, const std::string& member);
  void global_of_stack();
  void construct(std::size_t count);
  void reduce();
  void set_state();
  void load_storage();
  void push_tensor(const Tuple& arguments, std::size_t least, std::size_t most);
  void push_ordered_dict(const Tuple& arguments);
  [[nodiscard]] std::vector<std::int64_t> numbers(Id id);
  [[nodiscard]] std::string callee_name(Id id) const;

  Reader reader_;
  std::string_view name_;
  Pickle pickle_;
  std::vector<Id> stack_;
  std::vector<std::size_t> marks_;  // heights of the stack
  std::unordered_map<std::uint64_t, Id> memo_;
  std::string acting_;  // the first name in a module that acts
  std::size_t spent_ = 0;
};

void Machine::spend(std::size_t count) {
  spent_ += count;
  if (spent_ > max_objects) refuse(name_, fmt::format("a pickle of at most {} objects", max_objects), "more");
}

void Machine::push_new(Object object) {
  spend(1);
  pickle_.objects.push_back(std::move(object));
  push(static_cast<Id>(pickle_.objects.size() - 1));
}

Id Machine::pop() {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
    refuse_pickle("a pickle that pops an empty stack");
  const Id id = stack_.back();
  stack_.pop_back();
  return id;
}

std::vector<Id> Machine::pop_some(std::size_t count) {
  std::vector<Id> items(count);
  for (std::size_t i = count; i-- > 0;) items[i] = pop();
  return items;
}

std::vector<Id> Machine::pop_to_mark() {
  if (marks_.empty()) refuse_pickle("a pickle that lacks a mark");
  std::vector<Id> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

template <class T>
T& Machine::get(Id id, std::string_view what) {
  if (T* const found = std::get_if<T>(&pickle_.objects[id])) return *found;
  refuse(name_, fmt::format("a pickle with {}", what), kind_of(pickle_.objects[id]));
}

void Machine::push_long() {
  Long integer{reader_.text(number<std::uint8_t>())};
  if (integer.bytes.size() > 8) return push_new(std::move(integer));
  const bool negative = !integer.bytes.empty() && (integer.bytes.back() & 0x80) != 0;
  std::int64_t value = negative ? -1 : 0;
  std::memcpy(&value, integer.bytes.data(), integer.bytes.size());
  push_new(value);
}

// An object of the class or function `callee`, of which nothing is made.
void Machine::inert(Id callee, std::vector<Id> parts) {
  const auto* const known = std::get_if<Global>(&pickle_.objects[callee]);
  if (known == nullptr || known->name == acting_) refuse_call(callee_name(callee));
  push_new(Inert{known->name, std::move(parts)});
}

void Machine::append(const std::vector<Id>& items) {
  const Id id = top();
  auto* const object = std::get_if<Inert>(&pickle_.objects[id]);
  std::vector<Id>& all = object != nullptr ? object->parts : get<List>(id, "a list to append to").items;
  all.insert(all.end(), items.begin(), items.end());
}

void Machine::set_items(const std::vector<Id>& items) {
  const Id id = top();
  if (std::holds_alternative<Inert>(pickle_.objects[id])) return append(items);
  Dict& dict = get<Dict>(id, "a dictionary to set items of");
  if (items.size() % 2 != 0) refuse_pickle("a dictionary of keys without a value");
  for (std::size_t i = 0; i < items.size(); i += 2) dict.items.emplace_back(items[i], items[i + 1]);
}

void Machine::remember(std::uint64_t place) {
  spend(1);
  memo_[place] = top();
}

void Machine::recall(std::uint64_t place) {
  const auto found = memo_.find(place);
  if (found == memo_.end())
    refuse(name_, "a pickle that reads existing memo entries", fmt::format("place {}", place));
  spend(1);
  push(found->second);
}

void Machine::global(const std::string& module, const std::string& member) {
  Global found{module + "." + member};
  if (acts(module, member) && acting_.empty()) acting_ = found.name;
  push_new(std::move(found));
}

void Machine::global_of_stack() {
  const std::vector<Id> names = pop_some(2);
  const auto& module = get<std::string>(names[0], "the name of a module");
  const auto& member = get<std::string>(names[1], "the name of an object");
  if (module.size() > longest_name || member.size() > longest_name)
    refuse(name_, fmt::format("names of at most {} bytes in the pickle", longest_name), in_quotes(member));
  global(module, member);
}

std::string Machine::callee_name(Id id) const {
  if (const auto* const inert = std::get_if<Inert>(&pickle_.objects[id]))
    return "what " + inert->name + " gives";
  const auto* const found = std::get_if<Global>(&pickle_.objects[id]);
  return found != nullptr ? found->name : std::string(kind_of(pickle_.objects[id]));
}

// An object of the class that lies below `count` parts.
void Machine::construct(std::size_t count) {
  std::vector<Id> items = pop_some(1 + count);
  inert(items[0], {items.begin() + 1, items.end()});
}

// The attributes of an OrderedDict are dropped (state_dict() has its versions there), those of a tensor, too.
void Machine::set_state() {
  const Id state = pop(), id = pop();
  Object& object = pickle_.objects[id];
  if (auto* const owner = std::get_if<Inert>(&object))
    owner->parts.push_back(state);
  else if (!std::holds_alternative<Dict>(object) && !std::holds_alternative<Tensor>(object))
    refuse_pickle("attributes set on " + printable(callee_name(id), 2 * longest_name));
  push(id);
}

const Machine::Callee Machine::callees[] = {
    {"collections.OrderedDict", 0, [](Machine& m, const Tuple& all) { m.push_ordered_dict(all); }},
    {"torch._utils._rebuild_tensor", 0, [](Machine& m, const Tuple& all) { m.push_tensor(all, 4, 4); }},
    {"torch._utils._rebuild_tensor_v2", 0, [](Machine& m, const Tuple& all) { m.push_tensor(all, 6, 7); }},
    {"torch._utils._rebuild_parameter", 1,
     [](Machine& m, const Tuple& all) {
       (void)m.get<Tensor>(all.items[0], "a tensor as parameter");
       m.push(all.items[0]);
     }},
    {"torch.Size", 1,
     [](Machine& m, const Tuple& all) {
       (void)m.get<Tuple>(all.items[0], "a tuple of sizes");
       m.push(all.items[0]);
     }},
    {"torch.device", 1, [](Machine& m, const Tuple& all) { m.push(all.items[0]); }},
};

void Machine::reduce() {
  const std::vector<Id> pair = pop_some(2);
  const std::string name = callee_name(pair[0]);
  const auto* const known = std::ranges::find(callees, std::string_view(name), &Callee::name);
  if (known == std::end(callees)) {
    if (name.starts_with("torch.")) refuse_call(name);
    return inert(pair[0], {pair[1]});
  }
  const Tuple arguments = get<Tuple>(pair[1], "a tuple of arguments");
  spend(arguments.items.size());
  if (arguments.items.size() < known->least_arguments)
    refuse_pickle("a call of " + name + " without arguments");
  known->call(*this, arguments);
}

// OrderedDict() or, as Python 2 writes it, OrderedDict([[key, value], ...]).
void Machine::push_ordered_dict(const Tuple& arguments) {
  Dict dict;
  if (arguments.items.empty()) return push_new(std::move(dict));
  const List& pairs = get<List>(arguments.items[0], "a list of pairs");
  spend(pairs.items.size());
  for (const Id id : pairs.items) {
    const auto* const tuple = std::get_if<Tuple>(&pickle_.objects[id]);
    const std::vector<Id>& pair = tuple != nullptr ? tuple->items : get<List>(id, "a list of pairs").items;
    if (pair.size() != 2) refuse_pickle("a dictionary of keys without a value");
    dict.items.emplace_back(pair[0], pair[1]);
  }
  push_new(std::move(dict));
}

std::vector<std::int64_t> Machine::numbers(Id id) {
  const Tuple& tuple = get<Tuple>(id, "a tuple of sizes");
  if (tuple.items.size() > max_rank)
    refuse(name_, fmt::format("tensors of at most {} dimensions", max_rank),
           fmt::format("{}", tuple.items.size()));
  std::vector<std::int64_t> values;
  for (const Id item : tuple.items) values.push_back(get<std::int64_t>(item, "integers as sizes"));
  return values;
}

// (storage, offset, sizes, strides, ...); what follows concerns gradients.
void Machine::push_tensor(const Tuple& arguments, std::size_t least, std::size_t most) {
  const std::vector<Id>& items = arguments.items;
  if (items.size() < least || items.size() > most)
    refuse(name_, fmt::format("a tensor of {} arguments", least), fmt::format("{}", items.size()));
  (void)get<Storage>(items[0], "a storage for every tensor");
  Tensor made{items[0],
              {get<std::int64_t>(items[1], "an integer as offset"), numbers(items[2]), numbers(items[3])}};
  spend(made.view.sizes.size());
  push_new(std::move(made));
}

// ("storage", type, key, location, count); the old format appends None, or a view of another storage.
void Machine::load_storage() {
  const std::vector<Id> items = get<Tuple>(pop(), "a tuple that names a storage").items;
  const auto* const tag = items.empty() ? nullptr : std::get_if<std::string>(&pickle_.objects[items[0]]);
  if (tag != nullptr && *tag == "module" && items.size() > 1) {  // a class, with its source beside it
    (void)get<Global>(items[1], "the name of a class");
    return push(items[1]);
  }
  if (tag == nullptr || *tag != "storage" || items.size() < 5 || items.size() > 6)
    refuse_pickle("a persistent object that is no storage");
  const std::string type = callee_name(items[1]);
  Storage storage{find_storage_type(type), get<std::string>(items[2], "a text as key of a storage"),
                  get<std::int64_t>(items[4], "an integer as length of a storage")};
  if (storage.key.size() > longest_name)
    refuse(name_, fmt::format("keys of storages of at most {} bytes", longest_name), in_quotes(storage.key));
  if (storage.type == nullptr)
    refuse(name_, "tensors of real numbers, integers or booleans", printable(type, 2 * longest_name));
  if (items.size() == 6 && items[5] != none) refuse_pickle("a storage that is a part of another one");
  push_new(std::move(storage));
}

const Machine::Instruction Machine::instructions[] = {
    {0x95, [](Machine& m) { (void)m.number<std::uint64_t>(); }},  // a frame: how much to read at once
    {'N', [](Machine& m) { m.push(none); }},
    {0x88, [](Machine& m) { m.push(yes); }},
    {0x89, [](Machine& m) { m.push(no); }},
    {'J', [](Machine& m) { m.push_new(std::int64_t{m.number<std::int32_t>()}); }},
    {'K', [](Machine& m) { m.push_new(std::int64_t{m.number<std::uint8_t>()}); }},
    {'M', [](Machine& m) { m.push_new(std::int64_t{m.number<std::uint16_t>()}); }},
    {'G', [](Machine& m) { m.push_new(std::bit_cast<double>(__builtin_bswap64(m.number<std::uint64_t>()))); }},
    {0x8a, [](Machine& m) { m.push_long(); }},
    {'X', [](Machine& m) { m.push_text<std::uint32_t>(); }},
    {'T', [](Machine& m) { m.push_text<std::uint32_t>(); }},
    {'U', [](Machine& m) { m.push_text<std::uint8_t>(); }},
    {0x8c, [](Machine& m) { m.push_text<std::uint8_t>(); }},
    {0x8d, [](Machine& m) { m.push_text<std::uint64_t>(); }},
    {'C', [](Machine& m) { m.push_bytes<std::uint8_t>(); }},
    {'B', [](Machine& m) { m.push_bytes<std::uint32_t>(); }},
    {0x8e, [](Machine& m) { m.push_bytes<std::uint64_t>(); }},
    {0x96, [](Machine& m) { m.push_bytes<std::uint64_t>(); }},
    {'(', [](Machine& m) { m.spend(1), m.marks_.push_back(m.stack_.size()); }},
    {')', [](Machine& m) { m.push_new(Tuple{}); }},
    {']', [](Machine& m) { m.push_new(List{}); }},
    {'}', [](Machine& m) { m.push_new(Dict{}); }},
    {'t', [](Machine& m) { m.push_new(Tuple{m.pop_to_mark()}); }},
    {0x85, [](Machine& m) { m.push_new(Tuple{m.pop_some(1)}); }},
    {0x86, [](Machine& m) { m.push_new(Tuple{m.pop_some(2)}); }},
    {0x87, [](Machine& m) { m.push_new(Tuple{m.pop_some(3)}); }},
    {'a', [](Machine& m) { m.append(m.pop_some(1)); }},
    {'e', [](Machine& m) { m.append(m.pop_to_mark()); }},
    {0x90, [](Machine& m) { m.append(m.pop_to_mark()); }},  // of a set
    {0x8f, [](Machine& m) { m.push_new(Inert{"builtins.set", {}}); }},
    {0x91, [](Machine& m) { m.push_new(Inert{"builtins.frozenset", m.pop_to_mark()}); }},
    {'s', [](Machine& m) { m.set_items(m.pop_some(2)); }},
    {'u', [](Machine& m) { m.set_items(m.pop_to_mark()); }},
    {'q', [](Machine& m) { m.remember(m.number<std::uint8_t>()); }},
    {'r', [](Machine& m) { m.remember(m.number<std::uint32_t>()); }},
    {0x94, [](Machine& m) { m.remember(m.memo_.size()); }},
    {'h', [](Machine& m) { m.recall(m.number<std::uint8_t>()); }},
    {'j', [](Machine& m) { m.recall(m.number<std::uint32_t>()); }},
    {'c',
     [](Machine& m) {
       const std::string module = m.reader_.line();
       m.global(module, m.reader_.line());
     }},
    {0x93, [](Machine& m) { m.global_of_stack(); }},
    {'R', [](Machine& m) { m.reduce(); }},
    {'b', [](Machine& m) { m.set_state(); }},
    {'Q', [](Machine& m) { m.load_storage(); }},
    {0x81, [](Machine& m) { m.construct(1); }},
    {0x92, [](Machine& m) { m.construct(2); }},
    {'i',
     [](Machine& m) {
       const std::string module = m.reader_.line();
       m.refuse_call(module + "." + m.reader_.line());
     }},
    {'o',
     [](Machine& m) {
       const std::vector<Id> items = m.pop_to_mark();
       m.refuse_call(items.empty() ? "nothing" : m.callee_name(items[0]));
     }}
};

Pickle Machine::run() {
  if (number<std::uint8_t>() != 0x80) refuse(name_, "a pickle", "other bytes");
  const auto version = number<std::uint8_t>();
  if (version < 2 || version > 5)
    refuse(name_, "a pickle of protocol 2 to 5", fmt::format("protocol {}", version));
  for (auto code = number<std::uint8_t>(); code != '.'; code = number<std::uint8_t>()) {
    const auto* const known = std::ranges::find(instructions, code, &Instruction::code);
    if (known == std::end(instructions))
      refuse_pickle(fmt::format("the pickle instruction 0x{:02x} at byte {}", code, reader_.at() - 1));
    known->follow(*this);
  }
  pickle_.root = pop();
  pickle_.end = reader_.at();
  if (!acting_.empty()) refuse_pickle("a reference to " + printable(acting_, 2 * longest_name));
  return std::move(pickle_);
}

}  // namespace

Pickle unpickle(std::span<const std::byte> bytes, std::string_view name) {
  return Machine(bytes, name).run();
}

}  // namespace leeway::nn::pickle
