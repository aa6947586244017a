#include "leeway/sweep/script.h"

#include <gmock/gmock.h>

#include "leeway/sweep/plan.h"
#include "tests/message_of.h"
#include "tests/sweep/small_catalog.h"

namespace leeway::sweep::testing::script_test {

TEST(Script, PathsThatSchedulersReadAreRefused) {
  EXPECT_THAT(array_script({.program = "/bin/leeway", .folder = "/a b/$c"}), Says("'/a b/$c'..."));
  for (const char* const folder : {"/a\n#$ -l x", "/a%j", "/a\"b", "/a'b", "/a\\b", "/a\x7f"}) {
    const ScriptOptions bad_folder{.program = "/bin/leeway", .folder = folder},
        bad_program{.program = folder, .folder = "/a"};
    for (const ScriptOptions& options : {bad_folder, bad_program}) {
      EXPECT_REFUSED(array_script(options), "on a cluster, a path...");
      EXPECT_REFUSED(submit_to_slurm(options, [] {}), "on a cluster, a path...");
    }
  }
}

TEST(Script, SlurmGetsPartitionAccountMemoryAndFurtherOptions) {
  const auto scripts = slurm_scripts({.program = "/bin/leeway",
                                      .folder = "/s",
                                      .tasks = 9,
                                      .jobs = 2,
                                      .threads = 3,
                                      .memory = std::uint64_t{1} << 30,
                                      .time = "1:00:00",
                                      .partition = "long",
                                      .account = "lab",
                                      .sbatch = "--qos=high --exclusive",
                                      .waves = {{{"train", "infer"}, "a100:1"}}});
  ASSERT_EQ(scripts.size(), 2u);
  EXPECT_EQ(scripts[0].file, "array.sh");
  EXPECT_EQ(scripts[0].text, R"(#!/bin/bash
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --job-name=leeway-sweep
#SBATCH --array=1-9
#SBATCH --output="/s/slurm/%A_%a.log"
#SBATCH --cpus-per-task=6
#SBATCH --time=1:00:00
#SBATCH --mem=2048M
#SBATCH --partition=long
#SBATCH --account=lab
#SBATCH --gres=gpu:a100:1
#SBATCH --qos=high --exclusive
#SBATCH --signal=B:TERM@60
trap 'kill -TERM "$runner"' TERM
'/bin/leeway' sweep run '/s' --jobs 2 --quiet)"
                             " --stages train,infer --no-wait"
                             R"( --limit 1:00:00 --collect '/s/runs.csv' &
runner=$!
wait "$runner"
code=$?
[ $code -gt 128 ] && { wait "$runner"; again=$?; [ $again -ne 127 ] && code=$again; }
# 130: asked to stop; 137: killed. Its units are free again.
case $code in 130|137|143) scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && sleep 60 ;; esac
exit $code
)");
  EXPECT_THAT(scripts[1].text, Says("...job-name=leeway-last...--gres=gpu:a100:1..."));
  EXPECT_THAT(slurm_scripts({.program = "/l", .folder = "/s"})[0].text,
              ::testing::Not(::testing::HasSubstr("gres")));
  EXPECT_REFUSED(slurm_scripts({.program = "/l", .folder = "/s", .sbatch = "a\nrm -r /"}),
                 "--sbatch: ...one line...");
}

// Stages with equal GPUs share a wave, unless another one lies between them.
TEST(Script, GpusOfStagesMakeWaves) {
  const Plan plan = plan_of(
      "[d]\ncommand = \"data draw\"\nname = \"a\"\nout = \"d.npz\"\n[train]\ndata = \"{d}\"\nout = \"w\"\n"
      "[again]\ncommand = \"train\"\ndata = \"{d}\"\nstart = \"{train}\"\nout = \"w\"\n"
      "[look]\nsource = \"{again}\"\ntarget = \"{d}\"\n");
  using Waves = std::vector<std::pair<std::vector<std::string>, std::string>>;
  const auto waves = [&](const std::vector<std::string>& gpus) {
    Waves found;
    for (const Wave& wave : waves_of(plan, gpus)) found.emplace_back(wave.stages, wave.gpus);
    return found;
  };
  EXPECT_EQ(waves({}), (Waves{{{}, ""}}));
  EXPECT_EQ(waves({"a100:2"}), (Waves{{{}, "a100:2"}}));
  EXPECT_EQ(waves({"train=1", "again=1"}), (Waves{{{"d"}, ""}, {{"train", "again"}, "1"}, {{"look"}, ""}}));
  EXPECT_EQ(waves({"1", "train=0"}), (Waves{{{"d"}, "1"}, {{"train"}, ""}, {{"again", "look"}, "1"}}));
  EXPECT_REFUSED(waves({"draw=1"}), "--gpus: expected a stage of the plan, found 'draw'");
  for (const char* const wrong : {"train=", "1 --exclusive", "="})
    EXPECT_REFUSED(waves({wrong}), "--gpus: expected a number of GPUs...");
}

}  // namespace leeway::sweep::testing::script_test
