#include "leeway/io/attribute_table.h"

#include <gmock/gmock.h>

#include "leeway/core/array.h"
#include "leeway/io/columns.h"
#include "leeway/io/shards.h"
#include "tests/message_of.h"

namespace leeway::attribute_table_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::vector<std::string>;
using ClassNumbers = std::vector<std::int64_t>;

AttributeTable parse(std::string_view text, const TableColumns& columns) {
  return parse_attribute_table(text, "t.csv", columns);
}

std::string refusal(std::string_view text, const TableColumns& columns) {
  return message_of([&] { (void)parse(text, columns); });
}

TEST(AttributeTable, ValuesAreSortedAndNeverInOrderOfAppearance) {
  const auto table = parse("size,shape,hue,more\n10,heart,0.3,x\n9,square,0.10,y\n-1,heart,0.3,z\n",
                           {"shape", {"size", "hue"}, {}, {}});
  EXPECT_THAT(table.label.values, ElementsAre("heart", "square"));
  EXPECT_THAT(table.label.codes, ElementsAre(0, 1, 0));
  EXPECT_THAT(table.attributes[0].values, ElementsAre("-1", "9", "10"));
  EXPECT_THAT(table.attributes[0].codes, ElementsAre(2, 1, 0));
  EXPECT_THAT(table.attributes[1].values, ElementsAre("0.10", "0.3"));
  EXPECT_EQ(table.n(), 3u);
  EXPECT_EQ(table.find("hue"), 1u);
  const auto years = parse("year\n2019.0\n2020\n2019\n", {"", {"year"}, {}, {}});  // as of pandas
  EXPECT_THAT(years.attributes[0].values, ElementsAre("2019", "2020"));
  EXPECT_THAT(years.attributes[0].codes, ElementsAre(0, 1, 0));
}

TEST(AttributeTable, ATableMayLackItsLabel) {
  const auto table = parse("a,b\nu,1\nv,2\nu,2\n", {"", {"a", "b"}, {}, {}});
  EXPECT_FALSE(table.has_label());
  EXPECT_EQ(table.n(), 3u);
  EXPECT_EQ(table.columns().size(), 2u);
  EXPECT_THAT(Cells(table).counts(table), ElementsAre(1, 1, 0, 1));
  EXPECT_EQ(Cells(table).text(1), "a=u, b=2");
  EXPECT_EQ(take(table, std::vector<std::size_t>{1}).n(), 1u);
  EXPECT_REFUSED(require_label(table), "t.csv: expected a column of labels, found none");
  AttributeTable labelled = parse("y,a,b\n1,u,1\n2,v,2\n", {"y", {"a", "b"}, {}, {}}), other = table;
  EXPECT_REFUSED(align(labelled, other), "t.csv: expected a label, as in t.csv, found none");
  EXPECT_THAT(refusal("a,b\n1,2\n", {"", {}, {}, {}}), HasSubstr("label or an attribute, found neither"));
}

TEST(AttributeTable, AnOrderThatIsGivenCounts) {
  const auto table = parse("y,a\nu,small\nv,big\n", {"y", {"a"}, {{"a", {"small", "middle", "big"}}}, {}});
  EXPECT_THAT(table.attributes[0].values, ElementsAre("small", "middle", "big"));
  EXPECT_THAT(table.attributes[0].codes, ElementsAre(0, 2));
  EXPECT_THAT(Cells(table).counts(table), ElementsAre(1, 0, 0, 0, 0, 1));
  EXPECT_EQ(Cells(table).text(5), "y=v, a=big");
}

