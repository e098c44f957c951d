"""A real browser opens the report and walks through the studio; screenshots are kept."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import sync_playwright
from serving import serving
from sklearn.datasets import load_digits

from pulps import LPSClassifier, LPSSemiSupervisedImageClassifier, PUClassifier
from pulps.studio.server import make_app

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
SHOTS = Path(os.environ.get("PULPS_ARTEFACTS") or Path(__file__).parents[2] / "build" / "screens")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
TOKEN = "a-token-for-tests"
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed"),
    pytest.mark.filterwarnings(
        "ignore::pulps.decision.AgreementWarning",
        "ignore::sklearn.exceptions.ConvergenceWarning",
    ),
]
SCRIPT = "<script>alert(1)</script>"
IMAGE = "<img src=x onerror=alert(1)>"


def make_table(n_rows=60):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    return pd.DataFrame(
        {
            "size": (rng.normal(size=n_rows) + 3 * truth).round(3),
            IMAGE: rng.integers(20, 60, n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, SCRIPT, "=1+1"),
            "bought": np.where(truth & (rng.random(n_rows) < 0.6), "yes", "?"),
        }
    )


@contextmanager
def opened(size="desktop", scheme="light"):
    """A page that fails on dialogs, errors and calls to anywhere but here."""
    width, height = WIDTHS[size]
    wrong = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            accept_downloads=True,
        )
        page = context.new_page()
        page.set_default_timeout(600_000)
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda request: (
                wrong.append(request.url)
                if not request.url.startswith(("file:", "data:", "blob:", "http://127.0.0.1:"))
                else None
            ),
        )
        yield page
        browser.close()
    assert wrong == []


def shoot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


def too_wide(page):
    return page.evaluate("document.documentElement.scrollWidth > window.innerWidth")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    table = make_table()
    y = table.pop("bought") == "yes"
    model = LPSClassifier(n_members=2, max_epochs=20, n_repeats=1, random_state=0).fit(table, y)
    path = tmp_path_factory.mktemp("report") / "report.html"
    model.report(table, y, title=f"Mine {SCRIPT}").save(path)
    return path.as_uri()


@pytest.fixture(scope="module")
def image_report(tmp_path_factory):
    digits, classes = load_digits(n_class=3, return_X_y=True)
    images, names = digits[:120].reshape(-1, 8, 8), np.array([SCRIPT, "one", "two"], dtype=object)
    labels = np.where(np.arange(120) % 6 == 0, names[classes[:120]], None)
    model = LPSSemiSupervisedImageClassifier(
        size=None, patch_size=2, feature_dim=4, bond_dim=4, n_members=2, n_steps=20, random_state=0
    ).fit(images, labels)
    path = tmp_path_factory.mktemp("report") / "images.html"
    model.report(images, labels, title=f"Mine {SCRIPT}").save(path)
    return path.as_uri()


def column(rows, number):
    return [row.locator("td").nth(number).inner_text() for row in rows.all()]


def test_the_report_sorts_searches_and_downloads(report, tmp_path):
    with opened() as page:
        page.goto(report)
        assert SCRIPT in page.locator("h1").inner_text()
        rows = page.locator("#candidates tbody tr:not([hidden])")
        before = [float(text.strip("<> %")) for text in column(rows, 1)]
        assert before == sorted(before, reverse=True)
        head = page.locator("#candidates th", has_text="size")
        head.locator("button").focus()
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "descending"
        place = [text.split(" ")[0] for text in page.locator("#candidates th").all_inner_texts()]
        sizes = [float(text) for text in column(rows, place.index("size"))]
        assert sizes == sorted(sizes, reverse=True)
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert float(column(rows, place.index("size"))[0]) == sizes[-1]
        total = rows.count()
        page.get_by_label("Search in the table").fill("=1+1")
        assert 0 < rows.count() < total
        assert page.locator("#count").inner_text() == f"{rows.count()} of {total} rows shown"
        with page.expect_download() as waiting:
            page.get_by_role("link", name="Download as CSV").click()
        waiting.value.save_as(tmp_path / "rows.csv")
    table = pd.read_csv(tmp_path / "rows.csv")
    assert len(table) == total
    assert set(table["color"]) == {SCRIPT, "'=1+1"}


def test_the_slider_tells_what_to_expect_of_another_cut(tmp_path):
    table = make_table(200)
    y = table.pop("bought") == "yes"
    model = PUClassifier(views=["kernel"], random_state=0).fit(table, y)
    report = model.report(table, y)
    report.save(tmp_path / "report.html")
    steps = report.data["cuts"]["steps"]
    with opened() as page:
        page.goto((tmp_path / "report.html").as_uri())
        slider = page.get_by_role("slider", name="Rows called positive")
        for place in (0, len(steps) - 1, report.data["cuts"]["own"]):
            slider.evaluate(
                "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(place)
            )
            step = steps[place]
            assert page.locator("#cut-rows").inner_text() == str(step["rows"])
            told = page.locator("#cut-precision").inner_text().strip("<> %\N{NO-BREAK SPACE}")
            assert float(told) == pytest.approx(100 * step["precision"], abs=0.5)
            bright = page.locator("#candidates tbody tr:not(.below)").count()
            assert bright == min(200, step["rows"])
        slider.evaluate("e => { e.value = 0; e.dispatchEvent(new Event('input')); }")
        page.get_by_role("button", name="Back to the model").click()
        own = report.data["learned"]["n_called_positive"]
        assert page.locator("#cut-rows").inner_text() == str(own)


@pytest.mark.parametrize("kind", ["report", "image_report"])
@pytest.mark.parametrize(
    ("size", "scheme"), [("desktop", "light"), ("phone", "light"), ("desktop", "dark")]
)
def test_the_report_fits_every_screen(kind, size, scheme, request):
    with opened(size, scheme) as page:
        page.goto(request.getfixturevalue(kind))
        shoot(page, f"{kind.replace('_', '-')}-{size}-{scheme}")
        assert not too_wide(page)
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(int(part) for part in ground.strip("rgb()").split(",")) > 382
        assert light == (scheme == "light")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        unnamed = page.evaluate(
            "[...document.querySelectorAll('svg[role=img], button, input, [role=region]')]"
            ".filter(e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length"
            " || e.getAttribute('aria-labelledby'))).length"
        )
        assert unnamed == 0


def test_all_pictures_of_a_report_are_shown(image_report):
    with opened() as page:
        page.goto(image_report)
        page.wait_for_function("[...document.images].every(e => e.complete)")
        widths = page.evaluate("[...document.images].map(e => e.naturalWidth)")
        assert len(widths) > 40
        assert set(widths) == {8}


def test_the_journey_from_a_table_to_scores(tmp_path):
    make_table().to_csv(tmp_path / "mine.csv", index=False)
    with serving(make_app(token=TOKEN)) as client, opened() as page:
        page.goto(f"{client.base_url}?token={TOKEN}")
        shoot(page, "studio-1-start")
        page.set_input_files("#file", tmp_path / "mine.csv")
        page.locator("#table-told", has_text="60 rows, 4 columns, separator ,").wait_for()
        page.get_by_label("Which column marks").select_option("bought")
        page.get_by_label("What does it hold for a known positive").select_option("yes")
        kinds = page.locator("#columns select")
        assert kinds.nth(0).input_value() == "numbers"
        assert kinds.nth(2).input_value() == "categories"
        page.get_by_label("also learn to draw new rows").check()
        page.get_by_label("Networks trained side by side").fill("1")
        page.get_by_label("Passes of networks over the rows").fill("5")
        page.get_by_label("Seed").fill("0")
        shoot(page, "studio-2-columns")
        page.get_by_role("button", name="Train").click()
        page.locator("#step-results").wait_for()
        frame = page.frame_locator("#report")
        frame.locator("h1", has_text="Report on mine.csv").wait_for()
        head = frame.locator("#candidates th", has_text="size")
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        page.locator("#conditions fieldset", has_text="color").locator("select").select_option(
            SCRIPT
        )
        page.get_by_label("Rows", exact=True).fill("5")
        page.get_by_role("button", name="Draw").click()
        page.locator("#draw-told", has_text="5 rows drawn").wait_for()
        drawn = page.locator("#drawn tbody tr")
        assert column(drawn, 2) == [SCRIPT] * 5
        shoot(page, "studio-3-results")
        for name in ("scores.csv", "report.html", "model.pulps"):
            with page.expect_download() as waiting:
                page.get_by_role("button", name=f"Download {name.split('.')[0]}").click()
            waiting.value.save_as(tmp_path / name)
        page.set_viewport_size({"width": 390, "height": 844})
        assert not too_wide(page)
        shoot(page, "studio-4-phone")
        page.locator("#report").scroll_into_view_if_needed()
        frame.locator("#answer").scroll_into_view_if_needed()
        page.screenshot(path=SHOTS / "studio-4-phone-report.png")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.emulate_media(color_scheme="dark")
        shoot(page, "studio-5-dark")
        page.get_by_label("A table with the same columns").set_input_files(tmp_path / "mine.csv")
        page.locator("#other-told", has_text="Scores of mine.csv").wait_for()
        with page.context.expect_page() as waiting:
            page.get_by_role("link", name="Open the report in its own tab").click()
        waiting.value.locator("h1", has_text="Report on mine.csv").wait_for()
        page.get_by_label("Draw the line", exact=True).select_option("share")
        page.get_by_role("button", name="Move the cut").click()
        page.locator("#cut-told", has_text="10% of the unlabeled rows").wait_for()
        page.reload()
        page.locator("#step-results").wait_for()
    scores = pd.read_csv(tmp_path / "scores.csv")
    assert len(scores) == 60
    assert "'=1+1" in set(scores["color"])
    assert "Report on mine.csv" in (tmp_path / "report.html").read_text()
    model = PUClassifier.load(tmp_path / "model.pulps")
    frame = make_table().drop(columns="bought")
    np.testing.assert_allclose(scores["decision"], model.decision_function(frame))


def test_the_studio_says_what_went_wrong_and_a_training_can_be_cancelled(tmp_path):
    (tmp_path / "bad.csv").write_bytes(b"a,a\n1,2\n")
    make_table().to_csv(tmp_path / "mine.csv", index=False)
    with serving(make_app(token=TOKEN)) as client, opened() as page:
        page.goto(f"{client.base_url}?token={TOKEN}")
        page.set_input_files("#file", tmp_path / "mine.csv")
        page.get_by_label("Which column marks").select_option("bought")
        page.get_by_label("What does it hold for a known positive").select_option("yes")
        page.get_by_label("also learn to draw new rows").check()
        page.get_by_label("Passes of networks over the rows").fill("10000")
        page.get_by_role("button", name="Train").click()
        page.get_by_role("button", name="Cancel").click()
        page.locator("#train-told", has_text="cancelled").wait_for()
        assert page.get_by_role("button", name="Train").is_enabled()
    with serving(make_app(token=TOKEN)) as client, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page()
        page.goto(f"{client.base_url}?token={TOKEN}")
        page.set_input_files("#file", tmp_path / "bad.csv")
        page.locator("#table-told.bad", has_text="more than one column named 'a'").wait_for()
        assert page.locator("#step-columns").is_hidden()
        browser.close()


PAYLOADS = (
    "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran=1'>",
    '"><svg onload=window.ran=1>',
    "javascript:window.ran=1",
    "{{7*7}}</textarea></title><script>window.ran=1</script>",
    "' onmouseover='window.ran=1' autofocus onfocus='window.ran=1",
)


def hostile_table(n_rows=60):
    """Payloads as names of columns, and as words in them."""
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    table = pd.DataFrame(
        {name: rng.normal(size=n_rows).round(2) + 3 * truth for name in PAYLOADS[:3]}
    )
    for name in PAYLOADS[3:]:
        table[name] = np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, *rng.choice(PAYLOADS, 2))
    label = "<script>window.ran=2</script>"
    table[label] = np.where(truth & (rng.random(n_rows) < 0.6), PAYLOADS[1], None)
    return table, label


def ran(page):
    """Whether a payload ran in the page or in a frame of it; pointer and focus go everywhere."""
    for frame in page.frames:
        frame.evaluate(
            "document.querySelectorAll('*').forEach(e => { e.focus?.();"
            " for (const kind of ['mouseover', 'click'])"
            " if (!e.closest('a, button, input, select'))"
            " e.dispatchEvent(new MouseEvent(kind, { bubbles: false })); })"
        )
    return any(frame.evaluate("window.ran !== undefined") for frame in page.frames)


def test_no_payload_runs_in_studio_or_report(tmp_path):
    table, label = hostile_table()
    path = tmp_path / "<img src=x onerror=window.ran=1>.csv"
    table.to_csv(path, index=False)
    with serving(make_app(token=TOKEN)) as client, opened() as page:
        page.goto(f"{client.base_url}?token={TOKEN}")
        page.set_input_files("#file", path)
        page.locator("#table-told", has_text="60 rows, 7 columns").wait_for()
        page.get_by_label("Which column marks").select_option(label)
        page.get_by_label("What does it hold for a known positive").select_option(PAYLOADS[1])
        shoot(page, "studio-hostile-columns")
        assert not ran(page)
        page.get_by_role("button", name="Train").click()
        page.locator("#step-results").wait_for(timeout=300_000)
        page.frame_locator("#report").locator("h1", has_text="onerror").wait_for(timeout=300_000)
        assert len(page.frames) == 2
        assert not ran(page)
        report = page.locator("#open-report").get_attribute("href")
        page.reload()
        page.locator("#trainings button", has_text="onerror").wait_for()
        assert not ran(page)
        page.goto(f"{str(client.base_url).rstrip('/')}{report}")
        page.locator("h1", has_text="onerror").wait_for()
        shoot(page, "report-hostile")
        assert not ran(page)
