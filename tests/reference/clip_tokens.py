#!/usr/bin/python3
"""Token ids by two other programs: OpenAI's tokenizer in open_clip_torch, without ftfy; Hugging Face's tokenizers.

  pip install --no-deps open_clip_torch tokenizers regex numpy  # without PyTorch
  clip_tokens.py FOLDER
  LEEWAY_CLIP_TOKENS=FOLDER bin/model_files_test --gtest_filter=*Published*

FOLDER receives the vocabulary in both formats, and openai.json and hugging_face.json: the texts of
clip_tokens.json and 10,200 random ones, of characters of Unicode 14, with their ids.
Texts of more than 77 tokens are left out.
"""
import gzip
import importlib.util
import json
import pathlib
import random
import shutil
import sys
import types
import unicodedata

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

WORDS = ("a photo of cat Dog naïve ΟΔΟΣ ΣΑΣ Σ İstanbul Straße ﬁn DŽ they're IT'S don't I'LL we've 'ſ '' s' 2024 x2 _ "
         "... -").split()
ENTITIES = ("&amp; &amp &AMP; &lt; &lt &gt; &quot; &apos; &apos &nbsp; &amp;amp; &amp;lt; &amp;#233; &#233; &#233 "
            "&#xE9; &#XE9 &#x1F600; &#0; &#128; &#x80; &#129; &#13; &#11; &#1; &#127; &#xD800; &#xFFFE; &#x110000; "
            "&#99999999999; &#; &#x; & &; && &unknown;").split()
SPACES = [chr(c) for c in range(0x3001) if chr(c).isspace()]


def openai():
    """The class SimpleTokenizer, whose module also imports what tokens do not need."""
    sys.modules["ftfy"] = types.SimpleNamespace(fix_text=lambda text: text)
    sys.modules["torch"] = types.SimpleNamespace(LongTensor=None, Tensor=None)
    file = pathlib.Path(importlib.util.find_spec("open_clip").submodule_search_locations[0]) / "tokenizer.py"
    spec = importlib.util.spec_from_file_location("tokenizer", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def hugging_face(folder):
    """As transformers' conversion of CLIP's tokenizer."""
    tokenizer = Tokenizer(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"),
                                               continuing_subword_prefix="", end_of_word_suffix="</w>"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    pattern = Regex(r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pattern, "removed", invert=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return tokenizer


def random_texts(count):
    draw = random.Random(1)
    points = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs", "Co")]
    kinds = {}
    for c in points:
        kinds.setdefault(unicodedata.category(c), []).append(c)
        kinds.setdefault(unicodedata.bidirectional(c), []).append(c)
    kinds = [*kinds.values(), [chr(c) for c in range(32, 127)], [chr(c) for c in range(0x370, 0x400)],
             [*(chr(c) for c in range(0x1F300, 0x1F650)), "\u200d", "\ufe0f"],
             ["\ue000", "\U000ffffd", "\U0010fffd"], points]
    for _ in range(count):
        parts = []
        for _ in range(draw.randint(1, 6)):
            kind = draw.choice([WORDS, WORDS, ENTITIES, SPACES, *[draw.choice(kinds) for _ in range(6)]])
            parts += draw.choices(kind, k=draw.randint(1, 4)) + draw.choice([[], [" "], ["'"], ["\u0301"]])
        yield "".join(parts)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    module = openai()
    shutil.copy(module.default_bpe(), folder)
    lines = gzip.open(module.default_bpe(), "rt", encoding="utf-8").read().split("\n")[1:48895]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *lines, ""]), encoding="utf-8")
    simple = module.SimpleTokenizer()
    ends = {49406: "<|startoftext|>", 49407: "<|endoftext|>"}
    ids = {ends.get(i, symbol): i for symbol, i in simple.encoder.items()}
    (folder / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False), encoding="utf-8")
    other = hugging_face(folder)
    published = json.loads(pathlib.Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    texts = [*(text for text, _ in published), *random_texts(10200)]
    # Hugging Face's tables of NFC are older than Unicode 14.
    nfc = normalizers.NFC()
    composed = {text for text in texts if nfc.normalize_str(text) == unicodedata.normalize("NFC", text)}
    print(f"hugging_face: {len(texts) - len(composed)} texts left out, whose form C differs from Python's")
    for name, encode in [("openai", simple.encode), ("hugging_face", lambda text: other.encode(text).ids)]:
        rows = [[text, ids] for text in texts
                if len(ids := encode(text)) <= 75 and (name == "openai" or text in composed)]
        (folder / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
        print(f"{name}: {len(rows)} texts, {sum(len(ids) for _, ids in rows)} tokens")


if __name__ == "__main__":
    main()
