// leeway-model CHANNELS: the process of a model file (leeway/nn/process), which leeway starts.
#include <cstdlib>

#include "leeway/nn/session.h"

int main(int count, char** arguments) {
  std::quick_exit(count == 2 ? leeway_nn_serve(std::atoi(arguments[1])) : 2);
}
