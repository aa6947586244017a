// Names of files of several sets.
#include "leeway/tasks/file_pattern.h"

#include <gmock/gmock.h>

#include "tests/message_of.h"

namespace leeway::tasks::file_pattern_test {

using ::testing::ElementsAre;

TEST(FilePattern, NamesAreFilledIn) {
  EXPECT_EQ(filled_pattern("{a}/{b}-{c}.npz", {{"a", "x/y"}, {"b", "1"}}), "x-y/1-{c}.npz");
  EXPECT_EQ(pattern_hint("out/noisy.npz", "{strength}"), "out/noisy-{strength}.npz");
}

TEST(FilePattern, FilesOfDifferentSetsDiffer) {
  const auto files = files_of_sets("--out", "{m}.npz", {{{"m", "a"}}, {{"m", "b"}}}, "{m}");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[1].file, "b.npz");
  EXPECT_EQ(files[1].option, "--out");
  EXPECT_REFUSED(files_of_sets("--out", "o.npz", {{{"m", "a"}}, {{"m", "b"}}}, "{m}"),
                 "--out: expected a name for each of 2 sets, such as o-{m}.npz");
}

TEST(FilePattern, FilesGoByTheirStemsWhereTheseDiffer) {
  EXPECT_THAT(names_of_files({"models/cnn.pt", "fashion-mnist:test"}),
              ElementsAre("cnn", "fashion-mnist-test"));
  EXPECT_THAT(names_of_files({"a/cnn.pt", "b/cnn.pt"}), ElementsAre("a/cnn", "b/cnn"));
}

}  // namespace leeway::tasks::file_pattern_test
