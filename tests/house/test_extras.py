"""Libraries that not everybody needs: estimators live without them, errors say how to get them."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import pulps
from pulps.io.optional import needs

ROOT = Path(__file__).parents[2]
SOURCE = Path(pulps.__file__).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
CALLED = {"pillow": "PIL", "scikit_posthocs": "scikit_posthocs", "scikit_learn": "sklearn"}
BEHIND_A_DOOR = {"cli", "studio"}  # `pulps` and `pulps serve` import them, and say what is missing
FOR_DEVELOPERS = {"docs", "test", "clients"}
CLUSTERS = {"dask", "ray", "spark", "mlflow"}


def imported_as(requirement):
    name = re.match(r"[\w-]+", requirement).group().replace("-", "_")
    return CALLED.get(name, name)


NEEDED = {"markupsafe", *(imported_as(line) for line in PROJECT["dependencies"])}  # jinja2's
OPTIONAL = {
    imported_as(line)
    for name, lines in EXTRAS.items()
    if name not in FOR_DEVELOPERS
    for line in lines
} - {"pulps"}


def imports(tree, guarded=False):
    """Every import below a node, and whether it is guarded by `needs` or for type checkers."""
    for node in ast.iter_child_nodes(tree):
        inside = guarded
        if isinstance(node, ast.With):
            called = [getattr(item.context_expr, "func", None) for item in node.items]
            inside |= any(getattr(function, "id", "") == "needs" for function in called)
        if isinstance(node, ast.If):
            inside |= getattr(node.test, "id", "") == "TYPE_CHECKING"
        if isinstance(node, ast.Import):
            yield from ((alias.name.split(".")[0], inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield (node.module or "").split(".")[0], inside
        yield from imports(node, inside)


def test_every_library_is_declared_and_every_optional_one_is_asked_for():
    unguarded = []
    for path in SOURCE.rglob("*.py"):
        place = path.relative_to(SOURCE)
        for name, guarded in imports(ast.parse(path.read_text(encoding="utf-8"))):
            known = {"pulps", *sys.stdlib_module_names, *NEEDED}
            if name not in known and not guarded and place.parts[0] not in BEHIND_A_DOOR:
                unguarded.append((str(place), name))
    assert unguarded == []


def test_every_extra_that_an_error_names_exists_and_is_in_the_table():
    named = set()
    for path in SOURCE.rglob("*.py"):
        named |= set(re.findall(r'needs\("(\w+)",', path.read_text(encoding="utf-8")))
    assert {
        "bench",
        "cli",
        "dask",
        "files",
        "images",
        "mlflow",
        "plot",
        "ray",
        "serve",
        "spark",
        "tune",
        "xlsx",
    } == named
    assert named <= set(EXTRAS)
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    for name in set(EXTRAS) - FOR_DEVELOPERS:
        assert re.search(rf"^\|[^|]*`{name}`", page, re.MULTILINE), name


def test_everything_but_clusters_is_in_all():
    (line,) = EXTRAS["all"]
    listed = line.removeprefix("pulps[").removesuffix("]").split(",")
    assert set(listed) == set(EXTRAS) - FOR_DEVELOPERS - {"all", *CLUSTERS}


WITHOUT = """
import importlib.abc, json, sys
class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {absent}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""
A_DAY_WITH_MODELS = """
import pathlib, tempfile
import numpy as np
from pulps import LPSClassifier, LPSImageClassifier, PUClassifier
X = np.random.default_rng(0).normal(size=(40, 2)); X[:20] += 3
y = np.repeat([1, 0], [10, 30])
folder = pathlib.Path(tempfile.mkdtemp())
for model in (
    PUClassifier(views=["kernel"], random_state=0),
    LPSClassifier(max_epochs=2, n_members=2, first_guess=None, random_state=0),
):
    model.fit(X, y)
    model.report(X, y).save(folder / "report.html")
    model.save(folder / "model.pulps")
    again = type(model).load(folder / "model.pulps")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
LPSImageClassifier()
print(json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def in_another_process(code, absent):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", WITHOUT.format(absent=sorted(absent)) + code],
        capture_output=True,
        text=True,
    )


def test_models_are_fitted_saved_and_reported_on_without_any_extra():
    done = in_another_process(A_DAY_WITH_MODELS, OPTIONAL)
    assert done.returncode == 0, done.stderr[-2000:]
    assert set(json.loads(done.stdout)) >= {"pulps", "torch", "sklearn"}


def test_the_command_line_says_what_it_needs():
    done = in_another_process("from pulps.__main__ import main; sys.exit(main())", {"cyclopts"})
    assert done.returncode == 2
    assert done.stderr == (
        "pulps: The command line needs cyclopts, which is not installed. Install it with: "
        "pip install 'pulps[cli]'\n"
    )


def draw():
    from pulps.displays.axes import axes_or_new

    axes_or_new(None)


def open_images(folder):
    from PIL import Image

    from pulps.images import ImageFolder

    Image.fromarray(np.zeros((4, 4), np.uint8)).save(folder / "a.png")
    return lambda: ImageFolder(folder)


def download():
    from pulps.datasets.sources import download_file

    download_file("https://example.org/a", Path("a"), known_hash=None)


def rank():
    import pandas as pd

    from pulps.benchmark.stats import nemenyi

    nemenyi(pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0], "c": [3.0, 1.0]}))


def search():
    from pulps.tuning.study import import_optuna

    import_optuna()


def promise_a_sheet():
    from pulps.io.files import check_output

    check_output("a.xlsx")


def write_a_sheet():
    import pandas as pd

    from pulps.io.files import write_table

    write_table(pd.DataFrame({"a": [1]}), "a.xlsx")


@pytest.mark.parametrize(
    ("library", "extra", "does"),
    [
        ("openpyxl", "xlsx", promise_a_sheet),
        ("openpyxl", "xlsx", write_a_sheet),
        ("matplotlib", "plot", draw),
        ("pooch", "bench", download),
        ("scikit_posthocs", "bench", rank),
        ("optuna", "tune", search),
    ],
)
def test_what_is_missing_is_said_with_its_extra(library, extra, does, monkeypatch):
    for name in [name for name in sys.modules if name.split(".")[0] == library]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ModuleNotFoundError, match=rf"needs {library}.*'pulps\[{extra}\]'"):
        does()


def test_image_files_ask_for_their_library(tmp_path, monkeypatch):
    read = open_images(tmp_path)
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r"needs PIL.*'pulps\[images\]'"):
        read()


def test_a_missing_part_of_our_own_is_no_missing_library():
    with (
        pytest.raises(ModuleNotFoundError, match=r"No module named 'pulps\.nowhere'"),
        needs("plot", "Drawing"),
    ):
        import pulps.nowhere  # noqa: F401
