// What Unicode says of code points: white space, and the other case of a letter (Unicode 14).
//
// Case goes letter by letter: where the Unicode standard has several code points for one (the upper case of U+00DF, sharp s, is
// SS), the letter stays as it is, and no letter looks at its neighbours (a sigma at the end of a word). Cost: some 5 ns a letter
// outside ASCII.
#pragma once

namespace leeway {

// The property White_Space: tab to carriage return, space, U+0085, U+00A0, U+1680, U+2000 to U+200A, ...
[[nodiscard]] bool is_white_space(char32_t point);

[[nodiscard]] char32_t lower_case(char32_t point);
[[nodiscard]] char32_t upper_case(char32_t point);

}  // namespace leeway
