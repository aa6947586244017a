// The record of leeway pa as text for a terminal, and what other tables of agreement share with it.
#pragma once

#include <cstddef>
#include <string>

#include "leeway/record/pa.h"

namespace leeway::app {

// What tables of agreement share: an interval, an inverse temperature, the end of a long name.
[[nodiscard]] std::string interval_text(const Interval& interval);                  // "[1.9158, 2.0230]"
[[nodiscard]] std::string beta_text(double beta);                                   // "2.281", "inf"
[[nodiscard]] std::string cut_at_front(const std::string& name, std::size_t room);  // "...-01/clean.npz"

[[nodiscard]] std::string pa_text(const record::Pa& record);

}  // namespace leeway::app
