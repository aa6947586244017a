// One step of every algorithm against an independent program in Python. Steps that need more than a network and a batch are compared in
// their algorithm's own test: ada, bpa, l2d, lisa, occamnets, reweight.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

class EveryReferenceStep : public testing::TestWithParam<const char*> {};

TEST_P(EveryReferenceStep, IsThatOfAnotherProgram) { toy::expect_reference_step(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, EveryReferenceStep,
                         testing::Values("erm", "augmix_jsd", "gradient_norm", "pgd", "ubnet", "pnd",
                                         "group_dro", "sagnet", "irm", "irm_square", "coral", "deep_coral",
                                         "mmd", "causirl_coral", "causirl_mmd", "mixup", "mixup_environments",
                                         "dann", "cdan", "cdan_entropy", "cdan_random", "fixmatch",
                                         "fixmatch_training", "fixmatch_together"),
                         [](const auto& instance) { return std::string(instance.param); });

TEST(ReferenceSteps, ThereIsOneOfEveryAlgorithm) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(LEEWAY_REFERENCE "/steps"))
    if (entry.path().extension() == ".json")
      found.insert(toy::ReferenceStep(entry.path().stem().string()).json["algorithm"].get<std::string>());
  for (const AlgorithmMember& member : algorithms()) {
    if (member.name == "resample" || member.name == "ada") continue;  // the steps of erm and me-ada
    EXPECT_TRUE(found.contains(std::string(member.name))) << member.name;
  }
}

}  // namespace
}  // namespace leeway::nn
