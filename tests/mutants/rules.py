"""The rules by which mutants.py makes small faults in a line of C++: sign, off-by-one, axis, check, swap."""

import re

RULES = ("sign", "off-by-one", "axis", "check", "swap")

# Lines without a fault that a test of results can see: declarations, progress bars, speed, texts for people.
SKIPPED = re.compile(r"^\s*(#|using |template|namespace |class |struct |friend |typedef |///?|case )"
                     r"|^\s*(inline )?constexpr [^=]*(chunk|block)"
                     r"|static_assert|operator|progress|reserve\(|prefetch|[Cc]hunk|[Bb]lock_|_block|[Tt]hreads?\b"
                     r"|[Ll]anes|unroll|cache|capacity"
                     r"|alignas|aligned|grain|\bhint\b|seconds|clock|is_same|is_integral|requires"
                     r"|epsilon\(\)|shrink_to_fit|most_bytes|likely"
                     r"|at_first|worth|factor_from|growth|[Vv]ector_bytes" r"|#pragma|^\s*\w[\w:<>, ]*\) (const )?\{$")
TEXTS = re.compile(r"format\(|warn|note|message|print|<<|\bline\b.*\+=|text \+=|std::string\(|to_string|join\(")
REFUSAL = (r"(?:\w+::)*(?:refuse\w*|throw|fail\w*|wrong\w*|malformed\w*|bad_\w*|usage_error\w*)\b"
           r"|return (?:std::nullopt|false|nullptr);")
REQUIRED = r"(?:\w+::)*(?:require|check|expect|refuse)_(?!passes)\w+\("
TYPE = r"(?:std::(?:size_t|int64_t|uint\d+_t|int32_t|ptrdiff_t)|auto|int|double|float)"
COUNT = (r"(?:\d+|(?:[\w.\->\[\]]*[._>])?(?:size|count|length|rows|columns|classes|height|width|end|begin"
         r"|total|side|limit|epochs?|steps?|" r"[nkdhw])(?:\(\))?_?)")


def pairs_of(words):
    return tuple(tuple(word.split("/")) for word in words.split())


NAME_PAIRS = pairs_of("clean/shifted source/target lower/upper low/high first/second left/right x_low/x_high "
                      "labels/predictions best/second above/below before/after training/validation min/max")
AXIS_PAIRS = (("height", "width"), ("rows", "columns"), ("row", "column"))
FUNCTION_PAIRS = pairs_of(
    "argmax/argmin max/min maximum/minimum max_element/min_element front/back any_of/all_of floor/ceil "
    "clamp_min/clamp_max sin/cos lower_bound/upper_bound"
)
REDUCTIONS = ("size sum mean argmax argmin select softmax log_softmax amax amin norm var max min index_select narrow "
              "any all topk").split()
SYMMETRIC = set(("max min hypot swap dot inner_product format minimum maximum if for while switch tie gcd mul add "
                 "logaddexp equal").split())


