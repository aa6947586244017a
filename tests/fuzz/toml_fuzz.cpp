// A file of options: an Error that says where, or entries that could stand on a command line.
#include "leeway/core/toml.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using leeway::app::TomlEntry;
  return leeway::fuzz::guarded([&] {
    for (const TomlEntry& entry : leeway::parse_toml({reinterpret_cast<const char*>(data), size}, "file")) {
      if (entry.kind != TomlEntry::Kind::list && entry.values.size() != 1) std::abort();
      if (!entry.place.starts_with("file: line ")) std::abort();
      for (const std::string& value : entry.values)
        if (!leeway::is_utf8(value) || value.find('\0') != std::string::npos) std::abort();
    }
  });
}
