"""Model files that are damaged or forged are refused by name, and nothing in them runs."""

import copy
import hashlib
import io
import json
import pickle
import random
from dataclasses import replace
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from mutations import forged, mutated, opened, with_part
from saved_models import SAVED
from sklearn.datasets import load_digits

import pulps
from pulps import LPSClassifier, LPSImageClassifier
from pulps.estimators.files.persistence import TYPES, packed
from pulps.estimators.files.saved_labels import SavedLabel
from pulps.io.model_file import HEAD, MAGIC, Content, pack
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
    path = tmp_path / "broken.pulps"
    with pytest.raises(ValueError, match=r"not written.*broken\.pulps is a damaged pulps model: "):
        broken.save(path)
    assert not any(tmp_path.iterdir())
    path.write_bytes(packed(broken))
    with pytest.raises(ValueError, match=r"broken\.pulps is a damaged pulps model: "):
        LPSClassifier.load(path)


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
    schema, _ = opened(saved)

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

    (tmp_path / "m").write_bytes(forged(saved, forge))
    with pytest.raises(ValueError, match=r"subprocess\.Popen"):
        LPSClassifier.load(tmp_path / "m")


def test_a_file_of_too_many_bytes_is_refused(saved, tmp_path, monkeypatch):
    monkeypatch.setattr("pulps.io.model_file.MOST_BYTES", 1000)
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


# Bytes and sizes.


def refused(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ValueError, match=match):
        LPSClassifier.load(path)


def test_every_flipped_bit_is_noticed(saved, tmp_path):
    rng = random.Random(1)
    for _ in range(40):
        content = bytearray(saved)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        refused(tmp_path / "m", bytes(content), "m (is|needs)")


def test_a_file_says_who_wrote_it_and_a_newer_one_is_named(saved, tmp_path):
    magic, version, n_told, digest = HEAD.unpack(saved[: HEAD.size])
    assert magic == MAGIC
    assert json.loads(saved[HEAD.size :][:n_told])["pulps"] == pulps.__version__
    newer = pack(opened(saved), "9.8.7")
    told = HEAD.unpack(newer[: HEAD.size])[2]
    newer = HEAD.pack(magic, version + 1, told, digest) + newer[HEAD.size :]
    refused(tmp_path / "m", newer, r"m needs a newer pulps.*by pulps 9\.8\.7 in format 2.*Update")


def test_the_same_model_is_the_same_bytes(model, saved):
    assert packed(model) == saved
    assert packed(copy.deepcopy(model)) == saved


def test_bytes_beyond_the_parts_or_too_few_are_refused(saved, tmp_path):
    def resealed(rest):
        head = list(HEAD.unpack(saved[: HEAD.size]))
        head[3] = hashlib.sha256(rest).digest()
        return HEAD.pack(*head) + rest

    rest = saved[HEAD.size :]
    refused(tmp_path / "m", resealed(rest + b"x"), "fill the file to the last byte")
    refused(tmp_path / "m", resealed(rest[:-1]), "fill the file to the last byte")


def header(shape, kind="<f8"):
    stream = io.BytesIO()
    told = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, told)
    return stream.getvalue()


@pytest.mark.parametrize(
    "part",
    [header((10**12,)), header((10**9, 0)), header((10**9,), "<U0"), header((1,)), b"no array"],
    ids=["too large", "many of nothing", "empty texts", "too short", "none"],
)
def test_an_array_is_as_large_as_it_says(saved, part, tmp_path):
    refused(tmp_path / "m", with_part(saved, lambda _: part), "damaged pulps model: .* array")


def test_a_part_is_used_once(saved, tmp_path):
    schema, parts = opened(saved)
    spare = pack(Content(schema, parts | {"spare.npy": header((0,))}), "0")
    refused(tmp_path / "m", spare, "should be used")
    node = next(node for node in nodes(schema) if str(node.get("file", "")).endswith(".npy"))
    attributes = schema["content"]["content"]
    copies = [node | {"__id__": 10**9 + k} for k in range(100)]
    like = next(n for n in nodes(schema) if n.get("__loader__") == "ListNode")
    attributes["restarts_"] = like | {"content": copies, "__id__": 10**9 - 1}
    refused(tmp_path / "m", pack(Content(schema, parts), "0"), "used several times")


def nodes(node):
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from nodes(child)


@pytest.mark.parametrize("name", ["predict", "extra_", "_recipe_type", "decision_of_encoded"])
def test_attributes_that_nobody_knows_are_refused(model, name, tmp_path):
    odd = copy.deepcopy(model)
    vars(odd)[name] = 3.0
    refused(tmp_path / "m", packed(odd), f"attributes that are not known here: {name}")


