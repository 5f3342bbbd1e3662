"""A-MSDUs, as ath10k sends them: every MSDU is in captures, and counted."""

import json

import pytest
from expert import complaints, expert

from wavetank.captures import air, analyze, link_trace
from wavetank.lab import plan
from wavetank.scenario import Scenario

ATH10K = {
    "time.lead_in": "500 ms", "time.flows": "2 s", "time.tail": "500 ms", "time.warmup": "500 ms",
    "wifi.standard": "ac", "wifi.mcs": 9, "wifi.streams": 2, "wifi.width_mhz": 80, "wifi.stations": 2, "wifi.error_rate": 0.02,
    "ap.driver": "ath10k", "sta.driver": "ath10k",
    "traffic.tcp_up": 0, "traffic.tcp_down": 1, "traffic.udp_down": "300 Mbit/s",
}  # fmt: skip


def scenario(**more):
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k.toml")
    return s.set({**ATH10K, **{k.replace("__", "."): v for k, v in more.items()}})


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "monitor.pcapng"
    return path, air.watch(scenario(), 1, [("monitor", path)], snaplen=0, analysis=True)


@pytest.fixture(scope="module")
def cut(tmp_path_factory):
    path = tmp_path_factory.mktemp("cut") / "monitor.pcapng"
    return path, air.watch(scenario(), 1, [("monitor", path)], snaplen=256, analysis=True)


def goodput(flows, kind):
    return sum(f["goodput_mbit"] for f in flows if f.get("kind", f.get("protocol")) == kind)


@pytest.mark.parametrize("of", ["the run", "its capture"])
def test_udp_tcp_and_pings_are_the_runs(whole, of):
    path, seen = whole
    report = (seen.analysis if of == "the run" else analyze.load(path))["report"]
    summary = seen.result.summary()
    frames = report["frames"]
    assert frames["amsdu_msdus"] > 2 * frames["amsdus"] > 2000 and frames["amsdus_cut"] == 0
    for kind in ("udp", "tcp"):
        told = goodput(summary["flows"], kind)
        assert told > 10
        assert goodput(report["flows"], kind) == pytest.approx(told, rel=0.02), kind
    answered = summary["pings"]["sent"] - summary["pings"]["lost"]
    assert len(report["pings"]) == 2
    # one a station may be under way as the window begins, another as it ends
    assert sum(p["rtt_ms"]["n"] for p in report["pings"]) == pytest.approx(answered, abs=2)
    assert not [r for r in analyze.remarks(seen.analysis) if "A-MSDU" in r]


@pytest.mark.slow
def test_tshark_finds_as_many(tshark, whole):
    path, _ = whole
    assert complaints(tshark, path) == set()
    out = tshark(path, "-Y", "radiotap.flags.badfcs==0 && ip", "-T", "fields", "-e", "wlan.qos.amsdupresent",
                 "-e", "wlan_aggregate.a_mdsu.length", "-e", "ip.id")  # fmt: skip
    rows = [line.split("\t") for line in out.splitlines()]
    lengths = [r[1].split(",") for r in rows if r[1]]
    assert all((r[0] in ("1", "True")) == bool(r[1]) for r in rows)
    assert all(len(r[2].split(",")) == len(r[1].split(",")) for r in rows if r[1]), "an IP packet a subframe"
    frames = analyze.load(path, whole=True)["report"]["frames"]
    assert (len(lengths), sum(map(len, lengths))) == (frames["amsdus"], frames["amsdu_msdus"])


def test_links_traces_have_each_packet(whole):
    path, seen = whole
    traces = {t.name: t for t in link_trace.of_capture(analyze.load(path))}
    told = seen.result.summary()["flows"]
    for sta in range(2):
        mine = sum(f["goodput_mbit"] for f in told if f["station"] == sta)
        down = traces[f"sta{sta + 1}.down"]
        assert 1300 < down.mean_bytes <= 1500
        assert down.mbit == pytest.approx(mine, rel=0.06), "and headers"


def test_what_a_capture_cuts_is_said_by_whoever_writes_and_reads(whole, cut, wavetank):
    path, seen = cut
    assert seen.analysis["report"] == whole[1].analysis["report"], "what is looked at as it runs is not cut"
    (note,) = seen.notes
    assert "A-MSDUs" in note and "without --snaplen A-MSDUs are whole" in note
    assert whole[1].notes == ()
    code, out, _ = wavetank("analyze", path)
    assert code == 0 and "A-MSDUs not all MSDUs can be read" in " ".join(out.split())
    document = json.loads(wavetank("analyze", path, "--json")[1])
    frames = document["report"]["frames"]
    (remark,) = [r for r in document["remarks"] if "A-MSDUs" in r]
    assert remark.startswith(f"of {frames['amsdus_cut']} of {frames['amsdus']} A-MSDUs")
    assert goodput(document["report"]["flows"], "udp") < 0.5 * goodput(seen.result.summary()["flows"], "udp")


@pytest.mark.slow
def test_unless_told_otherwise_captures_have_amsdus_whole(tshark, tmp_path):
    s = scenario(time__flows="300 ms", time__warmup="100 ms")
    default, whole = tmp_path / "default.pcapng", tmp_path / "whole.pcapng"
    seen = air.watch(s, 1, [("monitor", default)])
    air.watch(s, 1, [("monitor", whole)], snaplen=0)
    assert seen.notes == ()
    document = analyze.load(default)
    assert document["file"]["snapped"] > 100, "what is no A-MSDU is not whole"
    assert document["report"]["frames"]["amsdus"] > 1000 and document["report"]["frames"]["amsdus_cut"] == 0
    assert document["report"] == analyze.load(whole)["report"] and analyze.remarks(document) == []
    sizes = tshark(default, "-T", "fields", "-e", "wlan.qos.amsdupresent", "-e", "frame.cap_len", "-e", "frame.len")
    for amsdu, kept, size in (line.split("\t") for line in sizes.splitlines()):
        assert kept == size if amsdu in ("1", "True") else int(kept) <= 256 + 64
    assert complaints(tshark, default) == set()
    good = "radiotap.flags.badfcs==0"
    assert expert(tshark, default, good) == expert(tshark, whole, good), "each MSDU's TCP is found"


def test_an_encrypted_one_says_what_it_is_in_a_trace(tmp_path, wavetank):
    path = tmp_path / "monitor.pcapng"
    seen = air.watch(scenario(wifi__encryption="ccmp"), 1, [("monitor", path)])
    assert seen.notes == (), "nobody reads what is inside"
    code, out, _ = wavetank("analyze", path, "--link-traces", tmp_path / "t")
    assert code == 0 and "an encrypted A-MSDU is one packet in links' traces" in " ".join(out.split())
