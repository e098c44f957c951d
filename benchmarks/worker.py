"""A process that times one checkout of the library, round by round, when it is asked to.

Two versions of a package do not fit into one process. So each gets a process of its own, with
its own ``PYTHONPATH``, that reads a request a line and answers with a line: the rounds of both
alternate, and a busy machine slows both. A process holds any number of ways to sweep, by name.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path


class Worker:
    """A process that runs this file, or another one, with the code of one checkout."""

    def __init__(self, checkout: Path, threads: int, script: str = __file__) -> None:
        environment = os.environ | {
            "PYTHONPATH": str(checkout / "src"),
            "OMP_NUM_THREADS": str(threads),
            "OMP_WAIT_POLICY": "passive",
        }
        self.process = subprocess.Popen(
            [sys.executable, script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def ask(self, **request) -> dict:
        """Send a request and wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"The worker ended while it was asked for {request}.")
        return json.loads(line)

    def close(self) -> None:
        """Let the process end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def found(*names: str):
    """Import the first module there is: earlier checkouts have other packages."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(f"none of {', '.join(names)}")


def make(request: dict):
    """Chains and rows of a request, and the engine that sweeps them: a function of nothing."""
    import torch

    engine = found("pulps.network.engine", "pulps.engine")
    lps, basis = (
        found("pulps.network.lps", "pulps.lps"),
        found("pulps.network.basis", "pulps.basis"),
    )
    n_sites, n_rows, dim = request["n_sites"], request["n_rows"], request["feature_dim"]
    generator = torch.Generator().manual_seed(0)
    shape = lps.ChainShape(
        (dim,) * n_sites, request["bond_dim"], request["spacing"], request["output_dim"]
    )
    dtype = getattr(torch, request["dtype"])
    cores = [
        core.to(dtype).requires_grad_()
        for core in shape.random_cores(request["n_chains"], 1.0, generator)
    ]
    if request.get("columns"):
        embed, values = basis.CosineBasis(dim), torch.load(request["columns"], weights_only=True)
    elif request["one_hot"]:
        embed = basis.OneHotBasis(dim)
        values = torch.randint(dim, (n_sites, n_rows), generator=generator)
    else:
        embed, values = basis.CosineBasis(dim), torch.rand(n_sites, n_rows, generator=generator)
    features = [embed(column.to(dtype)).contiguous() for column in values]
    observed = torch.rand(n_rows, n_sites, generator=generator) >= request.get("missing", 0.0)
    both = None
    if request["engine"] == "author":
        import author_order

        def norms():
            return author_order.log_norms(cores, features)

        frobenius = author_order.log_frobenius_norms
    else:
        native = request["engine"] != "torch" and request["engine"] != "lean"
        module = engine.native if native else engine.blocks
        batch = engine.prepare(features, observed, once=True)
        budget = {"memory_budget": 0} if request["engine"] == "lean" else {}

        def norms():
            return module.log_norms(cores, batch, **budget)

        if request["engine"] == "categorical":
            batch = engine.prepare(features, observed)
            plan = engine.categorical.plan(batch, shape.core_shapes())

            def norms():
                return engine.categorical.log_norms(cores, batch, plan)

        frobenius = module.log_frobenius_norms
        if request["engine"] == "native" and hasattr(module, "all_log_norms"):

            def both():  # what a step of training calls, where there is such a call
                return module.all_log_norms(cores, batch)

    def step():
        logs, sizes = (norms(), frobenius(cores)) if both is None else both()
        torch.autograd.grad(logs.mean() + sizes.mean(), cores)

    return step


def memory_of(step) -> float | None:
    """Run a step; tell the memory it takes at its peak beyond what was held, if Linux tells."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")

    def entry(name: str) -> int:
        return next(int(x.split()[1]) for x in status.read_text().splitlines() if name in x)

    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)
        reset.write_text("5")
    except (OSError, AttributeError):
        return step()
    before = entry("VmRSS")
    step()
    return (entry("VmHWM") - before) / 1024


def gemm_speed() -> float:
    """Floating point operations per second of a large matrix product: the roofline."""
    import torch

    a = torch.rand(1024, 1024)
    torch.mm(a, a)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        torch.mm(a, a)
        seconds.append(time.perf_counter() - start)
    return 2 * 1024**3 / min(seconds)


def serve() -> None:
    """Answer requests: ``make`` prepares, ``run`` measures steps, ``forget``, ``gemm``."""
    import torch

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    steps: dict = {}
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict = {}
        if request["do"] == "make":
            step = steps[request["engine"]] = make(request)
            answer = {"mb": memory_of(step)}
        elif request["do"] == "forget":
            steps.clear()
        elif request["do"] == "gemm":
            answer = {"speed": gemm_speed()}
        else:
            step = steps[request["engine"]]
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(request["repeats"]):
                step()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            answer = {"seconds": wall / request["repeats"], "cpu": cpu / request["repeats"]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