@pytest.mark.parametrize(
    "label",
    [
        SavedLabel("period", [0, "nonsense"]),
        SavedLabel("timestamp", [0, "ns", "../../etc"]),
        SavedLabel("magic", []),
        SavedLabel("interval", [1]),
        SavedLabel("date", 7),
    ],
)
def test_labels_that_stand_for_nothing_are_refused(model, label, tmp_path):
    odd = copy.deepcopy(model)
    odd.form_.columns[1] = replace(odd.form_.columns[1], labels=["u", label])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pulps.estimators.files.persistence.portable", lambda it: it)
        content = packed(odd)
    refused(tmp_path / "m", content, "damaged pulps model")


def test_a_small_file_cannot_ask_for_a_wide_bond(model, tmp_path):
    """An environment is as wide as the bond squared, the cores of two sites are not."""
    wide = copy.deepcopy(model)
    wide.bond_dim = 20_000
    for cores in (wide.positive_cores_, wide.negative_cores_):
        for site, core in enumerate(cores):
            cores[site] = np.ones(
                (*core.shape[:2], core.shape[2] if site == 0 else 20_000, core.shape[3], 1)
                if site == len(cores) - 1
                else (*core.shape[:2], core.shape[2], core.shape[3], 20_000),
                core.dtype,
            )
    assert len(model.positive_cores_) == 2
    refused(tmp_path / "m", packed(wide), "cannot have a bond of 20000")


def test_cores_without_a_norm_are_refused(model, tmp_path):
    empty = copy.deepcopy(model)
    empty.positive_density_cores_[0] = 0 * empty.positive_density_cores_[0]
    refused(tmp_path / "m", packed(empty), "a core of zeros only")


# What was fitted can be saved, and what was saved can be loaded.


def moments(n):
    times = ["2024-01-31 10:00", "2024-03-31 12:00", "2025-12-01 00:00"]
    return pd.to_datetime(times)[np.arange(n) % 3]


ODD_COLUMNS = {
    "dates": lambda n: pd.Series(list(moments(n).date), dtype=object),
    "intervals": lambda n: pd.cut(pd.Series(np.arange(n) % 7), 3),
    "periods": lambda n: pd.Categorical(moments(n).to_period("M")),
    "moments": lambda n: pd.Categorical(moments(n)),
    "moments with a zone": lambda n: pd.Categorical(moments(n).tz_localize("Europe/Berlin")),
    "durations": lambda n: pd.Categorical(moments(n) - moments(1)[0]),
    "intervals of moments": lambda n: pd.cut(pd.Series(moments(n)), 2),
}


@pytest.mark.parametrize("kind", ODD_COLUMNS)
def test_a_model_of_odd_categories_is_saved_and_draws_them(kind, tmp_path):
    n = 40
    table = pd.DataFrame({"a": np.arange(n) / n, "odd": ODD_COLUMNS[kind](n)})
    quick = LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, random_state=0)
    fitted = quick.fit(table, table["a"] > 0.6)
    fitted.save(tmp_path / "m")
    read = LPSClassifier.load(tmp_path / "m")
    np.testing.assert_array_equal(read.decision_function(table), fitted.decision_function(table))
    drawn = (one.sample(5, random_state=0, states=True) for one in (read, fitted))
    pd.testing.assert_frame_equal(*drawn)


def test_numbers_at_the_end_of_the_range_are_saved(tmp_path):
    ends = np.array([-1.7e308, 0.0, 3.0, 1.7e308])[np.arange(40) % 4]
    table = pd.DataFrame({"a": np.arange(40) / 40, "ends": ends})
    quick = LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, random_state=0)
    fitted = quick.fit(table, table["a"] > 0.6)
    fitted.save(tmp_path / "m")
    read = LPSClassifier.load(tmp_path / "m")
    np.testing.assert_array_equal(read.decision_function(table), fitted.decision_function(table))
    assert np.isfinite(fitted.sample(5, random_state=0, states=True)).all(axis=None)


def test_a_checkpoint_may_be_a_path(tmp_path):
    table = pd.DataFrame({"a": np.arange(40) / 40})
    quick = LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, random_state=0)
    fitted = quick.set_params(checkpoint=tmp_path / "c").fit(table, table["a"] > 0.6)
    fitted.save(tmp_path / "m")
    assert LPSClassifier.load(tmp_path / "m").checkpoint == str(tmp_path / "c")
    assert fitted.checkpoint == tmp_path / "c"
