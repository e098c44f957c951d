"""Dense features: what methods without categories and holes get to see."""

import numpy as np
import pandas as pd
import pytest

from pulps.baselines.features import DenseFeatures


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "word": ["a", "b", None, "a"],
            "kind": pd.Categorical(["x", "y", "y", "x"]),
            "size": [1.0, np.nan, 3.0, 2.0],
            "same": [7.0, 7.0, 7.0, 7.0],
        }
    )


def test_categories_are_indicators_and_missing_is_one_of_them(frame):
    dense = DenseFeatures().fit_transform(frame)
    assert dense[:, :3].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert dense[:, 3:5].tolist() == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert dense.shape == (4, 6)  # the constant column is gone


def test_numbers_are_standardized_after_the_median_fills_holes(frame):
    size = DenseFeatures().fit_transform(frame)[:, 5]
    filled = np.array([1.0, 2.0, 3.0, 2.0])
    np.testing.assert_allclose(size, (filled - filled.mean()) / filled.std())


def test_an_unseen_category_counts_as_missing(frame):
    features = DenseFeatures().fit(frame)
    new = frame.iloc[:1].assign(word="never")
    assert features.transform(new)[0, :3].tolist() == [0, 0, 1]
    new = frame.iloc[:1].assign(kind=pd.Categorical(["z"]))
    assert features.transform(new)[0, 3:5].tolist() == [0, 0]


@pytest.mark.parametrize("shape", [(6, 4, 5), (6, 4, 5, 3)])
def test_images_become_standardized_channels(shape):
    images = np.random.RandomState(0).normal(3, 2, size=shape)
    dense = DenseFeatures().fit_transform(images)
    channels = 1 if len(shape) == 3 else 3
    assert dense.shape == (6, channels, 4, 5)
    np.testing.assert_allclose(dense.mean(axis=(0, 2, 3)), 0, atol=1e-12)
    np.testing.assert_allclose(dense.std(axis=(0, 2, 3)), 1)
    last = images[..., None] if len(shape) == 3 else images
    assert np.corrcoef(dense[:, -1].ravel(), last[..., -1].ravel())[0, 1] == pytest.approx(1)


def test_images_of_another_shape_are_refused():
    features = DenseFeatures().fit(np.random.RandomState(0).rand(3, 4, 4))
    with pytest.raises(ValueError, match="those of fit had"):
        features.transform(np.zeros((2, 5, 4)))
    with pytest.raises(ValueError, match="fit saw images"):
        features.transform(np.zeros((2, 16)))
