"""A real server on a free port, for as long as a test needs it."""

import socket
import threading
from contextlib import contextmanager

import httpx
import uvicorn


@contextmanager
def serving(app):
    """Serve an app; give a client that talks to it."""
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="critical", access_log=False, ws="none", lifespan="on")
    )
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()  # from here on clients wait until the server takes them
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        try:
            with httpx.Client(base_url=address, timeout=120, trust_env=False) as client:
                yield client
        finally:
            server.should_exit = True
            thread.join()
