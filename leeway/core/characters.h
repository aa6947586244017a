// White space and letter case of Unicode code points (Unicode 14).
//
// Case maps single code points without context: a letter whose other case needs several code points (sharp s,
// U+00DF) stays, and final sigma is not special. Cost: about 5 ns per letter outside ASCII.
#pragma once

namespace leeway {

// The property White_Space: tab to carriage return, space, U+0085, U+00A0, U+1680, U+2000 to U+200A, ...
[[nodiscard]] bool is_white_space(char32_t point);

[[nodiscard]] char32_t lower_case(char32_t point);
[[nodiscard]] char32_t upper_case(char32_t point);

}  // namespace leeway
