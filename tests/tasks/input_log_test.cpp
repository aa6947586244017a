#include "leeway/tasks/input_log.h"

#include <gmock/gmock.h>

#include "leeway/core/file.h"
#include "leeway/io/npy.h"
#include "tests/core/files.h"

namespace leeway::tasks::input_log_test {

using ::testing::ElementsAre;

class Inputs : public ::testing::Test {
 protected:
  Inputs() { write_npy(path, make_array<double>({2, 3}, {1, 2, 3, 4, 5, 6})); }

  std::vector<Input> noted() {
    Envelope envelope;
    log.move_to(envelope);
    return envelope.inputs;
  }

  TemporaryFolder folder;
  const std::string path = (folder / "a.npy").string();
  std::vector<std::string> opened;
  InputLog log{[this](const std::string& file, const std::string&) { opened.push_back(file); }};
};

TEST_F(Inputs, AreNotedOnceInOrder) {
  const NamedOutputs outputs = named_outputs(log, path, {}, SetRole::first);
  (void)outputs.open();
  (void)outputs.open();
  log.add_array("labels", make_array<std::int32_t>({4}, {0, 1, 0, 1}));
  log.add("fashion-mnist:test", {10, 1, 28, 28});
  EXPECT_THAT(opened, ElementsAre(path, "fashion-mnist:test"));
  EXPECT_THAT(noted(),
              ElementsAre(Input{path, std::filesystem::file_size(path), {2, 3}, digest_file(path)},
                          Input{"labels", 16, {4}, ""}, Input{"fashion-mnist:test", 0, {10, 1, 28, 28}, ""}));
  EXPECT_TRUE(noted().empty());
}

TEST_F(Inputs, HaveNoDigestWhereNoneIsWanted) {
  log.digests = false;
  log.add(path, {2, 3});
  EXPECT_EQ(noted().at(0).xxh3_128, "");
}

TEST_F(Inputs, ThatChangedAreRefused) {
  log.add(path, {2, 3});
  write_npy(path, make_array<double>({1}, {1}));
  EXPECT_REFUSED(noted(), "a changed file...");
}

// Labels and groups of a file with ids belong to the rows with these ids.
TEST_F(Inputs, LabelsAndGroupsOfAFileFollowItsIds) {
  const auto table = [&](const char* name, const char* text) {
    return write_bytes(folder / name, text).string();
  };
  const std::string outputs = table("o.csv", "id,p_0,p_1\na,.25,.75\nb,.5,.5\n");
  const Array ids = make_text_array({3}, {"b", "c", "a"});
  write_npz(folder / "l.npz", {{"ids", ids}, {"labels", make_array<std::int64_t>({3}, {0, 0, 1})}});
  write_npz(folder / "g.npz", {{"id", ids}, {"groups", make_text_array({3}, {"F", "F", "M"})}});
  OutputsReading reading;
  for (const auto& [labels, groups] :
       {std::pair((folder / "l.npz").string(), (folder / "g.npz").string()),
        {table("l.csv", "ID,label\nb,0\na,1\n"), table("g.csv", "Id,sex\nb,F\na,M\n")}}) {
    reading.labels = labels, reading.groups = groups;
    const Outputs set = log.open_set(outputs, reading, SetRole::first).rest;
    EXPECT_THAT(*set.labels, ElementsAre(1, 0));
    EXPECT_EQ(set.groups.at(0).levels[static_cast<std::size_t>(set.groups[0].codes[0])], "M");
  }
  reading.labels = table("l.csv", "id,label\nb,0\nc,1\n");
  EXPECT_REFUSED(log.open_set(outputs, reading, SetRole::first), "once, found 'a' missing or repeated...");
}

// Labels from 1 are recognized by the number of classes, not of rows.
TEST_F(Inputs, LabelsOfAFileCountFromOne) {
  const std::string labels = (folder / "labels.npy").string();
  write_npy(labels, make_array<std::int64_t>({2}, {1, 3}));
  OutputsReading reading;
  reading.labels = labels;
  EXPECT_EQ(named_outputs(log, path, reading, SetRole::first).open().rest.labels,
            (std::vector<std::int64_t>{0, 2}));
}

}  // namespace leeway::tasks::input_log_test
