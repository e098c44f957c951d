"""Commands that read models and tables, in all formats and through pipes."""

import io
import json
import os
import re
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datafolder import needs_data

from pulps import LPSClassifier
from pulps.cli import main
from pulps.cli.settings import make_model, read_config
from pulps.io.files import KINDS, read_bytes, read_table, write_table

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a table and a model of it."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.RandomState(0)
    truth = np.repeat([1, 0], 40)
    frame = pd.DataFrame(
        {
            "size": truth + rng.normal(0, 0.3, 80),
            "a=b": rng.rand(80).round(3),
            "color": np.where(truth, "red", "blue"),
            "bought": np.where(rng.rand(80) < 0.5, truth, 0),
        }
    )
    frame.loc[3, "size"] = np.nan
    frame.loc[4, "color"] = None
    frame.to_csv(folder / "table.csv", index=False)
    words = ["--label", "bought", "--out", str(folder / "model"), "--seed", "0"]
    settings = ["--set", "n_members=2", "--set", "max_epochs=4", "--set", "n_repeats=1"]
    assert main(["fit", str(folder / "table.csv"), *words, *settings]) == 0
    return folder


def run(place, *words):
    return main([str(place / word) if word in ("model", "table.csv") else word for word in words])


def line_of(capsys):
    (line,) = capsys.readouterr().err.splitlines()
    return line


ALL_KINDS = [
    f".{kind}{end}"
    for kind in ("csv", "tsv", "parquet", "arrow", "feather")
    for end in ("", ".gz", ".bz2", ".xz", ".zst")
]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_a_table_survives_every_format(kind, tmp_path):
    table = pd.DataFrame({"a": [1.5, None], "b": ["x,y", "ü"], "c": [1, 2]})
    write_table(table, tmp_path / f"t{kind}")
    back = read_table(tmp_path / f"t{kind}")
    pd.testing.assert_frame_equal(back, table)
    pd.testing.assert_frame_equal(read_bytes((tmp_path / f"t{kind}").read_bytes()), table)
    assert [p.name for p in tmp_path.iterdir()] == [f"t{kind}"]


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_damaged_files_are_named(kind, tmp_path):
    path = tmp_path / f"t{kind}"
    path.write_bytes(b"\xff\xfe\x00 no table \x80")
    with pytest.raises(ValueError, match=r"t\..* (cannot be read|is not text)"):
        read_table(path)


def test_an_arrow_stream_and_semicolons_are_read():
    table = pa.table({"a": [1, 2]})
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    assert read_bytes(sink.getvalue())["a"].tolist() == [1, 2]
    assert list(read_bytes(b"a;b\n1;2\n").columns) == ["a", "b"]
    assert list(read_bytes(b"\xef\xbb\xbfa,b\n1,2\n").columns) == ["a", "b"]


