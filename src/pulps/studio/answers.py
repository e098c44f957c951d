"""Answers: JSON that any client can read, errors with a reason."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import Response


class Problem(BaseModel):
    """What an error looks like."""

    error: str


class Json(Response):
    """JSON in plain ASCII, so that no text of a client can fail to be sent."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the content; NaN is a mistake of ours and raises."""
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


class Refusal(HTTPException):
    """A request that is refused, with a sentence that says why."""

    def __init__(self, status: int, reason: str):
        super().__init__(status, reason)


def problem(status: int, reason: str, headers=None) -> Json:
    """Make the answer of an error."""
    return Json({"error": reason}, status_code=status, headers=headers)


def tell_problems(app: FastAPI) -> None:
    """Make every error of an app one JSON object with a reason."""

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Json:
        return problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Json:
        places = [
            f"{'.'.join(str(part) for part in item['loc'])[:100]}: {item['msg'][:200]}"
            for item in error.errors()[:5]
        ]
        return problem(422, "The request is not what was expected: " + "; ".join(places))

    @app.exception_handler(Exception)
    async def broken(_: Request, error: Exception) -> Json:
        return problem(500, f"Something went wrong here: {type(error).__name__}.")
