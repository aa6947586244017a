// Weka's table of predictions, -classifications "weka.classifiers.evaluation.output.prediction.CSV -distribution":
//
//   inst#,actual,predicted,error,distribution,
//   1,1:no,1:no,,*0.9,0.1
//
// Classes are NUMBER:NAME, a missing one is NUMBER:?, a star marks the largest score, and the columns after
// `distribution` have no names. Errors: none; another table stays as it is. Cost: a pass.
#pragma once

#include "leeway/core/csv.h"

namespace leeway {

// Gives these columns the names prob_NAME, and their fields plain numbers and names.
void read_weka_columns(CsvTable& table);

}  // namespace leeway
