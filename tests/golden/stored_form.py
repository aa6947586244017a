"""What the golden outputs store of a text, a record or a file: values that legitimately vary are masked, long arrays are digests.

A digest that begins with "bits" is of floats, which depend on the instruction set and on LibTorch.
"""
import csv
import hashlib
import html.parser
import io
import json
import re

import numpy

LONGEST_LIST = 64  # longer lists of numbers are stored as a digest
LONGEST_TABLE = 20000  # bytes; longer tables are stored as a digest
LONGEST_TEXT = 30000  # characters on stdout, likewise: scripts of completion
LONGEST_CHART = 300  # characters of a chart's data, likewise

PROGRESS = re.compile(r"[a-z]\w* \d+/\d+(, .*)?")  # "training 78/350, 3 s left, epoch 12"
MASKED_KEYS = re.compile(r"seconds|^(version|torch|instruction_set|jobs)$")
CHANGING_INPUTS = r"[\w./-]*(\.safetensors|\.json|runs\.csv)"  # hold options or times, so their digests change
MASKED_TEXT = [(re.compile(pattern), mask) for pattern, mask in [
    (r"[^\s\"'=,:]*leeway-golden-\w+/[\w-]+", "<folder>"),
    (r"units/[0-9a-f]{2}/[0-9a-f]{32}", "units/<unit>"),
    (r"\b\d+(\.\d+)?(e-?\d+)? s\b", "<seconds> s"),
    (r"( \\)? --threads \d+", ""),
    (r"\bleeway \d+\.\d+\.\d+|^\d+\.\d+\.\d+$", "<version>"),
    (r"instruction set \w+", "instruction set <name>"),
    (r"\S+ takes \S+ \S+ per sample \(σ = \S+\)", "<method> takes <seconds> per sample"),
    # the cost of estimators, on the page of average-case
    (r"^(\| (?:mc|taylor|taylor-mvs|mmse|mmse-mvs|softmax) \| \S+ \|) \S+ \| \S+ \| \S+% \|", r"\1 <costs> |"),
    (rf"^(\| {CHANGING_INPUTS} \|.*\|) .* \| [0-9a-f]{{32}}$", r"\1 <digest>"),
]]


def digest(data, kind="digest"):
    """"bits": of floats, which depend on the instruction set."""
    return f"{kind}:{hashlib.sha256(data).hexdigest()[:16]}"


def stored_array(array):
    data = "\0".join(array.ravel().tolist()).encode() if array.dtype.kind == "U" else numpy.ascontiguousarray(array).tobytes()
    kind = "bits" if array.dtype.kind == "f" else "digest"
    return f"{array.dtype} {list(array.shape)} {digest(data, kind)}"


def stored_safetensors(data):
    size = int.from_bytes(data[:8], "little")
    head = json.loads(data[8:8 + size])
    notes = {key: parsed(value) for key, value in head.pop("__metadata__", {}).items() if key != "digest"}  # of options, too
    if isinstance(notes.get("training"), dict):
        notes["training"] = {key: value for key, value in notes["training"].items() if key != "options"}
        notes["training"] = digest(json.dumps(stored_json(notes["training"]), sort_keys=True).encode(), "bits")
    shapes = digest(json.dumps(head, sort_keys=True).encode())
    return {"metadata": stored_json(notes), "tensors": len(head), "shapes": shapes, "values": digest(data[8 + size:], "bits")}


