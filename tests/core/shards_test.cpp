#include "leeway/core/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/npy.h"
#include "tests/core/files.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

using namespace leeway::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Shards : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::vector<std::string> expanded(const std::string& text) const {
    std::vector<std::string> names;
    for (const auto& found : expand_paths(text)) names.push_back(found.filename().string());
    return names;
  }
  // The message of reading a.npz and `second` as one set, without the folder.
  [[nodiscard]] std::string message(const ArrayMap& first, const ArrayMap& second) const {
    write_npz(path("a.npz"), first), write_npz(path("b.npz"), second);
    std::string text = message_of([&] { (void)read_shards(path("a.npz") + "," + path("b.npz")); });
    const std::string folder = folder_.path().string() + "/";
    for (std::size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }

  TemporaryFolder folder_;
};

Array matrix(std::size_t n, std::size_t k, float first) {
  std::vector<float> values(n * k);
  for (float& value : values) value = first++;
  return make_array({n, k}, std::move(values));
}

Array i64(std::vector<std::int64_t> values) {
  const std::size_t n = values.size();
  return make_array({n}, std::move(values));
}

TEST_F(Shards, PatternsInNaturalOrderAndLists) {
  for (const char* name : {"s10.npy", "s2.npy", "s1.npy", "t.npy", "a,b.npy", "c*.npy"})
    write_npy(path(name), matrix(1, 2, 0));
  EXPECT_THAT(expanded(path("s*.npy")), ElementsAre("s1.npy", "s2.npy", "s10.npy"));
  EXPECT_THAT(expanded(path("s?.npy")), ElementsAre("s1.npy", "s2.npy"));
  EXPECT_THAT(expanded(path("t.npy") + "," + path("s*.npy")),
              ElementsAre("t.npy", "s1.npy", "s2.npy", "s10.npy"));
  EXPECT_THAT(expanded(path("a,b.npy")), ElementsAre("a,b.npy"));  // a file of that very name
  EXPECT_THAT(expanded(path("c*.npy")), ElementsAre("c*.npy"));
  EXPECT_THAT(expanded(path("missing.npy")), ElementsAre("missing.npy"));
  EXPECT_THAT(message_of([&] { (void)expand_paths(path("x*.npy")); }),
              HasSubstr("x*.npy: expected files that match, found none"));
  EXPECT_THAT(message_of([&] { (void)expand_paths(path("t.npy") + ",,b"); }),
              HasSubstr("expected files between commas, found an empty name"));
}

TEST_F(Shards, EverythingIsJoinedRowAfterRow) {
  const auto part = [](float first, std::vector<std::int64_t> labels, std::vector<std::int64_t> groups) {
    const std::size_t n = labels.size();
    return ArrayMap{{"logits", matrix(n, 3, first)},
                    {"labels", i64(std::move(labels))},
                    {"groups", i64(std::move(groups))},
                    {"features", matrix(n, 2, -first)},
                    {"norms", make_array(std::vector<std::size_t>{n}, std::vector<double>(n, first))}};
  };
  write_npz(path("p1.npz"), part(0, {0, 2}, {10, 9}));
  write_npz(path("p2.npz"), part(50, {1}, {-1}));
  const OutputsShards shards = read_shards(path("p*.npz"));
  EXPECT_EQ(shards.n(), 3u);
  EXPECT_EQ(shards.k(), 3u);
  EXPECT_EQ(shards.logits.parts(), 2u);
  ASSERT_EQ(shards.files.size(), 2u);
  EXPECT_THAT(shards.files[1].shape, ElementsAre(1, 3));
  const Outputs all = joined(shards);
  EXPECT_THAT(all.logits.view<float>(), ElementsAre(0, 1, 2, 3, 4, 5, 50, 51, 52));
  EXPECT_THAT(*all.labels, ElementsAre(0, 2, 1));
  EXPECT_THAT(*all.norms, ElementsAre(0, 0, 50));
  EXPECT_THAT(all.features->view<float>(), ElementsAre(0, 1, 2, 3, -50, -49));
  ASSERT_EQ(all.groups.size(), 1u);
  EXPECT_THAT(all.groups[0].levels, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(all.groups[0].codes, ElementsAre(2, 1, 0));
}

TEST_F(Shards, LabelsOfTheirOwn) {
  write_npy(path("y1.npy"), i64({0, 1}));
  write_npy(path("y2.npy"), i64({2}));
  EXPECT_THAT(read_labels(path("y*.npy"), 3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(message_of([&] { (void)read_labels(path("y*.npy"), 4, 3); }),
              HasSubstr("expected shape (4), one value per sample, found shape (3)"));
}

TEST_F(Shards, WhatDiffersIsNamed) {
  const ArrayMap plain{{"logits", matrix(2, 3, 0)}};
  ArrayMap labelled = plain, wide{{"logits", matrix(2, 4, 0)}}, grouped = plain, featured = plain;
  labelled["labels"] = i64({0, 1});
  grouped["groups"] = i64({0, 1});
  featured["features"] = matrix(2, 5, 0);
  EXPECT_EQ(message(plain, wide), "b.npz: expected 3 classes, as in a.npz, found 4");
  EXPECT_EQ(message(plain, labelled), "no error");  // labels that arrive late
  EXPECT_EQ(message(plain, grouped), "b.npz: expected the same groups, as in a.npz, found others");
  EXPECT_EQ(message(featured, plain), "b.npz: expected features, as in a.npz, found none");
  ArrayMap wider = featured;
  wider["features"] = matrix(2, 6, 0);
  EXPECT_EQ(message(featured, wider), "b.npz: expected 5 features, as in a.npz, found 6");
  const ArrayMap probabilities{{"probs", make_array<float>({1, 3}, {.5f, .25f, .25f})}};
  EXPECT_EQ(message(plain, probabilities), "b.npz: expected logits, as in a.npz, found probabilities");
  ArrayMap named = plain;
  named["class_names"] = make_text_array({3}, {"x", "y", "z"});
  EXPECT_EQ(message(plain, named), "b.npz: expected the same class names, as in a.npz, found others");
}

}  // namespace
}  // namespace leeway
