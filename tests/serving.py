"""A real server on a free port, for as long as a test needs it."""

import socket
import threading
from contextlib import contextmanager

import httpx
import numpy as np
import pandas as pd
from reported import DENSITY

from pulps import LPSClassifier
from pulps.studio.limits import Limits
from pulps.studio.listening import make_server
from pulps.studio.server import make_app

TOKEN = "a-token-for-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@contextmanager
def serving(app):
    """Serve an app; give a client that talks to it."""
    server = make_server(app, app.limits)
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


def make_table(n_rows=60):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    return pd.DataFrame(
        {
            "size": rng.normal(size=n_rows) + 3 * truth,
            "age": rng.integers(20, 60, n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, "red", "=blue()"),
            "bought": np.where(truth & (rng.random(n_rows) < 0.6), "yes", None),
        }
    )


def small_model():
    """A model of that table, trained for a moment."""
    table = make_table()
    y = table.pop("bought").notna()
    quick = LPSClassifier(n_members=1, max_epochs=4, n_repeats=1, random_state=0)
    return quick.set_params(density=DENSITY).fit(table, y)


def open_client(model=None, **limits):
    return serving(make_app(model, token=TOKEN, limits=Limits(**limits)))
