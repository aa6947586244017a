#include "leeway/tasks/task_clock.h"

#include "leeway/core/instruction_set.h"

namespace leeway::tasks {

void TaskClock::stamp(Envelope& envelope, std::uint64_t seed) const {
  envelope.seed = seed;
  envelope.instruction_set = name_of(instruction_set);
  envelope.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

}  // namespace leeway::tasks
