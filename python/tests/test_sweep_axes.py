"""Axes of a sweep: lists, ranges, units; what is wrong is told before anything runs."""

import numpy as np
import pytest

from wavetank import Scenario, UserError, csi, load, sweep
from wavetank.sweeps.axes import axis, parse
from wavetank.sweeps.pareto import front

SCENARIO = "cotsq-ath9k"


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("tcp.tsq_ms=1,2,4", (1, 2, 4), "ms"),
        ("wifi.stations=1:5", (1, 2, 3, 4, 5), ""),
        ("wifi.stations=14:5:4", (14, 10, 6), ""),
        ("fq_codel.limit=1:64:*4", (1, 4, 16, 64), ""),
        ("wifi.stations=1,4:6,10", (1, 4, 5, 6, 10), ""),
        ("wifi.error_rate=0:0.3:0.1", (0.0, 0.1, 0.2, 0.3), ""),
        ("host.wake=50 us,100us", (50, 100), "us"),
        ('host.wake="50 us","1 ms"', (0.05, 1.0), "ms"),
        ("host.wake=0,100 us", (0, 100), "us"),
        ("mac80211.aql_low=500:1500:500 us", (0.5, 1.0, 1.5), "ms"),
        ("time.flows=10 s:30 s:10 s", (10, 20, 30), "s"),
        ("tcp.wmem_max=1 MiB,512 KiB", (1024, 512), "KiB"),
        ("tcp.wmem_max=64 KiB:256 KiB:*2", (64, 128, 256), "KiB"),
        ("mac80211.aql_low=1:4:*2 ms", (1, 2, 4), "ms"),
        ("htb.rate=10:30:10 Mbit/s", (10, 20, 30), "Mbit/s"),
        ("sta.driver+ap.driver=ath9k,ath10k", ("ath9k", "ath10k"), ""),
        ("mac80211.aql_low+mac80211.aql_high=5 ms,1500us", (5.0, 1.5), "ms"),
        ("tcp.ecn=true,false", (True, False), ""),
        ("tcp.cc=cubic,bbr", ("cubic", "bbr"), ""),
        ("kernel=5.10,6.12", ("5.10", "6.12"), ""),
        ("tcp.tsq_bytes=off,64 KiB", ("off", "64 KiB"), ""),
        ("stations.mcs='7*3, 0','15'", ("7*3, 0", "15"), ""),
    ],
)
def test_lists(text, values, unit):
    a = parse(text)
    assert (a.values, a.unit) == (values, unit)
    assert [type(v) for v in a.values] == [type(v) for v in values]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tcp.tsq_ms", "expected an axis as KEY=VALUES"),
        ("tcp.tsq_mss=1,2", r'axis tcp.tsq_mss: .*did you mean "tcp.tsq_ms"'),
        ("tcp.tsq_ms=1,4000000", "axis tcp.tsq_ms: 4000000; expected a whole number of ms from 0 to 100000"),
        ("tcp.cc=cubic,bbrr", r'axis tcp.cc: "bbrr" .*did you mean "bbr"'),
        ("host.wake=5", "expected a time with its unit"),
        ("tcp.tsq_ms=1,,2", "empty value"),
        ("tcp.tsq_ms=", "empty value"),
        ("tcp.tsq_ms=1,01", "1 twice"),
        ("tcp.cc='cubic", "quote is not closed"),
        ("wifi.stations=1:9:0", "step above 0"),
        ("wifi.stations=1:99999", "more than 1000 values"),
        ("wifi.stations=8:1:*2", "smaller end first"),
        ("wifi.stations=0:8:*2", "factor above 1 between positive ends"),
        ("host.wake=50 us:2 ms", "several units"),
        ("seed=1:4", "--repetitions"),
        ("tcp.wmem_max+fq_codel.limit=65536", "64 KiB of tcp.wmem_max, 65536 of fq_codel.limit"),
        ("sta.driver+ap.drivr=ath9k", r'did you mean "ap.driver"'),
    ],
)
def test_a_bad_axis_is_named(text, says):
    with pytest.raises(UserError, match=says):
        parse(text)


def test_an_axis_from_python():
    a = axis("tcp.ecn", [True, False])
    assert a.values == (True, False) and not a.numeric
    assert axis("wifi.stations", range(1, 3)).values == (1, 2)
    with pytest.raises(UserError, match="no values"):
        axis("wifi.stations", [])


@pytest.mark.parametrize(
    ("axes", "options", "says"),
    [
        ([], {}, "needs an axis"),
        (["tcp.tsq_ms=1:2", "tcp.tsq_ms=3"], {}, "there twice"),
        (["sta.driver+ap.driver=ath9k", "ap.driver=ath10k"], {}, "axis ap.driver: is there twice"),
        (["tcp.cc=cubic"], {"set": {"tcp.cc": "bbr"}}, "also set to bbr"),
        (["tcp.cc=cubic"], {"set": {"tcp.tsq": "no"}}, '^--set: tcp.tsq: "no"'),
        (["tcp.cc=cubic,bbr", "tcp.tsq_ms=1:3"], {"zip": True}, r"tcp.cc 2, tcp.tsq_ms 3"),
        (
            ["wifi.width_mhz=40,80"],
            {},
            r"point width_mhz=80: wifi.width_mhz: 80; expected 20 or 40(.|\n)*1 of 2 points",
        ),
        (["wifi.width_mhz=80,160"], {"skip_impossible": True}, "2 of 2 points"),
        (["tcp.tsq_ms=1"], {"metrics": ["goodputt"]}, 'did you mean "goodput"'),
        (["tcp.tsq_ms=1"], {"metrics": ["goodput:p999"]}, "percentile such as p90"),
        (["tcp.tsq_ms=1"], {"best": "cwnd"}, "neither more nor less"),
        (["tcp.tsq_ms=1"], {"best": "pin_p50"}, 'did you mean "ping_p50"'),
        (["tcp.tsq_ms=1"], {"against": "cc"}, 'unknown axis "cc", expected tsq_ms'),
        (["tcp.tsq_ms=1"], {"each": ["tsq"]}, 'did you mean "tsq_ms"'),
        (["tcp.cc=cubic,bbr", "tcp.tsq_ms=1:2"], {"zip": True, "against": "cc"}, "without --zip"),
        (["tcp.tsq_ms=1"], {"on": "sea"}, 'unknown water "sea"'),
        (["tcp.tsq_ms=1"], {"repetitions": 0}, "at least one"),
        (["tcp.tsq_ms=1"], {"cluster": "nowhere"}, "a scheduler's address"),
    ],
)
def test_what_cannot_be_is_told_before_anything_runs(axes, options, says, monkeypatch):
    monkeypatch.setattr("wavetank.lab.runner.run_all", lambda *_: pytest.fail("it ran"))
    with pytest.raises(UserError, match=says):
        sweep(SCENARIO, axes, **options)


