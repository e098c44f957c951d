"""``/v1``: a saved model as a small JSON API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field
from scipy.special import expit

from pulps.studio.answers import Json, Problem, Refusal
from pulps.studio.batching import Batcher
from pulps.studio.computing import Computer
from pulps.studio.limits import Limits
from pulps.studio.rows import Cell, attributes, conditions, to_records, to_table

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is damaged."},
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "The request comes from another site."},
    404: {"model": Problem, "description": "No model is loaded."},
    408: {"model": Problem, "description": "The body took too long to arrive."},
    413: {"model": Problem, "description": "The body or the table is too large."},
    421: {"model": Problem, "description": "The host name is not ours."},
    422: {"model": Problem, "description": "The request is not what was expected."},
    503: {"model": Problem, "description": "Too busy, or it took too long."},
}


class Health(BaseModel):
    """Whether the server answers, and whether it has a model."""

    status: Literal["ok"]
    model: bool


class PredictRequest(BaseModel):
    """Rows to score; columns that are not named, or null, are missing and summed over."""

    model_config = ConfigDict(extra="forbid")
    rows: Annotated[list[dict[str, Cell]], Field(min_length=1)]


class Score(BaseModel):
    """Score of one row."""

    positive: bool
    probability: Annotated[float, Field(ge=0, le=1)]
    log_ratio: float


class PredictAnswer(BaseModel):
    """Scores in the order of the rows."""

    scores: list[Score]


class SampleRequest(BaseModel):
    """What to draw."""

    model_config = ConfigDict(extra="forbid")
    n_rows: Annotated[int, Field(ge=1, strict=True)] = 10
    side: Literal["positive", "negative"] = "positive"
    given: dict[str, Cell] = {}
    seed: Annotated[int, Field(ge=0, lt=2**32, strict=True)] | None = None


class SampleAnswer(BaseModel):
    """Rows that were drawn."""

    rows: list[dict[str, Any]]


def check_rows(n_rows: int, limits: Limits) -> None:
    """Refuse more rows than a request may have."""
    if n_rows > limits.request_rows:
        raise Refusal(413, f"{n_rows} rows are more than the {limits.request_rows} allowed.")


def score(model, rows: list[dict[str, Cell]]) -> list[dict[str, Any]]:
    """Score rows."""
    table = to_table(model, rows)
    decision = model.decision_function(table)
    probability = expit(model.slope_ * decision)
    return [
        {"positive": d > 0, "probability": p, "log_ratio": d}
        for d, p in zip(decision.tolist(), probability.tolist(), strict=True)
    ]


def draw(model, request: SampleRequest) -> dict[str, Any]:
    """Draw rows."""
    table = model.sample(
        request.n_rows,
        int(request.side == "positive"),
        given=conditions(model, request.given),
        random_state=request.seed,
    )
    return {"rows": to_records(model, table)}


def model_routes(model, computer: Computer, limits: Limits) -> APIRouter:
    """Routes that answer for one model; without one they say so."""
    router = APIRouter(prefix="/v1", tags=["model"])
    batcher = Batcher(lambda rows: score(model, rows), computer)

    def needed():
        if model is None:
            raise Refusal(404, "No model is loaded; start with 'pulps serve model.pulps'.")

    loaded = Depends(needed)

    @router.get("/health", response_model=Health)
    async def health():
        return Json({"status": "ok", "model": model is not None})

    @router.get("/model", responses=ERRORS, dependencies=[loaded])
    async def describe() -> dict[str, Any]:
        """Columns of the model, with ranges and categories."""
        return {"attributes": attributes(model)}

    @router.post("/predict", response_model=PredictAnswer, responses=ERRORS, dependencies=[loaded])
    async def predict(request: PredictRequest):
        """Score rows: class, probability and log-ratio."""
        check_rows(len(request.rows), limits)
        return Json({"scores": await batcher.submit(request.rows)})

    @router.post("/sample", response_model=SampleAnswer, responses=ERRORS, dependencies=[loaded])
    async def sample(request: SampleRequest):
        """Draw new rows of a class, given some values."""
        check_rows(request.n_rows, limits)
        return Json(await computer.run(lambda: draw(model, request)))

    return router
