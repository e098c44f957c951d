"""Images become standardized channels."""

import numpy as np
import pytest

from pulps.baselines._shared.images import ImageChannels


@pytest.mark.parametrize("shape", [(6, 4, 5), (6, 4, 5, 3)])
def test_images_become_standardized_channels(shape):
    images = np.random.RandomState(0).normal(3, 2, size=shape)
    channels = ImageChannels().fit_transform(images)
    assert channels.shape == (6, 1 if len(shape) == 3 else 3, 4, 5)
    np.testing.assert_allclose(channels.mean(axis=(0, 2, 3)), 0, atol=1e-12)
    np.testing.assert_allclose(channels.std(axis=(0, 2, 3)), 1)
    last = images[..., None] if len(shape) == 3 else images
    assert np.corrcoef(channels[:, -1].ravel(), last[..., -1].ravel())[0, 1] == pytest.approx(1)


def test_images_of_another_shape_are_refused():
    channels = ImageChannels().fit(np.random.RandomState(0).rand(3, 4, 4))
    for other in (np.zeros((2, 5, 4)), np.zeros((2, 16))):
        with pytest.raises(ValueError, match="fit saw images of shape"):
            channels.transform(other)
