// An assessment's sections on predictions under noise, one a model, drawn as the page of average-case robustness is.
#include <fmt/format.h>

#include "leeway/report/average_case_view.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

std::string scope(const record::ModelUnderNoise& one) {
  const std::size_t taken = one.found.n;
  const std::string rows =
      one.source_n > taken
          ? fmt::format("the first {} of the source's {} samples", count(taken), count(one.source_n))
          : fmt::format("the source's {} sample{}", count(taken), taken == 1 ? "" : "s");
  return fmt::format("Measured on {}, under {} noise.", rows, one.found.options.noise);
}

// A section within a section.
std::string part(const Section& section) {
  return section.body.empty() ? "" : "<h3>" + section.heading + "</h3>\n" + section.body;
}

}  // namespace

std::vector<Section> noise_sections(const Record& record, const Pictures& pictures, const Options& options) {
  std::vector<Section> sections;
  Options share = options;  // pictures of flips and of each model take equal parts
  share.picture_bytes /= record.average_case.size() + 1;
  for (const record::ModelUnderNoise& one : record.average_case) {
    const RobustnessView view(one.found);
    const bool named = record.average_case.size() > 1;
    const std::string finding = record::survival_finding(one.found);
    std::string body = paragraph(escape(record::survival_details(one.found)));
    for (const std::string& warning : one.warnings) body += paragraph("<b>Warning:</b> " + escape(warning));
    body += paragraph(
        "p is the probability that the model still gives the answer it gave to the clean sample when noise "
        "of "
        "standard deviation σ is added to its input: 100% means that noise never changes its mind, at 50% it "
        "is a "
        "coin toss. " +
        escape(scope(one)));
    body += survival_overview(view) + part(spread_section(view)) + part(class_bias_section(view)) +
            part(ranking_section(view, pictures, share));
    body += "<details class=\"more\"><summary>What these probabilities assume</summary>\n" +
            survival_assumptions(view) + "</details>\n";
    sections.push_back({fmt::format("noise-{}", sections.size() + 1), named ? "Noise: " + one.model : "Noise",
                        escape(named ? one.model + ": " + finding : finding), body});
  }
  return sections;
}

}  // namespace leeway::report
