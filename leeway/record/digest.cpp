#include "leeway/record/digest.h"

#include "leeway/core/digest.h"
#include "leeway/record/json.h"

namespace leeway::record {

std::string digest_of(const Description& describe) { return digest_text(written(describe).dump()); }

}  // namespace leeway::record
