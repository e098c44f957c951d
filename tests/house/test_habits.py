"""The habits of the repository: what is written down twice agrees, workflows are locked."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import pulps

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
CONDA_NAMES = {"torch": "pytorch", "matplotlib": "matplotlib-base"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_little_and_names_actions_by_commit(path):
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    allowed = {right for job in workflow["jobs"].values() for right in job["permissions"].items()}
    assert allowed <= {("contents", "read"), ("id-token", "write")}
    used = re.findall(r"uses: (.+)", text)
    pinned = [name for name in used if re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v[\d.]+", name)]
    assert pinned == used != []


def test_the_conda_recipe_asks_for_what_the_package_does():
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
    extras = PROJECT["project"]["optional-dependencies"]
    with_commands = [line for name in ("cli", "files", "plot") for line in extras[name]]
    lines = [*PROJECT["project"]["dependencies"], *with_commands]
    wanted = [line.partition(">=") for line in lines if not line.startswith("pulps[")]
    # Some bounds are for newer Pythons and come last; the recipe, one for all of them, has those.
    bounds = {CONDA_NAMES.get(name, name): bound.partition(";")[0] for name, _, bound in wanted}
    asked = {f"{name} >={bound}" for name, bound in bounds.items()}
    assert set(recipe["requirements"]["run"]) == {"python", *asked}
    assert recipe["context"]["version"] == pulps.__version__


def test_no_dependency_is_bounded_from_above():
    extras = PROJECT["project"]["optional-dependencies"].values()
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in extras for line in extra)]
    assert [line for line in lines if re.search("<|==|~=", line)] == []


def test_every_printed_installation_from_a_clone_is_constrained():
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    lines = [line for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    from_clone = [line for line in lines if re.search(r"pip install [^`]*(?<=[ '])\.", line)]
    assert len(from_clone) >= 6
    assert [line for line in from_clone if "-c constraints.txt" not in line] == []


def test_fragments_are_of_a_known_kind():
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    fragments = [path.name for path in (ROOT / "changes").iterdir() if path.name != "README.md"]
    named = re.compile(rf"(\d+|\+[\w-]+)\.({'|'.join(kinds)})\.md")
    assert [name for name in fragments if not named.fullmatch(name)] == []
