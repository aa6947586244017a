// write_schemas FOLDER: the schemas and tables of keys of all records that are described (leeway/tasks/records.h).
#include <cstdio>
#include <exception>

#include "leeway/core/file.h"
#include "tests/describe/schema_files.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  try {
    for (const auto& [name, text] : leeway::tasks::test::schema_files())
      leeway::write_text(std::string(argv[1]) + "/" + name, text);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
