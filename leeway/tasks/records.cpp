#include "leeway/tasks/records.h"

namespace leeway::tasks {

std::vector<RecordType> records() {
  std::vector<RecordType> list;
  each_record([&]<class T>(const RecordKind<T>& kind) {
    list.push_back({T().envelope.schema, kind.title, [](Fields& f) {
                      T record;
                      fields(record, f);
                    }});
  });
  return list;
}

}  // namespace leeway::tasks
