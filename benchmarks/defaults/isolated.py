"""Calls a function in a process of its own with one thread and a limit of CPU time; imports are done once for all."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import traceback
from typing import Any

from shared.harness import BENCHMARKS, ONE_THREAD

WORK = "defaults.work"
TOO_LONG = 77  # exit code
PATIENCE = 10.0  # times the limit of CPU seconds until the process is ended by the clock: the machine may be busy


def call(function: str, arguments: dict[str, Any], limit: float) -> dict[str, Any]:
    """The answer of a function of ``work``, or ``failure`` (a sentence) and ``seconds`` where there is none.

    The process shares nothing with others but the imported modules, so a crash or a hang ends nothing else.
    """
    context = _context()
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_serve, args=(sender, function, arguments, limit), daemon=True)
    process.start()
    sender.close()
    try:
        if receiver.poll(PATIENCE * limit):
            answer: dict[str, Any] = receiver.recv()
            return answer
        return {"failure": f"not done after {PATIENCE * limit:g} s", "seconds": limit}
    except EOFError:
        process.join()
        if process.exitcode == TOO_LONG:
            return {"failure": f"not done after {limit:g} s of CPU time", "seconds": limit}
        return {"failure": f"the process ended with code {process.exitcode}", "seconds": limit}
    finally:
        process.kill()
        process.join()
        receiver.close()


def _context() -> Any:
    """Processes are forked from one that has imported everything, where the system can do that."""
    os.environ.update({**ONE_THREAD, "PYTHONPATH": str(BENCHMARKS)})
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([WORK, "defaults.program"])
    return context


def _watch(limit: float) -> None:
    """Ends this process when it has used up its CPU time, or when the program is gone. (A limit of the system would
    make CPU clocks coarse.)"""
    start, program = time.process_time(), multiprocessing.parent_process()
    while time.process_time() - start < limit and program is not None and program.is_alive():
        time.sleep(0.2)
    os._exit(TOO_LONG)


def _serve(sender: Any, function: str, arguments: dict[str, Any], limit: float) -> None:
    from defaults import work

    threading.Thread(target=_watch, args=(limit,), daemon=True).start()
    try:
        answer = getattr(work, function)(**arguments)
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{last.filename.rsplit('/', 1)[-1]}, line {last.lineno}"
        answer = {"failure": f"{type(error).__name__} in {place}: {str(error)[:300]}", "seconds": 0.0}
    sender.send(answer)
