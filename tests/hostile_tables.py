"""Tables that someone made to break a reader, each by its number."""

import io
import json
import random

import numpy as np
import pandas as pd

LABEL = "y"
NAMES = (
    *(
        "",
        " ",
        "a",
        "a ",
        "A",
        "y ",
        "__class__",
        "=cmd|' /C calc'!A0",
        "<script>alert(1)</script>",
    ),
    *("名前", "naïve", "🙂", "\u202eright", "a\nb", "tab\there", 'quo"te', "x" * 5000, "0", "1e5"),
    *(
        "None",
        "nan",
        "index",
        "y.1",
        "../../etc",
        "{{7*7}}",
        "%s%n",
        "Unnamed: 0",
        "\x00",
        "-",
        "true",
    ),
)
COLUMNS = {
    "numbers": lambda k, rng: round(rng.gauss(0, 1), 3),
    "few": lambda k, rng: rng.choice([0, 1, 2]),
    "words": lambda k, rng: rng.choice(["red", "green", "blue"]),
    "nothing": lambda k, rng: "",
    "constant": lambda k, rng: 7,
    "mostly nothing": lambda k, rng: rng.choice(["", "", "", "NA", "x"]),
    "infinities": lambda k, rng: rng.choice(["inf", "-inf", "1", "nan", "Infinity"]),
    "ends": lambda k, rng: rng.choice(
        ["1e308", "-1e308", "1.7976931348623157e308", "0", "1e-320"]
    ),
    "beyond": lambda k, rng: rng.choice(["1e400", "-1e999", "1"]),
    "huge whole": lambda k, rng: 10 ** rng.choice([18, 19, 40, 400]) + k,
    "mixed": lambda k, rng: rng.choice([1, "a", "", "2.5", "2024-01-01", "True", "1,5"]),
    "emoji": lambda k, rng: rng.choice("🙂🙃😀") * rng.choice([1, 50]),
    "long": lambda k, rng: "long " * rng.choice([1, 20_000]),
    "formulas": lambda k, rng: rng.choice(["=1+1", "@SUM(A1)", "+1", "-1", "=cmd|'/C calc'!A0"]),
    "markup": lambda k, rng: rng.choice(["<b>x</b>", "</script><script>alert(1)", "&amp;", "'\""]),
    "dates": lambda k, rng: f"20{rng.randrange(100):02}-{rng.randrange(1, 14):02}-30",
    "odd dates": lambda k, rng: rng.choice(["0001-01-01", "9999-12-31", "31/12/99", "2024-02-30"]),
    "truth": lambda k, rng: rng.choice(["true", "False", "TRUE"]),
    "identifiers": lambda k, rng: f"id-{k:06}",
    "codes": lambda k, rng: f"{rng.randrange(100):05}",
    "money": lambda k, rng: rng.choice(["$1,000.50", "€ 3", "1.000,50 €", "(5)", "10 %", "-"]),
    "spaces": lambda k, rng: rng.choice(["\u00a01", " 2 ", "\t3", "\u200b4", "\ufeff5"]),
    "controls": lambda k, rng: rng.choice(["\x01", "\x1b[31m", "a\x7f", "\u2028"]),
    "surrogates": lambda k, rng: rng.choice(["e\u0301", "é", "\ufffd", "𝟙"]),
    "the label again": lambda k, rng: int(k % 3 == 0),
}
LABELS = {
    "plain": lambda k: int(k % 3 == 0),
    "plain too": lambda k: int(k % 4 == 0),
    "blank": lambda k: 1 if k % 3 == 0 else "",
    "words": lambda k: "yes" if k % 3 == 0 else "no",
    "one word": lambda k: "yes" if k % 3 == 0 else "",
    "three": lambda k: k % 3,
    "none": lambda k: "",
    "all": lambda k: 1,
    "one": lambda k: int(k == 2),
    "floats": lambda k: "1.0" if k % 3 == 0 else "0.0",
    "odd": lambda k: "🙂" if k % 3 == 0 else "",
}
SIZES = (0, 1, 2, 3, 8, 20, 40, 60, 60, 60)
FORMS = ("csv", "csv", "csv", "tsv", "jsonl", "parquet", "arrow", "xlsx", "csv.gz", "csv")


