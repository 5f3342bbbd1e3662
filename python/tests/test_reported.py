"""`validate reported`: what others measured, as far as they said how."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner

from wavetank import _core
from wavetank.cli import cli
from wavetank.errors import UserError
from wavetank.validate import reported

ROWS = {row["name"]: row for row in reported.load()}
#: How far from what was reported a goodput may be, and a time.
SHARE, FACTOR = 0.15, 1.5
#: What a message itself says: within 50 of 1450 Mbit/s.
SAID = 50 / 1450


def write(tmp_path, *rows: str):
    """A file of such rows, with the scenario that they name."""
    (tmp_path / "mine").mkdir(exist_ok=True)
    text, _ = reported.scenario(reported.PATH, ROWS["shift-ath9k-10"])
    (tmp_path / "mine" / "up.toml").write_text(text.replace('flows = "10 s"', 'flows = "2 s"'), encoding="utf-8")
    path = tmp_path / "mine.csv"
    path.write_text("\n".join((",".join(reported.COLUMNS), *rows)) + "\n", encoding="utf-8")
    return path


def test_every_row_can_be_set_up_and_says_where_it_is_from():
    assert len(ROWS) == len(reported.load()), "a name is there twice"
    for name, row in ROWS.items():
        assert row["date"] and row["subject"], name
        if row["scenario"]:
            text, file = reported.scenario(reported.PATH, row)
            for sets in filter(None, (row["set"], row["beside"], "seed=1")):
                _core.check(text, file, reported.settings(sets))


def test_bounds_are_those_that_the_page_tells():
    for name, row in ROWS.items():
        if row["reason"]:
            assert not row["low"] and not row["high"], name
            continue
        value, low, high = (float(row[k]) for k in ("reported", "low", "high"))
        bands = [(value * (1 - s), value * (1 + s)) for s in (SHARE, 0.05, 0.03, SAID)] + [
            (value / FACTOR, value * FACTOR)
        ]
        bands.append((0, value))  # it stays below
        assert any(
            math.isclose(low, a, rel_tol=5e-3, abs_tol=1e-9) and math.isclose(high, b, rel_tol=5e-3) for a, b in bands
        ), f"{name}: {low} to {high} about {value}"


def test_a_shorter_queue_of_tcp_costs_ath9k_two_thirds():
    row = ROWS["shift-ath9k-10"]
    assert reported.judge(row, reported.measure((reported.PATH, row))).ok
    assert reported.judge(row, float(row["high"]) + 0.001).ok is False
    assert reported.judge(row, None).ok is False


def test_packets_wait_in_the_txqs_for_as_long_as_round_trips_say():
    """Little's law against the clock: what CoDel's target adds to the wait, it adds to the flows' round trips."""
    row = ROWS["aql-ath10k-20"]
    text, file = reported.scenario(reported.PATH, row)
    waits, trips = [], []
    for target in ("40 ms", "5 ms"):
        sets = f"mac80211.target={target}; mac80211.interval=100 ms"
        waits.append(reported.run(reported.PATH, row, sets, 1))
        out = _core.run(text, file, reported.settings(sets), 1)
        t = np.asarray(out["flows"][0]["series"]["t"])
        within = (t >= out["window"][0]) & (t <= out["window"][1])
        trips.append(np.mean([np.nanmean(np.asarray(f["series"]["srtt_ms"])[within]) for f in out["flows"]]))
    assert waits[0] - waits[1] > 15, waits
    assert waits[0] - waits[1] == pytest.approx(trips[0] - trips[1], rel=0.1), (waits, trips)


def test_a_file_of_ones_own_is_judged_row_by_row(tmp_path):
    path = write(
        tmp_path,
        "slow,up,wifi.tx_sk_pacing_shift=10,wifi.tx_sk_pacing_shift=7,goodput_mbit,0.4,0.2,0.7,,2020-01,one",
        "fast,up,wifi.tx_sk_pacing_shift=7,,goodput_mbit,1,0.9,1.1,,2020-01,one",
        "shown,up,wifi.tx_sk_pacing_shift=7,,goodput_mbit,1,,,nobody said,2020-01,one",
        "never,,,,goodput_mbit,1,,,no such card,2020-01,one",
    )
    done = CliRunner().invoke(cli, ["validate", "reported", "--reference", str(path), "--json", "--check"])
    assert done.exit_code == 1
    rows = {r["name"]: r for r in json.loads(done.stdout)["rows"]}
    assert [rows[n]["ok"] for n in ("slow", "fast", "shown", "never")] == [True, False, None, None]
    assert rows["fast"]["ours"] > 100
    assert rows["never"]["ours"] is None and rows["never"]["reason"] == "no such card"
    assert reported.runs(reported.load(path)) == 2
    assert rows["slow"]["metric"] == "goodput_mbit, ratio"


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("a,up,,,speed,1,1,1,,2020-01,one", r'csv:2: figure: unknown figure "speed"|csv:2: .*"speed"'),
        ("a,up,,,goodput_mbit,fast,1,1,,2020-01,one", r'csv:2: reported: "fast"'),
        ("a,up,,,goodput_mbit,1,,1,,2020-01,one", r'csv:2: low: ""'),
        ("a,gone,,,goodput_mbit,1,1,1,,2020-01,one", r"gone\.toml: cannot be read"),
        ("a,,,,goodput_mbit,1,1,1,,2020-01,one", r"csv:2: scenario: is empty"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path, row, says):
    with pytest.raises(UserError, match=says):
        reported.load(write(tmp_path, row))


def test_other_columns_are_told(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("name,mcs\na,1\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"x\.csv:1: columns name, mcs, expected name, scenario"):
        reported.load(path)
