"""The benchmark of agreement against test F1: resumable, and its page says what was found."""

import importlib.util
from pathlib import Path

import matplotlib as mpl
import pytest
from datafolder import DATA, needs_data

mpl.use("agg")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "agreement_vs_f1.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("agreement_vs_f1", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tuples_are_different_and_always_the_same(script):
    first = script.draw_tuples(30)
    assert first == script.draw_tuples(30)
    assert first[:10] == script.draw_tuples(10)
    assert len({script.name_of(parameters) for parameters in first}) == 30
    assert {one["bond_dim"] for one in first} == {2, 6, 12, 20}


@needs_data
def test_a_run_goes_on_and_writes_its_page(script, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PULPS_DATA", str(DATA))
    short = [
        dict(script.draw_tuples(1)[0], bond_dim=2, feature_dim=4, max_epochs=n, decay="constant")
        for n in (1, 2, 3)
    ]
    monkeypatch.setattr(script, "draw_tuples", lambda n_tuples: short[:n_tuples])
    arguments = [
        *("--datasets", "iris", "--folds", "0", "--members", "3"),
        *("--store", str(tmp_path / "records.jsonl"), "--docs", str(tmp_path)),
    ]
    script.main([*arguments, "--tuples", "2"])
    assert capsys.readouterr().out.count("iris c=0.3") == 2
    script.main([*arguments, "--tuples", "3"])
    assert capsys.readouterr().out.count("iris c=0.3") == 1
    page = (tmp_path / "selection.md").read_text()
    assert "| iris | 3 | 1 |" in page
    assert (tmp_path / "figures" / "agreement-tuples.svg").exists()
    assert (tmp_path / "figures" / "agreement-gap.svg").exists()


def test_the_page_names_the_data_sets_where_agreement_fails(script):
    records = []
    for dataset, sign in (("good", 1), ("bad", -1)):
        for i in range(12):
            score = 0.5 + sign * i / 100
            records.append(
                {
                    **{"dataset": dataset, "method": f"t{i}", "fold": 0, "error": None},
                    **{"agreement": 0.5 + i / 50, "n_sound": 3, "accuracy": score},
                    **{"f1_pos": score, "macro_f1": score},
                }
            )
    found = script.correlations(script.summarize(records))
    assert found.set_index("dataset").loc["good", "rho_f1_pos"] == pytest.approx(1)
    assert found.set_index("dataset").loc["good", "chosen"] == pytest.approx(0.61)
    assert found.set_index("dataset").loc["good", ["judged", "rho_judged"]].tolist() == [
        12,
        pytest.approx(1),
    ]
    collapsed = [record | {"n_sound": 1} for record in records]
    unknown = script.correlations(script.summarize(collapsed))
    assert unknown["judged"].tolist() == [0, 0]
    assert "| 0 | – |" in script.to_page(unknown, 3)
    page = script.to_page(found, 3)
    assert "on 1 of 2 data sets" in page
    assert "nothing can be said, on bad." in page
