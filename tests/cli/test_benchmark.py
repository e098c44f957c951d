"""``pulps bench``."""

import pytest
from runners import constant
from table_folders import write_tables

from pulps.benchmark import methods, plans
from pulps.benchmark.protocol import Method
from pulps.benchmark.semi.suites import find_semi_methods
from pulps.benchmark.store import Store
from pulps.benchmark.suites import suite_tasks
from pulps.cli import benchmark as cli
from pulps.datasets import DataUnavailableError


@pytest.fixture
def bench(tmp_path, monkeypatch, capsys):
    """Call the command group as from a shell; return the exit code and the output."""
    monkeypatch.chdir(tmp_path)

    def call(*tokens):
        code = cli.app(tokens, result_action="return_value")
        return code, capsys.readouterr().out

    return call


def test_commands_from_run_to_export(bench, tmp_path):
    run = ["run", "toy", "--methods", "all-positive,all-negative", "--datasets", "moons,blobs"]
    run += ["--label-frequencies", "0.3", "--folds"]
    code, out = bench(*run, "0-1")
    assert code == 0
    assert "8 records added, 0 were there" in out
    code, out = bench(*run, "0-2")
    assert "4 records added, 8 were there" in out
    assert "moons" in bench("status", "toy")[1]
    assert "3 of 10 folds" in bench("tables", "toy")[1]
    assert "files in" in bench("tables", "toy", "--out", "t", "--formats", "markdown")[1]
    assert "reproduction.md" in bench("tables", "toy", "--docs", "d")[1]
    assert bench("figures", "toy", "--out", "f")[0] is None
    assert "12 records" in bench("export", "toy", "--out", "records.csv")[1]
    with pytest.raises(FileExistsError, match="--overwrite"):
        bench("export", "toy", "--out", "records.csv")
    assert len(Store(tmp_path / "benchmarks/results/toy.jsonl").records()) == 12
    assert "There are no records" in bench("status", "categorical")[1]


def test_a_page_is_written_from_runs_that_go_on(bench, tmp_path, monkeypatch):
    def part(name):
        choices = {"datasets": ["moons"], "folds": [0], "label_frequencies": [0.3]}
        return "toy", plans.Part((name,), choices)

    monkeypatch.setitem(plans.PLANS, "toy", (part("all-positive"), part("all-negative")))
    code, out = bench("page", "toy", "--docs", "d")
    assert code == 0
    assert out.count("1 records added, 0 were there") == 2
    assert "all negative" in (tmp_path / "d/reproduction.md").read_text()
    assert bench("page", "toy", "--docs", "d")[1].count("0 records added, 1 were there") == 2
    with pytest.raises(ValueError, match="No page is planned for 'moons'"):
        bench("page", "moons")


def test_plans_name_what_there_is(monkeypatch, tmp_path):
    """Every method and every data set of a plan is known, so no page fails after hours."""
    write_tables(tmp_path)
    for page in plans.PLANS:
        for suite, part in plans.plan_of(page):
            if page == "semi":
                assert find_semi_methods(part.methods, suite)
            else:
                home = tmp_path if suite == "develop" else None
                assert suite_tasks(suite, **part.choices, data_home=home)
                assert methods.find_methods(part.methods)


def test_a_stopped_run_writes_no_page(bench, tmp_path, monkeypatch):
    def interrupted(task):
        raise KeyboardInterrupt

    monkeypatch.setitem(methods.METHODS, "moody", Method("moody", interrupted))
    runs = plans.Part(("moody",), {"datasets": ["moons"], "folds": [0]})
    monkeypatch.setitem(plans.PLANS, "toy", (("toy", runs),))
    code, out = bench("page", "toy", "--docs", "d")
    assert code == 130
    assert "run the same command to continue" in out
    assert not (tmp_path / "d").exists()


def test_an_interrupted_command_says_how_to_go_on(bench, monkeypatch):
    seen = []

    def interrupted(task):
        seen.append(task)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return constant(task)

    monkeypatch.setitem(methods.METHODS, "moody", Method("moody", interrupted))
    run = ["run", "toy", "--methods", "moody", "--datasets", "moons", "--folds", "0-3"]
    code, out = bench(*run)
    assert code == 130
    assert "2 records added" in out
    assert "run the same command to continue" in out
    code, out = bench(*run)
    assert code == 0
    assert "10 records added, 2 were there" in out


def test_missing_data_end_a_run_without_a_record(bench, tmp_path, monkeypatch):
    monkeypatch.setenv("PULPS_DATA", str(tmp_path))
    monkeypatch.setenv("PULPS_CACHE", str(tmp_path / "cache"))

    def refuse(**kwargs):
        raise ConnectionError("offline")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    code, out = bench("run", "--methods", "all-positive", "--datasets", "lymph")
    assert code == 1
    assert "0 records added" in out
    assert "Provide it in one of three ways" in out


def test_unknown_formats_are_refused(bench):
    with pytest.raises(ValueError, match="no format docx"):
        bench("tables", "toy", "--formats", "docx")


def test_own_tables_from_run_to_page(bench, tmp_path, monkeypatch):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    write_tables(tmp_path / "mine")
    run = ["run", "develop", "--data", "mine", "--methods", "all-positive,all-negative"]
    code, out = bench(*run, "--datasets", "blobs,parity")
    assert code == 0
    assert "12 records added, 0 were there" in out
    assert "12 were there" in bench(*run, "--datasets", "blobs,parity")[1]
    assert "blobs:rare" in bench("status", "develop")[1]
    assert "rule tables, 10 %" in bench("tables", "develop")[1]
    assert "develop.md" in bench("tables", "develop", "--docs", "d")[1]
    write_tables(tmp_path / "mine", seed=1)
    code, out = bench(*run, "--datasets", "blobs")
    assert code == 1
    assert "another table of that name" in " ".join(out.split())


def test_own_tables_that_are_not_there_say_what_to_do(bench, monkeypatch):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    with pytest.raises(DataUnavailableError, match="--data"):
        bench("run", "develop", "--methods", "all-positive")
    with pytest.raises(ValueError, match="Run `pulps bench run develop` first"):
        bench("tables", "develop")
