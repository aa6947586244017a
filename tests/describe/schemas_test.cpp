// docs/schema is what the descriptions say.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/describe/schema_files.h"

namespace leeway::tasks::test::schemas_test {

TEST(Schemas, DocumentsAreCurrent) {
  for (const auto& [name, text] : schema_files()) {
    std::ifstream file(LEEWAY_REFERENCE "/../../docs/schema/" + name, std::ios::binary);
    const std::string found(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(found, text) << "write it anew: write_schemas docs/schema";
  }
}

}  // namespace leeway::tasks::test::schemas_test
