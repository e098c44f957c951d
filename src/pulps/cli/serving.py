"""``pulps serve``."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from pulps.io.optional import needs

MOST_PORT = 65535


def serve(
    model: Path | None = None,
    /,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    allow_host: Annotated[list[str] | None, Parameter(negative=())] = None,
    megabytes: int = 64,
    jobs: int = 2,
    keep: Path | None = None,
) -> None:
    """Start the studio, a local web page, and the JSON API of a saved model.

    The printed address contains a secret token; whoever has it can use the page. Set
    PULPS_TOKEN to choose the token yourself.

    Example: `pulps serve`

    Example: `pulps serve model.pulps --port 9000`

    Example: `pulps serve --keep trainings`

    Parameters
    ----------
    model
        File written by `pulps fit`, for `/v1/predict` and `/v1/sample`.
    host
        Address to listen on; anything but 127.0.0.1 lets other machines in.
    port
        Port to listen on; 0 picks a free one.
    allow_host
        Further host names under which the server may be reached.
    megabytes
        Size of the largest upload.
    jobs
        Number of trainings at the same time.
    keep
        Folder in which finished trainings outlive the server, with the tables they learned
        from; only you can read it. Without it they are gone when the server stops.
    """
    from pulps.cli.paths import check_model

    if not 0 <= port <= MOST_PORT:
        raise ValueError(f"--port is {port}; ports are 0 (picks a free one) to {MOST_PORT}.")
    if model is not None:
        check_model(model)
    with needs("serve", "'pulps serve'"):
        import uvicorn

        from pulps.studio.limits import Limits
        from pulps.studio.listening import make_server
        from pulps.studio.server import LOCAL, make_app, new_token
    import socket

    from pulps.cli.models import open_model

    fitted = open_model(model, any_classes=True) if model else None
    token = os.environ.get("PULPS_TOKEN") or new_token()
    limits = Limits(body_bytes=megabytes * 2**20, jobs=jobs)
    names = {*LOCAL, *(allow_host or [])}
    if host not in ("0.0.0.0", "::"):
        names.add(host)
    app = make_app(fitted, token=token, hosts=names, limits=limits, keep=keep)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise OSError(
                f"Nothing can listen on port {port} of {host}: {error.strerror or error}. Name "
                "another with --port, where 0 picks a free one, or another address with --host."
            ) from None
        listener.listen(2048)  # early clients wait instead of failing
        shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
        address = f"[{shown}]" if ":" in shown else shown
        url = f"http://{address}:{listener.getsockname()[1]}/?token={token}"
        print(f"Open {url}", flush=True)
        print("Stop with Ctrl-C.", flush=True)
        server: uvicorn.Server = make_server(app, limits)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])
