#include "leeway/conds/protocol_sets.h"

namespace leeway::conds {

std::span<const ConDSDataSet> conds_data_sets() {
  constexpr std::string_view protocol = "ConDS, Tables 2 and 6";
  // Counts by kind: UNIFORM, SC, LDD, SC+LDD, UDS, SC+UDS, LDD+UDS, SC+LDD+UDS.
  static const ConDSDataSet list[] = {
      {{"dsprites", "shapes in front of colors", protocol},
       {"shape", {"square", "ellipse", "heart"}},
       {{{"obj_color", {"red", "yellow", "blue"}},
         {"bg_color", {"orange", "green", "purple"}},
         {"scale", {"small", "middle", "big"}}}},
       default_counts},
      {{"shapes3d", "solids in a room", protocol},
       {"shape", {"cube", "cylinder", "sphere", "capsule"}},
       {{{"obj_color", {"red", "orange", "yellow", "green"}},
         {"bg_color", {"red", "orange", "yellow", "green"}},
         {"scale", {"tiny", "small", "middle", "big"}}}},
       {{1, 1, 3, 3, 1, 1, 3, 3}, {1, 1, 3, 3, 1, 1, 3, 3}, 5}},
      {{"smallnorb", "toys from many sides", protocol},
       {"object", {"animal", "human", "car", "truck", "airplane"}},
       {{{"azimuth", {"0", "80", "160", "240", "320"}},
         {"lighting", {"0", "1", "2", "3", "4"}},
         {"elevation", {"30", "40", "50", "60", "70"}}}},
       {{1, 1, 3, 3, 1, 1, 3, 3}, {1, 1, 3, 3, 1, 1, 3, 3}, 5}},
      {{"celeba", "faces", protocol},
       {"gender", {"male", "female"}},
       {{{"black_hair", {"black", "others"}},
         {"smiling", {"smiling", "no smiling"}},
         {"straight_hair", {"straight hair", "others"}}}},
       {{14, 28, 24, 48, 28, 56, 48, 96}, {14, 28, 24, 48, 28, 56, 48, 96}, 50}},
      {{"deepfashion", "clothes", protocol},
       {"dress", {"skirt", "others"}},
       {{{"pattern", {"floral", "solid"}},
         {"sleeve", {"long sleeve", "sleeveless"}},
         {"fabric", {"chiffon", "cotton"}}}},
       {{6, 12, 12, 21, 12, 25, 21, 39}, {6, 12, 12, 21, 12, 25, 21, 39}, 5}},
  };
  return list;
}

const ConDSDataSet& conds_data_set(std::string_view name) {
  return find_member(conds_data_sets(), "data set", name);
}

TableColumns columns_of(const ConDSDataSet& set) {
  TableColumns columns;
  const auto order = [&](const NamedColumn& column) {
    columns.orders[std::string(column.name)] = {column.values.begin(), column.values.end()};
    return std::string(column.name);
  };
  columns.label = order(set.label);
  for (const NamedColumn& attribute : set.attributes) columns.attributes.push_back(order(attribute));
  return columns;
}

}  // namespace leeway::conds
