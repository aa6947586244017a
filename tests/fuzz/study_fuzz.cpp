// A study of a sweep: an Error in one line, or stages whose references and axes are whole.
#include "leeway/sweep/study.h"
#include "tests/fuzz/fuzz.h"
#include "tests/sweep/small_catalog.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace leeway::sweep;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  return leeway::fuzz::guarded([&] {
    const Study study = testing::study_of(text);
    if (study.stages.empty()) std::abort();
    for (const Stage& stage : study.stages)
      for (const Setting& setting : stage.settings) {
        if (setting.values.empty() || setting.values.size() != setting.texts.size()) std::abort();
        for (const Template& pieces : setting.values)
          for (const Piece& piece : pieces)
            if (piece.kind == Piece::Kind::value &&
                piece.setting >= study.stages.at(piece.stage).settings.size())
              std::abort();
      }
    for (const StudyRule& rule : study.rules)
      for (const Condition& condition : rule.rule) (void)holds(condition, "0.5");
  });
}
