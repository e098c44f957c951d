"""The page: nothing in a table can break out of it."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from pulps import LPSClassifier

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "=cmd|' /C calc'!A0",
    "<!--",
]


class Skeleton(HTMLParser):
    """Tags with the names of their attributes, and the text between."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_comment(self, data):
        self.tags.append(("comment", data))

    def handle_data(self, data):
        self.text.append(data)


def skeleton(page):
    parser = Skeleton()
    parser.feed(page)
    parser.close()
    return parser


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_values_change_no_tag(fitted, text):
    _, table, y, _ = fitted
    pages = []
    for word in ("harmless", text):
        renamed = table.rename(columns={"color": word})
        renamed[word] = np.where(table["color"] == "red", word + "1", word + "2")
        model = LPSClassifier(n_members=1, max_epochs=2, random_state=0, n_repeats=1)
        pages.append(model.fit(renamed, y).report(renamed, y, title=word, n_rows=5).html())
    calm, wild = map(skeleton, pages)
    assert wild.tags == calm.tags
    assert text in "".join(wild.text)


def test_the_page_loads_nothing_and_names_its_only_script(report):
    page = report.html()
    assert not re.search(r"https?:|//[a-z]|@import|url\(|\bsrc=", page)
    assert page.count("<script") == 1
    script = re.search(r"<script>(.*?)</script>", page, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


def test_the_download_holds_all_columns_and_no_formula(fitted):
    _, table, y, _ = fitted
    bad = table.rename(columns={"color": "=name"})
    bad["=name"] = "=" + bad["=name"]
    model = LPSClassifier(n_members=1, max_epochs=2, random_state=0, n_repeats=1).fit(bad, y)
    page = model.report(bad, y, n_rows=7).html()
    (encoded,) = re.findall(r"base64,([A-Za-z0-9+/=]+)\"", page)
    text = base64.b64decode(encoded).decode("utf-8-sig")
    lines = text.splitlines()
    assert len(lines) == 8
    assert "'=name" in lines[0].split(",")
    for line in lines:
        assert not any(part.startswith(("=", "@", "+")) for part in line.split(","))
    assert all("'=" in line for line in lines[1:])


def test_a_report_is_saved_whole(report, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html()
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]
