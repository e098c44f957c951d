"""What README tells of quality is what its pages tell, and the best rival is the best one."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
RIVALS = ["spies", "Elkan–Noto", "Elkan–Noto (weighted)", "nnPU", "PU bagging", "PU extra-trees"]
CONSENSUS, NETWORK = "PU consensus (default)", "LPS (default)"


def rows(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def page(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def score(cell):
    return re.search(r"\.\d{3}", cell)[0]


def of_the_suite(title, column):
    text = page("develop").split("## Methods that have run on more folds")[1]
    table = rows(text.split(f"**{title}**")[1].split("| tables, tasks")[0])
    place = table[0].index(column)
    return {row[0]: score(row[place]) for row in table[2:]}


def of_the_paper(title):
    text = page("reproduction").split(f"**{CONSENSUS} against each rival by {title}**")[1]
    table = rows(text.split("\nMeans over")[0])
    ours, theirs = table[0].index("ours"), table[0].index("rival's")
    found = {row[0]: score(row[theirs]) for row in table[2:] if row[1:3] == ["45", "450"]}
    return found | {CONSENSUS: score(next(row[ours] for row in table if row[0] == NETWORK))}


def of_puicl(title):
    table = rows(page("puicl").split(f"## {title}")[1].split("\n`PUClassifier` is ahead")[0])
    (means,) = (row for row in table if row[0] == "mean")
    found = dict(zip(table[0][1:-1], map(score, means[1:-1]), strict=True))
    return found | {CONSENSUS: found["PUClassifier"], NETWORK: found["LPSClassifier"]}


MEASURED = {
    "28 tables, the larger class": [
        of_the_suite(title, "common positives, 30 %") for title in ("AUC", "Macro-F1")
    ],
    "the same, the smaller class": [
        of_the_suite(title, "rare positives, 30 %") for title in ("AUC", "Macro-F1")
    ],
    "ten tables made by rules": [
        of_the_suite(title, "rule tables, 30 %") for title in ("AUC", "Macro-F1")
    ],
    "the paper's fifteen": [of_the_paper(title) for title in ("AUC", "macro-F1")],
    "PUICL's four": [
        of_puicl(title) for title in ("Area under the ROC curve", "Balanced accuracy")
    ],
}


@pytest.mark.parametrize("line", MEASURED)
def test_the_table_of_the_readme_is_that_of_its_pages(line):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = rows(text.split("## How good is it?")[1].split("\n* ")[0])
    (told,) = (row for row in table if row[0].startswith(line))
    rival = re.fullmatch(r"(\S+) ?(.*?) / (\S+) (.+)", told[3])
    names = rival[2] or rival[4], rival[4]
    for number, (found, name) in enumerate(zip(MEASURED[line], names, strict=True)):
        ours, network, best = (re.findall(r"\.\d{3}", cell)[number] for cell in told[1:4])
        assert (ours, network) == (found[CONSENSUS], found[NETWORK])
        assert best == found[name] == max(found[rival] for rival in RIVALS if rival in found)
        if "PUICL" in line:
            assert told[0].split(" ")[-3 + 2 * number] == found["PUICL"]
        bold = [cell for cell in told[1:4] if f"**{max(ours, network, best)}**" in cell]
        assert bold
