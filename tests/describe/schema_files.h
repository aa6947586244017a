// The files of docs/schema that are written from descriptions.
#pragma once

#include <string>
#include <vector>

namespace leeway::tasks::test {

struct SchemaFile {
  std::string name, text;  // "pa.json", "pa.md"
};

[[nodiscard]] std::vector<SchemaFile> schema_files();

}  // namespace leeway::tasks::test
