#include "tests/record/schema_files.h"

#include <fmt/format.h>

#include "leeway/record/json.h"
#include "leeway/record/keys.h"
#include "leeway/record/records.h"

namespace leeway::record::test {

std::vector<SchemaFile> schema_files() {
  std::vector<SchemaFile> files;
  for (const Record& record : records()) {
    const std::string own = record.schema.substr(record.schema.find('.') + 1);
    const std::string name(own.substr(0, own.find('/')));
    const std::string title = fmt::format("{}: {}", record.schema, record.title);
    files.push_back({name + ".json", schema_of(record.describe, title).dump(2) + "\n"});
    files.push_back(
        {name + ".md",
         fmt::format(
             "# {}\n\nThe keys of a record. `[]` stands for an index; every key is always there.\n\n{}",
             title, key_table(record.describe))});
  }
  return files;
}

}  // namespace leeway::record::test
