"""A model file scores with NumPy alone as the fitted model does."""

import io
import json
import pickle
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scored_models import later, mixed_table, models
from sklearn.linear_model import LogisticRegression

import pulps
from pulps import PUClassifier
from pulps.decision.class_scale import ClassScale
from pulps.io.files import COMPRESSIONS, ENDINGS
from pulps.io.model_file import DamagedModelError, unpack
from pulps.scale.scoring import light, score_columns, score_names
from pulps.score import load, text_files
from pulps.score.__main__ import main
from pulps.score.columns import add_scores_to_each
from pulps.score.saved import check_scorer
from pulps.tables.notices import UnseenWarning
from pulps.views.classes.opinions import ClassConsensus

OLD = Path(__file__).parents[1] / "estimators" / "saved"
TABLES = {
    "pandas": lambda X: X,
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
    "text": lambda X: pd.read_csv(io.StringIO(X.to_csv(index=False)), dtype=str),
}


def scores(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        return model.decision_function(X), model.predict_proba(X), model.predict(X)


def assert_same(found, wanted):
    for one, other in zip(found[:2], wanted[:2], strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)
    best = np.sort(wanted[1], axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-6
    np.testing.assert_array_equal(found[2][clear], wanted[2][clear])


@pytest.mark.parametrize("name", models())
def test_a_file_scores_as_the_fitted_model(saved, name):
    model, file, X = saved[name]
    scorer = load(file)
    assert_same(scores(scorer, X), scores(model, X))
    assert_same(scores(scorer, later(X)), scores(model, later(X)))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("name", ["consensus", "network", "none of these"])
def test_tables_of_every_kind_are_scored(saved, name, kind):
    model, file, X = saved[name]
    table = TABLES[kind](later(X))
    assert_same(scores(load(file), table), scores(model, table))


def test_columns_may_come_in_any_order_and_others_with_them(saved):
    _, file, X = saved["consensus"]
    turned = X[X.columns[::-1]].assign(more="x")
    np.testing.assert_array_equal(
        load(file).decision_function(turned), load(file).decision_function(X)
    )
    with pytest.raises(ValueError, match=r"X lacks 1 of the 8 columns of the fit: word\. Add"):
        load(file).predict(X.drop(columns="word"))


def test_unseen_words_are_told(saved):
    _, file, X = saved["consensus"]
    with pytest.warns(UnseenWarning, match=r"word: 1 cells: 'purple' \(1\)"):
        load(file).predict(X.assign(word=["purple", *X["word"][1:]]))


def cells(column):
    if column is None:
        return 1.0
    if getattr(column, "part", ""):
        return pd.date_range("2024-01-01", periods=30, freq="31h")
    return np.resize(column.categories if column.n_values else column.knots, 30)


@pytest.mark.parametrize("file", ["table-0.3.0", "table-format-1", "consensus-format-1"])
def test_files_of_earlier_versions_are_scored(file):
    path = OLD / f"{file}.pulps"
    model = pulps.load_model(path)
    known = {column.index: column for column in model.encoder_.columns_}
    X = pd.DataFrame({name: cells(known.get(i)) for i, name in enumerate(model.encoder_.names_)})
    assert_same(scores(load(path), X), scores(model, X))


def test_models_that_need_more_are_told_apart(tmp_path):
    frame, labels = mixed_table()
    frame = frame[["size", "count"]]
    given = PUClassifier(views=[("mine", LogisticRegression())]).fit(frame.fillna(0), labels)
    given.save(tmp_path / "model.pulps")
    with pytest.raises(ValueError, match=r"with NumPy alone: .*LogisticRegression.*load_model"):
        load(tmp_path / "model.pulps")
    with pytest.raises(ValueError, match="LPSImageClassifier"):
        load(OLD / "image-format-1.pulps")


def test_what_is_no_model_is_refused(tmp_path, saved):
    with pytest.raises(FileNotFoundError, match="no model file"):
        load(tmp_path / "none.pulps")
    broken = tmp_path / "broken.pulps"
    broken.write_bytes(b"x" * 100)
    with pytest.raises(ValueError, match="is not a saved pulps model"):
        load(broken)
    content = saved["network"][1].read_bytes()
    broken.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(ValueError, match=r"damaged pulps model.*digest"):
        load(broken)


def test_cores_that_are_no_chain_never_reach_the_kernel(saved):
    scorer = load(saved["network"][1])
    scorer.chains.cores[1] = scorer.chains.cores[1][..., :1]
    with pytest.raises(ValueError, match="bonds must be equal"):
        scorer.predict(saved["network"][2])


ALONE_SCORED = ("consensus of an array", "network of an array", "classes of an array")
ALONE = """
import json, sys
allowed = {*sys.stdlib_module_names, "numpy", "pulps"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in allowed:
            raise ModuleNotFoundError(f"{name} is not installed here")

sys.meta_path.insert(0, Refuse())
import numpy as np
from pulps.score import load
from pulps.score.__main__ import main

for file, rows in json.loads(sys.argv[1]).items():
    np.save(file + ".npy", load(file).decision_function(np.load(rows)))
model, table, out = sys.argv[2:]
sys.exit(main([model, table, "--out", out]))
"""


def test_numpy_is_all_that_it_takes(saved, tmp_path):
    arrays = {}
    for name in ALONE_SCORED:
        model, file, X = saved[name]
        rows = tmp_path / f"{len(arrays)}.npy"
        np.save(rows, X)
        arrays[str(file)] = str(rows)
    model, file, X = saved["consensus"]
    new, out = later(X), tmp_path / "scored.csv"
    new.to_csv(tmp_path / "new.csv", index=False)
    done = subprocess.run(
        [sys.executable, "-c", ALONE, json.dumps(arrays), file, tmp_path / "new.csv", out],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for name in ALONE_SCORED:
        other, kept, rows = saved[name]
        np.testing.assert_allclose(
            np.load(f"{kept}.npy"), other.decision_function(rows), rtol=0, atol=1e-6
        )
    scored = pd.read_csv(out)
    text = pd.read_csv(tmp_path / "new.csv", dtype=str)
    decision, chances, classes = scores(model, text)
    np.testing.assert_allclose(scored["decision"], decision, rtol=0, atol=1e-6)
    np.testing.assert_allclose(scored["probability"], chances[:, 1], rtol=0, atol=1e-6)
    np.testing.assert_array_equal(scored["positive"], classes)
    assert scored["written"].tolist()[:3] == text["written"].tolist()[:3]


@pytest.mark.parametrize(
    ("table", "out", "said"),
    [
        ("none.csv", "scored.csv", "There is no file none.csv"),
        ("new.parquet", "scored.csv", "new.parquet is no plain CSV or TSV file"),
        ("new.csv.gz", "scored.csv", "new.csv.gz is no plain CSV or TSV file"),
        ("new.csv", "scored.xlsx", "scored.xlsx is no plain CSV or TSV file"),
        ("new.csv", "new.csv", "would be read and written"),
        ("new.csv", "../new/new.csv", "would be read and written"),
    ],
)
def test_files_that_cannot_be_read_or_written_are_refused_in_one_line(
    table, out, said, saved, tmp_path, monkeypatch, capsys
):
    folder = tmp_path / "new"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("new.csv", "new.parquet", "new.csv.gz"):
        (folder / name).write_text("size\n1\n")
    assert main([str(saved["consensus"][1]), table, "--out", out]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert sorted(folder.glob("scored*")) == []
    assert (folder / "new.csv").read_text() == "size\n1\n"


def test_what_is_no_text_here_is_every_other_kind_of_table():
    others = {ending for ending, kind in ENDINGS.items() if kind not in ("csv", "tsv")}
    assert {*others, *COMPRESSIONS} == text_files.NO_TEXT


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (BrokenPipeError, 1)])
def test_being_stopped_is_no_traceback(error, code, monkeypatch, capsys):
    def stopped(*_):
        raise error

    given = []
    monkeypatch.setattr("pulps.score.__main__.load", stopped)
    monkeypatch.setattr("os.dup2", lambda *handles: given.append(handles))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    assert main(["model", "table"]) == code
    told = capsys.readouterr().err
    assert told == ("pulps: stopped; no file was left half written\n" if code == 130 else "")
    assert len(given) == (code == 1)


def test_a_file_is_scored_by_a_model_of_several_classes(saved, tmp_path):
    _, file, X = saved["none of these"]
    table = tmp_path / "new.csv"
    new = later(X)
    new.to_csv(table, index=False)
    out = tmp_path / "scored.csv"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        told = text_files.score_text(load(file), table, out)
    assert told == (60, None)
    scored, text = (pd.read_csv(one, dtype=str) for one in (out, table))
    assert scored.columns.tolist() == [*text.columns, "class", "probability"]
    light = load(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)
        chances = light.predict_proba(new)
    assert scored["class"].tolist() == light.classes_[chances.argmax(axis=1)].tolist()
    told = scored["probability"].astype(float)
    np.testing.assert_allclose(told, chances.max(axis=1), rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("classes", "scale", ClassScale(1.0, np.zeros(2))),
        ("classes", "member_scales", np.array([np.nan, 1.0])),
        ("classes", "classes_", np.array(["a"])),
        ("none of these", "teacher", ClassConsensus(None, [], np.nan, np.zeros(3))),
    ],
)
def test_parts_of_several_classes_that_do_not_fit_are_refused(saved, name, field, value):
    scorer = load(saved[name][1])
    setattr(scorer, field, value)
    with pytest.raises((DamagedModelError, ValueError, AttributeError)):
        check_scorer(scorer)


FRAMES = """
import pickle, sys
sys.modules.update(dict.fromkeys(("torch", "sklearn", "scipy", "skops", "joblib")))
score, frame = pickle.loads(sys.stdin.buffer.read())
sys.stdout.buffer.write(pickle.dumps(list(score([frame]))))
"""


@pytest.mark.parametrize("name", ["consensus", "network", "classes"])
def test_what_travels_to_a_cluster_scores_frames_without_torch(saved, name):
    model, _, X = saved[name]
    sent = pickle.dumps((partial(add_scores_to_each, light(model)), X))
    done = subprocess.run([sys.executable, "-c", FRAMES], input=sent, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    (found,) = pickle.loads(done.stdout)
    assert found.columns.tolist() == [*X.columns, *score_names(model)]
    wanted = score_columns(model, X)
    for one in {"decision", "probability"} & {*wanted}:
        np.testing.assert_allclose(found[one], wanted[one], rtol=0, atol=1e-6)
    for one in {"positive", "class"} & {*wanted}:
        assert found[one].tolist() == wanted[one].tolist()


def test_only_what_scoring_needs_is_made(saved):
    content = unpack(saved["consensus"][1])
    assert "honest_" in json.dumps(content.schema)
    assert not hasattr(load(saved["consensus"][1]), "honest_")


@pytest.mark.parametrize("kept", [0, 1, 3])
def test_a_file_that_lost_lines_is_not_taken_for_whole(kept, tmp_path):
    """Scores are read back before they take the place of a file: a header and three rows."""
    (tmp_path / "scored.csv").write_text("a,positive\n" + "1,1\n" * kept)
    if kept == 3:
        text_files._check_lines(tmp_path / "scored.csv", 3)
        return
    with pytest.raises(OSError, match="Fewer rows than the 3 that were written"):
        text_files._check_lines(tmp_path / "scored.csv", 3)
