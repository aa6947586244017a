#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/tasks/diagvib/diagvib.h"

namespace leeway::tasks {

void fields(DataDiagvibOptions& options, Fields& f) {
  f("environment", options.environment, "experiment (leeway list environments)");
  f("part", options.part,
    "part of the experiment: train, val or test; NAME:NUMBER for one environment; for co-occurrence test:1 "
    "to test:5, test:seen, test:unseen or test:all; all: train, validation pairs and numbered tests, written "
    "to a folder");
  f("n", options.n, from_to(1, 1e8),
    "images per environment (default: as in the paper); with --part all, images per training environment, "
    "and in proportion for other parts");
  f("size", options.size, from_to(28, 512), "width and height in pixels; objects are scaled");
  f("classes", options.classes, "digit classes to draw, in the order of y (default: as in the paper)");
  f.choice("pairing", options.pairing,
           {{"paired", "row i shows the same digit with the same random numbers in all environments"},
            {"unpaired", "environments have different digits and random numbers"}},
           "pairing of environments (default: unpaired in training and in the validation part of selection, "
           "otherwise paired)");
  f("shift_ratio", options.shift_ratio, a_share,
    "share of shifted rows (the last rows); the other rows belong to environment 0");
  f("factors", options.factors,
    "FACTOR=CLASS,...: fixed factors of all environments; FACTOR is one of hue, lightness, position, scale "
    "or texture");
  f.choice("learning_factor", options.learning_factor,
           {{"hue", ""}, {"lightness", ""}, {"position", ""}, {"scale", ""}, {"texture", ""}},
           "co-occurrence: factor that is correlated with the digit");
  f("share", options.share, a_share, "fgo: share of images whose learning factor has the class of the digit");
}

static void fields(DiagvibEnvironment& environment, Fields& f) {
  f("number", environment.number, "number of the environment; in tests, number of shifted factors");
  f("n", environment.n, "number of images");
  f("hue", environment.hue, "hue class");
  f("lightness", environment.lightness, "lightness class");
  f("position", environment.position, "position of the object");
  f("scale", environment.scale, "scale class");
  f("texture", environment.texture, "texture; a star marks textures drawn by leeway");
  f("mean", environment.mean, "mean of the pixels in [0,1], per channel");
  f("std", environment.std, "standard deviation of the pixels, per channel");
}

static void fields(DiagvibFile& file, Fields& f) {
  f("part", file.part, "part of the experiment");
  f("n", file.n, "number of images");
  f("shape", file.shape, "n, channels, height, width");
  f("pairing", file.pairing, "paired or unpaired");
  f("pool", file.pool, "number of available digits, by class");
  f("environments", file.environments, "environments in the file, in order; []: co-occurrence");
  f("learning_classes", file.learning_classes, "co-occurrence: classes of the learning factor; [] otherwise");
  f("pairs", file.pairs,
    "co-occurrence: number of rows by digit class and learning-factor class; [] otherwise");
  f("mutual_information", file.mutual_information, at_least(0),
    "co-occurrence: mutual information of digit and learning factor, in nats; null otherwise");
  f("mean", file.mean, "per-channel --mean that standardizes the file's pixels");
  f("std", file.std, "per-channel --std that standardizes the file's pixels");
  f("out", file.out, "images file; null: not requested");
  f("attributes", file.attributes, "table file; null: not requested");
}

void fields(DataDiagvib& record, Fields& f) {
  common_fields(record, f);
  f("classes", record.classes, "class names of y = 0, 1, ...: labels in the digits file");
  f("left_out", record.left_out, "number of digit images without a pixel above 100, or without a glyph");
  f("sheet", record.sheet, "contact sheet; null: not requested");
  f("manifest", record.manifest, "copy of this record; null: none");
  f("results", record.results, "one result for each file of images");
}

std::string headline_of(const DataDiagvib& record) {
  const DiagvibFile& first = record.results.front();
  std::size_t n = 0;
  for (const DiagvibFile& file : record.results) n += file.n;
  std::string text = fmt::format("{} images of {} have {} x {} pixels", n, fmt::join(record.classes, ", "),
                                 record.options.size, record.options.size);
  if (record.results.size() > 1) text += fmt::format(" in {} files", record.results.size());
  if (first.mean.empty()) return text + ".";
  return text + fmt::format("; --mean {1:.6g} --std {2:.6g} standardize the images of {0}.", first.part,
                            fmt::join(first.mean, ","), fmt::join(first.std, ","));
}

std::vector<std::string> findings_of(const DataDiagvib& record) {
  std::vector<std::string> findings;
  if (record.left_out > 0)
    findings.push_back(fmt::format("{} images have no bright object and were omitted.", record.left_out));
  const bool own = std::ranges::any_of(record.results, [](const DiagvibFile& file) {
    return std::ranges::any_of(file.environments,
                               [](const DiagvibEnvironment& one) { return one.texture.ends_with('*'); }) ||
           std::ranges::any_of(file.learning_classes,
                               [](const std::string& name) { return name.ends_with('*'); });
  });
  if (own)
    findings.emplace_back(
        "Textures with a star are drawn by leeway, because the published textures are not free.");
  return findings;
}

}  // namespace leeway::tasks
