// LEEWAY_INSTRUCTION_SET: the command refuses what the machine lacks and names the set in its records; between sets, decisions
// and certificates are the same and numbers differ in their last bits.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/random.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"

namespace leeway::instruction_set_command_test {

class InstructionSetCommand : public CommandTest {
 protected:
  static constexpr std::size_t n_ = 1500, k_ = 7, d_ = 12;

  InstructionSetCommand() {
    Random random(1, stream("instruction sets"));
    std::vector<std::int64_t> labels(n_), groups(n_);
    std::vector<float> clean(n_ * k_), shifted(n_ * k_), jacobian(40 * k_ * d_);
    for (std::size_t i = 0; i < n_; ++i) {
      labels[i] = static_cast<std::int64_t>(random.below(k_));
      groups[i] = static_cast<std::int64_t>(random.below(2));
      for (std::size_t j = 0; j < k_; ++j) {
        clean[i * k_ + j] = static_cast<float>(1.5 * random.normal());
        if (static_cast<std::int64_t>(j) == labels[i]) clean[i * k_ + j] += 4;
        shifted[i * k_ + j] = clean[i * k_ + j] + static_cast<float>(1.5 * random.normal());
      }
    }
    for (float& value : jacobian) value = static_cast<float>(random.normal());
    write_npy(folder_ / "logits.npy", make_array<float>({40, k_}, {clean.begin(), clean.begin() + 40 * k_}));
    write_npy(folder_ / "jacobian.npy", make_array({40, k_, d_}, std::move(jacobian)));
    save("clean.npz", std::move(clean), labels, groups);
    save("shifted.npz", std::move(shifted), labels, groups);
    std::vector<double> upper(20 * d_), covariance(d_ * d_);
    for (double& value : upper) value = 1 + random.normal();
    for (std::size_t i = 0; i < d_; ++i)
      for (std::size_t j = 0; j < d_; ++j)
        covariance[i * d_ + j] = std::pow(.8, std::abs(static_cast<double>(i) - static_cast<double>(j)));
    write_npy(folder_ / "upper.npy", make_array({20, d_}, std::move(upper)));
    write_npy(folder_ / "covariance.npy", make_array({d_, d_}, std::move(covariance)));
  }

  void save(const std::string& name, std::vector<float> logits, const std::vector<std::int64_t>& labels,
            const std::vector<std::int64_t>& groups) const {
    write_npz(folder_ / name, {{"logits", make_array({n_, k_}, std::move(logits))},
                               {"labels", make_array({n_}, labels)},
                               {"groups", make_array({n_, 1}, groups)}});
  }

  [[nodiscard]] Outcome run_under(std::string_view set, const std::string& arguments) const {
    return run_command(folder_, arguments, fmt::format("export {}='{}'; ", instruction_set_variable, set));
  }

  [[nodiscard]] Json record_under(InstructionSet set, const std::string& arguments) const {
    const Outcome said = run_under(name_of(set), arguments + " --json");
    EXPECT_EQ(said.code, 0) << said.err;
    Json record = Json::parse(said.out);
    EXPECT_EQ(record.at("instruction_set"), name_of(set));
    return record;
  }
};

// Where two records differ by more than last bits: words, truths, counts and the shape must be equal, other numbers
// within `tolerance`, relative above 1. Times, and the name of the set, are passed over.
std::vector<std::string> differences(const Json& a, const Json& b, double tolerance) {
  const auto left_out = [](const std::string& path) {
    return path.find("seconds") != std::string::npos || path == "/instruction_set";
  };
  std::vector<std::string> found;
  const Json one = a.flatten(), two = b.flatten();
  EXPECT_EQ(one.size(), two.size());
  for (const auto& [path, x] : one.items()) {
    if (left_out(path)) continue;
    const Json y = two.value(path, Json());
    const bool same =
        x.is_number_float() && y.is_number()
            ? std::abs(x.get<double>() - y.get<double>()) <=
                  tolerance * std::max({1., std::abs(x.get<double>()), std::abs(y.get<double>())})
            : x == y;
    if (!same) found.push_back(path + ": " + x.dump() + ", " + y.dump());
  }
  return found;
}

TEST_F(InstructionSetCommand, UnknownOneIsAUsageErrorOfOneLine) {
  const Outcome said = run_under("sse9", "pa clean.npz shifted.npz");
  EXPECT_EQ(said.code, 2);
  EXPECT_EQ(said.err, "leeway: LEEWAY_INSTRUCTION_SET: expected baseline, avx2 or avx512, found 'sse9'\n");
}

TEST_F(InstructionSetCommand, RecordsNameTheOneThatRan) {
  for (const char* const arguments : {"list estimators", "pa clean.npz shifted.npz"}) {
    const Outcome said = run_under("baseline", std::string(arguments) + " --json");
    ASSERT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(Json::parse(said.out).at("instruction_set"), "baseline");
    EXPECT_EQ(Json::parse(run_under("", std::string(arguments) + " --json").out).at("instruction_set"),
              name_of(machine_instruction_set()));
  }
}

// The critics of dis2 are the end of a long search, which roundings may lead elsewhere: not compared.
struct Compared {
  const char *name, *arguments;
};

class BetweenInstructionSetsTier2 : public InstructionSetCommand,
                                    public ::testing::WithParamInterface<Compared> {};

TEST_P(BetweenInstructionSetsTier2, DecisionsAndCertificatesAreTheSame) {
  const Json best = record_under(machine_instruction_set(), GetParam().arguments);
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::avx2}) {
    if (set >= machine_instruction_set()) continue;
    for (const std::string& one : differences(best, record_under(set, GetParam().arguments), 1e-6))
      ADD_FAILURE() << name_of(set) << one;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, BetweenInstructionSetsTier2,
    ::testing::Values(
        Compared{"pa", "pa clean.npz shifted.npz --curve 9 --ratios 0,.5,1 --bootstrap 20 --summaries"},
        Compared{"distances", "distances clean.npz shifted.npz"},
        Compared{"assess",
                 "assess --source clean.npz --target s=shifted.npz --no-bounds --fail-if 'accuracy<0.5'"},
        Compared{"bound",
                 "bound --source clean.npz --target shifted.npz --bootstrap 20 --methods "
                 "ac,doc,atc-conf,atc-ne,cot,cot-corrected"},
        Compared{"mvn_cdf", "mvn-cdf --upper upper.npy --covariance covariance.npy"},
        Compared{"average_case", "average-case --logits logits.npy --jacobian jacobian.npy --sigma 0.1,0.5"}),
    [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace leeway::instruction_set_command_test
