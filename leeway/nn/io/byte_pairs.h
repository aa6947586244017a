// Byte-level byte-pair encoding (BPE): texts to the token ids of CLIP.
//
// Sennrich et al., "Neural machine translation of rare words with subword units", ACL 2016, on UTF-8 bytes; a symbol at
// the end of a piece ends in "</w>". Ids: 0 to 255 the bytes, 256 to 511 the same at the end, 512 + i merge i, then
// start and end of text (49406 and 49407 for the 48,894 published merges).
//
// The file decides how a text is prepared:
//   OpenAI        bpe_simple_vocab_16e6.txt.gz, or unpacked. HTML is unescaped twice, letters become small as by
//                 Python's str.lower(). Of the named entities only those of XML and Latin-1 are known. Texts in a wrong
//                 encoding are not repaired (ftfy).
//   Hugging Face  merges.txt, with its 48,894 merges or with those of vocab.json beside it, or tokenizer.json.
//                 Normalization form C; every letter becomes small by itself.
// Pieces: "<|startoftext|>", "<|endoftext|>", 's 't 're 've 'm 'll 'd, runs of letters, single numbers, runs of
// other characters. White space separates.
//
// Error: a damaged file (file, line), ids in vocab.json that differ, a text that is not UTF-8 or has too many tokens.
// Cost: 30 ms to read; about 2 us per text of ten words. Immutable: any number of threads.
//
//   const nn::BytePairs pairs("bpe_simple_vocab_16e6.txt.gz");
//   pairs.ids("a photo of a cat");  // 49406 320 1125 539 320 2368 49407
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace leeway::nn {

class BytePairs {
 public:
  static constexpr std::size_t most_ids = 77;  // positions of the text tower

  explicit BytePairs(const std::filesystem::path& vocabulary);

  // From the contents of the file `name`, and of the vocab.json beside it ("": there is none).
  BytePairs(std::string_view content, std::string_view vocab_json, const std::string& name);

  // With start and end; at most most_ids.
  [[nodiscard]] std::vector<std::int32_t> ids(std::string_view text) const;

 private:
  using Ids = std::unordered_map<std::string, std::int32_t>;

  [[nodiscard]] Ids read_merges(std::string_view text, const std::string& name);
  [[nodiscard]] std::u32string prepared(std::string_view text) const;
  void append_piece(std::u32string_view piece, std::vector<std::int32_t>& ids) const;

  std::unordered_map<std::uint64_t, std::int32_t> merged_;  // id by the ids of left and right
  std::int32_t start_ = 0;
  bool hugging_face_ = false;
};

}  // namespace leeway::nn
