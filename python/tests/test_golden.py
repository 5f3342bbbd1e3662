"""A digest of each experiment's first two seconds: the same at any number of workers, and as it was.

When results are meant to move: WAVETANK_UPDATE=1 pytest -m slow python/tests/test_golden.py, in a commit of its own that says why.
"""

import json
import os
from pathlib import Path

import pytest

from wavetank.lab import plan, runner

PATH = Path(__file__).parent / "data" / "digests.json"
FIRST = {"time.lead_in": "200 ms", "time.flows": "1800 ms", "time.tail": 0, "time.warmup": "500 ms", "time.cooldown": 0}


def runs():
    """One run a distinct point; of a grid, its ends."""
    out = {}
    for name in plan.experiments():
        for figure in plan.load(name):
            points = list(figure.points.values())
            for p in points if len(points) <= 12 else [points[0], points[1], points[-1]]:
                run = runner.Run(p.name, p.scenario.set(FIRST), 1)
                out.setdefault(run.key, (f"{figure.id} {p.name}", run))
    return dict(out.values())


def digests(those, where, jobs):
    records = runner.run_all(list(those.values()), where, jobs)
    return {name: records[run.key].get("digest") for name, run in those.items()}


def kept():
    return json.loads(PATH.read_text())


def test_digests_do_not_depend_on_workers(tmp_path):
    some = dict(list(runs().items())[::18])
    one, two = (digests(some, tmp_path / str(jobs), jobs) for jobs in (1, 2))
    assert one == two == {name: kept()[name] for name in some}


@pytest.mark.slow
def test_digests_are_golden(tmp_path):
    found = digests(runs(), tmp_path, 2)
    if os.environ.get("WAVETANK_UPDATE"):
        PATH.write_text(json.dumps(found, indent=1) + "\n")
    assert found == kept()
