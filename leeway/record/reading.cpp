#include "leeway/record/reading.h"

namespace leeway::record {

void fields(OutputsReading& reading, Fields& f) {
  f.choice("binary", reading.binary, {{"logit", ""}, {"prob", ""}},
           "what a vector of outputs holds for the positive class of two: logit or prob");
  f.choice("as", reading.as, {{"logits", ""}, {"probs", ""}},
           "what matrices of outputs hold: logits or probs (default: what their name says, but logits whose "
           "rows all are "
           "probabilities are taken as such)");
}

}  // namespace leeway::record