def parsed(text):
    """The value of a JSON text, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def length(value):
    """Numbers and words in a list of lists; 0 where it holds something else."""
    if isinstance(value, list):
        return sum(map(length, value))
    return 0 if isinstance(value, dict) else 1


def stored_json(value, key=""):
    if MASKED_KEYS.search(key) and isinstance(value, (int, float, str)):
        return f"<{key}>"
    if isinstance(value, dict):
        found = {k: stored_json(v, k) for k, v in value.items()}
        if re.fullmatch(CHANGING_INPUTS, str(value.get("path", ""))):
            found.update({k: f"<{k}>" for k in ("bytes", "xxh3_128") if value.get(k)})
        return found
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, list):
        if key == "command" and "--threads" in value:
            at = value.index("--threads")
            value = value[:at] + value[at + 2:]
        if length(value) > LONGEST_LIST:
            text = json.dumps(value)
            return f"{length(value)} values {digest(text.encode(), 'bits' if '.' in text else 'digest')}"
        return [stored_json(v) for v in value]
    return value


def masked(text):
    for pattern, mask in MASKED_TEXT:
        text = pattern.sub(mask, text)
    return text


def stored_text(text):
    """Lines; in tables, numbers under the title "seconds" are masked, and lines of progress are left out."""
    lines, end = [], None
    for line in text.splitlines():
        title = re.search(r"  seconds\b", line)
        if title:
            end = title.end()
        elif not line:
            end = None
        elif end and re.search(r" [\d.]+$", line[:end]):
            line = re.sub(r"[\d.]+$", "*", line[:end]) + line[end:]
        if not PROGRESS.fullmatch(line):
            lines.append(masked(line))
    return lines


def stored_output(text):
    """What is on stdout: {"record": ...} or {"text": ...}."""
    record = parsed(text) if text.startswith("{") else None
    if record:
        return {"record": stored_json(record)}
    return {"text": stored_text(text) if len(text) <= LONGEST_TEXT else [f"{len(text)} characters {digest(text.encode())}"]}


class PageText(html.parser.HTMLParser):
    """The lines of text of a page, and the data of its charts; embedded pictures as digests."""

    def __init__(self):
        super().__init__()
        self.lines, self.skip, self.payload = [""], False, False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.skip = tag in ("script", "style")
        self.payload = given.get("class") == "payload"
        if tag not in ("a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup", "td", "th", "use", "path"):
            self.lines.append("")
        for name in ("aria-label", "alt", "data-spec"):
            if given.get(name):
                self.lines[-1] += f"{{{name}: {given[name]}}}"
        if (given.get("src") or "").startswith("data:"):
            self.lines[-1] += digest(given["src"].encode())
        if tag in ("td", "th"):
            self.lines[-1] += " | "

    def handle_endtag(self, tag):
        self.skip = self.payload = False

    def handle_data(self, data):
        if self.payload:
            text = json.dumps(stored_json(json.loads(data)), sort_keys=True)
            self.lines.append(text if len(text) <= LONGEST_CHART else f"chart data {digest(text.encode(), 'bits')}")
        elif not self.skip:
            self.lines[-1] += re.sub(r"\s+", " ", data)


def stored_page(text):
    page = PageText()
    page.feed(text)
    return [masked(line.strip()) for line in page.lines if line.strip()]


def masks(title):
    """Whether a column of a table varies from run to run; a unit of a sweep is called by a digest of its options."""
    return title == "unit" or MASKED_KEYS.search(title)


def stored_csv(text):
    """Columns of a table of few rows, else lines."""
    titles, *rows = csv.reader(io.StringIO(text))
    hidden = [masks(title.split(".")[-1]) for title in titles]
    rows = [["*" if hide else masked(field) for hide, field in zip(hidden, row)] for row in rows]
    if len(rows) <= 8:
        return {title: [row[i] for row in rows] for i, title in enumerate(titles)}
    return [",".join(row) for row in [titles, *rows]]


def stored_file(path):
    data = path.read_bytes()
    if path.suffix == ".npz":
        with numpy.load(io.BytesIO(data), allow_pickle=False) as arrays:
            return {name: "*" if masks(name) else stored_array(arrays[name]) for name in arrays.files}
    if path.suffix == ".safetensors":
        return stored_safetensors(data)
    if path.suffix == ".html":
        return stored_page(data.decode())
    if path.suffix == ".json":
        return stored_json(json.loads(data))
    if path.suffix == ".csv" and len(data) < LONGEST_TABLE:
        return stored_csv(data.decode())
    return f"{len(data)} bytes {digest(data)}"
