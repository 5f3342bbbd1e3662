"""Progress: the numbers stay whole where a terminal is narrow, and a script may ask for it."""

import io

import pytest
from rich.console import Console

import wavetank as wt
from wavetank import progress

WIRED = {
    "name": "x",
    "topology": {"kind": "wired"},
    "htb": {"rate": "10 Mbit/s"},
    "time": {"lead_in": "0 s", "flows": "3 s", "tail": "0 s"},
}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_narrow_terminal_cuts_what_is_done_and_no_number(width):
    console = Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)
    with progress.bar("sweep", console) as bar:
        task = bar.add_task("width_mhz=160, stations=10, tsq_ms=4, cc=cubic (kept)", total=3200, what="sweep")
        bar.update(task, completed=1600)
        console.file.truncate(0)
        bar.refresh()
    (line,) = {x.rstrip() for x in console.file.getvalue().splitlines() if "sweep" in x}
    assert "1600/3200" in line and "left" in line and "width" in line


def test_a_script_may_ask_for_the_commands_progress(capfd):
    wt.sweep(wt.Scenario.from_dict(WIRED), {"tcp.tsq_ms": [1, 4]}, repetitions=1, jobs=1, progress=True)
    out, err = capfd.readouterr()
    assert (out, err.splitlines()) == ("", [f"sweep: {n} of 2" for n in range(3)])


def test_what_is_no_progress_and_no_folder_is_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(wt.Scenario, "run", lambda *_: pytest.fail("it ran"))
    scenario = wt.Scenario.from_dict(WIRED)
    with pytest.raises(wt.UserError, match="progress: 'yes', expected True, or a function"):
        wt.sweep(scenario, {"tcp.tsq_ms": [1]}, progress="yes")
    (tmp_path / "file").touch()
    told = []
    with pytest.raises(wt.UserError, match="is a file, expected a folder"):
        wt.sweep(scenario, {"tcp.tsq_ms": [1]}, out=tmp_path / "file", progress=lambda *now: told.append(now))
    assert told == []
