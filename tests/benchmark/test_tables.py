"""Tables, figures, pages and commands come from the store alone and say what is missing."""

import numpy as np
import pandas as pd
import pytest
from runners import constant

from pulps.benchmark import methods
from pulps.benchmark.averages import fold_means
from pulps.benchmark.calibration_tables import (
    calibration_errors,
    prior_and_calibration_tables,
    prior_errors,
)
from pulps.benchmark.comparison import (
    against_table,
    best_rival_table,
    pair_table,
    rank_table,
    score_matrix,
)
from pulps.benchmark.figures import AgreementDisplay, CriticalDifferenceDisplay, write_figures
from pulps.benchmark.paper_statistics import recomputed_table
from pulps.benchmark.protocol import Method, Task
from pulps.benchmark.render import RENDERERS, Cell, Table, to_html, to_latex, to_markdown
from pulps.benchmark.reproduction import write_reproduction
from pulps.benchmark.stats import average_ranks
from pulps.benchmark.store import Store
from pulps.benchmark.tables import (
    agreement_table,
    all_tables,
    export,
    score_table,
    time_table,
    write_tables,
)
from pulps.cli import benchmark as cli

LEVELS = {"lps-default": 0.9, "lps-paper": 0.8, "all-positive": 0.7, "all-negative": 0.0}


def make_record(name, method, frequency, fold, **fields):
    task = Task(name, label_frequency=frequency, fold=fold)
    score = LEVELS[method] + 0.01 * (fold % 3) + 0.01 * frequency
    return {
        "task": task.id,
        "dataset": name,
        "label_frequency": frequency,
        "n_labeled": 5,
        "fold": fold,
        "seed": 0,
        "repeat": 0,
        "n_folds": 10,
        "method": method,
        "version": "1",
        "commit": "0123456789abcdef0123+changes",
        "machine": "a machine",
        "date": "2026-01-02T03:04:05+00:00",
        **dict.fromkeys(["f1_pos", "f1_neg", "macro_f1", "accuracy", "auc"], score),
        "balanced_accuracy": score,
        "agreement": score**2 if method.startswith("lps") else None,
        "fit_seconds": 1.5,
        "peak_memory_mb": 100.0,
        "error": None,
        **fields,
    }


@pytest.fixture
def records():
    """Four methods on three tables; LPS (paper) lacks seven folds of vote at 50 %."""
    return pd.DataFrame(
        [
            make_record(name, method, frequency, fold)
            for name in ("iris", "vote", "hepatitis")
            for method in LEVELS
            for frequency in (0.3, 0.5)
            for fold in range(10)
            if not (method == "lps-paper" and name == "vote" and frequency == 0.5 and fold > 2)
        ]
    )


def row(table, name):
    return next(dict(zip(table.header, r, strict=True)) for r in table.rows if r[0].text == name)


def test_ours_stand_beside_what_was_published_for_the_same_class(records):
    positive = score_table(records, "f1_pos", 0.3)
    assert positive.header == ["", "hepatitis", "iris", "vote", "average"]
    ours = row(positive, "LPS (default)")
    assert ours["vote"] == Cell("0.912 ± 0.009", bold=True)
    assert ours["average"] == Cell("0.912")
    assert row(positive, "TN (paper)")["vote"] == Cell("0.94 ± 0.06")
    assert row(positive, "TN (paper)")["average"] == Cell("0.90")
    assert row(positive, "GPU (paper)")["hepatitis"] == Cell("0.82 ± 0.04")
    assert row(positive, "GPU (paper)")["vote"] == Cell("–")
    negative = score_table(records, "f1_neg", 0.3)
    assert row(negative, "GPU (paper)")["vote"] == Cell("0.83 ± 0.04")
    assert row(negative, "GPU (paper)")["hepatitis"] == Cell("–")
    names = [r[0].text for r in score_table(records, "macro_f1", 0.3).rows]
    assert names == ["LPS (default)", "LPS (paper)", "all positive", "all negative"]


