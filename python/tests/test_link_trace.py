"""What a link handed up, as mahimahi's mm-link takes it."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.captures import air, analyze, link_trace
from wavetank.lab import plan
from wavetank.scenario import Scenario


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """Two stations whose downlinks never run dry, and a capture of the second and a half that count."""
    path = tmp_path_factory.mktemp("house") / "monitor.pcapng"
    short = {"time.lead_in": "0 s", "time.flows": "2 s", "time.tail": "0 s", "time.warmup": "500 ms"}
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k.toml").set(short)
    s = s.set({"wifi.stations": 2, "wifi.error_rate": 0.05, "traffic.tcp_up": 0, "traffic.udp_down": "150 Mbit/s"})
    return path, air.watch(s, 1, [("monitor", path)]).result


def delivered(lines, packets):
    """When mm-link lets each packet go, ms, with all of them waiting from the beginning (its ``rationalize``)."""
    out, lines, left = [], iter(lines), 0
    for size in packets:
        need = size + link_trace.TUN
        while left < need:
            try:
                now = next(lines)
            except StopIteration:
                return out
            left += link_trace.OPPORTUNITY
        left -= need
        out.append(now)
    return out


@given(st.lists(st.tuples(st.integers(0, 3_000_000), st.integers(20, 1500)), max_size=60))
def test_an_emulator_hands_up_what_the_link_did_and_no_millisecond_before(steps):
    gaps, sizes = (np.array([s[i] for s in steps], dtype=np.int64) for i in (0, 1))
    packets = np.column_stack([7_000_000 + np.cumsum(gaps), sizes]) if steps else []
    trace = link_trace.of_packets("x", packets, 7_000_000, 10**12)
    if trace is None:
        assert sum(sizes + link_trace.TUN) < link_trace.OPPORTUNITY or all(gaps == 0)
        return
    at = (packets[:, 0] - 7_000_000) / 1e6
    bytes_by = np.cumsum(sizes + link_trace.TUN)
    for i, ms in enumerate(trace.end_ms):
        # the packet with which the opportunity's last octet came
        came = at[np.searchsorted(bytes_by, (i + 1) * link_trace.OPPORTUNITY)]
        assert came <= ms < came + 1
    assert list(trace.end_ms) == sorted(trace.end_ms)
    full = [1500] * len(trace.end_ms)
    assert delivered(trace.end_ms, full) == list(trace.end_ms)


def test_of_a_run_it_has_the_goodput(house):
    path, result = house
    traces = {t.name: t for t in link_trace.of_capture(analyze.load(path))}
    udp = [f for f in result.summary()["flows"] if f["kind"] == "udp"]
    assert len(udp) == 2
    for flow in udp:
        trace = traces[f"sta{flow['station'] + 1}.down"]
        assert trace.mean_bytes == pytest.approx(1498, abs=2)
        assert trace.mbit * 1470 / 1498 == pytest.approx(flow["goodput_mbit"], rel=0.01)
        assert len(trace.end_ms) * 1500 * 8 / 1.5e6 == pytest.approx(trace.mbit, rel=0.01)
        assert 1 < trace.pause_ms < 100


@pytest.mark.usefixtures("canvases")
def test_the_command_writes_a_file_a_link_and_says_what_it_is(house, tmp_path, wavetank):
    path, _ = house
    code, out, _ = wavetank("analyze", path, "--link-traces", tmp_path, "--json")
    assert code == 0
    rows = {r["name"]: r for r in json.loads(out)["link_traces"]}
    lines = [int(x) for x in (tmp_path / "sta1.down").read_text().splitlines()]
    assert len(lines) == rows["sta1.down"]["opportunities"]
    assert lines[-1] == rows["sta1.down"]["period_ms"] <= 1500
    assert {p.name for p in tmp_path.iterdir()} == set(rows)
    _, out, _ = wavetank("analyze", path, "--link-traces", tmp_path, "--out", tmp_path / "figures")
    assert "longest pause ms" in out
    assert f"wrote {tmp_path / 'sta1.down'}" in out
    kept = json.loads((tmp_path / "figures" / "monitor.pcapng.json").read_text())
    assert {r["name"] for r in kept["link_traces"]} == set(rows)


def test_two_captures_have_a_folder_each(house, tmp_path, wavetank):
    path, _ = house
    other = tmp_path / "other.pcapng"
    other.write_bytes(path.read_bytes())
    assert wavetank("analyze", path, other, "--link-traces", tmp_path / "t", "--json")[0] == 0
    first, second = (tmp_path / "t" / name / "sta2.down" for name in ("monitor", "other"))
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.usefixtures("canvases")
def test_captures_of_one_name_do_not_take_each_others_place(house, tmp_path, wavetank):
    path, _ = house
    for run in ("a/first", "b/second"):
        (tmp_path / run).mkdir(parents=True)
        (tmp_path / run / "monitor.pcapng").write_bytes(path.read_bytes())
    both = [tmp_path / "a" / "first" / "monitor.pcapng", tmp_path / "b" / "second" / "monitor.pcapng"]
    code, out, _ = wavetank("analyze", *both, "--link-traces", tmp_path / "t", "--out", tmp_path / "f")
    assert code == 0 and "first-monitor.pcapng.png" in out
    assert {p.name for p in (tmp_path / "t").iterdir()} == {"first-monitor", "second-monitor"}
    names = {f"{run}-monitor.pcapng.{kind}" for run in ("first", "second") for kind in ("png", "json")}
    assert {p.name for p in (tmp_path / "f").iterdir()} == names
    code, out, err = wavetank("analyze", both[0], both[0], "--out", tmp_path / "g")
    assert (code, out) == (2, "") and "stands twice, expected each file once" in err
    assert not (tmp_path / "g").exists()


def test_mistakes_are_named(house, tmp_path, wavetank):
    path, result = house
    code, _, err = wavetank("analyze", path, "--window", "1:1.0001", "--link-traces", tmp_path / "t")
    assert (code, "no link carried 1504 octets" in err) == (2, True)
    (tmp_path / "file").touch()
    code, _, err = wavetank("analyze", path, "--link-traces", tmp_path / "file")
    assert (code, "is a file, expected a folder" in err) == (2, True)
    flent = next(p for p in result.save(tmp_path / "run") if p.name.endswith(".flent.gz"))
    code, out, err = wavetank("analyze", flent, "--link-traces", tmp_path / "t")
    assert (code, "goes with captures" in err) == (2, True)
    assert out, "the file is explained all the same"
