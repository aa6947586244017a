#include "leeway/nn/io/tensor_names.h"

#include <gtest/gtest.h>

namespace leeway::nn {
namespace {

std::string names(const std::vector<std::string>& given, std::string_view known) {
  ArrayMap tensors;
  for (const std::string& name : given) tensors[name] = {};
  std::string joined;
  for (const auto& [name, array] : without_prefixes(tensors, known)) joined += name + " ";
  return joined;
}

TEST(Prefixes, GoWhereAllNamesShareThem) {
  EXPECT_EQ(names({"module.a", "module.b"}, "a"), "a b ");
  EXPECT_EQ(names({"module.model.net.a"}, "a"), "a ");
  EXPECT_EQ(names({"_orig_mod.a", "_orig_mod.b"}, "a"), "a b ");
  EXPECT_EQ(names({"module._orig_mod.a"}, "a"), "a ");
  EXPECT_EQ(names({"_orig_mod.module.network.a"}, "a"), "a ");
  EXPECT_EQ(names({"module.a", "b"}, "a"), "b module.a ");
  EXPECT_EQ(names({"other.a"}, "a"), "other.a ");
  EXPECT_EQ(names({"net.a", "net.b"}, "net.a"), "net.a net.b ")
      << "an architecture may have such names itself";
  EXPECT_EQ(names({}, "a"), "");
}

TEST(NearestName, HasTheFewestEdits) {
  const std::vector<std::string> candidates{"layer1.0.conv1.weight", "linear.weight", "linear.bias", "fc.w"};
  EXPECT_EQ(nearest_name("layer1.0.conv2.weight", candidates), "layer1.0.conv1.weight");
  EXPECT_EQ(nearest_name("linear.biases", candidates), "linear.bias");
  EXPECT_EQ(nearest_name("bn.running_mean", candidates), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name("abc", std::vector<std::string>{"abd"}), "abd");
}

TEST(Mismatch, NamesTheNearestAndCountsTheRest) {
  const std::vector<std::string> missing{"conv1.weight", "z"}, unknown{"conv.weight", "other\n"};
  EXPECT_EQ(describe_mismatch(missing, unknown),
            "no conv1.weight (nearest: conv.weight), z, and unknown conv.weight, other\\x0a");
  EXPECT_EQ(describe_mismatch({}, unknown), "unknown conv.weight, other\\x0a");
  EXPECT_EQ(describe_mismatch(std::vector<std::string>(10, "a"), {}), "no a, a, a, a, a, a, a, a and 2 more");
}

}  // namespace
}  // namespace leeway::nn
