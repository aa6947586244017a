// One model, two targets: a labelled, paired one and an unlabelled one from production. What each permits to
// say.
#include <fmt/core.h>

#include <string>

#include "leeway/assess/assess.h"

int main() {
  const auto outputs = [](const std::string& name) {
    return leeway::read_outputs("examples/data/" + name + ".npz");
  };
  const leeway::Json record = leeway::assess::assess(
      {{"cnn", outputs("clean")}},
      {{"cnn", "blur", outputs("blurred")}, {"cnn", "production", outputs("production")}});
  for (const leeway::Json& result : record["results"]) {
    fmt::print("{}: n {}\n", result["target"].get<std::string>(), result["n"].get<int>());
    for (const char* key : {"accuracy", "accuracy_low", "accuracy_high", "afr_pred", "pa"})
      if (result.contains(key) && result[key].is_number())
        fmt::print("  {:<14}{:.3f}\n", key, result[key].get<double>());
      else
        fmt::print("  {:<14}-\n", key);
  }
}
