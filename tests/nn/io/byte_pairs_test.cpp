#include "leeway/nn/io/byte_pairs.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "leeway/core/file.h"
#include "leeway/io/inflate.h"
#include "tests/files.h"
#include "tests/message_of.h"

namespace leeway::nn::byte_pairs_test {

using nlohmann::json;

// 15 merges, and their vocab.json.
const std::string both = read_bytes(LEEWAY_REFERENCE "/../fuzz/seeds/byte_pairs");
const std::string merges = both.substr(0, both.find("{\"")), vocab = both.substr(merges.size());

const std::string openai_head = "\"bpe_simple_vocab_16e6.txt";

// The symbols of a text, without start and end.
std::string symbols(std::string_view text, const std::string& head = "") {
  const BytePairs pairs(head + merges, vocab, "FILE");
  static const json ids = json::parse(vocab);
  std::string found = " ";
  for (const auto id : pairs.ids(text))
    for (const auto& [symbol, own] : ids.items())
      if (own == id) found += symbol + " ";
  return found.substr(16, found.size() - 30);
}

TEST(BytePairs, ByHand) {
  const std::array<std::string_view, 3> cases[] = {
      {"", " ", ""},
      {" c\tCAT\u3000", " c</w> cat</w> ", ""},
      {"cats", " ca t s</w> ", ""},
      {"cat's", " cat</w> 's</w> ", ""},
      {"'LL'red!!!'s", " ' ll</w> ' r e</w> d</w> !! ! '</w> s</w> ", ""},
      {"12x", " 1</w> 2</w> x</w> ", ""},
      {"½٣", " Â ½</w> Ù £</w> ", ""},
      {"!<|EndOfText|>", " ! < |</w> e n d o f t e x t</w> | ></w> ", ""},
      {"! <|EndOfText|>", " !</w> <|endoftext|> ", ""},
      {"e\u0301", " e</w> Ì ģ</w> ", " Ã ©</w> "},
      {"ΑΣ", " Î ± Ï Ĥ</w> ", " Î ± Ï ĥ</w> "},
      {"'\u017f", " ' Å ¿</w> ", " '</w> Å ¿</w> "},
      {"&amp;lt &#99;&#x41T", " <</w> cat</w> ",
       " &</w> a m p</w> ;</w> l t</w> & #</w> 9</w> 9</w> ; & #</w> x</w> 4</w> 1</w> t</w> "},
      {"&;&#;&#x;&x", " & ; & # ; & #</w> x</w> ; &</w> x</w> ", ""},
  };
  for (const auto& [text, openai, hugging_face] : cases) {
    EXPECT_EQ(symbols(text, openai_head), openai) << text;
    EXPECT_EQ(symbols(text), hugging_face.empty() ? openai : hugging_face) << text;
  }
  EXPECT_EQ(symbols("&#146;&#0;&#1;&#xd800", openai_head), " â Ģ Ļ ï ¿ ½ ï ¿ ½</w> ");
}

// The first merge that is possible, everywhere, in one string, until none is.
std::string merged(std::string_view word) {
  std::string text = " ", line;
  for (const char letter : word) text += {letter, ' '};
  text.insert(text.size() - 1, "</w>");
  for (bool found = true; found;) {
    std::istringstream lines(merges);
    for (found = false; !found && std::getline(lines, line);) {
      const std::string pair = " " + line + " ",
                        joined = " " + line.erase(std::min(line.find(' '), line.size() - 1), 1) + " ";
      for (std::size_t at = 0; (at = text.find(pair, at)) != text.npos; found = true)
        text.replace(at, pair.size(), joined), at += joined.size() - 1;
    }
  }
  return text;
}

TEST(BytePairs, AsMergingStrings) {
  std::minstd_rand random(1);
  for (int word = 0; word < 100; ++word) {
    std::string text(1 + random() % 30, ' ');
    for (char& letter : text) letter = random() % 2 == 0 ? 'a' : 'b';
    EXPECT_EQ(symbols(text), merged(text)) << text;
  }
}

TEST(BytePairs, RefusesDamagedFilesAndLongTexts) {
  const auto refusal = [&](const std::string& text, const std::string& ids = vocab) {
    return message_of([&] { (void)BytePairs(text, ids, "FILE"); });
  };
  EXPECT_THAT(refusal("\x1f\x8b"), Says("FILE: line 1: expected ...#version..., found '\\x1f\\x8b'"));
  EXPECT_THAT(refusal("#version\nc a\nca ts\n"),
              Says("FILE: line 3: expected two symbols..., found 'ca ts'"));
  EXPECT_THAT(refusal("#version\nc a\n\n"), Says("FILE: line 3: expected two symbols..., found ''"));
  EXPECT_THAT(refusal("#version\nc a\nc a\n"), Says("FILE: line 3: expected a new symbol, found 'c a'"));
  EXPECT_THAT(refusal("#version\nc a\n"), Says("next to FILE: expected an object of 515 ids..., found 529"));
  EXPECT_THAT(refusal(openai_head + "\nc a\n", ""), Says("FILE: expected 48894 merges, found 1"));
  EXPECT_THAT(refusal(merges, "["), Says("next to FILE: expected an object..., found discarded"));
  std::string other = vocab;
  EXPECT_THAT(refusal(merges, other.replace(other.find(":512"), 4, ":513")),
              Says("next to FILE: expected 512 for 'ca', found 513"));
  EXPECT_REFUSED(symbols(std::string(76, '1')), "'1...: expected at most 77 tokens..., found 78");
  EXPECT_REFUSED(symbols("\xff"), "'\\xff': expected ...UTF-8, found other bytes");
  TemporaryFolder folder;
  write_bytes(folder / "vocab.json", vocab);
  EXPECT_EQ(BytePairs(write_bytes(folder / "merges.txt", gzipped(merges))).ids("cat").at(1), 513);
}

// Ids without start and end, by two other programs: tests/reference/clip_tokens.py.
TEST(BytePairs, PublishedVocabularies) {
  const char* const given = std::getenv("LEEWAY_CLIP_TOKENS");
  const std::filesystem::path folder = given != nullptr ? given : LEEWAY_SHARED_DATA "/clip";
  const std::filesystem::path openai = folder / "bpe_simple_vocab_16e6.txt.gz";
  if (!is_there(openai)) GTEST_SKIP() << "no CLIP vocabulary in " << folder;
  const auto compare = [&](const std::filesystem::path& vocabulary, const std::filesystem::path& file) {
    const BytePairs pairs(vocabulary);
    for (const json& row : json::parse(read_bytes(file))) {
      auto ids = row[1].get<std::vector<std::int32_t>>();
      ids.insert(ids.begin(), 49406), ids.push_back(49407);
      EXPECT_EQ(pairs.ids(row[0].get<std::string>()), ids) << row[0];
    }
  };
  compare(openai, LEEWAY_REFERENCE "/clip_tokens.json");
  if (given == nullptr) return;
  compare(openai, folder / "openai.json");
  compare(folder / "merges.txt", folder / "hugging_face.json");
}

}  // namespace leeway::nn::byte_pairs_test
