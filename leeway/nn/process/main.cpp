// leeway-model CHANNELS: started by leeway for a model file.
#include <cstdlib>

#include "leeway/nn/process/server.h"

int main(int count, char** arguments) { return count == 2 ? leeway_nn_serve(std::atoi(arguments[1])) : 2; }
