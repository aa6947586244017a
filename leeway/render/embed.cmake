# cmake -DOUTPUT=assets.cpp -DSOURCE=leeway/render -DVEGA=FOLDER -DPARTS=util;time;... -DFILES=page/page.css;... -P embed.cmake
#
# Writes OUTPUT: the files and Vega's parts as byte strings behind leeway/render/assets.h. Vega's parts are UMD files
# that would overwrite each other's global; each is wrapped as a module for page/vega_join.js, which joins them into one `vega`.

# bytes(VARIABLE TEXT): TEXT as string literals of at most 12000 bytes (compilers need take no more than 65536 characters).
function(bytes variable hex)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${hex}")
  string(LENGTH "${escaped}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${escaped}" ${at} 48000 piece)
    math(EXPR size "0")
    string(LENGTH "${piece}" size)
    math(EXPR size "${size} / 4")
    string(APPEND pieces "    {\"${piece}\", ${size}},\n")
    math(EXPR at "${at} + 48000")
  endwhile()
  set(${variable} "${pieces}" PARENT_SCOPE)
endfunction()

function(hex_of variable text)
  file(WRITE ${OUTPUT}.text "${text}")
  file(READ ${OUTPUT}.text hex HEX)
  file(REMOVE ${OUTPUT}.text)
  set(${variable} "${hex}" PARENT_SCOPE)
endfunction()

set(code "// Written by leeway/render/embed.cmake.\n#include \"leeway/render/assets.h\"\n\nnamespace leeway::render {\nnamespace {\n\n")
string(APPEND code "struct Piece {\n  const char* bytes;\n  unsigned size;\n};\nstruct File {\n  std::string_view name;\n")
string(APPEND code "  const Piece* pieces;\n  unsigned count;\n};\n\n")
set(table "")
set(number 0)
macro(add_asset name hex)
  bytes(pieces "${hex}")
  string(APPEND code "constexpr Piece file_${number}[] = {\n${pieces}};\n")
  string(APPEND table "    {\"${name}\", file_${number}, sizeof file_${number} / sizeof(Piece)},\n")
  math(EXPR number "${number} + 1")
endmacro()

foreach(name ${FILES})
  file(READ ${SOURCE}/${name} hex HEX)
  add_asset(${name} "${hex}")
endforeach()

set(vega "")
hex_of(end "\n});\n")
foreach(part ${PARTS})
  file(READ ${VEGA}/vega-${part}.min.js hex HEX)
  string(REGEX REPLACE "2f2f2320736f757263654d617070696e6755524c.*$" "" hex "${hex}")  # "//# sourceMappingURL"
  hex_of(begin "part(\"vega-${part}\", function (exports, module, require, define) {\n")
  string(APPEND vega "${begin}${hex}${end}")
endforeach()
add_asset(vega_parts.js "${vega}")

string(APPEND code "constexpr File files[] = {\n${table}};\n\n}  // namespace\n\n")
string(APPEND code "std::string asset(std::string_view name) {\n  std::string text;\n  for (const File& file : files)\n")
string(APPEND code "    if (file.name == name)\n      for (unsigned i = 0; i < file.count; ++i) text.append(file.pieces[i].bytes, file.pieces[i].size);\n")
string(APPEND code "  return text;\n}\n\n}  // namespace leeway::render\n")
file(WRITE ${OUTPUT} "${code}")
