"""Measures a call in a fresh interpreter with one thread: CPU seconds, peak memory, and where that was.

``run_job`` starts a new Python with the thread counts of BLAS and OpenMP set to one, calls a function of a benchmark
in it, and hands back what that function returns. Inside, ``measure`` times a call: CPU seconds of the process, wall
seconds, and the peak of resident memory during the call beyond that before it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import importlib
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

BENCHMARKS = Path(__file__).resolve().parents[1]
RESULTS = BENCHMARKS / "results"
_LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in _LIBRARIES}


@dataclass(frozen=True)
class Measurement:
    """Seconds and bytes of one call."""

    cpu: float
    wall: float
    peak: int


def measure(call: Callable[[], Any]) -> tuple[Any, Measurement]:
    """The result of the call and what it cost. Free memory is given back first, so that its reuse is counted."""
    gc.collect()
    _trim()
    watch = _HighWater() if _HighWater.available() else _Sampler()
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    measured = Measurement(time.process_time() - cpu, time.perf_counter() - wall, watch.peak())
    return result, measured


def resident() -> int:
    """Bytes of memory of this process that are in use."""
    gc.collect()
    _trim()
    if _HighWater.available():
        return _HighWater.read("VmRSS")
    import psutil

    used: int = psutil.Process().memory_info().rss
    return used


def median(measurements: list[Measurement]) -> Measurement:
    """Median seconds, largest memory."""
    return Measurement(
        statistics.median(m.cpu for m in measurements),
        statistics.median(m.wall for m in measurements),
        max(m.peak for m in measurements),
    )


def run_job(module: str, function: str, arguments: dict[str, Any], limit: float) -> dict[str, Any] | None:
    """Calls ``module.function(**arguments)`` in a fresh interpreter; None if it takes longer than ``limit`` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        job = json.dumps({"module": module, "function": function, "arguments": arguments, "answer": str(answer)})
        command = [sys.executable, __file__, job]
        try:
            subprocess.run(command, env={**os.environ, **ONE_THREAD}, check=True, timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        found: dict[str, Any] = json.loads(answer.read_text())
        return found


def environment() -> dict[str, Any]:
    """The machine and the versions that a result belongs to."""
    from maxmargin import _core

    processor = platform.processor()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        processor = names[0] if names else processor
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "instruction_set": _core.isa(),
        "threads": 1,
        "date": time.strftime("%Y-%m-%d"),
        **{name: version(name) for name in ("maxmargin", "numpy", "scipy", "scikit-learn")},
    }


def save(name: str, content: dict[str, Any]) -> Path:
    """Writes ``results/<name>.json`` with the machine and the versions beside the content."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    path.write_text(json.dumps({"environment": environment(), **content}, indent=1, default=_plain) + "\n")
    return path


def _plain(value: Any) -> Any:
    return asdict(value) if hasattr(value, "__dataclass_fields__") else value.item()


def _trim() -> None:
    """Returns free heap pages to the system where the C library can."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)


class _HighWater:
    """The kernel's own high-water mark of resident memory, reset at the start (Linux)."""

    def __init__(self) -> None:
        Path("/proc/self/clear_refs").write_text("5")
        self._before = self.read("VmRSS")

    def peak(self) -> int:
        return max(0, self.read("VmHWM") - self._before)

    @staticmethod
    def available() -> bool:
        return os.access("/proc/self/clear_refs", os.W_OK)

    @staticmethod
    def read(field: str) -> int:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


class _Sampler:
    """Resident memory looked at every ten milliseconds, for systems without a mark that can be reset."""

    def __init__(self) -> None:
        import psutil

        self._process = psutil.Process()
        self._before: int = self._process.memory_info().rss
        self._highest: int = self._before
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._done.wait(0.01):
            self._highest = max(self._highest, self._process.memory_info().rss)

    def peak(self) -> int:
        self._done.set()
        self._thread.join()
        peak: int = max(0, self._highest - self._before)
        return peak


def _serve(job: dict[str, Any]) -> None:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        function = getattr(importlib.import_module(job["module"]), job["function"])
        answer = function(**job["arguments"])
    Path(job["answer"]).write_text(json.dumps(answer, default=_plain))


if __name__ == "__main__":
    sys.path[0] = str(BENCHMARKS)  # names of modules start there
    _serve(json.loads(sys.argv[1]))
