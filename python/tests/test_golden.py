"""A digest of each experiment's first two seconds: the same at any number of workers, and as it was.

When results are meant to move: WAVETANK_UPDATE=1 pytest python/tests/test_golden.py, in a commit of its own that says why.
"""

import json
import os
from pathlib import Path

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


def test_digests_are_golden_and_do_not_depend_on_workers(tmp_path):
    todo = runs()
    some = dict(list(todo.items())[::18])
    found = {}
    for jobs, those in ((2, todo), (1, some)):
        records = runner.run_all(list(those.values()), tmp_path / str(jobs), jobs)
        found[jobs] = {name: records[run.key].get("digest") for name, run in those.items()}
    assert found[1] == {name: found[2][name] for name in some}
    if os.environ.get("WAVETANK_UPDATE"):
        PATH.write_text(json.dumps(found[2], indent=1) + "\n")
    assert found[2] == json.loads(PATH.read_text())
