#!/usr/bin/python3
"""Writes describe_record.json, what `leeway conds describe` says of a made-up table. Usage: describe_record.py LEEWAY

Shapes and colours go together in training, big ones are rare; the model looks at the colour.
"""
import json
import pathlib
import tempfile

from records import run, write

SHAPES, COLORS, SIZES = ["square", "ellipse", "heart"], ["red", "yellow", "blue"], ["small", "big"]


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        rows = [(SHAPES[i % 3], COLORS[i // 3 % 3], SIZES[i // 9 % 2]) for i in range(1800)]
        (folder / "table.csv").write_text("id,shape,color,size\n" + "".join(f"{i},{','.join(row)}\n" for i, row in enumerate(rows)))
        said = [SHAPES.index(shape) if i % 3 and i % 11 else COLORS.index(color) for i, (shape, color, _) in enumerate(rows)]
        (folder / "outputs.csv").write_text("y_true,logit_0,logit_1,logit_2\n" + "".join(
            f"{SHAPES.index(row[0])},{','.join('3' if k == predicted else '0' for k in range(3))}\n" for row, predicted in zip(rows, said)))

        run(folder, "conds", "draw", "--attributes", "table.csv", "--label", "shape", "--sc", "color", "--ldd", "size",
            "--order", "size=small,big", "--order", "shape=square,ellipse,heart", "--order", "color=red,yellow,blue", "--train", "40",
            "--test", "30", "--out", "split.csv", "--json")
        record = json.loads(run(folder, "conds", "describe", "--attributes", "table.csv", "--split", "split.csv", "--label", "shape",
                                "--columns", "color,size", "--outputs", "outputs.csv", "--json"))
        record["seconds"] = 0
        write("describe_record", record, indent=1, separators=None)


if __name__ == "__main__":
    main()
