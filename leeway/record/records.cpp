#include "leeway/record/records.h"

#include <array>

#include "leeway/record/pa.h"

namespace leeway::record {
namespace {

template <class T>
void describe(Fields& f) {
  T record;
  fields(record, f);
}

constexpr std::array list{
    Record{pa_schema, "posterior agreement (leeway pa)", describe<Pa>},
};

}  // namespace

std::span<const Record> records() { return list; }

}  // namespace leeway::record
