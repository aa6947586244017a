#include "tests/describe/schema_files.h"

#include <fmt/format.h>

#include "leeway/describe/json.h"
#include "leeway/describe/keys.h"
#include "leeway/tasks/records.h"

namespace leeway::tasks::test {

std::vector<SchemaFile> schema_files() {
  std::vector<SchemaFile> files;
  for (const RecordType& record : records()) {
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

}  // namespace leeway::tasks::test
