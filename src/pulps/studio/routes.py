"""``/studio``: upload a table, train on it, get reports, draws and downloads."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any, Literal

import anyio.to_thread
import pandas as pd
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, Response

from pulps.estimators.settings import Kind as ModelKind
from pulps.estimators.settings import make_model
from pulps.io.files import check_column
from pulps.io.formulas import harmless_csv
from pulps.labels import read_label_column
from pulps.scale.columns import model_rows
from pulps.scale.scoring import score_columns
from pulps.studio.answers import Json, Refusal
from pulps.studio.api import ERRORS, SampleRequest, check_rows, draw
from pulps.studio.computing import Computer
from pulps.studio.jobs import Job
from pulps.studio.limits import Limits
from pulps.studio.registry import Registry
from pulps.studio.rows import attributes, generates
from pulps.studio.tables import Kind, Upload, describe, prepare, read_upload

REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads"
)


class TrainRequest(BaseModel):
    """Which table to train on, and how."""

    model_config = ConfigDict(extra="forbid")
    table: str
    label: str
    positive: str | None = None
    kinds: dict[str, Kind] = {}
    model: ModelKind = "consensus"
    members: Annotated[int, Field(ge=1, le=64, strict=True)] | None = None
    epochs: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None
    threshold: Literal["auto", "prior", "pu-f1", "lee-liu"] = "auto"
    generative: bool = False
    seed: Annotated[int, Field(ge=0, lt=2**32, strict=True)] | None = None


class CutRequest(BaseModel):
    """Where to cut, named in one way; in no way, where the fit did."""

    model_config = ConfigDict(extra="forbid")
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    precision: Annotated[float, Field(ge=0, le=1)] | None = None
    recall: Annotated[float, Field(ge=0, le=1)] | None = None


class Workspace:
    """The tables and trainings of one server.

    Parameters
    ----------
    computer
        Runs what takes long beside the event loop.
    limits
        How much is allowed.
    folder
        Folder for model files.
    """

    def __init__(self, computer: Computer, limits: Limits, folder: Path):
        self.computer, self.limits, self.folder = computer, limits, folder
        self.tables: Registry[Upload] = Registry("table", limits.kept)
        self.jobs: Registry[Job] = Registry("training", limits.kept, Job.discard)

    def close(self) -> None:
        """Stop all trainings."""
        for job in self.jobs:
            job.cancel()

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
        if sum(job.running for job in self.jobs) >= self.limits.jobs:
            raise Refusal(
                429,
                f"No more than {self.limits.jobs} at a time may train. Wait, or cancel one.",
            )
        upload = self.tables.get(request.table)
        check_column(request.label, upload.frame.columns, upload.name)
        labeled = read_label_column(upload.frame[request.label], request.positive)
        frame, roles = prepare(upload, request.label, request.kinds)
        settings: dict[str, Any] = {
            "roles": roles or None,
            "random_state": request.seed,
            "threshold": request.threshold,
        }
        if request.prior is not None:
            settings["prior"] = request.prior
        if request.members is not None:
            settings["n_members"] = request.members
        if request.epochs is not None:
            settings["max_epochs"] = request.epochs
        job = Job(
            upload.name,
            frame,
            labeled,
            upload.frame,
            make_model(settings, kind=request.model, generative=request.generative),
            Path(mkdtemp(dir=self.folder)),
            self.limits.train_seconds,
        )
        return self.jobs.put(job)

    def finished(self, key: str) -> Job:
        """Find a training that has ended with a model; refuse any other.

        Parameters
        ----------
        key
            From :meth:`start`.

        Returns
        -------
        Job
            The training, whose ``model`` is there.
        """
        job = self.jobs.get(key)
        if job.model is None:
            raise Refusal(409, f"This training has no model: it is {job.state}.")
        return job


def studio_routes(workspace: Workspace) -> APIRouter:
    """Make the routes that the page uses.

    Parameters
    ----------
    workspace
        The tables and trainings they work on.

    Returns
    -------
    APIRouter
        Routes below ``/studio``.
    """
    router = APIRouter(prefix="/studio", tags=["studio"], responses=ERRORS)
    run = workspace.computer.run

    @router.post("/tables")
    async def upload(request: Request, name: str = "table"):
        """Upload a table: the body is the file, whose format is recognized."""
        content = await request.body()
        if not content:
            raise Refusal(422, "The body is empty. Send the bytes of a table.")
        table = await run(lambda: read_upload(content, name, workspace.limits))
        columns = await run(lambda: describe(table.frame))
        key = workspace.tables.put(table)
        answer = {"table": key, "name": table.name, "n_rows": len(table.frame)}
        answer["told"] = table.told
        return Json(answer | {"columns": columns})

    @router.post("/jobs", status_code=201)
    async def start(request: TrainRequest):
        """Start a training."""
        return Json({"job": await run(lambda: workspace.start(request))}, status_code=201)

    @router.get("/jobs/{key}")
    async def status(key: str, wait: Annotated[float, Query(ge=0, le=30)] = 0):
        """Tell how far a training is; with ``wait``, wait so many seconds for its end first."""
        job = workspace.jobs.get(key)
        if wait:
            await anyio.to_thread.run_sync(job.wait, wait, abandon_on_cancel=True)
        return Json(job.status())

    @router.delete("/jobs/{key}")
    async def cancel(key: str):
        """Stop a training."""
        job = workspace.jobs.get(key)
        await run(job.cancel)
        return Json(job.status())

    @router.get("/jobs/{key}/attributes")
    async def describe_model(key: str):
        """Describe the columns of the model, and tell whether it draws rows."""
        model = workspace.finished(key).model
        return Json({"attributes": attributes(model), "generates": generates(model)})

    @router.get("/jobs/{key}/report")
    async def report(key: str):
        """Get the report as a page."""
        job = workspace.finished(key)
        page = await run(lambda: job.report().html())
        return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})

    @router.get("/jobs/{key}/report/progress")
    async def report_progress(key: str):
        """Tell how far the report is; the first who asks has it made."""
        return Json(workspace.finished(key).report_progress())

    @router.post("/jobs/{key}/cut")
    async def cut(key: str, request: CutRequest):
        """Move the cut, and tell what to expect of it."""
        job = workspace.finished(key)
        told = await run(lambda: job.cut(**request.model_dump(exclude_none=True)))
        return Json({"told": told})

    @router.post("/jobs/{key}/score")
    async def score_file(key: str, request: Request, name: str = "table"):
        """Score another table: the body is the file; the answer is the table with its scores."""
        job, content = workspace.finished(key), await request.body()
        if not content:
            raise Refusal(422, "The body is empty. Send the bytes of a table.")

        def score() -> bytes:
            table = read_upload(content, name, workspace.limits)
            rows = model_rows(job.model, table.text, table.name, decimal=table.decimal)
            return with_scores(job.model, table.text, rows)

        return _download(await run(score), "scores.csv", "text/csv")

    @router.post("/jobs/{key}/sample")
    async def sample(key: str, request: SampleRequest):
        """Draw new rows of a class, given some values."""
        job = workspace.finished(key)
        check_rows(request.n_rows, workspace.limits)
        return Json(await run(lambda: draw(job.model, request)))

    @router.get("/jobs/{key}/scores.csv")
    async def scores(key: str):
        """Download the table with its scores; no cell of it is a formula."""
        job = workspace.finished(key)
        content = await run(lambda: with_scores(job.model, job.whole, job.frame))
        return _download(content, "scores.csv", "text/csv")

    @router.get("/jobs/{key}/model.pulps")
    async def model_file(key: str):
        """Download the model, for ``pulps predict`` and ``pulps.load_model``."""
        job = workspace.finished(key)
        content = await run(job.download.read_bytes)
        return _download(content, "model.pulps", "application/octet-stream")

    return router


def with_scores(model, table: pd.DataFrame, rows: pd.DataFrame) -> bytes:
    """Write a table with its scores as CSV.

    Parameters
    ----------
    model
        A fitted model.
    table
        The table as it came.
    rows
        What the model reads of it.

    Returns
    -------
    bytes
        The file; where the table has a column of the same name, scores get an underscore.
    """
    scored = table.copy()
    for name, values in score_columns(model, rows).items():
        while name in scored.columns:
            name += "_"
        scored[name] = values
    return harmless_csv(scored).encode("utf-8")


def _download(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
