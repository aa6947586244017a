// Options that several commands share, written once.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "leeway/core/outputs.h"

namespace leeway::app {

// A number from low to high; CLI::Range lets nan through.
inline CLI::Validator within(double low, double high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) && value >= low && value <= high;
        return good ? std::string()
                    : fmt::format("expected a number from {:g} to {:g}, found {}", low, high, text);
      },
      fmt::format("from {:g} to {:g}", low, high));
}

inline void add_binary_flag(CLI::App& command, Binary& binary) {
  static const std::map<std::string, Binary> meanings = {{"logit", Binary::logit}, {"prob", Binary::prob}};
  command
      .add_option("--binary", binary,
                  "What a vector of outputs holds for the positive class of two: logit or prob")
      ->transform(CLI::CheckedTransformer(meanings).description(""))
      ->type_name("logit|prob");
}

inline void add_as_flag(CLI::App& command, Scores& as) {
  static const std::map<std::string, Scores> meanings = {{"logits", Scores::logits},
                                                         {"probs", Scores::probs}};
  command
      .add_option(
          "--as", as,
          "What matrices of outputs hold: logits or probs (default: what their name says, but logits whose "
          "rows all are probabilities are taken as such)")
      ->transform(CLI::CheckedTransformer(meanings).description(""))
      ->type_name("logits|probs");
}

}  // namespace leeway::app
