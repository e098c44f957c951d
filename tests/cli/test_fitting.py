"""``pulps fit``: tables, settings, progress."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import QUICK, failure, fit, run, write

from pulps import LPSClassifier, PUClassifier, load_model
from pulps.cli import main

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def test_fit_tells_the_share_of_positives_and_where_it_cuts(table, capsys):
    fit(table)
    said = capsys.readouterr().err
    assert "views and their weights:" in said
    assert "positives among unlabeled rows:" in said
    assert "called positive:" in said
    assert "threshold" in said


def test_the_seed_makes_the_model_file_repeatable(table, tmp_path):
    for name in ("a", "b"):
        fit(table, out=name)
        main(["predict", str(tmp_path / name), str(table), "--out", str(tmp_path / f"{name}.csv")])
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


HEADER = "size,color,bought\n"


BAD_TABLES = {
    "empty": ("", "is empty"),
    "header only": (HEADER, "has a header but no rows"),
    "no positives": (HEADER + "1,red,0\n2,blue,0\n", "marks no row as positive"),
    "all labeled": (HEADER + "1,red,1\n2,blue,1\n", "marks all 2 rows as positive"),
    "no column": ("size,color\n1,red\n2,blue\n", "has no column 'bought'"),
    "near column": ("size,bougth\n1,1\n2,0\n", "Did you mean 'bougth'?"),
    "words": (HEADER + "1,red,y\n2,blue,n\n", "--positive y"),
    "many values": (HEADER + "1,red,1\n2,blue,2\n3,blue,3\n", "holds 3 values"),
    "duplicate columns": ("size,size,bought\n1,2,1\n2,3,0\n", "more than one column named 'size'"),
    "unreadable bytes": (b"size,bought\n\xff\xfe\x00,1\n", "is not text in UTF-8"),
    "ragged": ("size,bought\n1,1\n1,2,3,4\n", "row 2, has more cells than the 2 names"),
    "names": (
        HEADER + "".join(f"1,id{i},{i % 2}\n" for i in range(1000)),
        "'color (identifier)'",
    ),
    "only labels": ("bought\n1\n0\n", "0 columns"),
    "nothing varies": ("size,bought\n1,1\n1,0\n", "None of the 1 columns varies"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_gets_one_clear_line_and_leaves_nothing(case, tmp_path, capsys):
    text, message = BAD_TABLES[case]
    path = write(tmp_path / "table.csv", text)
    assert fit(path) == 2
    line = failure(capsys)
    assert line.startswith("pulps: ")
    assert message in line
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_million_names_are_told_from_categories(tmp_path, capsys):
    pd.DataFrame(
        {"id": [f"c{i}" for i in range(1_000_000)], "bought": np.arange(1_000_000) % 2}
    ).to_parquet(tmp_path / "big.parquet")
    assert fit(tmp_path / "big.parquet") == 2
    assert "'id (identifier)'" in failure(capsys)


def test_files_that_are_not_there_or_not_tables(table, tmp_path, capsys):
    assert fit(tmp_path / "nope.csv") == 2
    assert "There is no file" in failure(capsys)
    assert fit(tmp_path) == 2
    assert "is a directory" in failure(capsys)
    assert fit(write(tmp_path / "table.xls", "x")) == 2
    assert "is not a kind of table known here" in failure(capsys)
    assert fit(write(tmp_path / "bad.parquet", "x")) == 2
    assert "cannot be read as a parquet table" in failure(capsys)
    assert fit(write(tmp_path / "bad.csv.gz", "x")) == 2
    assert "cannot be read as a csv table" in failure(capsys)
    assert fit(table, out="nowhere/model") == 2
    assert "There is no folder" in failure(capsys)
    assert fit(table, out="") == 2
    assert "is a directory" in failure(capsys)


def test_an_old_model_survives_a_failed_fit(table, tmp_path, capsys):
    fit(table)
    before = (tmp_path / "model").read_bytes()
    broken = write(tmp_path / "broken.csv", HEADER + "1,red,1\n1,red,0\n")
    assert fit(broken) == 2
    assert (tmp_path / "model").read_bytes() == before


def test_settings_come_from_file_then_pairs_then_options(folder, tmp_path):
    config = tmp_path / "pulps.toml"
    config.write_text(
        'label = "bought"\n[model]\nmax_epochs = 3\nn_members = 1\nbond_dim = 3\n'
        'clip = "none"\n[model.loss_weights]\nbalance = 2.5\n'
    )
    words = ["--config", str(config), "--set", "bond_dim=2", "--set", "feature_dim=3"]
    words += ["--model", "lps"]
    assert run(folder, "fit", "table.csv", *words, "--epochs", "2", "--out", str(tmp_path / "m")) == 0  # fmt: skip  # noqa: E501
    model = LPSClassifier.load(tmp_path / "m")
    assert (model.bond_dim, model.feature_dim, model.max_epochs) == (2, 3, 2)
    assert model.recipe.loss_weights.balance == 2.5
    assert model.recipe.clip is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "bond_dims=2"], "Did you mean 'bond_dim'?"),
        (["--set", "bond_dim"], "form key=value"),
        (["--set", "bond_dim=many", "--model", "lps"], "'bond_dim' parameter"),
        (["--set", "prior=often"], "'prior' parameter"),
        (["--set", 'views=["magic"]'], "views holds 'magic'"),
        (["--epochs", "3"], "this fit trains none"),
        (["--model", "trees"], "trees"),
        (["--config", "no.toml"], "no config file"),
        (["--out", "-"], "Name a file with --out"),
    ],
)
def test_wrong_settings_are_one_line(folder, words, message, capsys, tmp_path):
    base = ["--label", "bought", "--out", str(tmp_path / "m")]
    if "--out" in words:
        base = base[:2]
    assert run(folder, "fit", "table.csv", *base, *words) == 2
    assert message in failure(capsys)
    assert list(tmp_path.iterdir()) == []


def test_without_a_label_column_fit_asks_for_one(folder, capsys, tmp_path):
    assert run(folder, "fit", "table.csv", "--out", str(tmp_path / "m")) == 2
    assert "--label" in failure(capsys)


def test_ctrl_c_leaves_what_was_there(folder, tmp_path, monkeypatch, capsys):
    out = tmp_path / "model"
    out.write_bytes(b"old")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    words = ["--label", "bought", "--out", str(out), "--overwrite"]
    for kind, target in (
        ("lps", "pulps.training.loop.Loop.run_epoch"),
        ("lps", "skops.io.dumps"),
        ("consensus", "pulps.estimators.tables.consensus.decide_with_negatives"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(target, interrupted)
            assert run(folder, "fit", "table.csv", *words, *QUICK[kind], "--json") == 130
        assert failure(capsys) == "pulps: stopped; no file was left half written"
        assert [p.name for p in tmp_path.iterdir()] == ["model"]
        assert out.read_bytes() == b"old"


def test_a_log_gets_a_line_a_quarter_and_no_escape_codes(folder, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "m"), "--overwrite"]
    network = ["--model", "lps", "--members", "1", "--epochs", "20"]
    assert run(folder, "fit", "table.csv", *words, *network) == 0
    said = capsys.readouterr().err
    assert [line for line in said.splitlines() if line.startswith("epoch")] == [
        f"epoch {epoch} of 20" for epoch in (5, 10, 15, 20)
    ]
    assert "\x1b" not in said
    assert run(folder, "fit", "table.csv", *words, *QUICK["consensus"]) == 0
    said = capsys.readouterr().err
    assert said.splitlines()[:2] == ["view 1 of 2", "view 2 of 2"]


def test_a_summary_for_machines(folder, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "m"), "--set", "max_epochs=2"]
    words += ["--model", "lps", "--members", "1", "--json"]
    assert run(folder, "fit", "table.csv", *words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_labeled"] + told["n_unlabeled"] == 80
    assert told["agreement"] is None


def test_known_negatives_are_read_from_numbers_and_from_words(folder, tmp_path, capsys):
    marks = np.r_[np.ones(20), np.zeros(20), np.zeros(20), -np.ones(20)].astype(int)
    frame = pd.read_csv(folder / "table.csv").assign(bought=marks)
    frame.to_csv(tmp_path / "numbers.csv", index=False)
    words = pd.Series(marks).map({1: "yes", -1: "no"})
    frame.assign(bought=words).to_csv(tmp_path / "words.csv", index=False)
    options = ["--label", "bought", "--seed", "0", "--json", *QUICK["consensus"]]
    told = []
    for name, more in (("numbers", []), ("words", ["--positive", "yes", "--negative", "no"])):
        out = ["--out", str(tmp_path / name)]
        assert main(["fit", str(tmp_path / f"{name}.csv"), *options, *more, *out]) == 0
        told.append(json.loads(capsys.readouterr().out) | {"model": None})
    assert told[0] == told[1]
    assert told[0]["n_negative"] == told[0]["n_known_negative"] == 20
    assert told[0]["n_unlabeled"] == 40
    page = ["report", str(tmp_path / "words"), str(tmp_path / "words.csv"), "--json"]
    assert main([*page, "--label", "bought", "--positive", "yes", "--negative", "no"]) == 0
    learned = json.loads(capsys.readouterr().out)["learned"]
    assert learned["n_known_negative"] == 20
    assert learned["n_unlabeled"] == 40


def test_a_summary_of_a_consensus_holds_intervals_views_and_weights(folder, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "m"), "--json"]
    assert run(folder, "fit", "table.csv", *words, *QUICK["consensus"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == "consensus"
    assert told["generates"] is False
    assert [view["view"] for view in told["views"]] == ["kernel", "bagging"]
    assert sum(view["weight"] for view in told["views"]) == pytest.approx(1)
    for name in ("recall", "precision", "f1_pos", "f1_neg", "accuracy"):
        low, high = told[f"{name}_interval"]
        assert low <= told[name] <= high


def test_a_file_may_say_which_model_it_is(folder, tmp_path):
    config, out = tmp_path / "pulps.toml", tmp_path / "m"
    config.write_text('label = "bought"\nkind = "lps"\n[model]\nmax_epochs = 2\nn_members = 1\n')
    assert run(folder, "fit", "table.csv", "--config", str(config), "--out", str(out)) == 0
    assert LPSClassifier.load(out).max_epochs == 2


def test_a_finished_fit_is_not_lost_with_the_folder_it_should_go_to(
    folder, tmp_path, monkeypatch, capsys
):
    """The folder goes away while the model is fitted."""
    place, spare = tmp_path / "gone", tmp_path / "spare"
    place.mkdir()
    spare.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(spare))
    train = PUClassifier.fit

    def fit_and_remove(*arguments, **options):
        place.rmdir()
        return train(*arguments, **options)

    monkeypatch.setattr(PUClassifier, "fit", fit_and_remove)
    words = ["--label", "bought", "--out", str(place / "model"), *QUICK["consensus"], "--json"]
    assert run(folder, "fit", "table.csv", *words) == 2
    (kept,) = spare.glob("pulps-*/model")
    assert f"The fitted model is in {kept}" in capsys.readouterr().err
    assert load_model(kept).classes_.shape == (2,)


def test_no_input_is_written_over(folder, tmp_path, capsys):
    config = tmp_path / "settings.toml"
    config.write_text('label = "bought"\n')
    words = ["--config", str(config), "--out", str(config), "--overwrite"]
    assert run(folder, "fit", "table.csv", *words) == 2
    assert "would be read and written" in failure(capsys)
    assert config.read_text() == 'label = "bought"\n'


@pytest.mark.parametrize("apart", [0, 4])
def test_columns_that_tell_nothing_are_told_of(apart, tmp_path, capsys):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=120), "y": (np.arange(120) < 30).astype(int)})
    table["a"] += apart * (np.arange(120) < 50)
    table.to_csv(tmp_path / "table.csv", index=False)
    words = ["--label", "y", "--seed", "0", "--set", 'views=["kernel"]', "--out"]
    assert main(["fit", str(tmp_path / "table.csv"), *words, str(tmp_path / "model")]) == 0
    told = capsys.readouterr().err
    assert ("the columns may not tell positives apart" in told) == (not apart)
