"""Answers: JSON that any client can read, and errors that give a reason."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
        """Write the content; NaN would be a mistake of ours and raises.

        Parameters
        ----------
        content
            What to send.

        Returns
        -------
        bytes
            ASCII.
        """
        return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


class Refusal(HTTPException):
    """A request that is refused.

    Parameters
    ----------
    status
        HTTP status.
    reason
        A sentence that says why, and what to do.
    """

    def __init__(self, status: int, reason: str):
        super().__init__(status, reason)


def problem(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Json:
    """Make the answer to a request that failed.

    Parameters
    ----------
    status
        HTTP status.
    reason
        A sentence for the user.
    headers
        Further headers.

    Returns
    -------
    Json
        ``{"error": reason}``.
    """
    return Json({"error": reason}, status_code=status, headers=headers)


def tell_problems(app: FastAPI) -> None:
    """Answer every error of an app with one JSON object that gives a reason.

    Parameters
    ----------
    app
        The application to register the handlers with.
    """

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> Json:
        return problem(error.status_code, str(error.detail), error.headers)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> Json:
        problems = [
            f"{'.'.join(str(part) for part in item['loc'])[:100]}: {item['msg'][:200]}"
            for item in error.errors()[:5]
        ]
        return problem(422, "The request is not what was expected: " + "; ".join(problems))

    @app.exception_handler(Exception)
    async def broken(_: Request, error: Exception) -> Json:
        return problem(500, f"Something went wrong here: {type(error).__name__}.")
