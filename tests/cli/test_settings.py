"""Parameters from the command line and from files."""

import pytest

from pulps.cli.settings import make_model, read_config


def test_wrong_config_files_are_named(tmp_path):
    path = tmp_path / "c.toml"
    for text, message in (
        ("label =", "is not valid TOML"),
        ("epochs = 3", "under \\[model\\]"),
        ("model = 3", "sets model to 3"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            read_config(path)
    with pytest.raises(ValueError, match="loss_weights has no 'x'"):
        make_model({"loss_weights": {"x": 1}})


def test_generative_models_have_a_density():
    assert make_model({}, generative=True).density is not None
    assert make_model({"density": {"bond_dim": 2}}).density.bond_dim == 2