def test_missing_folds_are_said_and_never_best(records):
    records.loc[records["method"] == "lps-paper", "f1_pos"] += 0.15
    table = score_table(records, "f1_pos", 0.5)
    cell = row(table, "LPS (paper)")["vote"]
    assert cell.text.endswith("(3 of 10 folds)")
    assert not cell.bold
    assert row(table, "LPS (default)")["vote"].bold
    assert row(table, "LPS (paper)")["average"].text.endswith("(incomplete)")


def test_failed_folds_count_as_missing(records):
    records.loc[records["fold"] == 4, "error"] = "ValueError: no"
    records.loc[records["fold"] == 4, "f1_pos"] = np.nan
    means = fold_means(records, "f1_pos").set_index(["dataset", "label_frequency", "method"])
    assert means.loc[("iris", 0.3, "lps-default"), "n"] == 9
    assert "on the 48 test folds" in rank_table(records, "f1_pos").notes[0]
    assert row(time_table(records), "all positive")["failed folds"].text == "6"
    records["f1_pos"] = np.nan
    assert score_matrix(records, "f1_pos").empty
    assert rank_table(records, "f1_pos").notes == ["No problem yet that all methods share."]
    assert pair_table(records, "f1_pos").rows == []
    assert against_table(records, "f1_pos").rows == []


def test_the_last_record_of_a_task_counts(records):
    newer = pd.DataFrame([make_record("iris", "lps-default", 0.3, 0, version="2", f1_pos=0.0)])
    both = pd.concat([records, newer], ignore_index=True)
    means = fold_means(both, "f1_pos").set_index(["dataset", "label_frequency", "method"])
    assert means.loc[("iris", 0.3, "lps-default"), "n"] == 10
    assert means.loc[("iris", 0.3, "lps-default"), "mean"] < 0.85


def test_ranks_are_those_on_the_same_folds(records):
    table = rank_table(records, "macro_f1")
    assert table.rows[0][0].text == "LPS (default)"
    assert row(table, "LPS (default)")["wins"].text == "6"
    assert "Over 6 problems" in table.notes[0]
    assert "the 53 test folds" in table.notes[0]
    assert "critical difference 1.91" in table.notes[1]
    assert len(pair_table(records, "macro_f1").rows) == 6
    best_elsewhere = (records["method"] == "lps-paper") & (records["fold"] > 2)
    records.loc[best_elsewhere & (records["dataset"] == "vote"), "macro_f1"] = np.nan
    shared = score_matrix(records, "macro_f1").loc[("vote", 0.3)]
    assert shared["lps-default"] == pytest.approx(0.913)  # the mean of folds 0 to 2


def test_a_method_that_skipped_a_problem_is_left_out_or_the_problem_is(records):
    skipped = (records["method"] == "lps-paper") & (records["dataset"] == "vote")
    records = records[~skipped]
    table = rank_table(records, "auc")
    assert [r[0].text for r in table.rows] == ["LPS (default)", "all positive", "all negative"]
    assert table.notes[1] == "Not on all problems, and left out: LPS (paper)."
    table = rank_table(records, "auc", "methods")
    assert len(table.rows) == 4
    assert "Over 4 problems" in table.notes[0]
    assert {"ranks-auc", "ranks-auc-all"} <= all_tables(records).keys()


def rivals_of(records):
    """Rename the constants: PNB is best on hepatitis, LUHC has one fold of iris only."""
    records["method"] = records["method"].replace({"all-positive": "pnb", "all-negative": "luhc"})
    best = (records["method"] == "pnb") & (records["dataset"] == "hepatitis")
    records.loc[best, "auc"] += 0.25
    rare = (records["dataset"] == "iris") & (records["fold"] == 1)
    return records[(records["method"] != "luhc") | rare]


