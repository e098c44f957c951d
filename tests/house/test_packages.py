"""What is built: a wheel that says what it holds, and sources that can be tested."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("setuptools", minversion="77")
ROOT = Path(__file__).parents[2]
HELPERS = [*ROOT.glob("tests/*.py"), *ROOT.glob("tests/estimators/saved/*")]
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
