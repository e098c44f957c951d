"""Parameters from the command line and from files."""

import pytest

from pulps.cli.settings import read_config


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
