"""Figures of the studies: an SVG from what a script read, the same bytes for the same numbers."""
import pathlib

FIGURES = pathlib.Path(__file__).resolve().parent / "figures"
GRID, QUIET = "#e3e6ea", "#5b6470"
# Colours of Okabe and Ito, each with a dash of its own.
STYLES = [("#0072b2", ""), ("#d55e00", "6,3"), ("#009e73", "2,2"), ("#cc79a7", "8,3,2,3")]


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                      f'font-family="sans-serif" font-size="11px"><title>{title}</title><rect width="{width}" height="{height}" fill="#fff"/>']

    def text(self, x, y, words, anchor="start", color="#1b1f24", **more):
        extra = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in more.items())
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}"{extra}>{words}</text>')

    def line(self, x1, y1, x2, y2, color="#1b1f24", width=1):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"/>')

    def path(self, points, color, dash=""):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{places}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dash}"/>')

    def area(self, points, color):
        places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polygon points="{places}" fill="{color}" fill-opacity="0.18"/>')

    def dot(self, x, y, radius, color):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{color}"/>')

    def cell(self, x, y, width, height, color):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width}" height="{height}" fill="{color}"/>')

    def save(self, name):
        (FIGURES / name).write_text("\n".join(self.parts) + "\n</svg>\n", encoding="utf-8")


def chart(name, title, note, series, x_ticks, y_ticks, x_words):
    """Lines over a common axis, their names at their ends; series: name -> [(x, y, low, high)], ticks: [(value, words)]."""
    left, top, width, height, right = 52, 34, 400, 190, 130
    drawing = Drawing(left + width + right, top + height + 44, f"{title}, {note}")
    drawing.text(left, 16, title, font_weight=600)
    drawing.text(left + 6.6 * len(title) + 12, 16, note, color=QUIET)
    (x_first, _), (x_last, _), (y_first, _), (y_last, _) = x_ticks[0], x_ticks[-1], y_ticks[0], y_ticks[-1]

    def at(x, y):
        return left + width * (x - x_first) / (x_last - x_first), top + height * (1 - (min(max(y, y_first), y_last) - y_first) / (y_last - y_first))

    for value, words in y_ticks:
        drawing.line(*at(x_first, value), *at(x_last, value), GRID)
        drawing.text(left - 8, at(x_first, value)[1] + 4, words, "end", QUIET)
    for value, words in x_ticks:
        drawing.text(at(value, y_first)[0], top + height + 16, words, "middle", QUIET)
    drawing.text(left, top + height + 34, x_words, color=QUIET)
    ends = []  # where the names of lines that end side by side do not cover each other
    for place, (words, points) in sorted(enumerate(series.items()), key=lambda item: -item[1][1][-1][1]):
        color, dash = STYLES[place]
        drawing.area([at(x, low) for x, _, low, _ in points] + [at(x, high) for x, _, _, high in reversed(points)], color)
        drawing.path([at(x, y) for x, y, _, _ in points], color, dash)
        x, y = at(*points[-1][:2])
        ends.append(max(y, ends[-1] + 14) if ends else y)
        drawing.text(x + 8, ends[-1] + 4, words, color=color, font_weight=600)
    drawing.save(name)
