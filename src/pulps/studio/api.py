"""``/v1``: a saved model as a small JSON API."""

from __future__ import annotations

import warnings
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from pulps.estimators.classes.names import class_named, class_names
from pulps.scale.scoring import score_columns
from pulps.studio.answers import Json, Problem, Refusal
from pulps.studio.batching import Batcher
from pulps.studio.computing import Computer
from pulps.studio.limits import Limits
from pulps.studio.metrics import Metrics
from pulps.studio.rows import (
    Cell,
    conditions,
    described,
    is_of_positives,
    to_records,
    to_table,
    unseen_columns,
)
from pulps.tables.notices import UnseenWarning

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is malformed."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "The request comes from another site."},
    404: {"model": Problem, "description": "No model is loaded."},
    408: {"model": Problem, "description": "The body took too long to arrive."},
    413: {"model": Problem, "description": "The body or the table is too large."},
    421: {"model": Problem, "description": "The server is not known under this host name."},
    422: {"model": Problem, "description": "The request is not what was expected."},
    503: {"model": Problem, "description": "The server is busy, or it took too long."},
}


class Health(BaseModel):
    """Whether the server answers, and whether it has a model."""

    status: Literal["ok"]
    model: bool


class PredictRequest(BaseModel):
    """Rows to score; columns that are left out or null are missing."""

    model_config = ConfigDict(extra="forbid")
    rows: Annotated[list[dict[str, Cell]], Field(min_length=1)]


class Score(BaseModel):
    """Score of one row; the decision is above 0 for rows called positive.

    ``unseen`` names columns whose category the fit never saw, so that it counts as missing.
    """

    positive: bool
    probability: Annotated[float, Field(ge=0, le=1)]
    decision: float
    unseen: list[str] = []


class ClassScore(BaseModel):
    """Score of one row by a model of several classes: its likeliest class, and all chances.

    ``unseen`` names columns whose category the fit never saw, so that it counts as missing.
    """

    class_name: Annotated[str, Field(alias="class")]
    probability: Annotated[float, Field(ge=0, le=1)]
    probabilities: dict[str, float]
    unseen: list[str] = []


class PredictAnswer(BaseModel):
    """Scores in the order of the rows."""

    scores: list[Score] | list[ClassScore]


class SampleRequest(BaseModel):
    """What to draw."""

    model_config = ConfigDict(extra="forbid")
    n_rows: Annotated[int, Field(ge=1, strict=True)] = 10
    class_name: Annotated[str, Field(alias="class", max_length=1000)] = "positive"
    given: dict[str, Cell] = {}
    seed: Annotated[int, Field(ge=0, lt=2**32, strict=True)] | None = None


class SampleAnswer(BaseModel):
    """Rows that were drawn."""

    rows: list[dict[str, Any]]


def check_rows(n_rows: int, limits: Limits) -> None:
    """Refuse a request for too many rows.

    Parameters
    ----------
    n_rows
        Rows asked for.
    limits
        Rows allowed.
    """
    if n_rows > limits.request_rows:
        raise Refusal(
            413,
            f"{n_rows} rows are more than the {limits.request_rows} allowed per request. Send "
            "several requests.",
        )


def score(model: Any, rows: list[dict[str, Cell]]) -> list[dict[str, Any]]:
    """Score rows.

    Parameters
    ----------
    model
        A fitted model.
    rows
        Cells by column name.

    Returns
    -------
    list of dict
        One :class:`Score` per row, or one :class:`ClassScore` of several classes.
    """
    table = to_table(model, rows)
    unseen = unseen_columns(model, table)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenWarning)  # each row tells it
        if not is_of_positives(model):
            return class_scores(model, table, unseen)
        found = score_columns(model, table)
    columns = [found["positive"].astype(bool), found["probability"], found["decision"]]
    return [
        {"positive": positive, "probability": probability, "decision": decision, "unseen": names}
        for positive, probability, decision, names in zip(
            *(c.tolist() for c in columns), unseen, strict=True
        )
    ]


def class_scores(model: Any, table: Any, unseen: list[list[str]]) -> list[dict[str, Any]]:
    """Score rows by a model of several classes.

    Parameters
    ----------
    model
        A fitted model.
    table
        The rows.
    unseen
        Columns of each row whose category the fit never saw.

    Returns
    -------
    list of dict
        One :class:`ClassScore` per row.
    """
    names = class_names(model)
    return [
        {
            "class": names[max(range(len(names)), key=chances.__getitem__)],
            "probability": max(chances),
            "probabilities": dict(zip(names, chances, strict=True)),
            "unseen": columns,
        }
        for chances, columns in zip(model.predict_proba(table).tolist(), unseen, strict=True)
    ]


def draw(model: Any, request: SampleRequest) -> dict[str, Any]:
    """Draw rows of a class.

    Parameters
    ----------
    model
        A fitted model.
    request
        What to draw.

    Returns
    -------
    dict
        A :class:`SampleAnswer`.

    Raises
    ------
    ValueError
        If the model is a consensus that was fitted without a network.
    """
    table = model.sample(
        request.n_rows,
        class_named(model, request.class_name),
        given=conditions(model, request.given),
        random_state=request.seed,
    )
    return {"rows": to_records(model, table)}


def model_routes(model: Any, computer: Computer, limits: Limits, metrics: Metrics) -> APIRouter:
    """Make the routes of the API; without a model they say that there is none.

    Parameters
    ----------
    model
        A fitted model, or None.
    computer
        Where scores and draws are computed.
    limits
        How many rows a request may have.
    metrics
        Counts rows.

    Returns
    -------
    APIRouter
        Routes below ``/v1``.
    """
    router = APIRouter(prefix="/v1", tags=["model"])
    batcher = Batcher(lambda rows: score(model, rows), computer)

    def needed() -> None:
        if model is None:
            raise Refusal(
                404, "No model is loaded. Start the server with 'pulps serve model.pulps'."
            )

    loaded = Depends(needed)

    @router.get("/health", response_model=Health)
    async def health() -> Json:
        return Json({"status": "ok", "model": model is not None})

    @router.get("/model", responses=ERRORS, dependencies=[loaded])
    async def describe() -> dict[str, Any]:
        """Describe the columns of the model, and tell whether it draws rows."""
        return described(model)

    @router.post("/predict", response_model=PredictAnswer, responses=ERRORS, dependencies=[loaded])
    async def predict(request: PredictRequest) -> Json:
        """Score rows: class, probability and decision."""
        check_rows(len(request.rows), limits)
        scores = await batcher.submit(request.rows)
        metrics.rows.inc(len(scores))
        return Json({"scores": scores})

    @router.post("/sample", response_model=SampleAnswer, responses=ERRORS, dependencies=[loaded])
    async def sample(request: SampleRequest) -> Json:
        """Draw new rows of a class, given some values."""
        check_rows(request.n_rows, limits)
        return Json(await computer.run(lambda: draw(model, request)))

    return router
