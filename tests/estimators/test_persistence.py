"""Model files that are damaged or forged are refused by name, and nothing in them runs."""

import copy
import io
import json
import pickle
import random
import zipfile
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mutations import mutated, rezipped
from sklearn.datasets import load_digits

from pulps import LPSClassifier, LPSImageClassifier
from pulps.estimators.persistence import TYPES
from pulps.network.likelihood import LikelihoodRecipe

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::UserWarning:zipfile",
)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.random(40), "b": rng.choice(["u", "v"], 40), "same": 1.0})
    recipe = LikelihoodRecipe(feature_dim=3, bond_dim=2, n_members=1, max_epochs=1)
    quick = LPSClassifier(
        n_members=2, max_epochs=2, bond_dim=2, n_repeats=1, density=recipe, random_state=0
    )
    return quick.fit(table, table["a"] > 0.6)


@pytest.fixture(scope="module")
def saved(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.pulps"
    model.save(path)
    return path.read_bytes()


def change(name, value):
    def apply(model):
        setattr(model, name, value(getattr(model, name)))

    return apply


def with_core(value):
    def apply(cores):
        return [value(cores[0]), *cores[1:]]

    return apply


def poisoned(array):
    array = array.copy()
    array.flat[0] = np.nan
    return array


def with_column(**fields):
    def apply(encoder):
        encoder = copy.deepcopy(encoder)
        encoder.columns_[0] = replace(encoder.columns_[0], **fields)
        return encoder

    return apply


UNSOUND = {
    "NaN in a core": change("positive_cores_", with_core(poisoned)),
    "a core of another size": change("negative_cores_", with_core(lambda c: c[:, :1])),
    "a core of text": change("positive_cores_", with_core(lambda c: c.astype(str))),
    "a core too few": change("positive_cores_", lambda cores: cores[:-1]),
    "cores are no list": change("negative_cores_", lambda cores: "cores"),
    "a member too many": change("members_", lambda m: np.append(m, 1)),
    "a member never trained": change("members_", lambda m: m + 7),
    "scales of zero": change("member_scales_", lambda s: 0 * s),
    "no slope": change("slope_", lambda s: float("nan")),
    "a slope of text": change("slope_", lambda s: "steep"),
    "one class": change("classes_", lambda c: c[:1]),
    "equal classes": change("classes_", lambda c: c[[1, 1]]),
    "threshold of NaN": change("threshold_report_", lambda r: replace(r, threshold=np.nan)),
    "threshold of text": change("threshold_report_", lambda r: replace(r, threshold="0")),
    "no threshold": change("threshold_report_", lambda r: None),
    "interval of one": change("threshold_report_", lambda r: replace(r, prior_interval=(0.1,))),
    "an encoder of text": change("encoder_", lambda e: "encoder"),
    "knots that fall": change("encoder_", with_column(knots=np.array([1.0, 0.0]))),
    "knots of NaN": change("encoder_", with_column(knots=np.array([0.0, np.nan]))),
    "a column twice": change("encoder_", with_column(index=1)),
    "a column beyond": change("encoder_", with_column(index=99)),
    "columns of another number": change("n_features_in_", lambda n: 7),
    "names of others": change("feature_names_in_", lambda n: n[::-1].copy()),
    "another library": change("form_", lambda f: replace(f, library="os")),
    "a form too short": change("form_", lambda f: replace(f, columns=f.columns[:1])),
    "bases unknown": change("site_bases_", lambda b: np.array(["magic"] * len(b))),
    "bond of text": change("bond_dim", lambda d: "many"),
    "a bond that lies": change("bond_dim", lambda d: d + 1),
    "a parameter of no use": change("threshold", lambda t: "sometimes"),
    "a density that lies": change("density", lambda d: replace(d, bond_dim=5)),
    "NaN in a density": change("positive_density_cores_", with_core(poisoned)),
    "no history": change("history_", lambda h: {}),
}


@pytest.mark.parametrize("case", UNSOUND)
def test_models_that_do_not_fit_together_are_refused(model, case, tmp_path):
    broken = copy.deepcopy(model)
    UNSOUND[case](broken)
    broken.save(tmp_path / "broken.pulps")
    with pytest.raises(ValueError, match=r"broken\.pulps is a damaged pulps model: "):
        LPSClassifier.load(tmp_path / "broken.pulps")


SAVED = Path(__file__).parent / "saved"


def test_a_table_model_of_version_0_3_is_still_read():
    model = LPSClassifier.load(SAVED / "table-0.3.0.pulps")
    expected = json.loads((SAVED / "expected-0.3.0.json").read_text())
    i = np.arange(40)
    table = pd.DataFrame(
        {
            "size": (i * 7 % 13) / 3.0,
            "kind": pd.Categorical([("a", "b", "c")[k % 3] for k in i]),
            "flag": i % 5 == 0,
            "count": i % 4,
        }
    )
    table.loc[3, "size"], table.loc[5, "kind"] = np.nan, None
    np.testing.assert_allclose(model.decision_function(table), expected["table"], rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(table)[:, 1], expected["proba"], rtol=1e-9)
    np.testing.assert_allclose(model.score_samples(table, "yes"), expected["score"], rtol=1e-9)
    assert model.recipe.learning_rate == 0.04
    assert model.recipe.loss_weights.balance == 2
    assert not hasattr(model, "learning_rate")


def test_an_image_model_of_version_0_3_is_still_read():
    model = LPSImageClassifier.load(SAVED / "image-0.3.0.pulps")
    expected = json.loads((SAVED / "expected-0.3.0.json").read_text())
    digits = load_digits(n_class=2).images[:20]
    np.testing.assert_allclose(model.decision_function(digits), expected["image"], rtol=1e-4)
    assert model.recipe.learning_rate == 0.02


def test_a_file_names_types_and_not_modules(saved):
    """So that a module can move without making files unreadable."""
    schema = json.loads(zipfile.ZipFile(io.BytesIO(saved)).read("schema.json"))

    def types(node):
        if isinstance(node, dict):
            if str(node.get("__module__")).startswith("pulps"):
                yield node["__module__"], node["__class__"]
            node = list(node.values())
        if isinstance(node, list):
            for child in node:
                yield from types(child)

    found = set(types(schema))
    assert {module for module, _ in found} == {"pulps"}
    assert {f"{module}.{name}" for module, name in found} <= set(TYPES)


def test_every_type_of_a_file_is_where_the_table_says():
    for name, module in TYPES.items():
        assert hasattr(import_module(module), name.removeprefix("pulps."))


def test_a_sound_model_is_read(saved, tmp_path, model):
    (tmp_path / "m").write_bytes(saved)
    rows = pd.DataFrame({"a": [0.2, None], "b": ["u", None], "same": [1.0, 1.0]})
    np.testing.assert_array_equal(
        LPSClassifier.load(tmp_path / "m").decision_function(rows), model.decision_function(rows)
    )


class Trap:
    """Leaves a file behind where it is unpickled."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_a_pickle_is_not_run(tmp_path):
    (tmp_path / "m").write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(ValueError, match="not a saved pulps model"):
        LPSClassifier.load(tmp_path / "m")
    assert not (tmp_path / "sprung").exists()


def test_a_forged_type_is_named_and_not_built(saved, tmp_path):
    def forge(schema):
        schema["__class__"], schema["__module__"] = "Popen", "subprocess"
        return schema

    (tmp_path / "m").write_bytes(rezipped(saved, forge))
    with pytest.raises(ValueError, match=r"subprocess\.Popen"):
        LPSClassifier.load(tmp_path / "m")


def test_an_archive_that_unpacks_to_too_much_is_refused(saved, tmp_path, monkeypatch):
    monkeypatch.setattr("pulps.estimators.persistence.MOST_BYTES", 1000)
    (tmp_path / "m").write_bytes(saved)
    with pytest.raises(ValueError, match="not a saved pulps model"):
        LPSClassifier.load(tmp_path / "m")


def load_or_refuse(path):
    """Load a file; True if it was taken. Anything but a ValueError is a defect."""
    try:
        model = LPSClassifier.load(path)
    except ValueError:
        return False
    rows = pd.DataFrame({"a": [0.2, None], "b": ["u", None], "same": [1.0, 1.0]})
    assert np.isfinite(model.decision_function(rows)).all()
    return True


@pytest.mark.filterwarnings("ignore::pulps.tables.notices.UnseenWarning")
def test_mutated_files_are_taken_whole_or_refused_cleanly(saved, tmp_path):
    rng = random.Random(0)
    taken = 0
    for _ in range(200):
        (tmp_path / "m").write_bytes(mutated(saved, rng))
        taken += load_or_refuse(tmp_path / "m")
    assert 0 < taken < 150
