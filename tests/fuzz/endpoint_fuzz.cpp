// A reply of an endpoint, the class in its text, and a journal: texts are UTF-8 and bounded, logarithms are
// not above 0.
#include <string>

#include "leeway/endpoint/answers.h"
#include "leeway/endpoint/journal.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace leeway::endpoint;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const AnswerReader names({"square", "no_square", "é"});
  static const AnswerReader letters({"square", "ellipse"}, AnswerForm::letters);
  const ReadReply read = parse_reply(200, text);
  if (read.failure.find('\n') != std::string::npos || read.reply.text.size() > 4096) std::abort();
  if (!leeway::is_utf8(read.reply.text) || !leeway::is_utf8(read.reply.model)) std::abort();
  for (const auto& [token, logarithm] : read.reply.tokens)
    if (!(logarithm <= 0)) std::abort();
  if (const auto scores = letters.scores_of(read.reply.tokens); scores && scores->logarithms.size() != 3)
    std::abort();
  if (const auto found = names.class_in(text); found && *found > 2) std::abort();
  if (const auto found = letters.class_in(read.reply.text); found && *found > 1) std::abort();
  return leeway::fuzz::guarded([&] {
    const std::size_t whole = parse_journal(text, "file", [](const JournalEntry&) {});
    if (whole > size || (whole > 0 && text[whole - 1] != '\n')) std::abort();
  });
}
