"""``/studio``: tables in, trainings, reports, draws and downloads out."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, Response

from pulps.io.formulas import harmless_csv
from pulps.labels import read_label_column
from pulps.network.likelihood import LikelihoodRecipe
from pulps.studio.answers import Json, Refusal
from pulps.studio.api import ERRORS, SampleRequest, check_rows, draw
from pulps.studio.computing import Computer
from pulps.studio.jobs import Job
from pulps.studio.limits import Limits
from pulps.studio.rows import attributes
from pulps.studio.tables import Kind, Shelf, Upload, describe, prepare, read_upload

REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


class TrainRequest(BaseModel):
    """What to learn from which table."""

    model_config = ConfigDict(extra="forbid")
    table: str
    label: str
    positive: str | None = None
    kinds: dict[str, Kind] = {}
    members: Annotated[int, Field(ge=1, le=64, strict=True)] | None = None
    epochs: Annotated[int, Field(ge=1, le=10_000, strict=True)] | None = None
    generative: bool = True
    seed: Annotated[int, Field(ge=0, lt=2**32, strict=True)] | None = None


class Desk:
    """Tables and trainings of one server."""

    def __init__(self, computer: Computer, limits: Limits, folder: Path):
        self.computer, self.limits, self.folder = computer, limits, folder
        self.tables: Shelf[Upload] = Shelf("table", limits.kept)
        self.jobs: Shelf[Job] = Shelf("training", limits.kept, Job.discard)

    def close(self) -> None:
        """Stop all trainings."""
        for job in self.jobs:
            job.cancel()

    def start(self, request: TrainRequest) -> str:
        """Start a training; return its name."""
        if sum(job.running for job in self.jobs) >= self.limits.jobs:
            raise Refusal(
                429, f"{self.limits.jobs} trainings are running already; wait or cancel one."
            )
        upload = self.tables.get(request.table)
        if request.label not in upload.frame.columns:
            raise Refusal(422, f"The table has no column {request.label[:100]!r}.")
        labeled = read_label_column(upload.frame[request.label], request.positive)
        frame, categorical = prepare(upload.frame, request.label, request.kinds)
        settings: dict[str, Any] = {
            "categorical_features": categorical,
            "random_state": request.seed,
        }
        if request.members is not None:
            settings["n_members"] = request.members
        if request.epochs is not None:
            settings["max_epochs"] = request.epochs
        if request.generative:
            settings["density"] = LikelihoodRecipe()
        job = Job(
            upload.name,
            frame,
            labeled,
            upload.frame,
            settings,
            Path(mkdtemp(dir=self.folder)),
            self.limits.train_seconds,
        )
        return self.jobs.put(job)

    def finished(self, key: str) -> Job:
        """Find a training that has a model."""
        job = self.jobs.get(key)
        if job.model is None:
            raise Refusal(409, f"This training has no model yet; it is {job.state}.")
        return job


def desk_routes(desk: Desk) -> APIRouter:
    """Routes of the page."""
    router = APIRouter(prefix="/studio", tags=["studio"], responses=ERRORS)
    run = desk.computer.run

    @router.post("/tables")
    async def upload(request: Request, name: str = "table"):
        """Take a table: the body is the file, its format is recognized."""
        content = await request.body()
        if not content:
            raise Refusal(422, "The body is empty; send the bytes of a table.")
        table = await run(lambda: read_upload(content, name, desk.limits))
        columns = await run(lambda: describe(table.frame))
        key = desk.tables.put(table)
        answer = {"table": key, "name": table.name, "n_rows": len(table.frame)}
        return Json(answer | {"columns": columns})

    @router.post("/jobs", status_code=201)
    async def start(request: TrainRequest):
        """Start a training."""
        return Json({"job": await run(lambda: desk.start(request))}, status_code=201)

    @router.get("/jobs/{key}")
    async def status(key: str, wait: Annotated[float, Query(ge=0, le=30)] = 0):
        """Say how far a training is, at once or when it has ended, after ``wait`` seconds."""
        job = desk.jobs.get(key)
        if wait:
            await anyio.to_thread.run_sync(job.wait, wait, abandon_on_cancel=True)
        return Json(job.status())

    @router.delete("/jobs/{key}")
    async def cancel(key: str):
        """Stop a training."""
        job = desk.jobs.get(key)
        await run(job.cancel)
        return Json(job.status())

    @router.get("/jobs/{key}/attributes")
    async def describe_model(key: str):
        """Columns of the model, with ranges and categories."""
        model = desk.finished(key).model
        return Json({"attributes": attributes(model)})

    @router.get("/jobs/{key}/report")
    async def report(key: str):
        """Show the report as a page."""
        job = desk.finished(key)
        page = await run(lambda: job.report().html())
        return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})

    @router.post("/jobs/{key}/sample")
    async def sample(key: str, request: SampleRequest):
        """Draw new rows."""
        job = desk.finished(key)
        check_rows(request.n_rows, desk.limits)
        return Json(await run(lambda: draw(job.model, request)))

    @router.get("/jobs/{key}/scores.csv")
    async def scores(key: str):
        """Hand out the table with its scores; nothing in it is a formula."""
        job = desk.finished(key)
        return _download(await run(lambda: scored(job)), "scores.csv", "text/csv")

    @router.get("/jobs/{key}/model.pulps")
    async def model_file(key: str):
        """Hand out the model, for ``pulps predict`` and ``LPSClassifier.load``."""
        job = desk.finished(key)
        content = await run(job.path.read_bytes)
        return _download(content, "model.pulps", "application/octet-stream")

    return router


def scored(job: Job) -> bytes:
    """Write the table with its scores as CSV."""
    assert job.model is not None
    decision = job.model.decision_function(job.frame)
    table = job.whole.copy()
    new = {
        "positive": (decision > 0).astype(int),
        "probability": job.model.predict_proba(job.frame)[:, 1],
        "log_ratio": decision,
    }
    for name, values in new.items():
        while name in table.columns:
            name += "_"
        table[name] = values
    return harmless_csv(table).encode("utf-8")


def _download(content: bytes, name: str, kind: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=headers)
