// The files of docs/schema that are written from descriptions.
#pragma once

#include <string>
#include <vector>

namespace leeway::record::test {

struct SchemaFile {
  std::string name, text;  // "pa.json", "pa.md"
};

[[nodiscard]] std::vector<SchemaFile> schema_files();

}  // namespace leeway::record::test
