#include "leeway/report/record.h"

#include <algorithm>

namespace leeway::report {

void append_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

}  // namespace leeway::report
