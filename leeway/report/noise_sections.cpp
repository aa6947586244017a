// An assessment's sections on predictions under noise, one a model, drawn as the page of average-case robustness is.
#include <fmt/format.h>

#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

std::string scope(const AverageCaseRecord& record) {
  const std::string n = count(record.n);
  const std::string rows =
      record.source_n && *record.source_n > record.n
          ? fmt::format("the first {} of the source's {} samples", n, count(*record.source_n))
          : fmt::format("the source's {} sample{}", n, record.n == 1 ? "" : "s");
  return fmt::format("Measured on {}, under {} noise.", rows, record.noise.empty() ? "random" : record.noise);
}

// A section within a section.
std::string part(const Section& section) {
  return section.body.empty() ? "" : "<h3>" + section.heading + "</h3>\n" + section.body;
}

}  // namespace

std::vector<Section> noise_sections(const Record& record, const Pictures& pictures, const Options& options) {
  std::vector<Section> sections;
  Options share = options;  // pictures of flips and of each model take equal parts
  share.picture_bytes /= record.noise.size() + 1;
  for (const AverageCaseRecord& one : record.noise) {
    const bool named = record.noise.size() > 1;
    const std::string finding = survival_finding(one);
    std::string body = paragraph(escape(survival_details(one)));
    for (const std::string& warning : one.warnings) body += paragraph("<b>Warning:</b> " + escape(warning));
    body += paragraph(
        "p is the probability that the model still gives the answer it gave to the clean sample when noise "
        "of "
        "standard deviation σ is added to its input: 100% means that noise never changes its mind, at 50% it "
        "is a "
        "coin toss. " +
        escape(scope(one)));
    body += survival_overview(one) + part(spread_section(one)) + part(class_bias_section(one)) +
            part(ranking_section(one, pictures, share));
    body += "<details class=\"more\"><summary>What these probabilities assume</summary>\n" +
            survival_assumptions(one) + "</details>\n";
    sections.push_back({fmt::format("noise-{}", sections.size() + 1), named ? "Noise: " + one.model : "Noise",
                        escape(named ? one.model + ": " + finding : finding), body});
  }
  return sections;
}

}  // namespace leeway::report
