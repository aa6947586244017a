// Answers, replies, prompts and journals, without a server.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "leeway/endpoint/answers.h"
#include "leeway/endpoint/chat.h"
#include "leeway/endpoint/journal.h"
#include "leeway/endpoint/prompts.h"
#include "leeway/io/csv.h"
#include "tests/files.h"
#include "tests/message_of.h"

namespace leeway::endpoint::reading_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using Names = std::vector<std::string>;

struct ClassSet {
  Names classes;
  AnswerForm form = AnswerForm::names;
  Aliases aliases = {};
};

const std::map<std::string, ClassSet>& class_sets() {
  static const Names shapes = {"square", "ellipse", "heart"};
  static const std::map<std::string, ClassSet> sets = {
      {"shapes", {shapes}},
      {"letters", {shapes, AnswerForm::letters}},
      {"numbers", {shapes, AnswerForm::numbers}},
      {"faces", {{"Female", "Male"}, AnswerForm::names, {{"woman", "Female"}, {"man", "Male"}}}},
      {"places",
       {{"airport", "airport_hangar", "airport_terminal", "amusement_park", "car", "dam", "park",
         "parking_lot_or_garage", "zoo"}}},
      {"dress",
       {{"dress", "no_dress"},
        AnswerForm::names,
        {{"yes", "dress"},
         {"no", "no_dress"},
         {"not a dress", "no_dress"},
         {"without a dress", "no_dress"}}}},
      {"tumor", {{"no", "yes"}}},
      {"digits", {{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}}},
      {"unicode", {{"Straße", "Éléphant", "日本", "Σίσυφος", "fish"}}}};
  return sets;
}

TEST(Answers, GiveTheClassOfEachLineOfTheTable) {
  const std::string path = LEEWAY_REFERENCE "/../endpoint/answers.csv", text = read_bytes(path);
  CsvRecords records(text, path);
  std::size_t n = 0;
  for (; records.next(); ++n) {
    const ClassSet& set = class_sets().at(std::string(records.fields()[0]));
    const auto found = AnswerReader(set.classes, set.form, set.aliases).class_in(records.fields()[1]);
    EXPECT_EQ(found ? set.classes[*found] : "", records.fields()[2]) << records.record();
  }
  EXPECT_GE(n, 200u);
}

TEST(Answers, RefuseClassesThatReadAlike) {
  EXPECT_REFUSED(AnswerReader({"a b", "A_B"}), "differ in letters or digits...'A_B' for 'a b' and 'A_B'");
  EXPECT_REFUSED(AnswerReader({"?", "x"}), "letters or digits, found '?'");
  EXPECT_REFUSED(AnswerReader({"b", "c"}, AnswerForm::letters), "differ from the options...found 'b'");
  EXPECT_REFUSED(AnswerReader({"x", "y"}, AnswerForm::names, {{"z", "w"}}), "--aliases...'w'");
  EXPECT_REFUSED(AnswerReader(Names{"x"}), "at least 2 classes, found 1");
}

TEST(Answers, SumVariantsOfLettersAndBoundOthers) {
  const AnswerReader reader({"x", "y", "z"}, AnswerForm::letters);
  const auto scores = reader.scores_of(
      {{"A", std::log(.5)}, {" a", std::log(.2)}, {"B.", std::log(.1)}, {"The", std::log(.05)}});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->censored, 1u);
  const double sum = .7 + .1 + .05 + .2;  // of A, B, the bound of C, and the mass outside
  const std::vector<double> wanted = {.7 / sum, .1 / sum, .05 / sum, .2 / sum};
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(std::exp(scores->logarithms[j]), wanted[j], 1e-6) << j;
  EXPECT_FALSE(reader.scores_of({{"The", -.1}}));
  EXPECT_FALSE(reader.scores_of({}));
}

TEST(Prompts, NameTheClassesAsThePaperDoes) {
  const Names three = {"square", "no_dress", "heart"}, two = {"Male", "Female"};
  const PromptMember own{{}, "{labels}? {list}!"};
  EXPECT_EQ(prompt_text(own, three), "square, no dress, or heart? square, no dress, heart!");
  EXPECT_EQ(prompt_text(own, two), "Male or Female? Male, Female!");
  EXPECT_EQ(prompt_text(prompt_of("general1", 3), three, AnswerForm::letters),
            "Classify the image into A. square, B. no dress, or C. heart. Answer with the letter alone.");
  EXPECT_EQ(prompt_of("What is it?", 2).text, "What is it?");
  EXPECT_REFUSED(prompt_of("generel1", 2), "--prompt...general1...");
  EXPECT_REFUSED(prompt_of("tailored-deepfashion", 3), "2 classes, found 3");
}

struct ReplyCase {
  long status;
  const char* body;
  const char* text;  // of the answer, or of the failure
  AnswerKind kind;   // missing: a failure
  bool retry = false, fatal = false;
};