TEST(AttributeTable, BadTablesAreRefused) {
  const TableColumns columns{"y", {"a"}, {}, {}};
  EXPECT_EQ(refusal("y,b\n1,2\n", columns), "t.csv: expected a column 'a', found columns y, b");
  EXPECT_THAT(refusal("y,colour,size\n1,2,3\n", {"y", {"color"}, {}, {}}),
              HasSubstr("found columns y, colour, size; did you mean colour?"));
  EXPECT_EQ(refusal("y,a\n", columns), "t.csv: expected at least 1 row, found none");
  EXPECT_THAT(refusal("y,a\n1,2\n1,3\n", columns), HasSubstr("found one: '1'"));
  EXPECT_THAT(refusal("y,a\n1,2\n2,\n", columns), HasSubstr("found an empty field at row 1"));
  EXPECT_THAT(refusal("y,a\n1,2\n2,3\n", {"y", {"a", "a"}, {}, {}}), HasSubstr("found 'a' twice"));
  EXPECT_THAT(refusal("y,a\n1,2\n2,3\n", {"y", {"a"}, {}, "id"}), HasSubstr("found columns y, a"));
  EXPECT_THAT(refusal("y,a\n1,red\n2,blue\n", {"y", {"a"}, {{"a", {"red", "green"}}}, {}}),
              HasSubstr("green in column 'a', found 'blue'"));
  EXPECT_THAT(refusal("y,a\n1,2\n2,3\n", {"y", {"a"}, {{"a", {"2", "2", "3"}}}, {}}),
              HasSubstr("found '2' twice"));
  EXPECT_THAT(refusal("y,a\n1,2\n2,3\n", {"y", {"a"}, {{"b", {"2"}}}, {}}), HasSubstr("found 'b'"));
  std::string many = "y,a\n";
  for (int i = 0; i < 65536; ++i) many += std::to_string(i % 2) + "," + std::to_string(i) + "\n";
  EXPECT_EQ(refusal(many, columns), "t.csv: expected at most 65535 values in column 'a', found more");
}

TEST(AttributeTable, TooManyCells) {
  AttributeTable table{"t.csv", {"y", {"0", "1"}, {0, 1}}, {}, {}};
  for (const char* name : {"a", "b"}) {
    table.attributes.push_back({name, {}, {0, 1}});
    for (int i = 0; i < 1000; ++i) table.attributes.back().values.push_back(std::to_string(i));
  }
  EXPECT_REFUSED(Cells(table), "t.csv: expected at most 1000000 cells (labels times values ... found more");
}

TEST(AttributeTable, TablesInMemoryAreChecked) {
  AttributeTable table{"t.csv", {"y", {"0", "1"}, {0, 1}}, {{"a", {"0"}, {0, 0}}}, {}};
  const auto said = [&] { return message_of([&] { check(table); }); };
  EXPECT_EQ(said(), "no error");
  table.attributes[0].codes[1] = 1;
  EXPECT_EQ(said(), "t.csv: expected codes below 1 in column 'a', found 1 at row 1");
  table.attributes[0].codes = {0};
  EXPECT_EQ(said(), "t.csv: expected 2 rows in column 'a', found 1");
  EXPECT_REFUSED(table.find("b"), "t.csv: expected an attribute, one of a, found 'b'");
}

TEST(AttributeTable, AlignedTablesShareTheirValues) {
  AttributeTable a = parse("y,a\n1,10\n2,9\n", {"y", {"a"}, {}, {}});
  AttributeTable b = parse("y,a\n0,100\n2,9\n", {"y", {"a"}, {}, {}});
  align(a, b);
  EXPECT_THAT(a.label.values, ElementsAre("0", "1", "2"));
  EXPECT_EQ(b.label.values, a.label.values);
  EXPECT_THAT(a.label.codes, ElementsAre(1, 2));
  EXPECT_THAT(b.attributes[0].values, ElementsAre("9", "10", "100"));
  EXPECT_THAT(b.attributes[0].codes, ElementsAre(2, 0));
}

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
  EXPECT_REFUSED(align_classes(columns_of(first), open), "--first-label 0 or 1...");
  Outputs strange = outputs({"a", "b", "d"});
  align_classes(columns_of(first), strange);
  EXPECT_THAT(*strange.labels, ElementsAre(0, 2));
  EXPECT_REFUSED(require_alike(columns_of(first), columns_of(strange)),
                 "class 2 to be 'c'...--class-names...found 'd'...");
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
  EXPECT_REFUSED(align_features(outputs({"a", "b"}), others), "f.npz: expected the ... found a, c...");
}

}  // namespace leeway::attribute_table_test
