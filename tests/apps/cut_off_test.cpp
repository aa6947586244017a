// Files cut off after any number of bytes: what remains of a structure differs at each of them.
#include "leeway/core/safetensors.h"
#include "tests/apps/bad_inputs.h"

namespace leeway {
namespace {

using namespace leeway::testing;

class CutOff : public ::testing::TestWithParam<std::string> {};

TEST_P(CutOff, AtEveryBoundary) {
  const TemporaryFolder folder;
  write_npy(folder / "good.npy", good_logits);
  const std::string name = "cut." + GetParam();
  if (GetParam() == "npy") write_npy(folder / name, good_logits);
  if (GetParam() == "npz")
    write_bytes(folder / name, make_zip({stored_entry("logits.npy", good),
                                         deflated_entry("labels.npy", npy_bytes(i64({0, 1, 2, 0})))}));
  if (GetParam() == "safetensors") write_safetensors(folder / name, {{{"logits", good_logits}}, {}});
  if (GetParam() == "idx.gz") write_bytes(folder / name, gzip(idx_labels));
  const std::string arguments =
      GetParam() == "idx.gz" ? "pa good.npy good.npy --labels " + name : "pa good.npy " + name;
  const std::string bytes = read_bytes(folder / name);
  EXPECT_EQ(run(folder, arguments).code, 0);
  const std::size_t step = bytes.size() > 300 ? 7 : bytes.size() > 100 ? 3 : 1;
  for (std::size_t size = 0; size < bytes.size(); size += step) {
    SCOPED_TRACE(size);
    write_bytes(folder / name, std::string_view(bytes).substr(0, size));
    expect_refused(run(folder, arguments), name, "expected ");
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, CutOff, ::testing::Values("npy", "npz", "safetensors", "idx.gz"),
                         [](const auto& format) {
                           return format.param == "idx.gz" ? std::string("idx_gz") : format.param;
                         });

}  // namespace
}  // namespace leeway
