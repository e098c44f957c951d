"""Rows, filled cells and densities in the user's own table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.special import logsumexp

from pulps import LPSClassifier
from pulps.network.likelihood import LikelihoodRecipe

QUICK = {"n_members": 2, "max_epochs": 8, "random_state": 0}


def make_table(n_rows=120):
    rng = np.random.default_rng(0)
    group = rng.random(n_rows) < 0.5
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n_rows) + 20 * group,
            "weight": rng.normal(70, 5, n_rows) + 10 * group,
            "sex": np.where(rng.random(n_rows) < 0.5, "f", "m"),
            "size": pd.Categorical(
                np.where(group, "large", "small"), ["small", "middle", "large"], ordered=True
            ),
            "smokes": rng.random(n_rows) < 0.3 + 0.4 * group,
            "country": "x",
            "short": rng.normal(size=n_rows).astype("float32"),
            "children": pd.array(rng.integers(0, 4, n_rows), dtype="Int64"),
            "mixed": pd.Series(rng.choice(np.array([1, 2, "z"], object), n_rows), dtype=object),
            "visits": rng.integers(0, 9, n_rows).astype(float),
        }
    )
    return table, (group & (rng.random(n_rows) < 0.6)).astype(int)


def with_holes(table):
    table = table.copy()
    for step, name in enumerate(["weight", "sex", "size", "children", "short", "mixed"]):
        table.loc[step :: 7 + step, name] = None
    return table


@pytest.fixture(scope="module")
def fitted():
    table, y = make_table()
    return LPSClassifier.from_parameters(**QUICK).fit(table, y), table, y


@pytest.fixture(scope="module")
def repeated():
    """Two numbers, four sites each, on a linear scale."""
    rng = np.random.default_rng(1)
    X = rng.random((200, 2))
    y = ((X.sum(1) > 1) & (rng.random(200) < 0.5)).astype(int)
    model = LPSClassifier.from_parameters(
        **QUICK, numeric_scale="min-max", feature_dim=3, bond_dim=3
    )
    return model.fit(X, y), X


def test_a_sample_has_the_columns_types_and_categories_of_the_fit(fitted):
    model, table, _ = fitted
    drawn = model.sample(30, states=True, random_state=0)
    pd.testing.assert_series_equal(drawn.dtypes, table.dtypes)
    assert set(drawn["sex"]) == {"f", "m"}
    assert set(drawn["mixed"]) <= {1, 2, "z"}
    assert drawn["age"].between(table["age"].min(), table["age"].max()).all()
    assert (drawn["country"] == "x").all()
    assert (drawn["visits"] == drawn["visits"].round()).all()
    assert not (drawn["weight"] == drawn["weight"].round()).all()


def test_a_polars_model_writes_polars():
    table, y = make_table()
    frame = pl.from_pandas(table.drop(columns="mixed")).with_columns(
        pl.col("sex").cast(pl.Categorical),
        pl.col("size").cast(pl.String).cast(pl.Enum(["small", "middle", "large"])),
    )
    model = LPSClassifier.from_parameters(**QUICK).fit(frame, y)
    drawn = model.sample(5, given={"age": 30, "sex": "f"}, states=True, random_state=0)
    assert drawn.schema == frame.schema
    assert drawn["age"].to_list() == [30] * 5
    holes = frame.with_columns(
        pl.when(pl.int_range(pl.len()) % 5 > 0).then(pl.col("children")).alias("children"),
        pl.when(pl.int_range(pl.len()) % 4 > 0).then(pl.col("sex")).alias("sex"),
    )
    filled = model.impute(holes, random_state=0)
    assert filled.schema == frame.schema
    assert filled.null_count().sum_horizontal().item() == 0
    kept = pl.int_range(pl.len()) % 20 % 5 > 0
    assert filled.filter(kept)["children"].equals(holes.filter(kept)["children"])


def test_a_pyarrow_model_writes_pyarrow():
    table, y = make_table()
    arrow = pa.table({name: table[name].to_numpy() for name in ("age", "weight", "short")})
    drawn = (
        LPSClassifier.from_parameters(**QUICK).fit(arrow, y).sample(3, states=True, random_state=0)
    )
    assert drawn.schema == arrow.schema


@pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
def test_a_model_of_an_array_writes_an_array(repeated):
    model, X = repeated
    drawn = model.sample(4, given={0: 0.25}, states=True, random_state=0)
    assert drawn.shape == (4, 2)
    assert (drawn[:, 0] == 0.25).all()
    whole = LPSClassifier.from_parameters(**QUICK).fit(np.rint(9 * X).astype(int), X[:, 0] > 0.8)
    assert whole.sample(3, states=True, random_state=0).dtype == int


def test_what_is_given_is_returned(fitted):
    model, table, _ = fitted
    row = table.drop(columns="country").iloc[3].to_dict()
    drawn = model.sample(2, given=row | {"age": 999}, states=True, random_state=0)
    expected = table.iloc[[3, 3]].assign(age=999).reset_index(drop=True)
    pd.testing.assert_frame_equal(drawn, expected)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"agee": 3}, "no column 'agee'"),
        ({"sex": "q"}, "never held 'q'"),
        ({"age": "old"}, "holds numbers"),
        ({"country": "x"}, "did not vary"),
    ],
)
def test_conditions_that_cannot_be_are_refused(fitted, given, message):
    with pytest.raises(ValueError, match=message):
        fitted[0].sample(1, given=given, states=True)


def test_accepted_rows_convince_every_member(fitted):
    model, _, _ = fitted
    free = model.sample(300, y=0, states=True, random_state=0)
    threshold = float(np.median((-model.log_ratios(free)).min(0)))
    drawn, report = model.sample(
        50, y=0, accept=threshold, states=True, random_state=0, return_report=True
    )
    assert len(drawn) == 50
    assert 0.3 < report.acceptance < 0.7
    assert report.n_accepted >= 50
    assert (-model.log_ratios(drawn)).min() > threshold - 1e-3  # a column of 32 bits


def test_outliers_are_removed(repeated):
    model, _ = repeated
    bar = float(np.median(model.score_samples(model.sample(200, states=True, random_state=0))))
    drawn, report = model.sample(
        40, min_score=bar, states=True, random_state=1, return_report=True
    )
    assert model.score_samples(drawn).min() >= bar - 1e-9
    assert 0.3 < report.acceptance < 0.7


def test_a_bar_that_no_row_passes_is_reported(fitted):
    with pytest.raises(ValueError, match="Lower the bar"):
        fitted[0].sample(2, accept=1e6, states=True)


def test_imputing_nothing_changes_nothing(fitted, repeated):
    model, table, _ = fitted
    for how in ("draw", "mode", "mean"):
        pd.testing.assert_frame_equal(model.impute(table, how=how), table)
    np.testing.assert_array_equal(repeated[0].impute(repeated[1]), repeated[1])


@pytest.mark.parametrize("how", ["draw", "mode", "mean"])
@pytest.mark.parametrize("y", [None, 0, 1])
def test_imputing_fills_what_is_missing_and_nothing_else(fitted, how, y):
    model, table, _ = fitted
    holes = with_holes(table)
    filled = model.impute(holes, y, how=how, random_state=0)
    pd.testing.assert_series_equal(filled.dtypes, holes.dtypes)
    assert filled.notna().all(axis=None)
    assert filled.where(holes.notna()).equals(holes.where(holes.notna()))


def test_imputed_means_and_modes_are_those_of_the_density(fitted):
    model, table, _ = fitted
    holes = table.head(1).astype({"weight": float})
    holes.loc[0, ["weight", "sex"]] = None
    rest = holes.drop(columns=["weight", "sex", "country"]).iloc[0].to_dict()
    mean = model.impute(holes, 1, how="mean").loc[0, "weight"]
    cells = model.marginal("weight", given=rest, bins=2000)
    assert mean == pytest.approx((cells.index.mid * cells).sum(), rel=1e-3)
    mode = model.impute(holes, 1, how="mode").loc[0, "sex"]
    assert mode == model.marginal("sex", given=rest).idxmax()


def test_imputation_with_repeats_draws_from_the_conditional(repeated):
    model, _ = repeated
    holes = np.column_stack([np.full(400, 0.3), np.full(400, np.nan)])
    filled = model.impute(holes, 1, random_state=0)
    cells = model.marginal(1, given={0: 0.3}, bins=5)
    edges = [cell.left for cell in cells.index] + [cells.index[-1].right]
    counts = np.histogram(filled[:, 1], edges)[0]
    np.testing.assert_allclose(counts / 400, cells, atol=0.08)


def test_marginals_are_sums_of_joints(fitted, repeated):
    model = fitted[0]
    for pair in (("sex", "age"), ("weight", "short"), ("mixed", "sex")):
        joint = model.joint(*pair, y=0, bins=7)
        assert joint.to_numpy().sum() == pytest.approx(1)
        alone = model.marginal(pair[1], y=0, bins=7)
        np.testing.assert_allclose(joint.sum(axis=0), alone, atol=1e-9)
    joint = repeated[0].joint(0, 1, bins=6)
    np.testing.assert_allclose(joint.sum(axis=1), repeated[0].marginal(0, bins=6), atol=1e-9)


def test_sampled_frequencies_match_the_marginal(fitted):
    model = fitted[0]
    drawn = model.sample(3000, states=True, random_state=0)["mixed"]
    for value, probability in model.marginal("mixed").items():
        assert (drawn == value).mean() == pytest.approx(probability, abs=0.04)


def test_mutual_information_vanishes_for_a_product_state(fitted):
    found = fitted[0].mutual_information()
    pairs = found.to_numpy()[~np.eye(len(found), dtype=bool)]
    assert (pairs >= 0).all()
    assert pairs.max() > 1e-3
    np.testing.assert_array_equal(found, found.T)
    _, table, y = fitted
    product = LPSClassifier.from_parameters(**QUICK | {"n_members": 1}, bond_dim=1, spacing=1).fit(
        table, y
    )
    assert np.nanmax(product.mutual_information()) < 1e-9


@pytest.mark.parametrize("y", [0, 1])
def test_score_samples_integrates_to_one_also_with_repeats(repeated, y):
    model, X = repeated
    low, high = X.min(0), X.max(0)
    at = (np.arange(80) + 0.5) / 80
    grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2) * (high - low) + low
    assert np.exp(model.score_samples(grid, y)).mean() == pytest.approx(1, rel=1e-6)
    half = np.column_stack([low[0] + at * (high[0] - low[0]), np.full(80, np.nan)])
    assert np.exp(model.score_samples(half, y)).mean() == pytest.approx(1, rel=1e-6)
    nothing = np.full((1, 2), np.nan)
    assert model.score_samples(nothing, y)[0] == pytest.approx(0, abs=1e-9)


def test_the_evidence_mixes_both_classes(repeated):
    model, X = repeated
    both = np.stack([model.score_samples(X, 1), model.score_samples(X, 0)])
    mixed = logsumexp(both, axis=0, b=np.array([[0.3], [0.7]]))
    np.testing.assert_allclose(model.log_evidence(X, prior=0.3), mixed)
    np.testing.assert_allclose(
        model.log_evidence(X), model.log_evidence(X, prior=model.prior_), rtol=1e-12
    )


def test_too_many_repeats_for_a_grid_say_so(repeated, monkeypatch):
    model, X = repeated
    exact = model.score_samples(X[:3])
    marginal = model.marginal(0, bins=4)
    monkeypatch.setattr("pulps.network.chains.SWEEPS_ONCE", 1)
    _, report = model.sample(50, states=True, random_state=0, return_report=True)
    assert report.method == "resample"
    assert 0 < report.efficiency < 1
    np.testing.assert_allclose(model.score_samples(X[:3]), exact, atol=0.2)
    np.testing.assert_allclose(model.marginal(0, bins=4), marginal, atol=0.06)


def test_the_same_seed_draws_the_same_rows_also_after_saving(fitted, tmp_path):
    model = fitted[0]
    model.save(tmp_path / "model")
    loaded = LPSClassifier.load(tmp_path / "model")
    drawn = model.sample(5, states=True, random_state=3)
    pd.testing.assert_frame_equal(loaded.sample(5, states=True, random_state=3), drawn)
    assert not model.sample(5, states=True, random_state=4).equals(drawn)


def test_chains_of_likelihood_learn_frequencies():
    rng = np.random.default_rng(0)
    color = rng.choice(["r", "g", "b"], 400, p=[0.7, 0.2, 0.1])
    X = pd.DataFrame({"color": color, "x": rng.random(400) + 3 * (color == "b")})
    y = (X["x"] < 0.3).astype(int)
    recipe = LikelihoodRecipe(n_members=1, held_out=0.0, feature_dim=4)
    model = LPSClassifier.from_parameters(**QUICK, density=recipe).fit(X, y)
    for side in (0, 1):
        rows = (model.predict(X) == side) | (y == 1 if side else False)
        rows &= ~((y == 1) & (side == 0))
        shares = X.loc[rows, "color"].value_counts(normalize=True)
        found = model.marginal("color", y=side)
        for value in shares.index:
            assert found[value] == pytest.approx(shares[value], abs=0.03)


def test_a_held_out_share_stops_the_likelihood_in_time():
    """Pure noise: a chain that trains to the end fits it, one that stops does not."""
    rng = np.random.default_rng(2)
    X, fresh = rng.random((60, 4)), rng.random((400, 4))
    y = (X[:, 0] > 0.6).astype(int)
    scores = {}
    for share in (0.0, 0.3):
        recipe = LikelihoodRecipe(n_members=1, max_epochs=80, held_out=share)
        model = LPSClassifier.from_parameters(
            **QUICK, density=recipe, numeric_scale="min-max"
        ).fit(X, y)
        scores[share] = np.median(model.score_samples(fresh, 0))
    assert scores[0.3] > scores[0.0] + 0.5
