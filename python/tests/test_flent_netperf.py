"""Flent files as netperf filled them, before raw values had a series' unit, and of tests whose flows do not start together."""

import json

import pytest

from wavetank.captures import analyze, flent_file


def written(path, version, results, raw, length, total):
    """A file of a test: a grid of half a second, T0 = 0."""
    x = [i * 0.5 for i in range(2 * total + 1)]
    doc = {
        "version": version,
        "metadata": {
            "NAME": "rrul", "LENGTH": length, "TOTAL_LENGTH": total, "HOSTS": ["s"], "T0": "1970-01-01T00:00:00.000000Z",
        },
        "x_values": x,
        "results": {name: [of(t) for t in x] for name, of in results.items()},
        "raw_values": raw,
    }  # fmt: skip
    path.write_text(json.dumps(doc))
    return path


def during(begin, end, value):
    return lambda t: value if begin < t <= end else None


@pytest.mark.parametrize(("version", "idle", "loaded"), [(3, 500.0, 40.0), (4, 2.0, 25.0)])
def test_udp_round_trips_are_milliseconds_in_files_of_either_version(tmp_path, version, idle, loaded):
    """Version 3 has transactions a second: 500 of them came out as 500 ms, where the round trip was 2."""
    raw = {
        "Ping (ms) UDP BE": [
            {"t": i / 2, "dur": 0.5, "val": loaded if 5 < i / 2 <= 15 else idle} for i in range(1, 41)
        ],
        # irtt's, which has no interval, is in ms everywhere
        "Ping (ms) UDP irtt": [{"t": i / 2, "val": 7.0} for i in range(1, 41)],
    }
    if version == 3:
        raw["Ping (ms) UDP BE"].append({"t": 14.9, "dur": 0.5, "val": 0.0})  # no answer in all of it: no round trip
    series = {
        "TCP upload": during(5, 15, 40.0),
        "Ping (ms) UDP BE": lambda _t: 9.0,
        "Ping (ms) UDP irtt": lambda _t: 9.0,
    }
    file = written(tmp_path / "x.flent", version, series, raw, 10, 20)
    be, irtt = analyze.load(file)["report"]["pings"]
    assert (be["rtt_ms"]["p50"], be["idle_ms"]["p50"]) == (25.0, 2.0)
    assert (irtt["rtt_ms"]["p50"], irtt["idle_ms"]["p50"]) == (7.0, 7.0)


def test_flows_that_start_one_after_another_are_counted_from_the_first_to_the_last(wavetank, tmp_path):
    """TOTAL_LENGTH is LENGTH and six DELAYs there, three of which were taken to stand before the flows: of the first, which
    has the link to itself until 5 s, everything but its end was left out."""
    series = {
        "TCP bbr 1": during(-1, 30, 10.0),
        "TCP cubic 2": during(5, 35, 10.0),
        "TCP cubic 3": during(25, 55, 10.0),
    }
    file = written(tmp_path / "x.flent", 3, series, {}, 30, 60)
    assert flent_file.read(file).span == (0.0, 55.0)
    code, out, err = wavetank("analyze", file)
    assert code == 0 and "counted is the flows' time, 0 to 55 s" in out + err
    together = {"TCP upload": during(15, 45, 10.0)}
    assert flent_file.read(written(tmp_path / "y.flent", 3, together, {}, 30, 60)).span == (15.0, 45.0)
