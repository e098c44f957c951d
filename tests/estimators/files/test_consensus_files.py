"""Files of a consensus: the same model again, or refused by name."""

import copy
import io
import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from mutations import forged, mutated, opened
from reported import DENSITY

from pulps import LPSClassifier, PUClassifier, load_model
from pulps.estimators.files.persistence import packed
from pulps.estimators.tables.network_of import NoNetworkError
from pulps.io.model_file import Content, pack
from pulps.views.catalog import DEFAULT_VIEWS

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::UserWarning:zipfile",
)
ROWS = pd.DataFrame({"a": [0.2, None], "b": ["u", None], "same": [1.0, 1.0]})


def fit(**parameters):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.random(60), "b": rng.choice(["u", "v"], 60), "same": 1.0})
    return PUClassifier(random_state=0, **parameters).fit(table, table["a"] > 0.6)


@pytest.fixture(scope="module")
def model():
    return fit()


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.pulps"
    model.save(path)
    return path.read_bytes()


def test_a_consensus_is_read_as_it_was(model, saved, tmp_path):
    (tmp_path / "m").write_bytes(saved)
    for again in (PUClassifier.load(tmp_path / "m"), load_model(tmp_path / "m")):
        np.testing.assert_array_equal(again.decision_function(ROWS), model.decision_function(ROWS))
        pd.testing.assert_frame_equal(again.opinions(ROWS), model.opinions(ROWS))
        assert again.threshold_report_ == model.threshold_report_
        moved, expected = (m.with_threshold(recall=0.9) for m in (again, model))
        assert moved.threshold_report_ == expected.threshold_report_
        with pytest.raises(NoNetworkError, match="Fit it again with generative=True"):
            again.sample(3)


def test_a_network_is_saved_with_its_consensus(tmp_path):
    network = LPSClassifier(n_members=1, max_epochs=2, bond_dim=2, n_repeats=1, density=DENSITY)
    model = fit(views=["kernel"], network=network, generative=True)
    model.save(tmp_path / "m")
    again = PUClassifier.load(tmp_path / "m")
    pd.testing.assert_frame_equal(again.sample(3, random_state=0), model.sample(3, random_state=0))
    damaged = copy.deepcopy(model)
    damaged.network_.positive_cores_[0] *= np.nan
    (tmp_path / "m").write_bytes(packed(damaged))
    with pytest.raises(ValueError, match="damaged pulps model: core 0 should be finite"):
        PUClassifier.load(tmp_path / "m")


def test_another_cut_keeps_the_way_to_a_network():
    network = LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, density=DENSITY)
    model = fit(views=["kernel"], network=network)
    assert len(model.with_threshold(share=0.3).sample(2, random_state=0)) == 2


def change(name, value):
    def apply(model):
        setattr(model, name, value(getattr(model, name)))

    return apply


def opinion(number, **fields):
    """Change one view of a consensus."""

    def apply(consensus):
        opinions = list(consensus.opinions)
        opinions[number] = replace(
            opinions[number],
            **{name: value(getattr(opinions[number], name)) for name, value in fields.items()},
        )
        return replace(consensus, opinions=opinions)

    return change("consensus_", apply)


UNSOUND = {
    "no mean": change("consensus_", lambda c: replace(c, mean=np.nan)),
    "no deviation": change("consensus_", lambda c: replace(c, deviation=0.0)),
    "a mean of text": change("consensus_", lambda c: replace(c, mean="0")),
    "no view": change("consensus_", lambda c: replace(c, opinions=[])),
    "no consensus": change("consensus_", lambda c: None),
    "a weight of NaN": opinion(0, weight=lambda w: np.nan),
    "a weight of text": opinion(0, weight=lambda w: "much"),
    "a view that is none": opinion(0, model=lambda m: "model"),
    "no scale": opinion(0, scale=lambda s: None),
    "no slope": change("slope_", lambda s: float("nan")),
    "one class": change("classes_", lambda c: c[:1]),
    "threshold of NaN": change("threshold_report_", lambda r: replace(r, threshold=np.nan)),
    "no threshold": change("threshold_report_", lambda r: None),
    "an encoder of text": change("encoder_", lambda e: "encoder"),
    "columns of another number": change("n_features_in_", lambda n: 7),
    "another library": change("form_", lambda f: replace(f, library="os")),
    "a parameter of no use": change("threshold", lambda t: "sometimes"),
    "no honest scores": change("honest_", lambda h: None),
    "honest scores of NaN": change("honest_", lambda h: replace(h, labeled=h.labeled * np.nan)),
    "no draws": change("honest_", lambda h: replace(h, draws=h.draws[:, :0])),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_a_consensus_that_does_not_fit_together_is_refused(model, case, tmp_path):
    broken = copy.deepcopy(model)
    UNSOUND[case](broken)
    (tmp_path / "broken.pulps").write_bytes(packed(broken))
    with pytest.raises(ValueError, match=r"broken\.pulps is a damaged pulps model: "):
        PUClassifier.load(tmp_path / "broken.pulps")


def poisoned(content, array):
    """The file with NaN in place of every number of one of its arrays."""
    schema, parts = opened(content)
    changed = io.BytesIO()
    np.save(changed, np.full_like(np.load(io.BytesIO(parts[array])), np.nan))
    return pack(Content(schema, parts | {array: changed.getvalue()}), "0")


@pytest.mark.parametrize("name", DEFAULT_VIEWS)
def test_a_view_whose_numbers_are_gone_is_refused(name, tmp_path):
    model = fit(views=[name])
    model.save(tmp_path / "m")
    content = (tmp_path / "m").read_bytes()
    schema, parts = opened(content)
    arrays = {
        node["file"]: np.load(io.BytesIO(parts[node["file"]]))
        for node in walk(find(schema, "consensus_"))
        if str(node.get("file", "")).endswith(".npy")
    }
    floats = [file for file, array in arrays.items() if array.dtype.kind == "f"]
    assert floats
    refused = 0
    for file in floats:
        (tmp_path / "m").write_bytes(poisoned(content, file))
        refused += not taken(tmp_path / "m")
    assert refused


def walk(node):
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from walk(child)


def find(schema, name):
    return next(node[name] for node in walk(schema) if name in node)


def taken(path):
    """Load a file; True if it was taken. Anything but a ValueError is a defect."""
    try:
        model = load_model(path)
    except ValueError:
        return False
    assert np.isfinite(model.decision_function(ROWS)).all()
    return True


def test_a_forged_type_is_named_and_not_built(saved, tmp_path):
    def forge(schema):
        node = next(n for n in walk(schema) if n.get("__class__") == "Opinion")
        node["__class__"], node["__module__"] = "Popen", "subprocess"
        return schema

    (tmp_path / "m").write_bytes(forged(saved, forge))
    with pytest.raises(ValueError, match=r"subprocess\.Popen"):
        load_model(tmp_path / "m")


def test_mutated_files_are_taken_whole_or_refused_cleanly(saved, tmp_path):
    rng = random.Random(0)
    n_taken = 0
    for _ in range(40):
        (tmp_path / "m").write_bytes(mutated(saved, rng))
        n_taken += taken(tmp_path / "m")
    assert n_taken < 40
