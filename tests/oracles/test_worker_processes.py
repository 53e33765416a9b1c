"""Problems asked in several processes: wherever they are defined, however the program ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from maxmargin import StructuralSVM
from maxmargin.oracles.worker_process import WorkerError
from maxmargin.oracles.workers import POOL, Crew, Worker, chunked, pickled

PROGRAM = """
import sys, time
import numpy as np
from maxmargin import StructuralSVM

class Nearest:
    \"\"\"Three outputs; the search takes a while.\"\"\"

    def joint_feature(self, x, y):
        psi = np.zeros((3, x.size))
        psi[y] = x
        return psi.ravel()

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        time.sleep({pause})
        scores = w.reshape(3, -1) @ x
        if y_true is not None:
            scores = scores + (np.arange(3) != y_true)
        return int(scores.argmax())

rng = np.random.default_rng(0)
X = list(rng.standard_normal(({n}, {width})))
Y = [int(x[:3].argmax()) for x in X]
{after}
"""
FIT = """
one = StructuralSVM(Nearest(), 1.0, tol=0.01).fit(X, Y)
two = StructuralSVM(Nearest(), 1.0, tol=0.01, n_jobs=2).fit(X, Y)
print(one.solution_.status.name, two.solution_.status.name, len(two.predict(X)), one.predict(X) == two.predict(X))
"""
LONG = """
print("ready", flush=True)
StructuralSVM(Nearest(), tol=1e-9, n_jobs=2, max_iter=None).fit(X, Y)
"""


def program(after=FIT, n=40, width=5, pause=0.0005):
    return PROGRAM.format(after=after, n=n, width=width, pause=pause)


def children_of(pid):
    """Running processes below one of them, by their numbers."""
    table = subprocess.run(["ps", "-eo", "pid,ppid"], capture_output=True, text=True, check=True).stdout.split()[2:]
    pairs = [(int(own), int(above)) for own, above in zip(table[::2], table[1::2])]
    found, new = set(), {pid}
    while new:
        new = {own for own, above in pairs if above in new} - found
        found |= new
    return found


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("way", ["stdin", "-c", "script without a guard", "more data than a pipe holds"])
def test_a_class_of_the_main_program(way, tmp_path):
    text = program(width=5000) if way.startswith("more") else program()
    (tmp_path / "script.py").write_text(text)
    arguments = {"stdin": ["-"], "-c": ["-c", text]}.get(way, [str(tmp_path / "script.py")])
    answer = subprocess.run(
        [sys.executable, *arguments],
        input=text if way == "stdin" else None,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.split() == ["CONVERGED", "CONVERGED", "40", "True"]
    assert answer.stderr == ""


@pytest.mark.parametrize("width", [5, 5000])
def test_a_class_typed_at_the_prompt(width):
    """As in ``python -i``, where an empty line ends a class; with more data than a pipe holds, and with less."""
    text = program(width=width).replace("\n\n    ", "\n    ")
    answer = subprocess.run(
        [sys.executable, "-i", "-q"], input=text, capture_output=True, text=True, timeout=120, env={**os.environ}
    )
    assert answer.returncode == 0, answer.stderr
    assert "Traceback" not in answer.stderr, answer.stderr
    assert answer.stdout.split()[-4:] == ["CONVERGED", "CONVERGED", "40", "True"]


def test_a_class_of_a_module_that_imports_the_library(tmp_path):
    """A worker imports none of the estimators, until somebody asks for one."""
    body, _, rest = program().partition("rng = ")
    (tmp_path / "own_problem.py").write_text(body)
    (tmp_path / "script.py").write_text("from own_problem import *\nrng = " + rest)
    answer = subprocess.run([sys.executable, str(tmp_path / "script.py")], capture_output=True, text=True, timeout=120)
    assert answer.stdout.split() == ["CONVERGED", "CONVERGED", "40", "True"], answer.stderr


def test_a_worker_is_small():
    worker = Worker()
    loaded = worker.receive(worker.send(pickled((eval, ("list(__import__('sys').modules)",)), "a request")))
    worker.stop()
    assert "maxmargin.oracles.worker_process" in loaded
    assert "sklearn" not in loaded


@pytest.mark.bench
@pytest.mark.parametrize("solver", ["one-slack", "bcfw"])
def test_two_jobs_pay(solver):
    """A search of 5 ms that does not compete for a processor: what is lost is the library's."""
    slow, seconds = Sleeping(), {}
    rows = RNG.standard_normal((300, 4))
    signs = [1 if x[0] + 0.3 * x[1] + 0.5 * x[2] ** 3 > 0 else -1 for x in rows]
    StructuralSVM(Sign(), n_jobs=2, solver=solver).fit(X, Y)
    for jobs in (1, 2):
        begin = time.perf_counter()
        model = StructuralSVM(slow, C=0.1, tol=1e-2, n_jobs=jobs, solver=solver).fit(rows, signs)
        trained = time.perf_counter()
        model.predict(rows)
        seconds[jobs] = trained - begin, time.perf_counter() - trained
    assert seconds[1][0] > 1.5 * seconds[2][0]
    assert seconds[1][1] > 1.2 * seconds[2][1]  # it predicts alone at first


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_no_process_is_left(kind, tmp_path):
    """A signal to the whole group, as Ctrl-C in a terminal is, while workers run."""
    script = tmp_path / "script.py"
    script.write_text(program(LONG, n=400, pause=0.002))
    process = subprocess.Popen(
        [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0
    )
    assert process.stdout.readline() == b"ready\n"
    workers = set()
    for _ in range(600):
        workers = children_of(process.pid)
        if workers:
            break
        time.sleep(0.1)
    assert workers
    os.killpg(process.pid, kind)
    process.communicate(timeout=120)
    for _ in range(600):
        if not any(map(runs, workers)):
            return
        time.sleep(0.1)
    pytest.fail(f"still running: {[pid for pid in workers if runs(pid)]}")


class Sign:
    """Two outputs."""

    def joint_feature(self, x, y):
        return y * x

    def loss(self, y_true, y):
        return float(y_true != y)

    def argmax(self, x, w, y_true=None):
        return max((-1, 1), key=lambda y: y * (x @ w) + (0.0 if y_true is None else self.loss(y_true, y)))


class Sleeping(Sign):
    """Waits before it answers."""

    def argmax(self, x, w, y_true=None):
        time.sleep(0.005)
        return super().argmax(x, w, y_true)


class Locked(Sign):
    """Holds what cannot go to another process."""

    def __init__(self):
        self.lock = threading.Lock()


class Faulty(Sign):
    """Fails in other processes only."""

    def __init__(self):
        self.home = os.getpid()

    def argmax(self, x, w, y_true=None):
        if os.getpid() != self.home:
            raise KeyError("no such word")
        return super().argmax(x, w, y_true)


class Deadly(Faulty):
    """Ends the worker."""

    def argmax(self, x, w, y_true=None):
        if os.getpid() != self.home:
            os._exit(3)
        return Sign.argmax(self, x, w, y_true)


RNG = np.random.default_rng(0)
X = list(RNG.standard_normal((60, 4)))
Y = [1 if x[0] + 0.3 * x[1] > 0 else -1 for x in X]


@pytest.mark.parametrize("solver", ["auto", "bcfw", "n-slack", "one-slack", "subgradient"])
def test_the_optimum_does_not_depend_on_processes(solver):
    one = StructuralSVM(Sign(), tol=1e-4, solver=solver).fit(X, Y)
    two = StructuralSVM(Sign(), tol=1e-4, solver=solver, n_jobs=3).fit(X, Y)
    assert two.solution_.status is one.solution_.status
    assert two.solution_.primal == pytest.approx(one.solution_.primal, rel=1e-2)
    assert two.predict(X) == [Sign().argmax(x, two.coef_) for x in X]


def test_what_cannot_be_pickled_is_a_sentence():
    with pytest.raises(ValueError, match="n_jobs needs a Locked and data that other processes can read"):
        StructuralSVM(Locked(), n_jobs=2).fit(X, Y)


@pytest.fixture
def ready_workers(monkeypatch):
    """Waits until workers have the data, so that they get a part of the work however slowly they start."""
    ready = Crew._ready

    def waited_for(crew):
        for worker, number in crew._loading.items():
            while not worker.is_done(number):
                time.sleep(0.01)
        return ready(crew)

    monkeypatch.setattr(Crew, "_ready", waited_for)


@pytest.mark.usefixtures("ready_workers")
def test_an_error_in_a_worker_comes_back():
    with pytest.raises(KeyError, match="no such word"):
        StructuralSVM(Faulty(), n_jobs=2, tol=1e-9, max_iter=1000).fit(X, Y)


@pytest.mark.usefixtures("ready_workers")
def test_a_worker_that_ends_is_a_sentence():
    with pytest.raises(WorkerError, match="exit code 3 before it answered"):
        StructuralSVM(Deadly(), n_jobs=2, tol=1e-9, max_iter=1000).fit(X, Y)


def add(value, common, chunk):
    return [value + common + item for item in chunk]


def test_workers_are_started_once_and_keep_what_they_have():
    crew = Crew(pickled(100, "a number"), 2)
    workers = POOL.take(2)
    chunks = chunked(list(range(50)), 3)
    expected = [[110 + item for item in chunk] for chunk in chunks]
    for _ in range(3):
        assert crew.run(chunks, add, 10, lambda chunk: add(100, 10, chunk)) == expected
    assert POOL.take(2) == workers
    assert Crew(pickled(1, "a number"), 1).run([[1]], add, 1, lambda chunk: add(1, 1, chunk)) == [[3]]
    assert POOL.take(2) == workers


def test_a_worker_that_is_gone_is_replaced():
    (first,) = POOL.take(1)
    first.stop()
    (second,) = POOL.take(1)
    assert second is not first
    assert second.alive


def test_answers_nobody_wants_are_dropped():
    worker = Worker()
    wanted = worker.send(pickled((max, (3, 4)), "a request"))
    worker.forget(worker.send(pickled((max, (1, 2)), "a request")))
    last = worker.send(pickled((max, (5, 6)), "a request"))
    assert worker.receive(wanted) == 4
    assert worker.receive(last) == 6
    assert not worker._answers
    assert not worker._forgotten
    worker.stop()