def test_predict_reads_and_writes_pipes(place, monkeypatch, capfdbinary):
    content = (place / "table.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(place, "predict", "model", "-") == 0
    piped = pd.read_csv(io.BytesIO(capfdbinary.readouterr().out))
    run(place, "predict", "model", "table.csv", "--format", "parquet")
    direct = pd.read_parquet(io.BytesIO(capfdbinary.readouterr().out))
    np.testing.assert_allclose(piped["probability"], direct["probability"])
    model = LPSClassifier.load(place / "model")
    np.testing.assert_allclose(piped["log_ratio"], model.decision_function(piped[["size", "a=b", "color"]]))  # fmt: skip  # noqa: E501


def test_sample_keeps_what_is_given(place, tmp_path):
    out = tmp_path / "rows.csv"
    given = ["--given", "a=b=0.25", "--given", "color=red"]
    words = ["--rows", "5", "--seed", "1", "--out", str(out)]
    assert run(place, "sample", "model", *given, *words) == 0
    drawn = pd.read_csv(out)
    assert list(drawn.columns) == ["size", "a=b", "color"]
    assert (drawn["a=b"] == 0.25).all()
    assert (drawn["color"] == "red").all()
    expected = LPSClassifier.load(place / "model").sample(
        5, given={"a=b": 0.25, "color": "red"}, random_state=1
    )
    np.testing.assert_allclose(drawn["size"], expected["size"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nothing", "form name=value"),
        ("size=big", "holds numbers"),
        ("color=pink", "never held 'pink'"),
        ("shape=1", "no column 'shape'"),
    ],
)
def test_conditions_that_cannot_be_are_one_line(place, given, message, capsys):
    assert run(place, "sample", "model", "--given", given) == 2
    assert message in line_of(capsys)


def test_impute_fills_the_holes_and_keeps_the_rest(place, tmp_path):
    out = tmp_path / "filled.parquet"
    assert run(place, "impute", "model", "table.csv", "--out", str(out)) == 0
    before, after = pd.read_csv(place / "table.csv"), pd.read_parquet(out)
    assert list(after.columns) == list(before.columns)
    assert after.notna().all(axis=None)
    seen = before.notna()
    assert after.where(seen).equals(before.where(seen))


def test_report_writes_a_page_and_data(place, tmp_path, capsys):
    out = tmp_path / "report.html"
    words = ["--label", "bought", "--rows", "7", "--out", str(out), "--json"]
    assert run(place, "report", "model", "table.csv", *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["candidates"]["rows"]) == 7
    assert "Report on table.csv" in out.read_text()
    table = pd.read_csv(place / "table.csv")
    assert data["learned"]["n_labeled"] == table["bought"].sum()
    assert run(place, "report", "model", "table.csv") == 2
    assert "--out report.html" in line_of(capsys)


def test_json_is_json(place, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "m"), "--set", "max_epochs=2"]
    assert run(place, "fit", "table.csv", *words, "--members", "1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["n_labeled"] + told["n_unlabeled"] == 80
    assert told["agreement"] is None
    assert run(place, "predict", "model", "table.csv", "--out", str(tmp_path / "s.csv"), "--json") == 0  # fmt: skip  # noqa: E501
    counts = json.loads(capsys.readouterr().out)
    assert counts["n_positive"] == pd.read_csv(tmp_path / "s.csv")["positive"].sum()
    assert run(place, "predict", "model", "table.csv", "--json") == 2
    assert "both go to standard output" in line_of(capsys)
    assert main(["info", "--json"]) == 0
    assert "engine" in json.loads(capsys.readouterr().out)
    assert main(["data", "list", "--json"]) == 0
    assert {"vote", "iris"} <= {row["name"] for row in json.loads(capsys.readouterr().out)}


def test_settings_come_from_file_then_pairs_then_options(place, tmp_path):
    config = tmp_path / "pulps.toml"
    config.write_text(
        'label = "bought"\n[model]\nmax_epochs = 3\nn_members = 1\nbond_dim = 3\n'
        'clip = "none"\n[model.loss_weights]\nbalance = 2.5\n'
    )
    words = ["--config", str(config), "--set", "bond_dim=2", "--set", "feature_dim=3"]
    assert run(place, "fit", "table.csv", *words, "--epochs", "2", "--out", str(tmp_path / "m")) == 0  # fmt: skip  # noqa: E501
    model = LPSClassifier.load(tmp_path / "m")
    assert (model.bond_dim, model.feature_dim, model.max_epochs) == (2, 3, 2)
    assert model.loss_weights.balance == 2.5
    assert model.clip is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "bond_dims=2"], "Did you mean 'bond_dim'?"),
        (["--set", "bond_dim"], "form key=value"),
        (["--set", "bond_dim=many"], "'bond_dim' parameter"),
        (["--config", "no.toml"], "no config file"),
        (["--out", "-"], "A model is a file"),
    ],
)
def test_wrong_settings_are_one_line(place, words, message, capsys, tmp_path):
    base = ["--label", "bought", "--out", str(tmp_path / "m")]
    if "--out" in words:
        base = base[:2]
    assert run(place, "fit", "table.csv", *base, *words) == 2
    assert message in line_of(capsys)
    assert list(tmp_path.iterdir()) == []


