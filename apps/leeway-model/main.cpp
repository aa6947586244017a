// leeway-model: the process of a model file (leeway/nn/process), which leeway starts.
#include <cstdlib>

#include "leeway/nn/session.h"

int main() { std::quick_exit(leeway_nn_serve()); }
