"""What is finished outlives the server, and what a killed one leaves is removed."""

import io
import os
import signal
import stat
import subprocess
import sys
import tempfile

import pandas as pd
import pytest
from serving import BEARER, TOKEN, make_table, serving

from pulps.studio.keeping import CUT, LOCK, MODEL, RECORD, TABLE, Storage
from pulps.studio.limits import Limits
from pulps.studio.server import make_app

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
KEY = "0123456789abcdef"


@pytest.fixture
def storage(tmp_path):
    found = Storage(tmp_path / "kept")
    yield found
    found.close()


def again(storage):
    storage.close()
    return Storage(storage.folder)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_only_the_owner_reads_what_is_kept(storage):
    folder = storage.new(KEY)
    storage.note(folder, {"name": "mine.csv"}, b"a,b\n")
    assert mode(storage.folder) == mode(folder) == 0o700
    assert {mode(path) for path in folder.iterdir()} == {0o600}
    assert {path.name for path in folder.iterdir()} == {MODEL, CUT, TABLE, RECORD}
    assert mode(storage.folder / LOCK) == 0o600


def test_a_folder_has_one_server_and_nothing_of_others(storage, tmp_path):
    with pytest.raises(ValueError, match="Another server keeps"):
        Storage(storage.folder)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter").write_text("1")
    with pytest.raises(ValueError, match="holds other files"):
        Storage(tmp_path / "thesis")
    (tmp_path / "file").write_text("1")
    with pytest.raises(NotADirectoryError, match="Name a folder"):
        Storage(tmp_path / "file")


def test_a_training_counts_once_record_and_model_are_there(storage):
    folder = storage.new(KEY)
    storage.note(folder, {"name": "mine.csv", "started": "1"}, b"a,b\n")
    assert storage.records() == {}
    (folder / MODEL).write_bytes(b"model")
    (folder / ".model.pulps.1234.part").write_bytes(b"half")
    assert again(storage).records() == {KEY: {"name": "mine.csv", "started": "1"}}
    assert not (folder / ".model.pulps.1234.part").exists()
    (folder / RECORD).write_bytes(b"{half")
    assert storage.record(KEY) is None
    assert storage.record(f"../{storage.folder.name}/{KEY}") is None


def test_a_training_without_a_model_is_removed_at_the_next_start(storage):
    storage.note(storage.new(KEY), {"name": "mine.csv"}, b"a,b\n")
    (storage.folder / "mine").write_text("not a training")
    names = {path.name for path in again(storage).folder.iterdir()}
    assert names == {LOCK, "mine"}


def test_temporary_files_of_a_killed_server_are_removed_by_the_next(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    live = Storage()
    code = (
        "import os, signal\nfrom pulps.studio.keeping import Storage\n"
        f"one = Storage()\none.new({KEY!r})\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert len(list(tmp_path.glob("pulps-studio-*"))) == 2
    (tmp_path / "pulps-studio-else").mkdir()
    second = Storage()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {live.folder.name, second.folder.name, "pulps-studio-else"}
    for one in (live, second):
        one.close()
    assert {path.name for path in tmp_path.iterdir()} == {"pulps-studio-else"}


def get(client, path):
    return client.get(path, headers=BEARER)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A folder in which a server kept a training, the key of it, and the scores it gave."""
    folder = tmp_path_factory.mktemp("studio") / "kept"
    with serving(make_app(token=TOKEN, keep=folder)) as client:
        table = make_table().to_csv(index=False).encode()
        answer = client.post("/studio/tables?name=mine.csv", content=table, headers=BEARER)
        body = {"table": answer.json()["table"], "label": "bought", "seed": 0}
        body |= {"kinds": {"age": "categories"}, "model": "consensus"}
        key = client.post("/studio/jobs", json=body, headers=BEARER).json()["job"]
        status = {"state": "running"}
        while status["state"] == "running":
            status = get(client, f"/studio/jobs/{key}?wait=30").json()
        assert status["state"] == "done", status
        cut = client.post(f"/studio/jobs/{key}/cut", json={"share": 0.1}, headers=BEARER)
        assert cut.status_code == 200
        scores = get(client, f"/studio/jobs/{key}/scores.csv").text
    return folder, key, status, scores


def test_what_is_finished_outlives_the_server(kept):
    folder, key, status, scores = kept
    path = f"/studio/jobs/{key}"
    with serving(make_app(token=TOKEN, keep=folder)) as client:
        listed = get(client, "/studio/jobs").json()
        assert listed["lasting"]
        assert [(one["job"], one["name"], one["state"]) for one in listed["jobs"]] == [
            (key, "mine.csv", "done")
        ]
        assert get(client, path).json()["warnings"] == status["warnings"]
        assert get(client, f"{path}/scores.csv").text == scores
        assert "Report on mine.csv" in get(client, f"{path}/report").text
        kinds = get(client, f"{path}/attributes").json()["attributes"]
        assert [item["kind"] for item in kinds] == ["numbers", "categories", "categories"]
        assert client.post(f"{path}/cut", json={}, headers=BEARER).status_code == 200
        table = pd.read_csv(io.StringIO(get(client, f"{path}/scores.csv").text))
        assert (table["positive"] != pd.read_csv(io.StringIO(scores))["positive"]).any()
        client.post(f"{path}/cut", json={"share": 0.1}, headers=BEARER)


def test_more_trainings_than_are_remembered_stay_on_the_disk(kept):
    folder, key, _, scores = kept
    with serving(make_app(token=TOKEN, keep=folder, limits=Limits(kept=0))) as client:
        for _ in range(2):
            assert get(client, f"/studio/jobs/{key}/scores.csv").text == scores
    assert (folder / key / MODEL).stat().st_size > 0


def test_a_damaged_model_is_refused_with_a_reason(kept):
    folder, key, *_ = kept
    whole = (folder / key / CUT).read_bytes()
    (folder / key / CUT).write_bytes(whole[:-100])
    try:
        with serving(make_app(token=TOKEN, keep=folder)) as client:
            answer = get(client, f"/studio/jobs/{key}/scores.csv")
    finally:
        (folder / key / CUT).write_bytes(whole)
    assert answer.status_code == 422
    assert "cut.pulps" in answer.json()["error"]


def test_the_page_says_whether_trainings_outlive_the_server(kept):
    folder, *_ = kept
    with serving(make_app(token=TOKEN, keep=folder)) as client:
        assert "still there after a restart" in get(client, "/").text
    with serving(make_app(token=TOKEN)) as client:
        page = get(client, "/").text
        assert "gone when the server stops" in page
        assert "--keep FOLDER" in page
        assert get(client, "/studio/jobs").json() == {"lasting": False, "jobs": []}