def test_the_default_meets_every_rival_on_the_folds_they_share(records):
    table = against_table(rivals_of(records), "auc")
    pnb = row(table, "PNB")
    assert pnb["won / tied / lost"].text == "4 / 0 / 2"
    assert pnb["difference"].text == "+0.117"  # 4 of 6 by 0.2, 2 of 6 by −0.05
    luhc = row(table, "LUHC")
    assert [luhc[k].text for k in ("problems", "folds", "default")] == ["2", "2", "0.914"]
    # Six equal differences: W = 21, its mean 10.5 and variance 18.375 give p = 0.0143, times 3.
    assert row(table, "LPS (paper)")["p (Holm)"] == Cell("0.04", bold=True)


def test_where_a_rival_is_better_the_table_says_so(records):
    table = best_rival_table(rivals_of(records))
    lost = row(table, "hepatitis, 30 %")
    assert lost["best rival"] == Cell("0.962 PNB", bold=True)
    assert not lost["AUC: default"].bold
    assert row(table, "iris, 50 %")["AUC: default"].bold
    assert "2 by AUC" in table.notes[0]
    assert "0 by macro-F1" in table.notes[0]
    assert best_rival_table(records[records["method"] == "pnb"]).rows == []


def test_agreement_is_correlated_by_data_set(records):
    table = agreement_table(records)
    assert len(table.rows) == 6
    assert {r[2] for r in table.rows} == {Cell("1.00", bold=True)}
    assert agreement_table(records.drop(columns="agreement")).rows == []
    records["agreement"] = 1.0
    assert agreement_table(records).rows[0][2].text == "–"


def test_renderings_escape_and_mark():
    table = Table(
        "100 % of a_b", ["<x>", "y|z"], [[Cell("1 ± 2", bold=True), Cell("a & b")]], ["n"]
    )
    assert "&lt;x>" in to_markdown(table)
    assert "**1 ± 2** | a & b" in to_markdown(table)
    assert r"y\|z" in to_markdown(table)
    assert r"\textbf{1 $\pm$ 2} & a \& b \\" in to_latex(table)
    assert r"100 \% of a\_b" in to_latex(table)
    assert "<td><strong>1 ± 2</strong></td><td>a &amp; b</td>" in to_html(table)


def test_every_table_is_written_in_every_format(records, tmp_path):
    written = write_tables(records, tmp_path)
    assert len(written) == len(all_tables(records)) * len(RENDERERS)
    assert all(path.stat().st_size > 100 for path in written)
    assert list(all_tables(pd.DataFrame())) == ["datasets"]


def test_the_printed_statistics_that_differ_are_bold():
    differ = {r[0].text: (r[1].text, r[2].text) for r in recomputed_table().rows if r[2].bold}
    assert differ["Friedman χ², categorical"] == ("146", "147.1")
    assert differ["critical difference, categorical"] == ("1.56", "1.5651")
    assert differ["average f1, APTAN"] == ("0.64", "0.646")
    assert not any(name.startswith(("wins", "p-value")) or "MNIST" in name for name in differ)


def test_the_same_records_give_the_same_figures(records, tmp_path):
    first = write_figures(records, tmp_path / "1")
    second = write_figures(records, tmp_path / "2")
    assert [path.name for path in first] == [
        "ranks-f1-pos.svg",
        "ranks-macro-f1.svg",
        "ranks-auc.svg",
        "agreement-lps-default.svg",
        "agreement-lps-paper.svg",
    ]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert write_figures(pd.DataFrame(), tmp_path) == []


def test_bars_of_the_diagram_do_not_depend_on_the_hash_of_names():
    scores = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 8)), columns=list("abcdefgh"))
    display = CriticalDifferenceDisplay.from_scores(scores)
    bars = [line.get_xdata() for line in display.ax_.lines if len(line.get_xdata()) > 3]
    assert bars
    for points in bars:
        assert (np.diff(points) >= 0).all()


