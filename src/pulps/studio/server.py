"""The whole server: guard, API, routes of the studio, and pages."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from fastapi import FastAPI
from jinja2 import Environment, PackageLoader
from pydantic import BaseModel
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from pulps.studio.answers import Json, Problem, Refusal, tell_problems
from pulps.studio.api import model_routes
from pulps.studio.computing import Computer
from pulps.studio.guard import Guard
from pulps.studio.keeping import Storage
from pulps.studio.limits import Limits
from pulps.studio.metrics import KIND, Metrics
from pulps.studio.routes import studio_routes
from pulps.studio.workspace import Workspace

LOCAL = ("127.0.0.1", "localhost", "[::1]")
ASSETS = {"studio.js": "text/javascript", "studio.css": "text/css"}


class State(BaseModel):
    """That all is well."""

    status: Literal["ok"]


def new_token() -> str:
    """Draw a secret token that nobody can guess.

    Returns
    -------
    str
        Safe to be part of an address.
    """
    return secrets.token_urlsafe(24)


def make_app(
    model: Any = None,
    *,
    token: str,
    hosts: Iterable[str] = LOCAL,
    limits: Limits | None = None,
    keep: Path | None = None,
) -> Guard:
    """Build the server as an ASGI application.

    Parameters
    ----------
    model
        A fitted classifier for ``/v1``, or None.
    token
        The secret token that requests must carry.
    hosts
        Host names under which the server may be reached.
    limits
        How much it does at once.
    keep
        Folder in which trainings outlive the server; None forgets them when it stops.

    Returns
    -------
    Guard
        The application, with the guard in front.
    """
    limits = limits or Limits()
    computer = Computer(limits)
    metrics = Metrics(computer)
    workspace = Workspace(computer, limits, Storage(keep))

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        workspace.close()

    app = FastAPI(
        title="pulps",
        description="Positive-unlabeled learning with locally purified states.",
        version="1",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    tell_problems(app)
    app.include_router(model_routes(model, computer, limits, metrics))
    app.include_router(studio_routes(workspace))
    templates = Environment(loader=PackageLoader("pulps.studio", "page"), autoescape=True)

    @app.get("/health", response_model=State, tags=["server"])
    async def health() -> Json:
        """Tell that the server runs."""
        return Json({"status": "ok"})

    @app.get("/ready", response_model=State, tags=["server"], responses={503: {"model": Problem}})
    async def ready() -> Json:
        """Tell whether the server can take work now."""
        if computer.full:
            raise Refusal(503, "Too many requests are waiting. Try again in a moment.")
        return Json({"status": "ok"})

    @app.get("/metrics", response_class=PlainTextResponse, tags=["server"])
    async def counted() -> Response:
        """Tell what the server has done so far, in the text format of Prometheus."""
        return Response(metrics.text(), media_type=KIND)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        page = templates.get_template("studio.html")
        return HTMLResponse(page.render(limits=limits, lasting=keep is not None))

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        schema = app.openapi()
        return HTMLResponse(templates.get_template("docs.html").render(schema=schema))

    @app.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str) -> Response:
        if name not in ASSETS:
            raise Refusal(404, "There is no such file. The files are " + ", ".join(ASSETS) + ".")
        content = (files("pulps.studio") / "page" / name).read_bytes()
        return Response(content, media_type=ASSETS[name])

    allowed = frozenset(host.lower() for host in hosts)
    return Guard(app, token=token, hosts=allowed, limits=limits, metrics=metrics)
