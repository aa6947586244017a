// leeway infer --endpoint: the classes that a model behind a chat endpoint names for images, as an outputs
// file. Keys: leeway schema infer-endpoint.
//
// Columns of the outputs: endpoint::scores_of. Rows without an answer are left out, and `ids` then numbers
// the others. Accuracy counts an answer that names no class as wrong, whatever `no_class` makes of it.
// OptionError: endpoint, model or classes are missing. Errors (Error): those of endpoint/ask.h; labels that
// the classes lack. Interrupted on request. Cost: a request for each image and sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/data/picture_folder.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/endpoint/ask.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"

namespace leeway::tasks {

inline constexpr std::string_view infer_endpoint_schema = "leeway.infer-endpoint/1";

struct InferEndpointOptions {
  std::optional<std::string> endpoint, endpoint_model;
  std::optional<std::string> classes;  // names, or a file of them; unset: those of the images
  std::string prompt = "general1", answer = "names";
  std::optional<std::string> aliases, journal;  // files
  std::string no_class = "class";
  std::size_t samples = 1;
  double temperature = 0;
  std::optional<std::size_t> max_tokens, max_requests;
  std::size_t parallel = 8, retries = 6;
  double rate = 0, timeout = 120;
  data::PictureOptions pictures = {};  // of a folder
};

struct AnswerExample {
  std::string kind;
  std::size_t row = 0;
  std::string text;
};

struct EndpointAnswers {
  std::string data, out;  // files; empty: none
  std::string host, prompt;
  std::vector<std::string> served_models;
  std::optional<std::string> token_limit;  // its name in the requests
  std::size_t n = 0, k = 0, missing = 0;   // rows of the images, classes, rows without an answer
  std::vector<std::string> failures;       // why answers are missing: "HTTP 503 (12)"
  std::size_t parsed = 0, unparsed = 0, empty = 0, cut_off = 0, refused = 0, unreadable = 0;  // answers
  std::vector<AnswerExample> examples;           // of those that name no class
  std::string probabilities;                     // name_of(endpoint::Probabilities)
  std::optional<double> mass_outside, censored;  // of log-probabilities, means over answers
  Measured accuracy, accuracy_with_class;        // of rows with a label
  std::optional<double> accuracy_if_right;       // if the rows without a class were right
  std::size_t requests = 0, retries = 0, from_journal = 0;
  std::size_t prompt_tokens = 0, completion_tokens = 0;
  std::optional<double> seconds_per_request;

  [[nodiscard]] std::size_t without_class() const {
    return unparsed + empty + cut_off + refused + unreadable;
  }
};

using InferEndpoint = RecordOf<infer_endpoint_schema, InferEndpointOptions, EndpointAnswers>;

void fields(InferEndpointOptions& options, Fields& f);
void flag_fields(InferEndpointOptions& options,
                 Fields& f);  // without the classes, nor the pictures, which models have as well
void fields(EndpointAnswers& set, Fields& f);

[[nodiscard]] std::string headline_of(const InferEndpoint& record);
[[nodiscard]] std::vector<std::string> findings_of(const InferEndpoint& record);

struct InferEndpointTask {
  Images images;
  std::string data = {};  // the file or set that they are from
  InferEndpointOptions options = {};
  std::uint64_t seed = 0;
  // Gets one line about the host that images go to, unless the journal exists
  std::function<void(const std::string& line)> say = {};
};

struct EndpointOutputs {
  InferEndpoint record;  // without what the caller knows: command, inputs, `out`
  Outputs outputs;       // of the rows with an answer
  std::vector<std::size_t> rows;
};
// What is asked for. `classes`: of the images, where the options name none. The key of the server comes from the
// environment variable LEEWAY_API_KEY.
[[nodiscard]] endpoint::AskOptions ask_options(const InferEndpointOptions& options,
                                               const std::vector<std::string>& classes, std::uint64_t seed);
[[nodiscard]] EndpointOutputs infer_endpoint(InferEndpointTask task, Progress* progress = nullptr);

[[nodiscard]] View view(const InferEndpoint& record);

}  // namespace leeway::tasks