def test_displays_can_be_drawn_again(records):
    scores = score_matrix(records, "f1_pos")
    display = CriticalDifferenceDisplay.from_scores(scores)
    first = display.ax_
    texts = {text.get_text() for text in first.texts}
    for name, rank in average_ranks(scores).items():
        assert any(name in text and f"{rank:.2g}" in text for text in texts), name
    again = display.plot().ax_
    assert again is not first
    assert {text.get_text() for text in again.texts} == texts
    assert display.plot(ax=first).ax_ is first
    points = records[records["method"] == "lps-default"]
    display = AgreementDisplay.from_records(points, name="all")
    first = display.ax_
    assert display.correlation.rho > 0.9
    for ax in (first, display.plot().ax_):
        assert ax.get_title() == f"all, ρ = {display.correlation.rho:.2f}"
        drawn = ax.collections[0].get_offsets()
        np.testing.assert_array_equal(drawn, points[["agreement", "f1_pos"]])
    assert display.ax_ is not first


def test_the_page_names_date_commit_and_machine(records, tmp_path):
    page = write_reproduction(records, tmp_path).read_text(encoding="utf-8")
    for part in (
        "2026-01-02",
        "`0123456789ab+changes`",
        "a machine",
        "(3 of 10 folds)",
        "TN (paper)",
        "147.1",
        "![ranks macro f1](figures/ranks-macro-f1.svg)",
    ):
        assert part in page
    assert (tmp_path / "figures" / "ranks-macro-f1.svg").is_file()
    with pytest.raises(ValueError, match="no records"):
        write_reproduction(pd.DataFrame(), tmp_path)


def test_the_export_begins_with_what_people_ask_for(records, tmp_path):
    export(records, tmp_path / "out" / "records.csv")
    table = pd.read_csv(tmp_path / "out" / "records.csv")
    assert list(table)[:8] == [
        "dataset",
        "label_frequency",
        "n_labeled",
        "fold",
        "seed",
        "method",
        "f1_pos",
        "f1_neg",
    ]
    assert len(table) == len(records)


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
    assert len(Store(tmp_path / "benchmarks/results/toy.jsonl").records()) == 12
    assert "There are no records" in bench("status", "categorical")[1]


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


def trust_records():
    rows = [
        # dataset, fold, method, true prior, estimate, reliability
        ("vote", 0, "lps-default", 0.4, 0.5, [[10.0, 9.0, 8.0]] + [[0.0] * 3] * 9),
        ("vote", 1, "lps-default", 0.4, 0.2, [[10.0, 9.0, 10.0]] + [[0.0] * 3] * 9),
        ("iris", 0, "lps-default", 0.5, 0.5, [[10.0, 1.0, 4.0]] + [[0.0] * 3] * 9),
        ("iris", 0, "all-positive", 0.5, None, [[10.0, 10.0, 5.0]] + [[0.0] * 3] * 9),
    ]
    names = "dataset fold method prior_of_unlabeled prior_of_unlabeled_estimate reliability"
    return pd.DataFrame(rows, columns=names.split()).assign(label_frequency=0.3)


def test_errors_of_the_prior_are_averaged_over_folds():
    errors = prior_errors(trust_records())
    assert errors["lps-default", 0.3, "vote"] == pytest.approx(0.15)
    assert errors["lps-default", 0.3, "iris"] == 0


def test_calibration_is_that_of_all_test_rows_together():
    errors = calibration_errors(trust_records())
    assert errors["lps-default", 0.3, "vote"] == 0  # the folds' errors cancel
    assert errors["lps-default", 0.3, "iris"] == pytest.approx(0.3)
    assert "all-positive" not in errors.index


def test_calibration_tables_sort_by_label_frequency_and_by_the_papers_tables():
    later = trust_records().assign(label_frequency=0.5)
    table = prior_and_calibration_tables(pd.concat([later, trust_records()], ignore_index=True))[
        "priors"
    ]
    assert [r[0].text for r in table.rows] == ["LPS (default), 30 %", "LPS (default), 50 %"]
    assert table.header == ["", "iris", "vote", "average"]


def test_calibration_tables_average_over_data_sets():
    tables = prior_and_calibration_tables(trust_records())
    assert tables["priors"].rows[0][-1].text == "0.075"
    assert tables["calibration"].rows[0][-1].text == "0.150"
    assert prior_and_calibration_tables(trust_records().drop(columns="reliability")).keys() == {
        "priors"
    }