def test_wrong_config_files_are_named(tmp_path):
    path = tmp_path / "c.toml"
    for text, message in (
        ("label =", "is not TOML"),
        ("epochs = 3", "under \\[model\\]"),
        ("model = 3", "must be a table"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_config(path)
    with pytest.raises(ValueError, match="loss_weights has no 'x'"):
        make_model({"loss_weights": {"x": 1}})


def test_generative_models_have_a_density():
    assert make_model({}, generative=True).density is not None
    assert make_model({"density": {"bond_dim": 2}}).density.bond_dim == 2


def test_without_a_label_column_fit_asks_for_one(place, capsys, tmp_path):
    assert run(place, "fit", "table.csv", "--out", str(tmp_path / "m")) == 2
    assert "--label" in line_of(capsys)


def test_debug_shows_the_traceback(capsys):
    assert main(["predict", "nowhere", "x.csv", "--debug"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert lines[-1].startswith("pulps: There is no model file")


def test_surprises_are_one_line_too(monkeypatch, capsys):
    def surprise(path):
        raise RuntimeError("what\na surprise")

    monkeypatch.setattr("pulps.cli.models.open_model", surprise)
    assert main(["sample", "m"]) == 2
    assert line_of(capsys).startswith("pulps: RuntimeError: what a surprise (run again")


def test_ctrl_c_leaves_what_was_there(place, tmp_path, monkeypatch, capsys):
    out = tmp_path / "model"
    out.write_bytes(b"old")

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    words = ["--label", "bought", "--out", str(out), "--epochs", "2", "--members", "1"]
    for target in ("pulps.training.loop.Loop.run_epoch", "skops.io.dump"):
        with monkeypatch.context() as patch:
            patch.setattr(target, interrupted)
            assert run(place, "fit", "table.csv", *words) == 130
        assert line_of(capsys) == "pulps: stopped; nothing was written"
        assert [p.name for p in tmp_path.iterdir()] == ["model"]
        assert out.read_bytes() == b"old"


def test_a_log_gets_a_line_a_quarter_and_no_escape_codes(place, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "m"), "--members", "1"]
    assert run(place, "fit", "table.csv", *words, "--epochs", "20") == 0
    said = capsys.readouterr().err
    assert [line for line in said.splitlines() if line.startswith("epoch")] == [
        f"epoch {epoch} of 20" for epoch in (5, 10, 15, 20)
    ]
    assert "\x1b" not in said


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_no_color_is_obeyed(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    said = {}
    for value in ("", "1"):
        monkeypatch.setenv("NO_COLOR", value)
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert main(["--help"]) == 0
        said[value] = sys.stdout.getvalue()
    assert re.search(r"\x1b\[(\d+;)*(3|9)\d", said[""])
    assert not re.search(r"\x1b\[(\d+;)*(3|9)\d", said["1"])


def test_a_reader_that_leaves_gets_no_traceback(place, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(place, "predict", "model", "table.csv") == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("predict", "impute", "report", "pulps"):
        assert word in script


def test_toys_are_written(tmp_path):
    out = tmp_path / "moons.tsv"
    words = ["--rows", "60", "--labeled", "9", "--truth", "--out", str(out)]
    assert main(["data", "toy", "moons", *words]) == 0
    table = pd.read_csv(out, sep="\t")
    assert list(table.columns) == ["x1", "x2", "labeled", "truth"]
    assert len(table) == 60
    assert table["labeled"].sum() == 9
    assert (table["labeled"] <= table["truth"]).all()


def test_a_table_is_described(capsys):
    assert main(["data", "show", "vote"]) == 0
    assert "124 democrat, 108 republican" in capsys.readouterr().out
    assert main(["data", "show", "titanic"]) == 2
    assert "no table named 'titanic'" in line_of(capsys)


@needs_data
def test_a_table_of_the_paper_becomes_a_pu_problem(tmp_path, monkeypatch):
    from datafolder import DATA

    monkeypatch.setenv("PULPS_DATA", str(DATA))
    assert main(["data", "get", "vote", "--truth", "--out", str(tmp_path / "vote.csv")]) == 0
    table = pd.read_csv(tmp_path / "vote.csv")
    assert table["truth"].sum() == 124
    assert table["labeled"].sum() == round(0.3 * 124)
    assert main(["data", "get", "vote", "--out", str(tmp_path / "vote.xls")]) == 2


def test_the_list_of_formats_in_messages_is_true():
    for kind in (".csv", ".tsv", ".parquet", ".arrow", ".gz", ".bz2", ".xz", ".zst"):
        assert kind in KINDS
