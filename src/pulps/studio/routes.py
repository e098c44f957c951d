"""``/studio``: upload a table, train on it, get reports, draws and downloads."""

from __future__ import annotations

import asyncio
import time
from typing import Annotated, Any

import pandas as pd
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import HTMLResponse, Response

from pulps.io.formulas import harmless_csv
from pulps.scale.columns import model_rows
from pulps.scale.scoring import score_columns
from pulps.studio.answers import Json, Refusal
from pulps.studio.api import ERRORS, SampleRequest, check_rows, draw
from pulps.studio.reading import read_apart
from pulps.studio.rows import described
from pulps.studio.workspace import TrainRequest, Workspace

WATCH_SECONDS = 0.1  # between two looks at a training one waits for
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads"
)


class CutRequest(BaseModel):
    """Where to cut, named in one way; in no way, where the fit did."""

    model_config = ConfigDict(extra="forbid")
    share: Annotated[float, Field(ge=0, le=1)] | None = None
    precision: Annotated[float, Field(ge=0, le=1)] | None = None
    recall: Annotated[float, Field(ge=0, le=1)] | None = None


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
    async def upload(request: Request, name: str = "table") -> Json:
        """Upload a table: the body is the file, whose format is recognized."""
        content = await request.body()
        if not content:
            raise Refusal(422, "The body is empty. Send the bytes of a table.")
        return Json(await run(lambda: workspace.upload(content, name)))

    @router.post("/jobs", status_code=201)
    async def start(request: TrainRequest) -> Json:
        """Start a training."""
        return Json({"job": await run(lambda: workspace.start(request))}, status_code=201)

    @router.get("/jobs")
    async def trainings() -> Json:
        """List the trainings, and tell whether they outlive the server."""
        listed = await run(workspace.trainings)
        return Json({"lasting": workspace.storage.lasting, "jobs": listed})

    @router.get("/jobs/{key}")
    async def status(key: str, wait: Annotated[float, Query(ge=0, le=30)] = 0) -> Json:
        """Tell how far a training is; with ``wait``, wait so many seconds for its end first."""
        job = workspace.job(key)
        deadline = time.monotonic() + wait
        while job.running and time.monotonic() < deadline:
            await asyncio.sleep(WATCH_SECONDS)
        return Json(job.status())

    @router.delete("/jobs/{key}")
    async def cancel(key: str) -> Json:
        """Stop a training."""
        job = workspace.job(key)
        await run(job.cancel)
        return Json(job.status())

    @router.get("/jobs/{key}/attributes")
    async def describe_model(key: str) -> Json:
        """Describe the columns of the model, and tell whether it draws rows."""
        outcome = workspace.finished(key)
        model = await run(lambda: outcome.model)
        return Json(described(model))

    @router.get("/jobs/{key}/report")
    async def report(key: str) -> Response:
        """Get the report as a page."""
        outcome = workspace.finished(key)
        page = await run(lambda: outcome.report().html())
        return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})

    @router.get("/jobs/{key}/report/progress")
    async def report_progress(key: str) -> Json:
        """Tell how far the report is; the first who asks has it made."""
        return Json(workspace.finished(key).report_progress())

    @router.post("/jobs/{key}/cut")
    async def cut(key: str, request: CutRequest) -> Json:
        """Move the cut, and tell what to expect of it."""
        outcome = workspace.finished(key)
        told = await run(lambda: outcome.cut(**request.model_dump(exclude_none=True)))
        return Json({"told": told})

    @router.post("/jobs/{key}/score")
    async def score_file(key: str, request: Request, name: str = "table") -> Response:
        """Score another table: the body is the file; the answer is the table with its scores."""
        outcome, content = workspace.finished(key), await request.body()
        if not content:
            raise Refusal(422, "The body is empty. Send the bytes of a table.")

        def score() -> bytes:
            model = outcome.model
            table, _ = read_apart(content, name, workspace.limits)
            rows = model_rows(model, table.text, table.name, decimal=table.decimal)
            return with_scores(model, table.text, rows)

        return _download(await run(score), "scores.csv", "text/csv")

    @router.post("/jobs/{key}/sample")
    async def sample(key: str, request: SampleRequest) -> Json:
        """Draw new rows of a class, given some values."""
        outcome = workspace.finished(key)
        check_rows(request.n_rows, workspace.limits)
        return Json(await run(lambda: draw(outcome.model, request)))

    @router.get("/jobs/{key}/scores.csv")
    async def scores(key: str) -> Response:
        """Download the table with its scores; no cell of it is a formula."""
        outcome = workspace.finished(key)

        def score() -> bytes:
            rows = outcome.rows
            return with_scores(outcome.model, rows.whole, rows.frame)

        content = await run(score)
        return _download(content, "scores.csv", "text/csv")

    @router.get("/jobs/{key}/model.pulps")
    async def model_file(key: str) -> Response:
        """Download the model, for ``pulps predict`` and ``pulps.load_model``."""
        outcome = workspace.finished(key)
        content = await run(outcome.download.read_bytes)
        return _download(content, "model.pulps", "application/octet-stream")

    return router


def with_scores(model: Any, table: pd.DataFrame, rows: pd.DataFrame) -> bytes:
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
