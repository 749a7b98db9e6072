"""What an answer of a model is worth: verl calls `compute_score`, and `vitest-npu` judges.

The answer is read, compiled, launched and compared as `vitest-npu generate` would do it. Nothing but the standard
library of Python, node and a C++ compiler is needed on the machines where verl computes rewards.
"""

import contextlib
import csv
import fcntl
import io
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

# what the furthest stage that a sample has reached is worth; the columns of `vitest-npu score --csv --samples`
WORTH = (("correct", 1.0), ("runs", 0.3), ("compiles", 0.1))

# what of `extra_info` the prompt was made with, and the judge has to know; options of `vitest-npu generate`
OPTIONS = ("language", "mode", "case")

# the command line of the package that this file is part of
COMMAND = ("node", str(Path(__file__).resolve().parents[2] / "dist" / "cli" / "main.js"))

# the emulator and what was built with it: folders of answers come and go
CACHE = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vitest-npu")

ATTEMPTS = 3


def compute_score(
    data_source, solution_str, ground_truth, extra_info=None, *, jobs=4, speed=0.0, timeout=3600, command=COMMAND, **_
):
    """The worth of an answer to a task, from 0 to 1, and `speed` more at most.

    ground_truth   JSON with `suite` and `task`, as `vitest-npu dataset export --format verl` writes it

    jobs      answers that are judged on this machine at the same time, by all workers together
    speed     what a right kernel gets at twice the speed of the baseline; less in proportion below that
    timeout   seconds for one answer, after which something is wrong with the machine

    An answer that could not be judged because of the machine is no answer of worth 0: after some attempts, it is an error.
    """
    task = "{suite}/{task}".format(**json.loads(ground_truth))
    options = {name: extra_info[name] for name in OPTIONS if extra_info and extra_info.get(name) is not None}
    with _place(jobs):
        for _attempt in range(ATTEMPTS):
            with tempfile.TemporaryDirectory(prefix="npu-reward-") as folder:
                row, trouble = _judged(Path(folder), task, _answer(solution_str), options, [*command], timeout)
            if row is not None:
                return _score(row, speed)
    raise RuntimeError(f"{task}: could not be judged: {trouble}")


def _judged(folder, task, answer, options, command, timeout):
    """The row of the scorecard of one answer, or what has kept it from being judged."""
    sample = f"fixed_case_{options['case']}/s0" if "case" in options else "s0"
    # tasks whose name several suites have lie below the name of their suite
    for place in {task, task.rpartition("/")[2]}:
        turn = folder / "chat" / place / sample / "turn1"
        turn.mkdir(parents=True)
        # half of a pair of surrogates is what an answer ends with that was cut off there
        (turn / "answer.md").write_text(answer, encoding="utf-8", errors="replace")

    def run(*arguments):
        return subprocess.run(
            [*command, *arguments],
            cwd=folder,
            env={"NPU_CACHE_DIR": CACHE, **os.environ},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
        )

    given = [f"--{name}={value}" for name, value in options.items()]
    generated = run("generate", "--model", "files:chat", "--tasks", task, "--name", "judged", *given)
    if generated.returncode != 0:
        return None, generated.stderr.strip()[-2000:]
    scored = run("score", "runs/judged", "--csv", "--samples")
    rows = list(csv.DictReader(io.StringIO(scored.stdout)))
    if scored.returncode != 0 or len(rows) != 1:
        return None, scored.stderr.strip()[-2000:]
    return rows[0], None


def _answer(solution):
    """What follows the reasoning: nothing where that has not come to its end."""
    if "</think>" in solution:
        return solution.rpartition("</think>")[2]
    return "" if "<think>" in solution else solution


def _score(row, speed):
    """Numbers alone, and the same ones for each answer: verl averages them."""
    reached = {column: float(row[column] == "true") for column, _ in WORTH}
    score = next((worth for column, worth in WORTH if reached[column]), 0.0)
    speedup = float(row["speedup"] or 0) if reached["correct"] else 0.0
    return {"score": score + speed * min(speedup, 2.0) / 2.0, **reached, "speedup": speedup}


@contextlib.contextmanager
def _place(jobs):
    """One of the places of this machine, as soon as one is free."""
    folder = Path(tempfile.gettempdir()) / f"npu-reward-places-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    while True:
        for number in range(int(jobs)):
            with open(folder / str(number), "w", encoding="utf-8") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield
                return
        time.sleep(0.1)