TEST(Chat, ReadsRepliesAndBothKindsOfErrors) {
  const ReplyCase cases[] = {
      {200, R"({"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})", "a", AnswerKind::parsed},
      {200, R"({"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}]})", "a", AnswerKind::parsed},
      {200, R"({"choices":[{"message":{"content":"a"},"finish_reason":"length"}]})", "a", AnswerKind::parsed},
      {200, R"({"choices":[{"message":{"content":"b"},"finish_reason":"length"}]})", "b",
       AnswerKind::cut_off},
      {200, R"({"choices":[{"message":{"content":"b"}}]})", "b", AnswerKind::unparsed},
      {200, R"({"choices":[{"message":{"content":" \n"}}]})", " \n", AnswerKind::empty},
      {200, R"({"choices":[{"message":{"content":null}}]})", "", AnswerKind::unreadable},
      {200, R"({"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]})", "",
       AnswerKind::refused},
      {200, R"({"choices":[{"message":{"content":null,"refusal":"no"}}]})", "", AnswerKind::refused},
      {200, R"({"choices":[]})", "a reply without an answer", AnswerKind::missing, true},
      {200, R"({"error":{"message":"late"}})", "HTTP 200: late", AnswerKind::missing, true},
      {200, "<html>", "a reply that is not JSON", AnswerKind::missing, true},
      {200, "", "a reply that is not JSON", AnswerKind::missing, true},
      {400, R"({"object":"error","message":"too long","code":400})", "HTTP 400: too long",
       AnswerKind::missing},
      {401, R"({"error":{"message":"wrong key"}})", "HTTP 401: wrong key", AnswerKind::missing, false, true},
      {404, "", "HTTP 404", AnswerKind::missing, false, true},
      {429, R"({"error":{"message":"slow","code":"rate_limit"}})", "HTTP 429: slow", AnswerKind::missing,
       true},
      {429, R"({"error":{"message":"pay","code":"insufficient_quota"}})", "HTTP 429: pay",
       AnswerKind::missing, false, true},
      {503, R"({"error":{"code":503,"message":"Loading model"}})", "HTTP 503: Loading model",
       AnswerKind::missing, true}};
  for (const ReplyCase& one : cases) {
    const ReadReply read = parse_reply(one.status, one.body);
    const bool failed = !read.failure.empty();
    EXPECT_EQ(failed ? read.failure : read.reply.text, one.text) << one.body;
    EXPECT_EQ(failed ? AnswerKind::missing : kind_of(read.reply, read.reply.text == "a"), one.kind)
        << one.body;
    EXPECT_TRUE(read.retry == one.retry && read.fatal == one.fatal) << one.status << one.body;
  }
}

TEST(Chat, TakesTheFirstTokenThatIsNotBlank) {
  const ReadReply read = parse_reply(200, R"({"choices":[{"message":{"content":" A"},"logprobs":{"content":[
    {"token":" ","logprob":0,"top_logprobs":[]},
    {"token":"A","logprob":-0.1,
     "top_logprobs":[{"token":"A","logprob":-0.1},{"token":"B","logprob":-3},{"token":"C"}]}]}}],
    "usage":{"prompt_tokens":7,"completion_tokens":1}})");
  EXPECT_THAT(read.reply.tokens, ElementsAre(Pair("A", -.1), Pair("B", -3)));
  EXPECT_EQ(read.reply.prompt_tokens + read.reply.completion_tokens, 8u);
}

TEST(Chat, CutsLongAnswersBetweenCharacters) {
  std::string text = "x";
  for (int i = 0; i < 5000; ++i) text += "é";
  const ReadReply read = parse_reply(200, R"({"choices":[{"message":{"content":")" + text + R"("}}]})");
  EXPECT_EQ(read.reply.text, text.substr(0, 4095));
}

std::vector<std::string> keys_of(const std::filesystem::path& path) {
  std::vector<std::string> keys;
  const Journal journal(path,
                        [&](const JournalEntry& entry) { keys.push_back(entry.key + entry.reply.text); });
  return keys;
}

TEST(Journal, KeepsWholeLinesAndIsLocked) {
  const TemporaryFolder folder;
  const auto path = folder / "j.jsonl";
  JournalEntry entry{"1-0", "s"};
  entry.reply.text = "a\n\"é\"", entry.reply.tokens = {{"A", -.5}};
  {
    Journal journal(path, {});
    journal.add_settings(R"({"model":"m"})");
    journal.add(entry);
    EXPECT_REFUSED(keys_of(path), "no other run writes, found a locked one");
  }
  const std::string whole = read_bytes(path);
  write_bytes(path, whole + whole.substr(whole.find('\n') + 1, 40));  // torn
  EXPECT_THAT(keys_of(path), ElementsAre("1-0a\n\"é\""));
  EXPECT_EQ(read_bytes(path), whole);
  for (const auto& [text, parts] :
       {std::pair("{\"key\":\"1\"}\n", "line 1: expected an answer of a journal...'{\"key\":\"1\"}'"),
        {"<html>\n", "line 1: expected an answer...'<html>'"},
        {"precious", "expected a journal (JSON lines), found 'precious'"}}) {
    write_bytes(path, text);
    EXPECT_REFUSED(keys_of(path), parts);
    EXPECT_EQ(read_bytes(path), text);  // as it was
  }
}

}  // namespace
}  // namespace leeway::endpoint::reading_test
