"""Problems of images are balanced and repeatable; their tables say what the records say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from pulps.benchmark import image_problems
from pulps.benchmark.image_problems import ALL_PAIRS, CORE, split
from pulps.benchmark.image_rivals import NeighborSpreading, elkan_noto_on_pixels
from pulps.benchmark.image_tables import image_tables
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Task, make_fold, run_task
from pulps.benchmark.store import Store
from pulps.benchmark.suites import suite_tasks
from pulps.cli import benchmark as cli
from pulps.datasets.images import ImageDataset


@pytest.fixture
def small_mnist(monkeypatch):
    """Stand in for MNIST with the digits that scikit-learn ships, 28 x 28."""
    pixels, classes = load_digits(return_X_y=True)
    images = np.kron(pixels.reshape(-1, 8, 8), np.ones((3, 3)))
    images = np.pad(images, ((0, 0), (2, 2), (2, 2))).astype(np.uint8)
    data = ImageDataset(images[:1400], classes[:1400], images[1400:], classes[1400:], None)
    monkeypatch.setattr(image_problems, "_load", lambda name: data)
    return data


def image_task(name="mnist 4-rest", n=10, **fields):
    return Task(name, n_labeled=n, fold_scheme="original", n_folds=1, **fields)


@pytest.mark.parametrize("name", ["mnist 4-9", "mnist 4-rest"])
def test_both_sides_are_of_one_size(small_mnist, name):
    whole = split(name, 0)
    for X, y in (whole[:2], whole[2:]):
        assert y.mean() == 0.5
        assert len(X) == len(y)
        assert len(np.unique(X.reshape(len(X), -1), axis=0)) > 0.99 * len(X)
    again, other = split(name, 0), split(name, 1)
    np.testing.assert_array_equal(whole.X, again.X)
    assert not np.array_equal(whole.X[: len(other.X)], other.X[: len(whole.X)])


def test_a_task_labels_so_many_positives_and_hides_the_rest(small_mnist):
    fold = make_fold(image_task(n=3))
    assert fold.y.sum() == 3
    assert (fold.y_true[fold.y == 1] == 1).all()
    both = make_fold(image_task(n=3, scenario="case-control"))
    assert len(both.y) == len(fold.y) + 3
    assert both.y[:3].all()
    assert not both.y[3:].any()


def test_tasks_of_images_and_tables_are_told_apart():
    with pytest.raises(ValueError, match="original split"):
        Task("mnist 4-9", n_labeled=1)
    with pytest.raises(ValueError, match="original split"):
        Task("vote", n_labeled=1, fold_scheme="original", n_folds=1)
    with pytest.raises(ValueError, match="one fold"):
        Task("mnist 4-9", n_labeled=1, fold_scheme="original")


def test_the_suite_is_the_core_and_knows_all_pairs():
    tasks = suite_tasks("images", n_labeled=[10, 1], seeds=[0, 1])
    assert len(tasks) == 2 * 2 * len(CORE) == len({task.id for task in tasks})
    assert len(set(ALL_PAIRS)) == 45
    assert suite_tasks("images", datasets=["mnist 1-2"], n_labeled=[1])[0].dataset == "mnist 1-2"
    with pytest.raises(ValueError, match="not in the suite"):
        suite_tasks("images", datasets=["mnist 1-1"])


def test_all_others_come_in_their_natural_proportion(small_mnist):
    whole = split("mnist 4-all", 0)
    assert len(whole.X) == 1400
    assert len(whole.X_test) == len(small_mnist.test_labels)
    assert whole.y.mean() == pytest.approx((small_mnist.train_labels == 4).mean())


def test_rivals_that_are_told_the_share_of_positives_hear_the_true_one(small_mnist):
    natural = (small_mnist.train_labels == 4).mean()
    for name in ("label-spreading", "label-spreading-upright", "nnpu-cnn"):
        assert find_method(name).make(image_task("mnist 4-rest")).prior == 0.5
        assert find_method(name).make(image_task("mnist 4-all")).prior == pytest.approx(natural)


def test_groups_stand_for_their_problems():
    tasks = suite_tasks("images", datasets=["natural", "pairs", "mnist 0-1"], n_labeled=[1])
    assert len(tasks) == 10 + 45
    every = suite_tasks("images", datasets=["every"], n_labeled=[1])
    assert len(every) == 45 + 10 + 10 + 5 + 10 == len({task.id for task in every})


@pytest.mark.parametrize(
    "name",
    ["label-spreading", "label-spreading-upright", "label-spreading-edges", "elkan-noto-pixels"],
)
def test_plain_rivals_make_records(small_mnist, name):
    record = run_task(image_task("mnist 0-1", n=30), find_method(name))
    assert record["error"] is None
    assert record["n_attributes"] == 28 * 28
    assert record["accuracy"] > 0.7
    assert record["auc"] > 0.9


def test_one_labeled_image_is_enough_for_the_networks(small_mnist):
    """None can be held out then, and no run of the suite may fail for it."""
    record = run_task(image_task(n=1), find_method("vpu-cnn"))
    assert record["error"] is None
    assert find_method("vpu-cnn").make(image_task(n=10)).n_iter_no_change is not None


def test_spreading_takes_the_share_it_is_told(small_mnist):
    X, y_true, _, _ = split("mnist 4-9", 0)
    y = np.where(np.cumsum(y_true) <= 5, y_true, 0)
    for prior in (0.3, 0.6):
        model = NeighborSpreading(prior=prior, random_state=0).fit(X, y)
        assert (model.scores_ > model.cut_).mean() == pytest.approx(prior, abs=0.01)
    assert elkan_noto_on_pixels(0).steps[-1][1].random_state == 0


@pytest.fixture
def records():
    rows = []
    for seed in (0, 1):
        for n, level in ((100, 0.9), (10, 0.8), (1, 0.7)):
            for name, more in (("mnist 0-1", 0.02), ("mnist 3-5", 0.0), ("mnist 4-rest", 0.01)):
                task = image_task(name, n, seed=seed)
                rows.append(
                    {
                        "task": task.id,
                        "dataset": name,
                        "label_frequency": None,
                        "n_labeled": n,
                        "seed": seed,
                        "method": "lps-images",
                        "version": "1",
                        "commit": "0123456789abcdef0123",
                        "machine": "a machine",
                        "date": "2026-01-02T03:04:05+00:00",
                        "accuracy": level + more + 0.002 * seed,
                        "agreement": 0.95,
                        "error": None,
                    }
                )
    return pd.DataFrame(rows)


def test_tables_average_over_problems_and_tell_both_deviations(records):
    table = image_tables(records)["mnist-pairs"]
    ours = table.rows[0]
    over_problems, over_labels = np.std([0.0, 0.02], ddof=1), np.std([0.0, 0.002], ddof=1)
    assert ours[1].text == f"0.911 ± {over_problems:.3f} ± {over_labels:.3f}"
    assert ours[2].text == "0.950"
    assert ours[1].bold
    better = records.assign(method="other", accuracy=records["accuracy"] + 0.01)
    partly = better[better["dataset"] != "mnist 0-1"].assign(method="partly", accuracy=1.0)
    rows = image_tables(pd.concat([records, better, partly]))["mnist-pairs"].rows
    assert [row[1].bold for row in rows[:3]] == [False, True, False]
    printed = {row[0].text: row[1].text for row in table.rows}
    assert printed["TN (paper)"] == "0.99"
    each = image_tables(records)["mnist-rest-each"]
    assert [cell.text for cell in each.rows[0]] == ["LPS (images)", "100", "0.911"]


def test_what_a_model_expects_of_itself_stands_for_its_agreement(records):
    told = records.assign(expected_accuracy=0.9)
    assert image_tables(told)["mnist-pairs"].rows[0][2].text == "0.900"


def as_problem(records, name, **fields):
    """The same records of another problem."""
    tasks = records["task"].str.replace("^mnist [^ ]*", name, regex=True)
    return records.assign(dataset=name, task=tasks, **fields)


def test_problems_beyond_the_core_have_a_table_of_their_own(records):
    more = as_problem(records[records["dataset"] == "mnist 0-1"], "mnist 1-2", accuracy=0.5)
    tables = image_tables(pd.concat([records, more]))
    assert tables["mnist-pairs"].rows == image_tables(records)["mnist-pairs"].rows
    whole = tables["mnist-pairs-every"]
    assert "all 3 problems" in whole.title
    assert whole.rows[0][1].text.startswith(f"{np.mean([0.921, 0.901, 0.5]):.3f}")


def test_rare_positives_are_judged_by_f1(records):
    rare = as_problem(records[records["dataset"] == "mnist 0-1"], "mnist 1-all", f1_pos=0.77)
    tables = image_tables(pd.concat([records, rare]))
    assert tables["mnist-all-every"].rows[0][1].text.startswith("0.770")


def test_ranks_are_recomputed_with_ours_in(records):
    rest = records[(records["dataset"] == "mnist 4-rest") & (records["n_labeled"] == 100)]
    digits = [as_problem(rest, f"mnist {digit}-rest", accuracy=0.99) for digit in range(10)]
    table = image_tables(pd.concat(digits))["mnist-rest-statistics"]
    assert table.rows[0][0].text == "LPS (images)"
    assert "mnist-rest-statistics" not in image_tables(records)


def test_no_mean_mixes_versions(records):
    """What a newer version has run again is left out of the row of the one before it."""
    newer = records[records["dataset"] == "mnist 0-1"].assign(version="2", accuracy=0.5)
    rows = image_tables(pd.concat([records, newer]))["mnist-pairs"].rows
    ours = {row[0].text: row[1].text for row in rows}
    assert ours["LPS (images)"].startswith("0.500")
    assert ours["LPS (images)"].endswith("(1 of 2)")
    assert ours["LPS (images), version 1"].startswith("0.901")
    assert ours["LPS (images), version 1"].endswith("(1 of 2)")
    assert "mnist-rest" in image_tables(pd.concat([records, newer]))
    again = image_tables(pd.concat([records, records.assign(version="2")]))["mnist-pairs"].rows
    assert again == image_tables(records)["mnist-pairs"].rows


def test_what_has_run_is_counted(records):
    done = image_tables(records)["done"]
    counts = {row[0].text: [cell.text for cell in row[1:]] for row in done.rows}
    assert counts["MNIST, one digit against another"] == ["2 of 45"] * 3 + ["0, 1"]
    assert counts["Fashion-MNIST, one class against another"] == ["0 of 10"] * 3 + ["–"]


def test_the_gap_between_estimated_and_test_accuracy_is_told(records):
    told = records.assign(expected_accuracy=records["accuracy"] + 0.01)
    names = {
        name: records[name].str.replace("mnist ", "fashion-mnist ") for name in ("dataset", "task")
    }
    clothes = records.assign(expected_accuracy=records["accuracy"] + 0.1, **names)
    gaps = image_tables(pd.concat([told, clothes]))["gaps"]
    cells = [[cell.text for cell in row] for row in gaps.rows]
    assert len(cells) == 6
    assert cells[0] == ["MNIST", "100", "+0.010", "0.000", "0.010", "100%", "6"]
    assert cells[3] == ["Fashion-MNIST", "100", "+0.100", "0.000", "0.100", "0%", "6"]
    nothing = records.assign(agreement=None)
    assert "gaps" not in image_tables(nothing)


def test_a_method_that_failed_everywhere_has_no_mean(records):
    failed = records.assign(method="failed", accuracy=np.nan, error="ValueError: one label")
    rows = image_tables(pd.concat([records, failed]))["mnist-pairs"].rows
    assert [cell.text for cell in rows[1][1:3]] == ["–", "–"]


def test_the_page_and_the_status_come_from_the_store(records, tmp_path, capsys):
    store = Store(tmp_path / "images.jsonl")
    for record in records.to_dict("records"):
        store.append(record)
    (tmp_path / "docs" / "figures").mkdir(parents=True)
    cli.tables("images", results=tmp_path, docs=tmp_path / "docs")
    page = (tmp_path / "docs" / "image_results.md").read_text()
    assert "pulps bench page images" in page
    assert "| 0, 1 |" in page
    assert "one digit against the rest" in page
    assert (tmp_path / "docs" / "figures" / "image-agreement-gap.svg").stat().st_size > 1000
    cli.tables("images", results=tmp_path)
    cli.status("images", results=tmp_path)
    assert "mnist 4-rest" in capsys.readouterr().out
