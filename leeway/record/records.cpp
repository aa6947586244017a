#include "leeway/record/records.h"

namespace leeway::record {

std::vector<Record> records() {
  std::vector<Record> list;
  each_record([&]<class T>(const Kind<T>& kind) {
    list.push_back({T().envelope.schema, kind.title, [](Fields& f) {
                      T record;
                      fields(record, f);
                    }});
  });
  return list;
}

}  // namespace leeway::record
