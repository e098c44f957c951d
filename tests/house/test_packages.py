"""What is built: a wheel that says what it holds, and sources that can be tested."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("setuptools", minversion="77")
ROOT = Path(__file__).parents[2]
HELPERS = [*ROOT.glob("tests/*.py"), *ROOT.glob("tests/estimators/saved/*")]
PACKAGED = {".py", ".typed", ".html", ".css", ".js", ".csv", ".toml", ".cpp", ".h"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="needs the sources"),
]


def build(folder, *words, **environment):
    info = ["egg_info", "--egg-base", str(folder), "build", "--build-base", str(folder / "build")]
    subprocess.run(
        [sys.executable, "setup.py", "-q", *info, *words, "--dist-dir", str(folder / "dist")],
        cwd=ROOT,
        env=os.environ | environment,
        check=True,
        capture_output=True,
    )
    (made,) = (folder / "dist").iterdir()
    return made


@pytest.mark.skipif(os.name != "posix", reason="needs a compiler that fails")
def test_a_wheel_without_the_kernel_is_for_any_platform(tmp_path):
    bdist = ["bdist_wheel", "--bdist-dir", str(tmp_path / "bdist")]
    made = build(tmp_path, *bdist, CC="/bin/false", CXX="/bin/false")
    assert made.name.endswith("-py3-none-any.whl")


TELL = """
import pulps
from pulps.network.engine import active_engine
print(pulps.__file__, *active_engine())
"""


@pytest.mark.skipif(not shutil.which("c++"), reason="needs a compiler")
def test_a_wheel_in_an_empty_environment_sweeps_with_the_kernel(tmp_path):
    made = build(tmp_path, "bdist_wheel", "--bdist-dir", str(tmp_path / "bdist"))
    assert re.search(r"-py3-none-(?!any)\w+\.whl$", made.name)
    venv.create(tmp_path / "empty", with_pip=False)
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = tmp_path / "empty" / scripts / Path(sys.executable).name
    ask = [python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]
    place = Path(subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip())
    with zipfile.ZipFile(made) as wheel:
        wheel.extractall(place)
    # The libraries it needs are those of this environment; its own pulps is not seen there.
    (place / "libraries.pth").write_text(sysconfig.get_path("platlib"))
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PULPS")}
    clean.pop("PYTHONPATH", None)
    told = subprocess.run(
        [python, "-c", TELL], cwd=tmp_path, env=clean, check=True, capture_output=True, text=True
    ).stdout
    assert str(place.resolve()) in told
    assert " native " in told, told


def test_an_sdist_builds_the_wheel_of_its_sources(tmp_path):
    made = build(tmp_path, "sdist")
    with tarfile.open(made) as archive:
        archive.extractall(tmp_path, filter="data")
    root = tmp_path / made.name.removesuffix(".tar.gz")
    own = {p.relative_to(ROOT) for p in (ROOT / "src").rglob("*") if p.suffix in PACKAGED}
    assert sorted(path for path in own if not (root / path).is_file()) == []
    assert (root / "setup.py").read_bytes() == (ROOT / "setup.py").read_bytes()


def test_the_tests_of_an_sdist_run(tmp_path):
    made = build(tmp_path, "sdist")
    with tarfile.open(made) as archive:
        archive.extractall(tmp_path, filter="data")
    root = tmp_path / made.name.removesuffix(".tar.gz")
    for helper in HELPERS:
        assert (root / helper.relative_to(ROOT)).is_file(), helper
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_labels.py"],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root / "src")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-2000:]