def hostile_table(number: int) -> tuple[str, bytes]:
    """The name of a file, and what it holds."""
    rng = random.Random(number)
    form = rng.choice(FORMS)
    names, rows = _cells(rng)
    if form in ("csv", "tsv", "csv.gz"):
        content = _text(names, rows, rng, "\t" if form == "tsv" else rng.choice(",,,;|"))
        if form == "csv.gz":
            import gzip

            content = gzip.compress(content)
    elif form == "jsonl":
        content = _json_lines(names, rows, rng)
    else:
        content = _binary(names, rows, form)
    if rng.random() < 0.1 and content:
        content = _damaged(content, rng)
    return f"table-{number}.{form}", content


def _cells(rng):
    n_rows = rng.choice(SIZES)
    n_columns = (
        rng.choice([0, 1, 2, 3, 4, 6, 6]) if rng.random() < 0.97 else rng.choice([300, 2000])
    )
    kinds = [rng.choice(list(COLUMNS)) for _ in range(n_columns)]
    if n_columns > 10:
        kinds = [rng.choice(["numbers", "few", "constant"]) for _ in range(n_columns)]
    odd = rng.random() < 0.5
    names = [rng.choice(NAMES) if odd else f"c{k}" for k in range(n_columns)]
    if odd and rng.random() < 0.7:
        names = [f"{name}{k}" if names.index(name) != k else name for k, name in enumerate(names)]
    label = rng.choice(list(LABELS)) if rng.random() < 0.4 else "plain"
    place = rng.randrange(n_columns + 1)
    names.insert(place, LABEL if rng.random() < 0.95 else "z")
    rows = []
    for k in range(n_rows):
        row = [COLUMNS[kind](k, rng) for kind in kinds]
        row.insert(place, LABELS[label](k))
        rows.append(row)
    return names, rows


def _text(names, rows, rng, separator):
    quoted = rng.random() < 0.8
    lines = [[_cell(cell, separator, quoted) for cell in row] for row in [names, *rows]]
    if rows and rng.random() < 0.15:  # ragged
        line = rng.choice(lines)
        line.append("more") if rng.random() < 0.5 else line.pop()
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(separator.join(line) for line in lines)
    text += rng.choice([end, "", end * 3])
    if rng.random() < 0.1:
        text = rng.choice(["# a comment\n", "\n\n", "sep=;\n", "\ufeff\ufeff"]) + text
    encoding = rng.choice(["utf-8"] * 5 + ["utf-8-sig", "utf-16", "latin-1", "cp1252"])
    return text.encode(encoding, errors=rng.choice(["replace", "xmlcharrefreplace"]))


def _cell(cell, separator, quoted):
    text = str(cell)
    if quoted and any(mark in text for mark in (separator, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text


def _json_lines(names, rows, rng):
    lines = []
    for row in rows:
        record = dict(zip(names, row, strict=True))
        if rng.random() < 0.1:
            record[rng.choice(names)] = rng.choice([None, [1, 2], {"a": 1}, True, 1e308, 10**30])
        if rng.random() < 0.05:
            record.pop(rng.choice(list(record)))
        lines.append(json.dumps(record, ensure_ascii=rng.random() < 0.5))
    if lines and rng.random() < 0.1:
        lines[rng.randrange(len(lines))] = rng.choice(["[]", "{", "null", "", '{"y": NaN}', "1"])
    return "\n".join(lines).encode("utf-8", "replace")


def _binary(names, rows, form):
    unique = [name if names.index(name) == k else f"{name}#{k}" for k, name in enumerate(names)]
    frame = pd.DataFrame(rows, columns=unique)
    for name in frame.columns:
        numbers = pd.to_numeric(frame[name].map(str), errors="coerce")
        frame[name] = numbers if numbers.notna().all() and len(frame) else frame[name].map(str)
    stream = io.BytesIO()
    if form == "parquet":
        frame.to_parquet(stream)
    elif form == "arrow":
        frame.to_feather(stream)
    else:
        frame = frame.replace(r"[\x00-\x1f]", "", regex=True).iloc[:, :100]
        frame = frame.map(lambda cell: cell[:30_000] if isinstance(cell, str) else cell)
        frame.columns = [name.replace("\x00", "")[:3000] for name in frame.columns]
        frame.replace([np.inf, -np.inf], 0).to_excel(stream, index=False)
    return stream.getvalue()


def _damaged(content, rng):
    way = rng.randrange(4)
    if way == 0:
        return content[: rng.randrange(len(content))]
    if way == 1:
        return content + bytes(rng.randrange(256) for _ in range(50))
    if way == 2:
        return b"\x00" * rng.choice([1, 100]) + content
    data = bytearray(content)
    for _ in range(20):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)
