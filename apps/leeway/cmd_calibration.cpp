// leeway calibration: whether confidences are shares of right predictions.

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/tasks/calibration/calibration.h"

namespace leeway::app {
namespace {

struct CalibrationFlags {
  std::vector<std::string> outputs;
  tasks::CalibrationOptions options;
};

int run_calibration(Context& context, const CalibrationFlags& flags) {
  return context.finish(tasks::calibration(
      {tasks::named_outputs(context.inputs, flags.outputs, flags.options, tasks::SetRole::first, true),
       flags.options, context.seed},
      context.progress()));
}

}  // namespace

void add_calibration(const Command& root, Context& context) {
  const Command command = root.add("calibration", "Confidence against accuracy of labeled outputs");
  auto& flags = command.keep<CalibrationFlags>();
  command.option("outputs", flags.outputs, "Outputs with labels: .npz, .safetensors, .csv").required();
  add_option_flags(command, flags.options);
  command.reads({"outputs"});
  context.add_common_flags(command);
  context.add_page_flag(command);
  command.hide({"--seed"});
  command.footer("  leeway calibration cnn.npz robust.npz --bins equal-mass --report calibration.html");
  command.runs([&context, &flags] { return run_calibration(context, flags); });
}

}  // namespace leeway::app