def test_a_scenario_is_found_by_file_or_by_name(tmp_path, monkeypatch):
    from wavetank.scenario import load as find

    monkeypatch.chdir(tmp_path)
    (tmp_path / "house.toml").write_text('name = "house"\n')
    assert find("house").text == find("house.toml").text == 'name = "house"\n'
    assert find(SCENARIO).path.endswith("cotsq-ath9k.toml")
    with pytest.raises(UserError, match='did you mean "cotsq-ath9k"'):
        find("cotsq-ath9")
    with pytest.raises(UserError, match=r"huose\.toml: cannot be read"):
        find("huose.toml")


def test_the_front_of_points_worked_by_hand():
    # (goodput, ping): c is beaten by b (more at less), e by d (the same at less); f has the least ping, g no value.
    points = {
        "a": (100.0, 5.0), "b": (150.0, 8.0), "c": (140.0, 9.0), "d": (160.0, 20.0), "e": (160.0, 25.0), "f": (10.0, 1.0),
        "g": (float("nan"), 1.0),
    }  # fmt: skip
    assert front(points) == ["f", "a", "b", "d"]
    assert front({"a": (1.0, 2.0), "b": (1.0, 2.0), "c": (0.5, 2.0)}) == ["a", "b"]
    assert front({}) == []


def test_what_is_of_another_kind_is_told():
    with pytest.raises(UserError, match=r"^axis tcp\.tsq_ms: 4, expected a list of values"):
        sweep("cotsq-ath9k", {"tcp.tsq_ms": 4})
    for name in ("seed", "repetitions", "jobs"):
        with pytest.raises(UserError, match=rf"^{name}: '3', expected a whole number"):
            sweep("cotsq-ath9k", {"tcp.tsq_ms": [4]}, **{name: "3"})
    for words, said in (
        ({"metrics": 3}, "metrics: 3, expected names"),
        ({"metrics": [3]}, r"metrics: \[3\], expected names"),
        ({"each": 3}, "each: 3, expected names"),
        ({"best": 3}, "best: 3, expected a name"),
        ({"against": 3}, "against: 3, expected a name"),
        ({"cluster": 3}, "cluster: 3, expected a name"),
        ({"axes": {3: [4]}}, "axes: 3, expected a key"),
        ({"out": "a\0b"}, r"'a\\x00b': has a NUL in it"),
    ):
        with pytest.raises(UserError, match=f"^{said}"):
            sweep("cotsq-ath9k", **{"axes": {"tcp.tsq_ms": [4]}, **words})
    for name, said in (
        (3, "^3: expected the path of a scenario file"),
        ("", "^'': expected the path of a scenario file"),
        ("a\0b", r"^'a\\x00b': has a NUL in it"),
        ("x" * 5000, r"^x{200}\.\.\.: cannot be read \(File name too long\)"),
    ):
        with pytest.raises(UserError, match=said):
            load(name)
    for name in ("a\0b", 3):
        with pytest.raises(UserError, match="expected the path of a CSI log"):
            csi.load(name)
    with pytest.raises(UserError, match=r"^set: 'tcp.cc=bbr', expected keys and values"):
        load("cotsq-ath9k").set("tcp.cc=bbr")
    with pytest.raises(UserError, match=r'^set: 3, expected a key, such as "tcp.cc"'):
        load("cotsq-ath9k").set({3: 4})
    with pytest.raises(UserError, match=r"^axes: 3, expected keys and values, such as"):
        sweep("cotsq-ath9k", 3)
    with pytest.raises(UserError, match=r"^3: expected a scenario's text"):
        Scenario(3)
    with pytest.raises(UserError, match=r"^3: expected keys and values, such as"):
        Scenario.from_dict(3)
    with pytest.raises(UserError, match=r'^unknown water "3", expected linux, model'):
        load("cotsq-ath9k").run(on=3)
    result = load("cotsq-ath9k").set({"time.flows": "2.1 s"}).run()
    for folder in (3, "", b"x", "a\0b"):
        with pytest.raises(UserError, match=r"expected the path of a folder"):
            result.save(folder)


def test_whole_numbers_of_numpy_are_whole_numbers():
    short = load("cotsq-ath9k").set({"time.flows": "3 s"})
    assert short.run(np.int64(7)).seed == 7
    done = sweep(short, {"tcp.tsq_ms": np.array([4])}, repetitions=np.int64(2), seed=np.int64(7), jobs=np.int64(1))
    assert done.seeds == (7, 8)
