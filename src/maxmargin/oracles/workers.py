"""Worker processes that keep what they are given: started once, all at the same time, and shared by all fits.

A worker is a new interpreter that reads pickled requests from its standard input and writes answers to a pipe. It never
imports the caller's ``__main__``, so classes of a notebook, of ``python -c`` or of a script without a guard work: they
are pickled by value (cloudpickle). It has a session of its own, so Ctrl-C does not reach it, and it ends when its input
does, however the caller ends.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import subprocess
import sys
import threading
import weakref
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Any

import cloudpickle

from maxmargin.oracles.worker_process import (
    PROGRAM,
    WorkerError,
    drop,
    keep,
    read_message,
    with_kept,
    write_message,
)

_WAIT = 0.1  # seconds between looks for Ctrl-C
_AHEAD = 3  # chunks that a worker has at a time: one that it works on, and more for as long as this process is busy
_PARTS = 20  # chunks for each process


class Worker:
    """One process, a thread that writes requests to it and one that reads its answers.

    Requests wait in the pipe, so that the process goes on with the next one at once, even where this one is busy with
    Python code of the user's that lets no other thread run for some milliseconds.
    """

    def __init__(self) -> None:
        command = [sys.executable, "-c", PROGRAM.format(path=[str(entry) for entry in sys.path])]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, env=environment
        )
        self._requests: queue.SimpleQueue[tuple[int, bytes] | None] = queue.SimpleQueue()
        self._sent: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._answers: dict[int, bytes] = {}
        self._forgotten: set[int] = set()
        self._arrived = threading.Condition()
        self._numbers = count()
        self._dead = False
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]
        for thread in self._threads:
            thread.start()

    def send(self, request: bytes) -> int:
        """Queues a pickled request and returns the number by which its answer is asked for."""
        number = next(self._numbers)
        self._requests.put((number, request))
        return number

    def is_done(self, number: int) -> bool:
        """Whether the answer is there, so that ``receive`` does not wait."""
        with self._arrived:
            return self._dead or number in self._answers

    def receive(self, number: int) -> Any:
        """The answer, or the error that the worker met; waits for it, and lets Ctrl-C through."""
        with self._arrived:
            while number not in self._answers:
                if self._dead:
                    raise WorkerError(
                        f"A worker process ended with exit code {self._exit_code()} before it answered; the problem "
                        "may have ended it, or the memory was not enough. n_jobs=1 runs in this process."
                    )
                self._arrived.wait(_WAIT)
            answer = self._answers.pop(number)
        good, value = pickle.loads(answer)
        if not good:
            raise value
        return value

    def forget(self, number: int) -> None:
        """Nobody will ask for this answer."""
        with self._arrived:
            if self._answers.pop(number, None) is None:
                self._forgotten.add(number)

    def _exit_code(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(5.0)
        return self.process.poll()

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._dead and self.process.poll() is None

    def stop(self) -> None:
        """Ends the process, whatever it is doing."""
        self._requests.put(None)
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        assert self.process.stdin is not None
        with suppress(OSError, ValueError), self.process.stdin as requests:  # the reader sees that the process ended
            while (item := self._requests.get()) is not None:
                self._sent.put(item[0])
                write_message(requests, item[1])

    def _read(self) -> None:
        assert self.process.stdout is not None
        with suppress(OSError, ValueError), self.process.stdout as answers:
            while (answer := read_message(answers)) is not None:
                number = self._sent.get()
                with self._arrived:
                    if number in self._forgotten:
                        self._forgotten.remove(number)
                    else:
                        self._answers[number] = answer
                    self._arrived.notify_all()
        with self._arrived:
            self._dead = True
            self._arrived.notify_all()


def pickled(what: Any, name: str) -> bytes:
    """Bytes for a worker; what cannot be pickled is a sentence about ``name``."""
    try:
        data: bytes = cloudpickle.dumps(what, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        raise ValueError(
            f"n_jobs needs {name} that other processes can read, and it cannot be pickled ({error}); leave out open "
            "files, locks and the like, or use n_jobs=1."
        ) from error
    return data


class _Pool:
    """The workers of this process."""

    def __init__(self) -> None:
        self._workers: list[Worker] = []
        self._owner = 0
        self._lock = threading.Lock()

    def take(self, wanted: int) -> list[Worker]:
        """So many workers, those that run already first; a process forked from another has none of its workers."""
        with self._lock:
            if self._owner != os.getpid():
                self._workers, self._owner = [], os.getpid()
            for worker in [worker for worker in self._workers if not worker.alive]:
                worker.stop()
                self._workers.remove(worker)
            self._workers += [Worker() for _ in range(wanted - len(self._workers))]
            return self._workers[:wanted]

    def stop(self) -> None:
        """Ends all workers."""
        if self._owner == os.getpid():
            for worker in self._workers:
                worker.stop()
            self._workers = []


POOL = _Pool()
atexit.register(POOL.stop)


class Crew:
    """Some workers that hold one value, and this process as one more of them.

    A worker that is still starting is left out: this process does all the work until then.
    """

    def __init__(self, value: bytes, size: int) -> None:
        self._key = os.urandom(8).hex()
        self._workers = POOL.take(size)
        self._loading = {worker: worker.send(_request(keep, self._key, value)) for worker in self._workers}
        self._close = weakref.finalize(self, _let_go, self._workers, self._key)

    def run(
        self, chunks: Sequence[Any], function: Callable[..., Any], common: Any, own: Callable[[Any], Any]
    ) -> list[Any]:
        """``function(value, common, chunk)`` of every chunk, by whoever is free; ``own(chunk)`` is the same here.

        ``common`` is sent to each worker once. A worker has its next chunks before it is done with the last, so that it
        does not wait for this process, which is busy with a chunk of its own; towards the end it has fewer, so that
        this process does not wait for it.
        """
        results: dict[int, Any] = {}
        waiting = deque(range(len(chunks)))
        busy: deque[tuple[Worker, int, int]] = deque()  # in the order in which they were sent
        told: set[Worker] = set()
        message = None
        try:
            while waiting or busy:
                for sent in [sent for sent in busy if sent[0].is_done(sent[1])]:
                    results[sent[2]] = sent[0].receive(sent[1])
                    busy.remove(sent)
                loads = Counter(worker for worker, _, _ in busy)
                for worker in self._ready() * _AHEAD:
                    if loads[worker] >= min(_AHEAD, len(waiting)):
                        continue
                    if worker not in told:
                        message = _request(keep, f"{self._key} common", common) if message is None else message
                        worker.forget(worker.send(message))
                        told.add(worker)
                    place = waiting.popleft()
                    loads[worker] += 1
                    busy.append((worker, worker.send(_request(with_kept, self._key, function, chunks[place])), place))
                if waiting:
                    place = waiting.popleft()
                    results[place] = own(chunks[place])
                elif busy:
                    worker, number, place = busy[0]
                    results[place] = worker.receive(number)
                    busy.popleft()
        finally:
            for worker, number, _ in busy:
                worker.forget(number)
        return [results[place] for place in range(len(chunks))]

    def _ready(self) -> list[Worker]:
        """The workers that hold the value; what went wrong while they took it is raised here."""
        for worker, number in list(self._loading.items()):
            if worker.is_done(number):
                del self._loading[worker]
                worker.receive(number)
        return [worker for worker in self._workers if worker not in self._loading]


def chunked(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """Consecutive parts of equal length for so many processes, some for each: a few take longer than others."""
    length = max(1, len(items) // (_PARTS * size))
    return [items[start : start + length] for start in range(0, len(items), length)]


def _request(function: Callable[..., Any], *arguments: Any) -> bytes:
    return bytes(cloudpickle.dumps((function, arguments), protocol=pickle.HIGHEST_PROTOCOL))


def _let_go(workers: Sequence[Worker], key: str) -> None:
    for worker in workers:
        for name in (key, f"{key} common"):
            worker.forget(worker.send(_request(drop, name)))
