"""Results as HTML: a page in a file, and what a notebook shows."""

import collections.abc
import html
import os
import re

from . import _arrays, _leeway


def page(results, images=None, flips=8):
    records = [(type(result).__name__, result.to_json()) for result in results]
    return _leeway.page(records, _named_images(images), flips)


def report(results, path, images=None, flips=8):
    """One HTML page of a result, or of several of assess or of agreement; the path is returned.

    The page needs no network: charts, style and pictures are inside.
    """
    results = results if isinstance(results, (list, tuple)) else [results]
    text = page(results, images, flips)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return os.fspath(path)


def _named_images(images):
    if images is None:
        return []
    if isinstance(images, collections.abc.Mapping) and not any(key in images for key in ("x", "y")):
        return [(name, _images(value)) for name, value in images.items()]
    return [("", _images(images))]


def _images(value):
    return _arrays.images(value, "images")[0][1]


def section(result):
    """The page without its scripts in a frame of its own, light or dark as the reader's system is."""
    text = page([result])
    text = re.sub(r'<button[^>]*class="sort"[^>]*>(.*?)</button>', r"\1", text, flags=re.DOTALL)  # a column's name
    text = re.sub(r"<script.*?</script>|<noscript.*?</noscript>|<button.*?</button>", "", text, flags=re.DOTALL)
    return (f'<iframe srcdoc="{html.escape(text)}" title="leeway" sandbox="allow-same-origin" '
            'style="width: 100%; height: 36rem; border: 0; resize: vertical; color-scheme: light dark"></iframe>')
