#!/usr/bin/awk -f
# The headers' comments as Doxygen reads them: the first one describes the file, indented lines are equations, a comment behind code
# belongs to what stands before it.
BEGIN { print "/// @file" }
{
  indent = match($0, /[^ ]/) - 1
  equation = (indent < 16 && $0 ~ /^ *\/\/  +[^ ]/)
  if (equation != inside) print (equation ? "/// @verbatim" : "/// @endverbatim")
  inside = equation
}
indent >= 16 && /^ *\/\// { sub(/\/\//, "///<"); print; next }
/^ *\/\/ (Shapes|Errors|Cost|Use this|Deterministic|Multithreaded)/ { print "///" }
/^ *\/\/([^\/]|$)/ { sub(/\/\//, "///"); print; next }
/[;,{}].*[^:\/]\/\/ / { sub(/\/\/ /, "///< ") }
{ print }
