// The commands that units of a sweep may be, as the command line describes them.
#pragma once

#include "apps/leeway/command.h"
#include "leeway/sweep/catalog.h"

namespace leeway::app {

// A second command line, which is asked what a command takes and never runs anything.
class SweepCatalog {
 public:
  SweepCatalog();
  [[nodiscard]] const sweep::Catalog& catalog() const { return catalog_; }

 private:
  Context context_{{}};
  CommandLine line_{"", ""};
  sweep::Catalog catalog_;
};

}  // namespace leeway::app
