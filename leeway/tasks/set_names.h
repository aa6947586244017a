// Names that distinguish the sets of several models and files by what differs among them.
#pragma once

#include <algorithm>
#include <string>

namespace leeway::tasks {

// Of results that have the members `model` and `data`.
class SetNames {
 public:
  template <class Sets>
  explicit SetNames(const Sets& sets)
      : models_(differ(sets, [](const auto& set) { return set.model; })),
        data_(differ(sets, [](const auto& set) { return set.data; })) {}

  [[nodiscard]] bool data() const { return data_; }

  // "cnn.safetensors on test.npz", one of the two, or nothing.
  template <class Set>
  [[nodiscard]] std::string of_files(const Set& set) const {
    if (models_ && data_) return set.model + " on " + set.data;
    return models_ ? set.model : data_ ? set.data : "";
  }

 private:
  template <class Sets, class Key>
  static bool differ(const Sets& sets, const Key& key) {
    return std::ranges::any_of(sets, [&](const auto& set) { return key(set) != key(*std::begin(sets)); });
  }

  bool models_, data_;
};

}  // namespace leeway::tasks
