// Byte-level byte-pair encoding (BPE): texts to the token ids of CLIP.
//
// Sennrich et al., "Neural machine translation of rare words with subword units", ACL 2016, on UTF-8 bytes.
// Ids: 0 to 255 bytes, 256 to 511 bytes at the end of a piece, 512 + i merge i, start and end (49406, 49407).
// White space separates pieces. A piece is <|startoftext|>, <|endoftext|>, 's 't 're 've 'm 'll 'd, a run of
// letters, one number, or a run of other characters. The format of the file decides what precedes:
//   bpe_simple_vocab_16e6.txt.gz (OpenAI), also unpacked: HTML is unescaped twice; lower case as by Python's
//     str.lower(). Named entities: amp, lt, gt, quot, apos, nbsp. Mojibake is not repaired (ftfy).
//   merges.txt (Hugging Face), with vocab.json in its folder or with 48,894 merges: normalization form C; lower
//     case letter by letter.
// Error: a damaged file (file, line), other ids in vocab.json, a text that is not UTF-8 or has too many tokens.
// Cost: 45 ms to read, 3 us per text of ten words. Immutable, for any number of threads.
//
//   const nn::BytePairs pairs("bpe_simple_vocab_16e6.txt.gz");
//   pairs.ids("a photo of a cat");  // 49406 320 1125 539 320 2368 49407
#pragma once

#include <cstddef>
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

  // From the contents of the file `name` and of vocab.json ("": there is none).
  BytePairs(std::string_view merges, std::string_view vocab_json, const std::string& name);

  // With start and end; at most most_ids.
  [[nodiscard]] std::vector<std::int32_t> ids(std::string_view text) const;

 private:
  [[nodiscard]] std::u32string prepared(std::string_view text) const;
  void append_piece(std::u32string_view piece, std::vector<std::int32_t>& ids) const;

  std::unordered_map<std::uint64_t, std::int32_t> merged_;  // id by the ids of left and right
  std::int32_t start_ = 0;
  bool hugging_face_ = false;
};

}  // namespace leeway::nn
