// The version of the library, "0.1.0".
#pragma once

namespace leeway {

extern const char* const version;

}  // namespace leeway
