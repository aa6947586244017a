#!/usr/bin/awk -f
# The headers' comments as Doxygen reads them: the first one describes the file, indented lines are equations, a comment behind code
# belongs to what stands before it.
function verbatim(on) {
  if (on != equation) print (on ? "@verbatim" : "@endverbatim")
  equation = on
}
{
  indent = match($0, /[^ ]/) - 1
  comment = (indent < 16 && $0 ~ /^ *\/\//)
  if (comment && !inside) print (NR == 1 ? "/** @file" : "/**")
  if (!comment && inside) { verbatim(0); print "*/" }
  inside = comment
}
comment {
  sub(/^ *\/\/ ?/, "")
  verbatim($0 ~ /^ +[^ ]/)
  if ($0 ~ /^(Shapes|Errors|Cost|Use this|Deterministic|Multithreaded)/) print ""
  print
  next
}
/^ *\/\// { sub(/\/\//, "///<"); print; next }
/[;,{}].*[^:\/]\/\/ / { sub(/\/\/ /, "///< ") }
{ print }