def masked(text):
    """The text with blanks for comments and `_` for the contents of literals, each character in its place."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|(?<![\w])\'(?:\\.|[^\'\\\n])+\'', re.S)

    def blank(found):
        word = found.group()
        if word.startswith("/"):
            return re.sub(r"[^\n]", " ", word)
        return word[0] + re.sub(r"[^\n]", "_", word[1:-1]) + word[-1]

    return pattern.sub(blank, text)


def closing(line, opening):
    """The place of the bracket that closes the one at `opening`, or -1 where it is on a later line."""
    depth = 0
    for place in range(opening, len(line)):
        depth += (line[place] in "([{") - (line[place] in ")]}")
        if depth == 0:
            return place
    return -1


def arguments(line, opening, end):
    """The arguments between two brackets as (begin, end), split at commas that no bracket encloses."""
    parts, depth, begin = [], 0, opening + 1
    for place in range(opening + 1, end + 1):
        if place == end or (line[place] == "," and depth == 0):
            raw = line[begin:place]
            parts.append((begin + len(raw) - len(raw.lstrip()), begin + len(raw.rstrip())))
            begin = place + 1
        depth += (line[place] in "([{") - (line[place] in ")]}")
    return parts


def kind_of(argument):
    """What two arguments must share to be swapped; empty where an argument is no plain name or number."""
    if re.fullmatch(r"-?\d*\.?\d+", argument):
        return "integer" if argument.lstrip("-").isdigit() else "fraction"
    if re.fullmatch(r"[a-z][\w.]*(\(\))?(\[\w+\])?", argument) and argument not in ("true", "false", "nullptr"):
        return "name"
    return ""


def related(one, other):
    """Whether two names are likely to be of one type: a common word, both of one letter, or counts."""
    if one.startswith(other + ".") or other.startswith(one + ".") or one.endswith(")") != other.endswith(")"):
        return False
    if any({one, other} <= set(letters) for letters in ("ijlm", "xyzuvpq", "ab", "hw")) or (
        re.fullmatch(COUNT, one) and re.fullmatch(COUNT, other)
    ):
        return True
    if any(pair <= {one.split(".")[0], other.split(".")[0]} or pair <= {one.split(".")[-1], other.split(".")[-1]}
           for pair in map(set, NAME_PAIRS + AXIS_PAIRS)):
        return True
    words = [set(re.findall(r"[a-z]{3,}", name.split(".")[-1])) for name in (one, other)]
    return bool(words[0] & words[1])


def sign(line, _near):
    if "_" * 2 in line or '"' in line or TEXTS.search(line):
        return
    for found in re.finditer(r"(?<=[\w)\]}.]) (\+|-)(=?) (?=[\w(\-.!*])", line):
        if re.search(r"(begin|data|end)\(\)$|path|name$|text$|lines\(.*\)$|wrapped",
                     line[: found.start()]) or (re.match(r"[\w.]+begin\(\)", line[found.end() :])):
            continue  # an address far outside: any test sees it
        yield found.start(1), found.end(1), "-" if found.group(1) == "+" else "+"
    for found in re.finditer(r"(?:(?<=[(,=?:{] )|(?<=return )|(?<=\())-(?=[a-z(])", line):
        yield found.start(), found.end(), ""


def off_by_one(line, _near):
    loop = re.search(r"\bfor \(", line)
    if loop:
        if re.search(r"double|float|most_|max_|limit|iteration|attempt", line):
            return
        for found in re.finditer(r"for \([\w:]+ \w+ = (0)(?=;)", line):
            yield found.start(1), found.end(1), "1"
        for found in re.finditer(r"; (\w+) < [\w.\-+]+(\(\))?; \+\+", line):
            yield found.end(1), found.end(1), " + 1"
    elif not TEXTS.search(line) and '"' not in line:
        for found in re.finditer(r"(?<=[\w)\]]) (<=?|>=?) (?=[\w(])", "" if re.search(r"\de-\d", line) else line):
            after = re.match(COUNT + r"(?![\w.(])", line[found.end() :])
            before = re.search(r"(?<![\w.])" + COUNT + "$", line[: found.start()])
            if " > 0" in line[found.start() : found.end() + 1] and not re.search(r"!\([\w.\[\]]+$",
                                                                                 line[: found.start()]):
                continue  # of an unsigned number no fault, of a sum that is never 0 neither
            if after or before:
                flipped = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}[found.group(1)]
                yield found.start(1), found.end(1), flipped
        for found in re.finditer(r"(?<=[\w)\]]) [+-] 1(?![\w.'])", line):
            yield found.start(), found.end(), ""
        for found in re.finditer(r"(?<=return )(\w+\.size\(\)|count|total|n|k)(?=;)", line):
            yield found.end(), found.end(), " - 1"


def axis(line, near):
    near, scope = near
    for one, other in AXIS_PAIRS:
        for this, that in ((one, other), (other, one)):
            for found in re.finditer(rf"(?<![\w:+]){this}(?! =)(?=[\s.;,\])]|\(\))", line):
                follows = "\\." if line[found.end() :].startswith(".") else ""
                holder = re.search(r"\w*(\(\))?\.$", line[: found.start()])
                precedes = rf"(?<!\w){re.escape(holder.group())}" if holder else "(?<!\\.)"
                if not holder and not re.search(rf"({TYPE}|,) {that}( =|,|\)|;)", scope):
                    continue
                if re.search(rf"{precedes}{that}\b{follows}", near) and not re.match(rf"[^=]*\b{that}\b",
                                                                                     line[found.end() :]):
                    if not re.search(rf"({TYPE}|&) {this}$", line[: found.end()]):
                        yield found.start(), found.end(), that
    for found in re.finditer(r"\b(\w+\.)([nk])(?=(\(\))?[\s;,)*])", line):
        other = "k" if found.group(2) == "n" else "n"
        if other == "n" and "for (" in line:
            continue  # reads beyond an array, with any result
        if re.search(rf"\b{re.escape(found.group(1))}{other}\b", near):
            yield found.start(2), found.end(2), other
    for found in re.finditer(rf"(?:\.|->|::)(?:{'|'.join(REDUCTIONS)})\(([01])(?=[,)])", line):
        yield found.start(1), found.end(1), str(1 - int(found.group(1)))
    for found in re.finditer(r"(?:softmax|cat|stack|norm|sum|mean|select)\([^;]*, ([01])(?=\))", line):
        yield found.start(1), found.end(1), str(1 - int(found.group(1)))
    for found in re.finditer(r"(?:shape|sizes|dims|sides?|axes|shape\(\)|sizes\(\))\[([01])\]", line):
        yield found.start(1), found.end(1), str(1 - int(found.group(1)))
    for found in re.finditer(r"(?<![\w.])([a-z])( \* [\w.]+ \+ )([a-z])(?![\w.(\[])", line):
        if found.group(1) != found.group(3):
            yield found.start(), found.end(), found.group(3) + found.group(2) + found.group(1)


def check(line, near_after):
    found = re.match(r"\s*(?:\} else |else )?if (\()", line)
    if found:
        end = closing(line, found.start(1))
        condition = line[found.end(1) : end]
        if end > 0 and ";" not in condition and "= " not in re.sub(r"[=!<>]= ", "", condition):
            rest = line[end + 1 :].strip()
            if re.match(REFUSAL, rest) or (rest in ("", "{") and re.match(r"\s*" + REFUSAL, near_after)):
                yield found.end(1), end, f"false && ({condition})"
    found = re.match(rf"\s*({REQUIRED})", line)
    if found and line.rstrip().endswith((");", ",")):
        yield found.start(1), found.start(1), "if (false) "


def swap(line, near):
    for one, other in FUNCTION_PAIRS:
        for this, that in ((one, other), (other, one)):
            for found in re.finditer(rf"(?<=::|\w\.){this}(?=\()|(?<=::){this}(?=<\w|\(\{{)", line):
                yield found.start(), found.end(), that
    if '"' not in line:
        for found in re.finditer(r"(?<== )(true|false)(?=;)|(?<=, )(true|false)(?=[,)}])|(?<=return )(true|false)(?=;)",
                                 line):
            yield found.start(), found.end(), "false" if found.group() == "true" else "true"
    for found in re.finditer(r"(?<=[\w)\]\"]) (&&|\|\||==|!=) (?=[\w(!\"*])", line):
        if found.group(1) in ("==", "!=") and "nullptr" in line:
            continue
        if found.group(1) in ("&&", "||") and line.count(" && ") + line.count(" || ") > 1:
            continue  # a warning, and another place of the brackets
        new = {"&&": "||", "||": "&&", "==": "!=", "!=": "=="}[found.group(1)]
        yield found.start(1), found.end(1), new
    for found in re.finditer(r"\? ([\w.\[\]]+) : ([\w.\[\]]+)(?=[;,)])", line):
        yield found.start(1), found.end(2), f"{found.group(2)} : {found.group(1)}"
    for one, other in NAME_PAIRS[:-1]:
        for this, that in ((one, other), (other, one)):
            for found in re.finditer(rf"(?<![\w:]){this}(?! [-+*/]?=[^=])(?=[\s.;,\])\[])", line):
                member = re.match(r"(\.\w+)*", line[found.end() :]).group()
                if re.search(rf"(?<![\w:]){that}{re.escape(member)}\b", near) and '"' not in line:
                    if not re.search(rf"(\w|>|&|\*|\w,) {this}$",
                                     line[: found.end()]) or line[: found.start()].endswith("return "):
                        yield found.start(), found.end(), that
    for found in re.finditer(r"(?:\b([a-z]\w*))?([({])", line):
        end = closing(line, found.start(2))
        if end < 0 or found.group(1) in SYMMETRIC or "dot" in line or '"' in line[found.start() : end]:
            continue
        parts = arguments(line, found.start(2), end)
        for (begin, middle), (begin_next, end_next) in zip(parts, parts[1:]):
            one, other = line[begin:middle], line[begin_next:end_next]
            if found.group(2) == "{" and kind_of(one) != "name":
                continue  # a table of constants
            if (one != other and kind_of(one) and kind_of(one) == kind_of(other) and (kind_of(one) != "name"
                                                                                      or related(one, other))):
                yield begin, end_next, other + line[middle:begin_next] + one


def mutations(lines, hidden, index):
    """All faults of line `index` as (rule, new line). `hidden` are the lines after masked()."""
    line, code = lines[index], hidden[index]
    if SKIPPED.search(code) or not code.strip():
        return
    statement = "".join(hidden[max(0, index - 3) : index + 1])
    if re.search(r"(warn|note|print|progress\w*->\w+|format)\([^;]*$", statement[: -len(code)]):
        return  # amid a text for people
    begin = max((i for i in range(index) if hidden[i][:1] == "}"), default=0)
    scope = "\n".join(hidden[begin : index + 1])  # of the function, so far
    near = "\n".join(hidden[max(0, index - 20) : index + 20])
    after = hidden[index + 1] if index + 1 < len(hidden) else ""
    for rule, function, context in (("sign", sign, near), ("off-by-one", off_by_one, near), ("axis", axis, (near,
                                                                                                            scope)),
                                    ("check", check, after), ("swap", swap, near)):
        if TEXTS.search(code) and (rule == "axis" or (rule == "swap" and "if (" not in code)):
            continue
        for begin, end, new in function(code, context):
            if rule == "check" and end > begin:  # a condition with its texts
                new = new.replace(code[begin:end], line[begin:end])
            yield rule, line[:begin] + new + line[end:]
