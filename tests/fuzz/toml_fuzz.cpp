// A file of options, and the same as notes beside a model: an Error that says where, or entries.
#include "leeway/io/toml.h"
#include "leeway/nn/io/model_notes.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using leeway::TomlEntry;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)leeway::fuzz::guarded([&] {
    const leeway::nn::ModelNotes notes = leeway::nn::parse_notes(text, "file");
    if (notes.classes == 1 || (!notes.class_names.empty() && notes.class_names.size() != notes.classes))
      std::abort();
  });
  return leeway::fuzz::guarded([&] {
    for (const TomlEntry& entry : leeway::parse_toml(text, "file")) {
      if (entry.kind != TomlEntry::Kind::list && entry.values.size() != 1) std::abort();
      if (!entry.place.starts_with("file: line ")) std::abort();
      for (const std::string& value : entry.values)
        if (!leeway::is_utf8(value) || value.find('\0') != std::string::npos) std::abort();
    }
  });
}
