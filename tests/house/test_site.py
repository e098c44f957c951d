"""The site builds without a warning, opens without a network, and its pages run as printed."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from check_links import dead_links, from_elsewhere

import pulps
from pulps.cli import main
from pulps.decision import AgreementWarning

DOCS = Path(__file__).parents[2] / "docs"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
PAGES = (
    "index start idea guide/consensus guide/tables guide/missing guide/sampling guide/priors "
    "guide/choosing guide/curves guide/compare guide/explain guide/suggest guide/check "
    "guide/tools "
    "guide/others guide/images guide/scaling guide/networks gallery/index gallery/plot_1_chain "
    "gallery/plot_2_sphere gallery/plot_7_tumors gallery/plot_8_wine gallery/plot_9_threshold "
    "gallery/plot_9b_rare gallery/plot_9c_everyday gallery/plot_9d_bonds api/index "
    "api/classifier api/evaluation "
    "api/priors api/tuning "
    "api/pictures api/data api/scale api/network api/inside method sampling performance "
    "reproduction "
    "develop selection suggest comparison puicl faq pulearn policy"
).split()
RUN = [
    page
    for page in PAGES
    if page.startswith("guide/") or page in ("index", "start", "comparison", "pulearn")
]
BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def look_offline(site):
    """Open pages from the disk with the network off; return what was drawn and found."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(offline=True).new_page()
        page.set_default_timeout(600_000)
        wrong = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.goto((site / "api" / "inside.html").as_uri())
        boxes = [formula.bounding_box() for formula in page.locator("math").all()]
        page.goto(f"{(site / 'search.html').as_uri()}?q=purified")
        found = page.locator("#search-results li a")
        found.first.wait_for()
        titles = found.all_inner_texts()
        browser.close()
    assert wrong == []
    return boxes, titles


def test_the_site_builds_without_a_warning_and_its_links_lead_somewhere(tmp_path):
    hidden = shutil.ignore_patterns("gallery", "sg_execution_times.rst", "__pycache__")
    shutil.copytree(DOCS, tmp_path / "docs", ignore=hidden)
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "docs", "site"],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    site = tmp_path / "site"
    assert [page for page in PAGES if not (site / f"{page}.html").is_file()] == []
    for name in ("plot_1_chain", "plot_2_sphere"):
        assert (site / "_images" / f"sphx_glr_{name}_001.png").stat().st_size > 10_000
    assert dead_links(site) == []
    assert from_elsewhere(site) == []
    listed = (site / "llms.txt").read_text(encoding="utf-8")
    assert [page for page in PAGES[1:] if f"]({page}.html)" not in listed] == []
    front = (site / "index.html").read_text(encoding="utf-8")
    assert "copybutton.js" in front
    assert "pip install" in re.sub(r"<[^>]+>", "", front)
    assert front.index("report-light.png") < front.index("<table")
    assert f"pulps {pulps.__version__}" in front
    if CHROMIUM:
        boxes, titles = look_offline(site)
        assert len(boxes) > 20
        assert min(box["height"] for box in boxes) > 5
        assert "The method" in titles


def test_results_come_first_and_where_they_come_from_last():
    """A page of results begins with results."""
    page = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert headings[0] == "The consensus against rivals"
    assert headings[-1] == "Where the records come from"


def test_the_front_page_tells_the_numbers_of_the_development_suite():
    """Whoever makes the suite's page again has to write the front page again."""
    front = (DOCS / "index.md").read_text(encoding="utf-8")
    suite = (DOCS / "develop.md").read_text(encoding="utf-8")
    columns = ("common positives, 30 %", "rare positives, 30 %", "rule tables, 30 %")
    columns += ("the paper's tables, 30 %",)

    def rows(text):
        lines = [line for line in text.splitlines() if line.startswith("|")]
        return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]

    def measured(title):
        table = rows(suite.split(f"**{title}**")[1].split("\n| tables, tasks")[0])
        places = [table[0].index(name) for name in columns]
        return {row[0]: [row[place].split(" ")[0] for place in places] for row in table[2:]}

    areas, scores = measured("AUC"), measured("Macro-F1")
    for name, *cells in rows(front)[2:]:
        method = OURS.get(name, name)
        expected = [
            " / ".join(mark(value) for value in pair)
            for pair in zip(areas[method], scores[method], strict=True)
        ]
        assert cells == expected, name


OURS = {"`PUClassifier`": "PU consensus (default)", "`LPSClassifier`": "LPS (default)"}


def mark(value):
    """Leave the zero out, and keep a number bold that is."""
    return value.replace("0.", ".") + ("**" if value.startswith("**") else "")


def test_the_page_of_the_classifier_begins_with_the_parameters_that_matter():
    """Five, each of them there."""
    from pulps import PUClassifier

    page = (DOCS / "api" / "classifier.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|", page[: page.index("autoclass")], re.MULTILINE)
    assert len(told) == 5
    assert set(told) <= set(PUClassifier().get_params())


def test_a_dead_link_is_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="b.html#gone">b</a>')
    (tmp_path / "b.html").write_text('<p id="here"><a href="c.html">c</a> <a href="#">top</a>')
    assert sorted(dead_links(tmp_path)) == ["a.html: b.html#gone", "b.html: c.html"]


def test_what_a_page_loads_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<link rel="canonical" href="https://here.example/a.html">'
        '<a href="https://elsewhere.example">a link is not loaded</a>'
        '<script src="https://elsewhere.example/x.js"></script><img src="near.png">'
    )
    assert from_elsewhere(tmp_path) == ["a.html: https://elsewhere.example/x.js"]


@pytest.mark.parametrize("page", RUN)
def test_a_page_runs_as_printed(page, tmp_path, monkeypatch):
    """Run its Python and its ``pulps`` commands from top to bottom, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "page"}
    blocks = BLOCK.findall((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    assert blocks
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", AgreementWarning)  # which a page may well provoke
        for language, text in blocks:
            if language == "python":
                exec(compile(text, f"{page}.md", "exec"), names)
                continue
            for line in text.replace("\\\n", " ").splitlines():
                if line.startswith("pulps "):
                    assert main(shlex.split(line)[1:]) == 0, line
