// page_maker RECORD.json OUT.html: the page of a record, with made-up pictures for its flips and ranked samples, for the
// browser test.
#include <cstdio>
#include <exception>

#include "leeway/core/file.h"
#include "leeway/core/result.h"
#include "leeway/tasks/report/page.h"

namespace {

using namespace leeway;

// A ramp for the clean picture, its mirror image for the shifted one; grey for even rows, RGB for odd ones.
tasks::FlipPicture made_up(std::size_t result, std::size_t row) {
  tasks::Picture clean{row % 2 == 0 ? std::size_t{1} : std::size_t{3}, 28, 28, {}}, shifted = clean;
  for (std::size_t i = 0; i < clean.channels * 28 * 28; ++i) {
    clean.pixels.push_back(static_cast<std::uint8_t>(i % 28 * 9));
    shifted.pixels.push_back(static_cast<std::uint8_t>((27 - i % 28) * 9));
  }
  return {result, row, clean, shifted};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    const Json record = read_record(argv[1]);
    tasks::Pictures pictures;
    for (std::size_t r = 0; r < record["results"].size(); ++r)
      if (record["results"][r].contains("flips"))
        for (const Json& flip : record["results"][r]["flips"])
          pictures.flips.push_back(made_up(r, flip["row"]));
    if (record.contains("ranking"))
      for (const Json& ranking : record["ranking"])
        for (const Json& one : ranking["classes"])
          for (const char* end : {"least", "most"})
            for (const Json& sample : one[end])
              pictures.samples.push_back({sample["row"], made_up(0, sample["row"]).clean});
    write_text(argv[2], tasks::html_report(record, pictures));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
  return 0;
}
