"""Pictures in files: the same bytes every time, in every kind of file."""

import pytest

from pulps.io.pictures import save_figure

figures = pytest.importorskip("matplotlib.figure")


def figure():
    made = figures.Figure(figsize=(1, 1))
    made.subplots().plot([0, 1], label="a line")
    return made


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "SVG"])
def test_the_same_picture_is_the_same_file_at_any_time(kind, tmp_path, monkeypatch):
    made = []
    for seconds in ("0", "1000000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)  # what matplotlib takes for now
        made.append(save_figure(figure(), tmp_path / f"{seconds}.{kind}").read_bytes())
    assert made[0] == made[1]
