"""Results as HTML: a page in a file, or an output cell of a notebook."""

import base64
import collections.abc
import functools
import html
import numbers
import os
import zlib

from . import _arrays, _leeway
from .results import Result


def page(results, images=None, flips=8):
    for result in results:
        if not isinstance(result, Result):
            raise _leeway.Error(f"leeway.report: expected leeway results, found {type(result).__name__}")
    if isinstance(flips, bool) or not isinstance(flips, numbers.Integral) or not 0 <= flips < 2**31:
        raise _leeway.Error(f"leeway.report: flips: expected an integer of at least 0, found {flips!r}".replace("\n", " "))
    records = [(type(result).__name__, result.to_json()) for result in results]
    return _leeway.page(records, _named_images(images), int(flips))


def report(results, path, images=None, flips=8):
    """Writes one HTML page of a result, or of several results of assess or agreement, and returns the path.

    The page needs no network: it contains charts, styles and images.
    """
    results = results if isinstance(results, (list, tuple)) else [results]
    if not _arrays.is_path(path):
        raise _leeway.Error(f"leeway.report: expected a path, found {type(path).__name__}")
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


# The page's scripts, deflated: a third of their size in every output of a notebook.
LOADER = """<script type="text/plain" id="packed">{}</script>
<script>
(async () => {
  const bytes = Uint8Array.from(atob(document.getElementById("packed").textContent), (letter) => letter.charCodeAt(0));
  const text = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
  document.body.append(document.createRange().createContextualFragment(await text));
})();
document.addEventListener("click", (event) => {  // a link within the page would load the notebook into the frame
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  document.getElementById(link.getAttribute("href").slice(1)).scrollIntoView();
});
</script>
"""


@functools.lru_cache(maxsize=4)
def _packed(scripts):
    return base64.b64encode(zlib.compress(scripts.encode(), 9)).decode()


def section(result):
    """The page in a frame, light or dark like the reader's system. Its scripts can reach neither the notebook nor the network;
    without scripts, the frame shows text and tables."""
    text = page([result])
    begin, end = text.index('<script type="application/json" id="spec-'), text.rindex("</body>")
    text = text[:begin] + LOADER.replace("{}", _packed(text[begin:end]), 1) + text[end:]
    return (f'<iframe srcdoc="{html.escape(text)}" title="leeway" sandbox="allow-scripts" '
            'style="width: 100%; height: 36rem; border: 0; resize: vertical; color-scheme: light dark"></iframe>')
