// Classes of sets and models, aligned by name.
#include "leeway/core/columns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "leeway/core/array.h"
#include "leeway/core/shards.h"
#include "tests/message_of.h"

namespace leeway {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using ClassNumbers = std::vector<std::int64_t>;

Images labelled_images(Names names, ClassNumbers labels) {
  const std::size_t n = labels.size();
  Images images{"t.npz", make_array({n, 1, 1, 1}, std::vector<float>(n)), std::move(labels)};
  images.class_names = std::move(names);
  return images;
}

// The labels after alignment with a model of k classes, or the message.
std::string aligned(const Names& model, std::size_t k, Names names, ClassNumbers labels) {
  Images images = labelled_images(std::move(names), std::move(labels));
  const std::string message = message_of([&] { align_classes({"m.pt", k, false, model}, images); });
  if (message != "no error") return message;
  std::string text;
  for (const std::int64_t label : *images.labels) text += std::to_string(label) + " ";
  return text + (images.class_names == model ? "named" : "unnamed");
}

TEST(AlignImages, LabelsBecomeThoseOfTheModel) {
  const Names abc{"a", "b", "c"};
  EXPECT_EQ(aligned(abc, 3, {"a", "c"}, {0, 1, 1}), "0 2 2 named");
  EXPECT_EQ(aligned(abc, 3, {"c", "a", "unused"}, {0, 1, 1}), "2 0 0 named");
  EXPECT_EQ(aligned(abc, 3, abc, {0, 1, 2}), "0 1 2 named");
  EXPECT_EQ(aligned(abc, 3, {}, {0, 1, 2}), "0 1 2 named");           // of older files
  EXPECT_EQ(aligned(abc, 3, {"0", "2"}, {0, 1}), "0 2 named");        // numbers of classes
  EXPECT_EQ(aligned({}, 3, {"0", "2"}, {0, 1}), "0 2 named");         // which are no names any more
  EXPECT_EQ(aligned({}, 3, {"x", "y", "z"}, {0, 1}), "0 1 unnamed");  // of an older model
  EXPECT_THAT(aligned(abc, 3, {"a", "d", "e"}, {0, 1, 2}),
              AllOf(HasSubstr("t.npz: expected labels among a, b, c, the classes of m.pt"),
                    HasSubstr("in m.pt.toml"), HasSubstr("found d, e")));
  EXPECT_THAT(aligned({}, 3, {"a", "c"}, {0, 1}),
              AllOf(HasSubstr("expected labels among the 3 classes of m.pt, which has no class names"),
                    HasSubstr("classes = [...] in m.pt.toml"), HasSubstr("found a, c")));
  EXPECT_THAT(aligned({"a", "a", "c"}, 3, {"a", "c"}, {0, 1}), HasSubstr("found a"));
  EXPECT_THAT(aligned(abc, 3, {"a", "c", "a"}, {1, 2}), HasSubstr("found 'a' for several labels"));
  EXPECT_EQ(aligned(abc, 3, {"c", "a"}, {no_label, 1}), "-1 0 named");
}

TEST(AlignOutputs, ColumnsFollowTheNames) {
  const auto outputs = [](Names names) {
    Outputs set;
    set.path = "o.npz";
    set.logits = make_array<float>({2, 3}, {0, 1, 2, 3, 4, 5});
    set.labels = ClassNumbers{0, 2};
    set.class_names = std::move(names);
    return set;
  };
  const Outputs first = outputs({"a", "b", "c"});
  Outputs other = outputs({"c", "a", "b"});
  OutputsShards shards{other.logits, other, {}};
  align_classes(columns_of(first), other);
  align_classes(columns_of(first), shards);
  for (const Outputs& one : {other, joined(shards)}) {
    const auto logits = one.logits.view<float>();
    EXPECT_THAT(std::vector(logits.begin(), logits.end()), ElementsAre(1, 2, 0, 4, 5, 3));
    EXPECT_THAT(*one.labels, ElementsAre(2, 1));
    EXPECT_EQ(one.class_names, first.class_names);
  }
  Outputs late = outputs({"c", "a", "b"});  // with a label that is still to come
  late.labels = ClassNumbers{no_label, 2};
  align_classes(columns_of(first), late);
  EXPECT_THAT(*late.labels, ElementsAre(no_label, 1));
  Outputs open = outputs({"c", "a", "b"});
  open.coding = LabelCoding::either;
  EXPECT_THAT(message_of([&] { align_classes(columns_of(first), open); }), HasSubstr("--first-label 0 or 1"));
  Outputs strange = outputs({"a", "b", "d"});
  align_classes(columns_of(first), strange);
  EXPECT_THAT(*strange.labels, ElementsAre(0, 2));
  EXPECT_THAT(message_of([&] { require_alike(columns_of(first), columns_of(strange)); }),
              AllOf(HasSubstr("class 2 to be 'c'"), HasSubstr("--class-names"), HasSubstr("found 'd'")));
}

TEST(AlignOutputs, FeaturesFollowTheNames) {
  const auto outputs = [](Names names) {
    Outputs set;
    set.path = "f.npz";
    set.features = make_array<double>({2, 2}, {1, 2, 3, 4});
    set.feature_names = std::move(names);
    return set;
  };
  Outputs turned = outputs({"b", "a"}), unnamed = outputs({}), others = outputs({"a", "c"});
  for (Outputs* set : {&turned, &unnamed}) align_features(outputs({"a", "b"}), *set);
  EXPECT_THAT(turned.features->view<double>(), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(unnamed.features->view<double>(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(message_of([&] {
                align_features(outputs({"a", "b"}), others);
              }),
              HasSubstr("f.npz: expected the features a, b, as in f.npz, found a, c"));
}

}  // namespace
}  // namespace leeway
