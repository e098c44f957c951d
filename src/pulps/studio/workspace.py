"""The tables and trainings of one server."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pulps.estimators.settings import Kind as ModelKind
from pulps.estimators.settings import make_model
from pulps.io.files import check_column
from pulps.labels import read_class_column, read_label_column
from pulps.studio.answers import Refusal
from pulps.studio.computing import Computer
from pulps.studio.jobs import Job
from pulps.studio.keeping import TABLE, Storage
from pulps.studio.limits import Limits
from pulps.studio.outcomes import Outcome, Rows
from pulps.studio.reading import read_apart
from pulps.studio.registry import Registry, new_key
from pulps.studio.tables import Kind, Upload, prepare


class TrainRequest(BaseModel):
    """Which table to train on, and how."""

    model_config = ConfigDict(extra="forbid")
    table: str
    label: str
    positive: str | None = None
    negative: str | None = None
    kinds: dict[str, Kind] = {}
    model: ModelKind = "consensus"
    members: Annotated[int, Field(ge=1, le=64, strict=True)] | None = None
    epochs: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    unlabeled_class: bool = False
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None
    threshold: Literal["auto", "prior", "pu-f1", "lee-liu"] = "auto"
    generative: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**32, strict=True)] | None = None


class Record(BaseModel):
    """What is written down of a training that is to outlive the server."""

    model_config = ConfigDict(extra="forbid")
    name: str
    started: str
    request: TrainRequest
    warnings: list[str] = []


class Workspace:
    """The tables and trainings of one server.

    Parameters
    ----------
    computer
        Runs what takes long beside the event loop.
    limits
        How much is allowed.
    storage
        Where trainings lie.
    """

    def __init__(self, computer: Computer, limits: Limits, storage: Storage):
        self.computer, self.limits, self.storage = computer, limits, storage
        self.tables: Registry[tuple[Upload, bytes]] = Registry("table", limits.kept)
        self.jobs: Registry[Job] = Registry(
            "training", limits.kept, self._forget, lambda job: not job.running
        )
        self._starting = 0
        self._lock = threading.Lock()

    def close(self) -> None:
        """Stop all trainings."""
        for _, job in self.jobs:
            if job.running:
                job.discard()
        self.storage.close()

    def upload(self, content: bytes, name: str) -> dict[str, Any]:
        """Read a table and remember it.

        Parameters
        ----------
        content
            Bytes of the file.
        name
            Name of the file, for showing.

        Returns
        -------
        dict
            Its key, and what was found in it.
        """
        table, columns = read_apart(content, name, self.limits)
        key = self.tables.put((table, content if self.storage.lasting else b""))
        found = {"table": key, "name": table.name, "n_rows": len(table.frame)}
        return found | {"told": table.told, "columns": columns}

    def start(self, request: TrainRequest) -> str:
        """Start a training.

        Parameters
        ----------
        request
            Which table to train on, and how.

        Returns
        -------
        str
            Key of the training.
        """
        with self._place():
            upload, content = self.tables.get(request.table)
            rows, roles = rows_of(upload, request)
            unfitted = make_model(
                settings_of(request, roles), kind=request.model, generative=request.generative
            )
            key = new_key()
            record = Record(name=upload.name, started=_now(), request=request)
            folder = self._new_folder(key, record, content)
            outcome = Outcome(upload.name, folder, lambda: rows)
            job = Job(outcome)

            def note(warnings: list[str]) -> None:
                record.warnings = warnings
                self.storage.note(folder, record.model_dump(mode="json"))

            job.start(rows, unfitted, self.limits.train_seconds, note)
            return self.jobs.put(job, key)

    def job(self, key: str) -> Job:
        """Find a training, also one of an earlier server; refuse an unknown key.

        Parameters
        ----------
        key
            From :meth:`start`.

        Returns
        -------
        Job
        """
        if key not in self.jobs:
            record = self._record(key)
            if record is not None:
                folder = self.storage.folder / key
                outcome = Outcome(record.name, folder, lambda: self._rows_again(folder, record))
                self.jobs.put(Job(outcome, record.warnings), key)
        return self.jobs.get(key)

    def finished(self, key: str) -> Outcome:
        """Find what a training left; refuse one that has not ended with a model.

        Parameters
        ----------
        key
            From :meth:`start`.

        Returns
        -------
        Outcome
        """
        job = self.job(key)
        if job.state != "done":
            raise Refusal(409, f"This training has no model: it is {job.state}.")
        return job.outcome

    def trainings(self) -> list[dict[str, str]]:
        """List the trainings that have a model or may get one.

        Returns
        -------
        list of dict
            Key, name of the table, state, and when it was started if that is written down;
            the oldest first.
        """
        listed = {
            key: {"job": key, "name": record.name, "state": "done", "started": record.started}
            for key in self.storage.records()
            if (record := self._record(key)) is not None
        }
        for key, job in self.jobs:
            if job.state in ("running", "done") and key not in listed:
                told = {"job": key, "name": job.outcome.name, "state": job.state, "started": ""}
                listed[key] = told
        return list(listed.values())

    @contextmanager
    def _place(self) -> Iterator[None]:
        """Take one of the places for trainings, until a job is in the registry."""
        with self._lock:
            n_running = self._starting + sum(job.running for _, job in self.jobs)
            if n_running >= self.limits.jobs:
                raise Refusal(
                    429,
                    f"No more than {self.limits.jobs} at a time may train. Wait, or cancel one.",
                )
            self._starting += 1
        try:
            yield
        finally:
            with self._lock:
                self._starting -= 1

    def _new_folder(self, key: str, record: Record, content: bytes) -> Path:
        try:
            folder = self.storage.new(key)
            self.storage.note(folder, record.model_dump(mode="json"), content)
        except OSError as error:
            shutil.rmtree(self.storage.folder / key, ignore_errors=True)
            raise Refusal(
                507, f"The training cannot be written down: {error}. Make room, and try again."
            ) from None
        return folder

    def _record(self, key: str) -> Record | None:
        try:
            found = self.storage.record(key)
            return None if found is None else Record.model_validate(found)
        except ValidationError:
            return None

    def _rows_again(self, folder: Path, record: Record) -> Rows:
        content = (folder / TABLE).read_bytes()
        upload, _ = read_apart(content, record.name, self.limits)
        return rows_of(upload, record.request)[0]

    def _forget(self, job: Job) -> None:
        if not (self.storage.lasting and job.state == "done"):
            job.discard()


def rows_of(upload: Upload, request: TrainRequest) -> tuple[Rows, dict[str, str]]:
    """Find what to learn from.

    Parameters
    ----------
    upload
        The table.
    request
        Its label column, and the kinds of others.

    Returns
    -------
    rows, roles
        What to learn from, and the roles of some columns.
    """
    check_column(request.label, upload.frame.columns, upload.name)
    column = upload.frame[request.label]
    if request.model == "classes":
        labels = read_class_column(column)
    else:
        labels = read_label_column(column, request.positive, request.negative)
    frame, roles = prepare(upload, request.label, request.kinds)
    return Rows(frame, labels, upload.frame), roles


def settings_of(request: TrainRequest, roles: dict[str, str]) -> dict[str, Any]:
    """Turn a request into the parameters of a model.

    Parameters
    ----------
    request
        How to train.
    roles
        Roles of columns.

    Returns
    -------
    dict
    """
    settings: dict[str, Any] = {"roles": roles or None, "random_state": request.seed}
    if request.model == "classes":
        settings["unlabeled_class"] = request.unlabeled_class
    else:
        settings["threshold"] = request.threshold
    given = {"prior": request.prior, "n_members": request.members, "max_epochs": request.epochs}
    return settings | {name: value for name, value in given.items() if value is not None}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
