// Tables, sequences and files of tensors, as the commands take them (tests/reference/model_files.py).
#include <gmock/gmock.h>

#include "leeway/core/npz.h"
#include "leeway/record/json.h"
#include "tests/nn/command_fixture.h"

namespace leeway {
namespace {

using testing::HasSubstr;

std::string model_file(const std::string& name) {
  return std::string(LEEWAY_REFERENCE) + "/model_files/" + name;
}

class TensorFilesTier2 : public Command {};

TEST_F(Command, InspectListsTensorsOfAnUnknownNetwork) {
  ASSERT_EQ(run({"inspect", model_file("table-compiled.pt")}), 0) << err();
  EXPECT_THAT(out(), testing::AllOf(HasSubstr("not said: these are linear's names and shapes"),
                                    HasSubstr("--arch linear --input 4  (3 classes)"),
                                    HasSubstr("_orig_mod.weight")));
  ASSERT_EQ(run({"inspect", model_file("table-plain.pt"), "--json"}), 0) << err();
  const Json found = Json::parse(out()).at("results").at(0);
  EXPECT_EQ(found.at("fitting").at(0).at("architecture"), "linear");
  EXPECT_EQ(found.at("fitting").at(0).at("input"), Json({4}));
  EXPECT_EQ(found.at("layers").size(), 2U);
}

TEST_F(TensorFilesTier2, TablesGoThroughEveryCommandOfModels) {
  const std::string model = model_file("table-program.pt"), data = model_file("table.npz");
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--out", path("o.npz")}), 0) << err();
  EXPECT_EQ(read_npz(path("o.npz")).at("logits").shape, (std::vector<std::size_t>{5, 3}));
  ASSERT_EQ(run({"attack", "--model", model, "--data", data, "--eps", "1", "--out", path("a.npz")}), 0)
      << err();
  EXPECT_EQ(read_npz(path("a.npz")).at("x").shape, read_npz(data).at("x").shape);
  EXPECT_EQ(run({"attack", "--model", model, "--data", data, "--out", path("a.npz")}), 2);
  EXPECT_THAT(err(), HasSubstr("--eps: expected a radius"));
  ASSERT_EQ(run({"average-case", "--model", model, "--data", data, "--sigma", "0.5", "--methods",
                 "taylor,mmse", "--report", path("p.html")}),
            0)
      << err();
}

TEST_F(TensorFilesTier2, LayoutsAreFoundOutAndNamed) {
  const std::string model = model_file("grey-program.pt"), data = model_file("grey.npz");
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--out", path("o.npz")}), 0) << err();
  EXPECT_THAT(err(), HasSubstr("is read as grey images (--layout rows takes it as it is)"));
  ASSERT_EQ(run({"infer", "--model", model, "--data", data, "--layout", "rows", "--out", path("r.npz")}), 0)
      << err();
  EXPECT_THAT(err(), testing::Not(HasSubstr("grey images")));
  const auto a = read_npz(path("o.npz")).at("logits"), b = read_npz(path("r.npz")).at("logits");
  EXPECT_TRUE(std::ranges::equal(a.bytes(), b.bytes()));
  EXPECT_EQ(run({"infer", "--model", model, "--data", data, "--layout", "nchw", "--out", path("o.npz")}), 3);
  EXPECT_THAT(err(), HasSubstr("expected 4 dimensions, as nchw has, found shape (5, 3, 2)"));
  EXPECT_EQ(run({"infer", "--model", model, "--data", data, "--layout", "round", "--out", path("o.npz")}), 2);
}

}  // namespace
}  // namespace leeway
