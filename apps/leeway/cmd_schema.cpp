// leeway schema: the JSON schemas of records, and their keys as a table.
#include <fmt/format.h>

#include <filesystem>

#include "apps/leeway/command.h"
#include "leeway/core/file.h"
#include "leeway/describe/json.h"
#include "leeway/describe/keys.h"
#include "leeway/tasks/records.h"

namespace leeway::app {
namespace {

struct SchemaFlags {
  std::string record, folder;
  bool keys = false;
};

// The name of a record: the part of its schema between "leeway." and the version.
std::string name_of(const tasks::RecordType& record) {
  const std::size_t dot = record.schema.find('.');
  return record.schema.substr(dot + 1, record.schema.find('/') - dot - 1);
}

std::string schema_text(const tasks::RecordType& record, bool keys) {
  const std::string title = fmt::format("{}: {}", record.schema, record.title);
  if (!keys) return schema_of(record.describe, title).dump(2) + "\n";
  return fmt::format(
      "# {}\n\nThe keys of a record. `[]` stands for an index; every key is always present.\n\n{}", title,
      key_table(record.describe));
}

int run_schema(Context& context, const SchemaFlags& flags) {
  std::string shown;
  if (!flags.folder.empty()) std::filesystem::create_directories(flags.folder);
  for (const tasks::RecordType& record : tasks::records()) {
    const std::string name = name_of(record);
    if (!flags.record.empty() && name != flags.record) continue;
    if (!flags.folder.empty())
      for (const bool keys : {false, true})
        write_text(fmt::format("{}/{}{}", flags.folder, name, keys ? ".md" : ".json"),
                   schema_text(record, keys));
    else
      shown += flags.record.empty() ? fmt::format("{:<16} {}\n", name, record.title)
                                    : schema_text(record, flags.keys);
  }
  context.print(Json(), shown);
  return exit_ok;
}

}  // namespace

void add_schema(const Command& root, Context& context) {
  const Command command = root.add("schema", "Print the JSON schema of a record, or list the records");
  auto& flags = command.keep<SchemaFlags>();
  std::vector<std::string> names;
  for (const tasks::RecordType& record : tasks::records()) names.push_back(name_of(record));
  command.option("record", flags.record, "Name of a record, e.g. pa (default: list all)")
      .one_of(names)
      .shown_as("NAME");
  command.flag("--keys", flags.keys, "Print the keys with their values and meanings, as a Markdown table");
  command.option("--out", flags.folder, "Write NAME.json, the schema, and NAME.md, the keys, to this folder")
      .shown_as("FOLDER");
  command.footer(
      "  leeway schema assess > assess.schema.json\n"
      "  leeway schema assess --keys");
  command.runs([&context, &flags] { return run_schema(context, flags); });
}

}  // namespace leeway::app
