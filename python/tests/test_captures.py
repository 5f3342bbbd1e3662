"""Captures of runs: the real tshark dissects them without complaint, and an analysis of them says what the run says."""

import gzip
import json
import os

import pytest
from expert import WARN, complaints, expert

from wavetank import UserError
from wavetank.captures import air, analyze, flent_file, flent_result, timeline
from wavetank.lab import plan
from wavetank.scenario import Scenario

SHORT = {"time.lead_in": "500 ms", "time.flows": "1 s", "time.tail": "500 ms", "time.warmup": "200 ms", "host.wake": 0}


def scenario(**sets):
    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k.toml")
    return s.set({**SHORT, **{k.replace("__", "."): v for k, v in sets.items()}})


def capture(tmp_path, s, view="monitor", **more):
    path = tmp_path / f"{view}.pcapng"
    return path, air.watch(s, 1, [(view, path)], **more)


VHT = {"wifi__standard": "ac", "wifi__mcs": 7, "wifi__width_mhz": 80, "sta__driver": "ath10k", "ap__driver": "ath10k"}
#: A fast radio sends as many frames in less time.
BRIEF = {"time__flows": "400 ms"}

AX = {
    "wifi__standard": "ax", "wifi__mcs": 11, "wifi__width_mhz": 80, "sta__driver": "mt76", "ap__driver": "mt76", "kernel": "6.12",
    "mt76__amsdu_msdus": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("snaplen", "radio"),
    [
        pytest.param(0, {}, id="whole"),
        pytest.param(256, {}, id="snapped", marks=pytest.mark.slow),
        pytest.param(256, VHT | BRIEF, id="ac", marks=pytest.mark.slow),
        pytest.param(256, AX | BRIEF, id="ax", marks=pytest.mark.slow),
    ],
)
def test_tshark_warns_of_nothing_but_the_order_of_segments(tshark, tmp_path, snaplen, radio):
    s = scenario(traffic__tcp_up=2, traffic__tcp_down=1, traffic__rrul="true", wifi__error_rate=0.02, **radio)
    path, _ = capture(tmp_path, s, snaplen=snaplen)
    assert complaints(tshark, path) == set()


@pytest.mark.slow
def test_tshark_finds_the_same_frames_damaged(tshark, tmp_path):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1, wifi__error_rate=0.05), snaplen=0)
    out = tshark(path, "-T", "fields", "-e", "radiotap.flags.badfcs", "-e", "wlan.fcs.status")
    rows = [line.split("\t") for line in out.splitlines()]
    assert {tuple(r) for r in rows} == {("0", "1"), ("1", "0")}, (
        "flagged bad, and only then, the check sequence does not hold"
    )


@pytest.mark.slow
@pytest.mark.parametrize("view", ["monitor", "ap", "sta1"])
def test_tshark_warns_of_nothing_at_all_where_nothing_is_sent_again(tshark, tmp_path, view):
    s = scenario(traffic__tcp_up=0, traffic__udp_down="50 Mbit/s")
    path, seen = capture(tmp_path, s, view, snaplen=0, analysis=True)
    assert {x for x in expert(tshark, path, "radiotap.flags.badfcs==0") if x[0] >= WARN} == set()
    assert seen.analysis["report"]["stations"][0]["mpdus"] > 1000


@pytest.mark.slow
def test_an_encrypted_network(tshark, tmp_path, wavetank):
    path, _ = capture(tmp_path, scenario(**{"wifi.encryption": "ccmp"}))
    assert {x for x in expert(tshark, path, "radiotap.flags.badfcs==0") if x[0] >= WARN} == set()
    out = tshark(
        path,
        "-Y",
        "wlan.fc.type==2",
        "-T",
        "fields",
        "-e",
        "wlan.fc.protected",
        "-e",
        "wlan.ccmp.extiv",
        "-e",
        "ip.src",
    )
    rows = {tuple(line.split("\t")) for line in out.splitlines()}
    assert {(r[0], r[2]) for r in rows} == {("1", "")} and all(r[1] for r in rows), rows
    # with its bit ignored the payload is there, for it was never enciphered
    out = tshark(
        path, "-o", "wlan.ignore_wep:Yes - with IV", "-Y", "tcp.flags.syn==1", "-T", "fields", "-e", "tcp.dstport"
    )
    assert out.split()
    out = tshark(
        path,
        "-Y",
        "wlan.fc.type_subtype==8",
        "-T",
        "fields",
        "-e",
        "wlan.rsn.pcs.type",
        "-e",
        "wlan.fixed.capabilities.privacy",
    )
    assert {tuple(line.split("\t")) for line in out.splitlines()} == {("4", "1")}
    _, out, err = wavetank("analyze", path)
    said = " ".join((out + err).split())
    assert "data frames are encrypted: no TCP can be seen" in said
    assert "wlan.ignore_wep:Yes - with IV" in said and "with the key" not in said


def test_tshark_finds_the_streams_and_their_options(tshark, tmp_path):
    path, seen = capture(tmp_path, scenario(traffic__tcp_up=2, traffic__tcp_down=1))
    out = tshark(path, "-Y", "tcp.flags.syn==1", "-T", "fields", "-e", "tcp.stream", "-e", "tcp.options.mss_val",
                 "-e", "tcp.options.wscale.shift", "-e", "tcp.options.timestamp.tsval", "-e", "tcp.options.sack_perm")  # fmt: skip
    rows = [line.split("\t") for line in out.splitlines()]
    assert {r[0] for r in rows} == {"0", "1", "2"}
    assert len(seen.result.flows) == 3
    assert all(r[1] == "1460" and r[2] == "7" and r[3] and r[4] for r in rows), rows


@pytest.mark.slow
def test_tshark_agrees_on_aggregates_and_block_acks(tshark, tmp_path):
    path, seen = capture(tmp_path, scenario(traffic__tcp_up=1, wifi__error_rate=0.05), analysis=True)
    fields = [
        "wlan.ta",
        "radiotap.ampdu.reference",
        "radiotap.mcs.index",
        "wlan.fc.retry",
        "frame.time_epoch",
        "wlan.fcs.status",
    ]
    out = tshark(path, "-Y", "wlan.fc.type==2", "-T", "fields", *[x for f in fields for x in ("-e", f)])
    rows = [line.split("\t") for line in out.splitlines()]
    start, end = seen.result.window
    within = [r for r in rows if start + 0.01 <= float(r[4]) < end - 0.01]
    assert len(within) > 1000
    sizes = {}
    for ta, reference, mcs, *_ in within:
        assert mcs
        if reference and ta == "02:77:74:00:00:01":
            sizes[reference] = sizes.get(reference, 0) + 1
    ours = next(s for s in seen.analysis["report"]["stations"] if s["name"] == "sta1")
    mean = sum(sizes.values()) / len(sizes)
    hist = ours["ampdu_hist"]
    many = [k * n for k, n in enumerate(hist) if k > 1]
    assert mean == pytest.approx(sum(many) / sum(hist[2:]), rel=0.05)
    acks = tshark(
        path, "-Y", "wlan.fc.type_subtype==25", "-T", "fields", "-e", "wlan.fixed.ssc.sequence", "-e", "wlan.ba.bm"
    )
    assert len(acks.splitlines()) > 100 and all(line.split("\t")[1] for line in acks.splitlines())


@pytest.mark.parametrize("view", ["monitor", "ap", "sta1"])
def test_a_capture_is_whole_and_says_whose_it_is(tmp_path, view):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1), view)
    document = analyze.load(path)
    assert document["origin"]["view"] == view
    assert document["file"]["damage"] is None
    assert document["file"]["unreadable"] == 0


def test_run_and_capture_agree(tmp_path):
    """The run's own summary, the analysis of its air, and that of its capture: one account, three ways."""
    path, seen = capture(
        tmp_path,
        scenario(traffic__tcp_up=2, traffic__tcp_down=2, wifi__stations=2, wifi__error_rate=0.02),
        analysis=True,
    )
    captured = analyze.load(path)["report"]
    assert captured == seen.analysis["report"]
    summary = seen.result.summary()
    for s in captured["stations"]:
        ours = summary["ampdu"][s["name"]]
        # A PPDU at an edge of the window may fall on either side: time stamps are whole microseconds.
        assert analyze.ampdu_of(s)["mean"] == pytest.approx(ours["mean"], rel=1e-9)
        assert analyze.ampdu_of(s)["p90"] == ours["p90"]
        assert s["airtime_fraction"] == pytest.approx(summary["airtime"][s["name"]], rel=2e-3, abs=2e-4)
    tcp = sum(f["goodput_mbit"] for f in summary["flows"])
    assert sum(f["goodput_mbit"] for f in captured["flows"] if f["protocol"] == "tcp") == pytest.approx(tcp, rel=0.03)


def test_what_looks_on_changes_nothing(tmp_path):
    s = scenario(traffic__tcp_up=1)
    _, seen = capture(tmp_path, s, analysis=True, timeline=(None, 0.01))
    assert seen.result.digest == s.run(1).digest


def test_pictures(tmp_path):
    from xml.etree import ElementTree

    seen = air.watch(scenario(traffic__tcp_up=1, traffic__tcp_down=1, wifi__stations=3), 1, timeline=(None, 0.012))
    assert seen.timeline["entries"]
    svg = timeline.write(tmp_path / "t.svg", seen.timeline, "a <title> & more")
    root = ElementTree.fromstring(svg.read_text())
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "a <title> & more" in texts and "ap" in texts and "sta3" in texts
    page = timeline.write(tmp_path / "t.html", seen.timeline, "a </script> title").read_text()
    data = page.split('type="application/json">')[1].split("</script>")[0]
    assert json.loads(data)["nodes"][:2] == ["ap", "sta1"]
    assert "http://" not in page and "https://" not in page, "it needs nothing from elsewhere"


SETS = [x for k, v in SHORT.items() for x in ("--set", f"{k}={v}")]


FILE = plan.ROOT / "scenarios" / "cotsq-ath9k.toml"


#: Whole seconds: Flent's files say no less.
WHOLE = [x for k, v in {"lead_in": 1, "flows": 6, "tail": 1}.items() for x in ("--set", f"time.{k}={v} s")]


def test_a_queue_that_runs_empty_is_empty_in_the_picture():
    quiet = scenario(traffic__tcp_up=0, traffic__tcp_down=0, traffic__udp_down="1 Mbit/s", traffic__ping="off")
    seen = air.watch(quiet, 1, timeline=(None, 0.1)).timeline
    sent = [e for e in seen["entries"] if e["kind"] == "single" and e["from"] == 0 and e["answered"]]
    depths = {t: [sum(d) for d in at] for t, at in seen["depths"]}
    assert len(sent) >= 6
    for e in sent:
        begin, length, _ = e["response"]
        assert (depths[e["start"]][0], depths[begin + length][0]) == (1, 0)


def test_what_waits_is_drawn_from_the_windows_begin():
    s = scenario(traffic__tcp_up=1)
    whole, late = (air.watch(s, 1, timeline=w).timeline for w in ((0.8, 0.805), (0.80225, 0.805)))
    begin = 2_250_000
    waited = [at for t, at in whole["depths"] if t <= begin][-1]
    assert late["depths"][0] == [0, waited] and any(map(sum, waited))
    first = next(t for t, _ in late["depths"] if t > 0)
    assert first == min(t for t, _ in whole["depths"] if t > begin) - begin


def test_the_axis_counts_from_where_the_window_begins():
    from xml.etree import ElementTree

    seen = air.watch(scenario(traffic__tcp_up=1), 1, timeline=(0.80025, 0.8005)).timeline
    assert ">0.80025 s +<" in timeline.svg(seen, "t"), "the axis would be a quarter of a millisecond off"
    assert '"begin":"0.80025"' in timeline.html(seen, "t")
    long = {**seen, "from_s": 3.0, "to_s": 3.0 + 20, "entries": [], "depths": []}
    texts = list(ElementTree.fromstring(timeline.svg(long, "t")).iter("{http://www.w3.org/2000/svg}text"))
    last = [t for t in texts if t.text == "20000 ms"]
    assert len(last) == 1 and (last[0].get("text-anchor"), float(last[0].get("x"))) == ("end", timeline.WIDTH - 2)


def test_of_more_radios_than_lines_it_is_said():
    busy = scenario(traffic__tcp_up=1, traffic__tcp_down=0, wifi__stations=12)
    seen = air.watch(busy, 1, timeline=(None, 0.05)).timeline
    waits = sum(any(sum(at[n]) for _, at in seen["depths"]) for n in range(13))
    assert f"and {waits - 6} with less" in timeline.svg(seen, "t")


@pytest.mark.usefixtures("canvases")
def test_the_command(wavetank, tmp_path):
    code, out, err = wavetank(
        "run", FILE, *WHOLE, "--out", tmp_path / "o", "--pcap", "all", "--timeline", tmp_path / "t.svg", "--analyze"
    )
    assert code == 0, err
    names = {p.name for p in (tmp_path / "o").iterdir()}
    assert {"monitor.pcapng", "ap.pcapng", "sta1.pcapng", "summary.json"} <= names
    assert "Transmitters" in out and "t.svg" in out
    flent = next((tmp_path / "o").glob("*.flent.gz"))
    code, out, err = wavetank(
        "analyze", tmp_path / "o" / "monitor.pcapng", flent, "--json", "--out", tmp_path / "figures"
    )
    assert code == 0, err
    capture_, from_flent = json.loads(out)["files"]
    alone = json.loads(wavetank("analyze", flent, "--json")[1])
    (the_same,) = alone.pop("files")
    assert the_same == alone and alone.keys() == from_flent.keys(), "one file: its keys at the top, and in the list"
    assert {p.suffix for p in (tmp_path / "figures").iterdir()} == {".png", ".json"}
    assert len(list((tmp_path / "figures").iterdir())) == 4
    seen = sum(f["goodput_mbit"] for f in capture_["report"]["flows"] if f["protocol"] == "tcp")
    said = sum(f["goodput_mbit"] for f in from_flent["report"]["flows"])
    assert said == pytest.approx(seen, rel=0.1)


@pytest.mark.usefixtures("canvases")
def test_a_flent_file_of_ours_is_counted_within_the_runs_window(wavetank, tmp_path):
    _, out, _ = wavetank("run", FILE, *WHOLE, "--out", tmp_path / "o", "--json")
    said = json.loads(out)
    flent = next((tmp_path / "o").glob("*.flent.gz"))
    document = analyze.load(flent)
    report = document["report"]
    assert report["window_s"] == said["window_s"] == [3.0, 7.0]
    ping = report["pings"][0]["rtt_ms"]
    assert {k: ping[k] for k in ("p10", "p50", "p90")} == pytest.approx(
        {k: said["ping_ms"][k] for k in ("p10", "p50", "p90")}, rel=0.02
    )
    assert report["flows"][0]["goodput_mbit"] == pytest.approx(said["flows"][0]["goodput_mbit"], rel=0.02)
    assert report["pings"][0]["src"] == "ICMP"
    _, out, _ = wavetank("analyze", flent, "--out", tmp_path / "figures")
    assert "note: counted is the run's judging window, 3 to 7 s" in out
    # the idle times before and after count only if asked for
    whole = analyze.load(flent, whole=True)["report"]["pings"][0]["rtt_ms"]
    assert whole["n"] > ping["n"] and whole["p10"] < ping["p10"]
    data = json.loads(gzip.decompress(flent.read_bytes()))
    del data["metadata"]["WAVETANK_SCENARIO"]
    other = tmp_path / "other.flent"
    other.write_text(json.dumps(data))
    (theirs,) = analyze.load(other)["report"]["pings"]
    assert ping["n"] < theirs["rtt_ms"]["n"] < whole["n"], "of the flows' time, 1 to 7 s"
    assert theirs["idle_ms"]["p90"] < theirs["rtt_ms"]["p10"], "what the pings had before the flows stands beside it"
    assert "counted is the flows' time, 1 to 7 s" in " ".join(analyze.remarks(analyze.load(other)))


@pytest.mark.parametrize("flows", ["6 s", "2400 ms", "2500 ms"])
def test_a_flent_file_of_ours_gives_the_runs_goodput_and_airtime(tmp_path, flows):
    """A sample is of the time before it: that at the window's begin does not count."""
    s = scenario(time__lead_in="1 s", time__flows=flows, time__tail="1 s", time__warmup="2 s", traffic__tcp_down=1)
    run = s.run(1)
    run.save(tmp_path)
    path = next(tmp_path.glob("*.flent.gz"))
    report = analyze.load(path)["report"]
    exact = flows != "2500 ms"  # there the window's last 100 ms are half a sample
    close = {"rel": 1e-5} if exact else {"rel": 0.05}
    said = {f["src"]: f["goodput_mbit"] for f in report["flows"]}
    assert said == pytest.approx(
        {f"TCP {'upload' if f.direction == 'up' else 'download'}": f.goodput_mbit for f in run.flows}, **close
    )
    airtime = {x["name"]: x["airtime_fraction"] for x in report["stations"]}
    assert airtime == pytest.approx({n: x.airtime_fraction for n, x in run.nodes.items()}, **close)
    beside = flent_result.result(path, s.check())
    assert {f.name for f in beside.flows} == {f.name for f in run.flows}
    assert [f.goodput_mbit for f in beside.flows] == pytest.approx(list(said.values()), rel=1e-9)
    assert beside.window == pytest.approx(run.window)
    assert beside.summary()["airtime"] == pytest.approx(airtime)
    assert beside.summary()["airtime_rx"] == pytest.approx(run.summary()["airtime_rx"], **close)
    sizes = {x["name"]: x["ampdu_mean"] for x in report["stations"]}
    assert {n: a["mean"] for n, a in beside.summary()["ampdu"].items()} == pytest.approx(sizes)


def test_a_flent_file_of_netperf_has_samples_of_the_time_before_them(tmp_path):
    """netperf stamps an interval by its end; Flent fills up to half a step before the first with its value."""
    x = [round(0.2 * i, 1) for i in range(20)]
    up = [None if v < 1 or v > 2.2 else {1.0: 7.0, 2.2: 1.0}.get(v, 10.0) for v in x]
    metadata = {"NAME": "tcp_upload", "LENGTH": 1, "TOTAL_LENGTH": 3}
    results = {"TCP upload": up, "wifi_stats_ap::airtime_tx::m": [None] + [1e5] * 19}
    path = tmp_path / "x.flent"
    path.write_text(json.dumps({"version": 4, "metadata": metadata, "x_values": x, "results": results}))
    report = analyze.load(path)["report"]
    assert report["window_s"] == [1.0, 2.0]
    assert report["flows"][0]["goodput_mbit"] == 10 and report["flows"][0]["bytes"] == 1_250_000
    assert report["stations"][0]["airtime_s"] == 0.5
    assert report["stations"][0]["airtime_fraction"] == pytest.approx(0.5)
    # steps by their begin, as a capture's
    assert report["flows"][0]["delivered_bytes"]["begin_s"] == pytest.approx(-0.2)


def _of_access_point(path, stations):
    """A file with the airtime that an access point's mac80211 keeps of each station, us a step of 0.5 s: sent to it, from it."""
    x = [0.5 * i for i in range(20)]
    results = {"TCP download": [10.0] * 20}
    for mac, (to_it, of_it, size) in stations.items():
        values = {"airtime_tx": to_it, "airtime_rx": of_it, "avg_aggr_size": size}
        results |= {f"wifi_stats_ap.example::{k}::{mac}": [v] * 20 for k, v in values.items() if v is not None}
    asked = {"wifi_stats_hosts": "ap.example", "wifi_stats_stations": ",".join(stations)}
    metadata = {"NAME": "tcp_download", "LENGTH": 6, "TOTAL_LENGTH": 10, "TEST_PARAMETERS": asked}
    path.write_text(json.dumps({"version": 4, "metadata": metadata, "x_values": x, "results": results}))
    return path


def test_an_access_points_account_of_a_station_is_that_stations(tmp_path):
    path = _of_access_point(tmp_path / "x.flent", {"02:00:00:00:00:01": (2e5, 5e4, 20.0)})
    s = scenario(time__lead_in="1 s", time__flows="6 s", time__warmup="2 s", traffic__tcp_up=0, traffic__tcp_down=1)
    told = flent_result.result(path, s.check()).summary()
    assert told["airtime"] == pytest.approx({"ap": 0.4, "sta1": 0.1})
    assert told["airtime_rx"] == pytest.approx({"ap": 0.1, "sta1": 0.4})
    assert {n: a["mean"] for n, a in told["ampdu"].items()} == {"ap": 20.0, "sta1": None}


@pytest.mark.usefixtures("canvases")
def test_an_access_points_stations_are_the_scenarios_in_the_order_that_flent_was_told(wavetank, tmp_path):
    macs = {"02:00:00:00:00:0b": (1e5, 5e4, 20.0), "02:00:00:00:00:0a": (2e5, None, 30.0)}
    path = _of_access_point(tmp_path / "x.flent", macs)
    s = tmp_path / "s.toml"
    s.write_text(
        'name = "s"\n[topology]\nkind = "wifi"\n[wifi]\nstations = 2\n[traffic]\ntcp_down = 1\n[time]\nflows = "4 s"\n'
    )
    code, out, err = wavetank("compare", s, "--with", path, "--out", tmp_path / "c", "--json")
    assert code == 0, err
    assert "wifi_stats_stations: sta1 is 02:00:00:00:00:0b, sta2 is 02:00:00:00:00:0a" in err
    rows = {x["figure"]: x["testbed"] for x in json.loads(out)["rows"]}
    assert [rows[f"{n} airtime to it"] for n in ("ap", "sta1", "sta2")] == pytest.approx([0.1, 0.2, 0.4])
    assert [rows[f"{n} airtime"] for n in ("ap", "sta1")] == pytest.approx([0.6, 0.1])
    assert [rows[f] for f in ("sta2 airtime", "ap A-MPDU mean")] == [None, None]
    # analyze has the access point's own words, and draws what there is
    path = _of_access_point(tmp_path / "y.flent", {"02:00:00:00:00:01": (None, None, 20.0)})
    code, out, err = wavetank("analyze", path, "--out", tmp_path / "a")
    assert code == 0, err
    assert "20" in out


def test_a_flent_file_of_several_stations_bears_the_runs_names(tmp_path):
    s = scenario(wifi__stations=3, stations__tcp_up=[1, 0, 2], time__lead_in="1 s")
    run = s.run(1)
    run.save(tmp_path)
    beside = flent_result.result(next(tmp_path.glob("*.flent.gz")), s.check())
    assert {f.name: (f.station, f.direction) for f in beside.flows} == {
        f.name: (f.station, f.direction) for f in run.flows
    }
    assert [(p.name, p.station) for p in beside.pings] == [(p.name, p.station) for p in run.pings]
    # of each station its own, of all each once
    said, ran = beside.summary(), run.summary()
    assert said["ping_ms"] == pytest.approx(ran["ping_ms"], rel=1e-6)
    assert said["ping_ms_of"]["sta3"] == pytest.approx(ran["ping_ms_of"]["sta3"], rel=1e-6)


def test_a_flent_file_that_is_none_is_one_error(tmp_path):
    whole = {"version": 4, "metadata": {"LENGTH": 2}, "x_values": [0, 1], "results": {"TCP upload": [1, 2]}}
    path = tmp_path / "f.flent.gz"

    def refused(raw):
        path.write_bytes(raw)
        with pytest.raises(UserError) as e:
            flent_file.read(path)
        return str(e.value)

    text = json.dumps(whole).encode()
    packed = gzip.compress(text)
    for raw, why in (
        (gzip.compress(b"")[:10] + b"\x07", "its compressed data are damaged"),
        (packed[:-9] + b"\0" * 9, "its compressed data are damaged"),
        (packed[:-20], "ends within its compressed data: it was cut off"),
        (b"[" * 100_000, "is no JSON of Flent's"),
        (b"\xbd\x13", "is neither JSON nor compressed by gzip"),
        (gzip.compress(b"\xbd\x13"), "what gzip packed is no text"),
        (b"name = 'upload'", "is no JSON"),
        (gzip.compress(b"pcap"), "what gzip packed is no JSON"),
        (text[:-1], "its JSON ends too early: it was cut off"),
        (text[:5], "its JSON ends too early: it was cut off"),
        (text.replace(b"4", b"4;"), "its JSON is damaged at line 1, column 14"),
        (b"[1, 2]", "is JSON, but has no results and x_values"),
    ):
        assert refused(raw) == f"{path}: {why}, expected a Flent data file (.flent.gz)"
    for part, why in (
        ({"x_values": [0, 10**400]}, "its x_values hold 1000"),
        ({"x_values": [0, "1 s"]}, 'its x_values hold "1 s", which is no time'),
        ({"results": {"TCP upload": 3}}, 'its series "TCP upload" is no list of values'),
        ({"results": {"TCP upload": [1, "2"]}}, 'its series "TCP upload" holds "2", which is no number'),
        ({"metadata": []}, "its metadata or raw values are not as Flent writes them"),
    ):
        assert why in refused(json.dumps(whole | part).encode())
    assert "is empty" in refused(b"")
    for none in ([], None, {}, "abc", 3):
        assert "x_values hold no times" in refused(json.dumps(whole | {"x_values": none}).encode())
    for version in (2, 99, "4", None):
        said = refused(json.dumps(whole | {"version": version}).encode())
        assert f": has version {version} of Flent's format, not 3 or 4, expected" in said
    said = refused(json.dumps(whole | {"results": {"TCP upload": [1]}}).encode())
    assert 'its series "TCP upload" has 1 values for 2 times, expected' in said
    path.write_text(json.dumps(whole | {"metadata": {"SERIES_META": {"TCP upload": 3}}}))
    assert flent_file.read(path).flows[0].meta == {}


def test_all_of_a_flent_file(wavetank, tmp_path):
    scenario(time__lead_in="1 s", time__flows="3 s").run(1).save(tmp_path)
    path = next(tmp_path.glob("*.flent.gz"))
    document = analyze.load(path, whole=True)
    judged, whole = analyze.load(path)["report"], document["report"]
    assert whole["window_s"] == whole["span_s"] == [0.0, 4.4]
    assert whole["flows"][0]["bytes"] > judged["flows"][0]["bytes"]
    assert whole["flows"][0]["goodput_mbit"] < 0.8 * judged["flows"][0]["goodput_mbit"]
    _, out, _ = wavetank("analyze", path, "--all")
    assert (
        "note: counted is all of the file, 0 to 4.4 s, the time without flows with it" in out
        and "no judging" not in out
    )
    data = json.loads(gzip.decompress(path.read_bytes()))
    del data["metadata"]["WAVETANK_SCENARIO"]
    other = tmp_path / "other.flent"
    other.write_text(json.dumps(data))
    assert analyze.load(other, whole=True)["report"]["window_s"] == [0.0, 4.4]
    _, out, _ = wavetank("analyze", other)
    assert "note: no judging window is known: counted is the flows' time, 1 to 4 s, their start with it" in out
    assert "before the flows" in out


def test_a_flent_files_mean_aggregates_are_drawn(tmp_path):
    from matplotlib.figure import Figure

    from wavetank.captures import analyze_plot

    stations = [{"name": "sta1", "ampdu_mean": 12.0}, {"name": "ap", "ampdu_mean": 2.0}]
    ax = Figure().subplots()
    assert analyze_plot._ampdu_panel({"report": {"stations": stations}}, ax)
    assert [p.get_width() for p in ax.patches] == [2.0, 12.0], "by their numbers, whoever sent more"
    assert ax.yaxis_inverted(), "the access point on top"


def test_a_flent_file_with_what_it_asked_the_sockets(tmp_path):
    results = {
        "TCP upload::10": [None, 4, 6], "TCP upload::2": [1, 2, None], "TCP upload::2::tcp_cwnd": [9, 9, 9],
        "TCP upload::2::tcp_rtt": [3, 5, 4], "TCP upload sum": [1, 6, 6], "Ping (ms) ICMP": [10, 20, 30],
    }  # fmt: skip
    data = {
        "version": 3,
        "metadata": {"NAME": "tcp_nup", "LENGTH": 2, "DELAY": 0},
        "x_values": [0, 1, 2],
        "results": results,
    }
    path = tmp_path / "x.flent"
    path.write_text(json.dumps(data))
    report = analyze.load(path)["report"]
    assert [(f["src"], f["goodput_mbit"]) for f in report["flows"]] == [("TCP upload::2", 2.0), ("TCP upload::10", 5.0)]
    assert report["flows"][0]["rtt_ms"]["p50"] == 4 and report["flows"][1]["rtt_ms"] is None
    assert report["pings"][0]["rtt_ms"]["mean"] == 20
    # as Flent writes it: the flows' time lies in the middle of the whole; shorter than a step, it touches the samples of two
    data["metadata"] |= {"LENGTH": 0.5, "TOTAL_LENGTH": 2}
    del data["metadata"]["DELAY"]
    path.write_text(json.dumps(data))
    report = analyze.load(path)["report"]
    assert report["window_s"] == [0.75, 1.25]
    assert [f["goodput_mbit"] for f in report["flows"]] == [2.0, 5.0]
    path.write_text(json.dumps({**data, "results": {"TCP upload": "fast"}}))
    with pytest.raises(UserError, match="is no list of values"):
        analyze.load(path)


def test_a_capture_that_is_cut_off(wavetank, tmp_path):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1))
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(path.read_bytes()[:200_001])
    code, out, err = wavetank("analyze", cut)
    assert code == 2
    assert "it ends in the middle of a block" in err and "what stood before it is above" in err
    assert "Transmitters" in out


def test_a_capture_beside_the_runs_window_is_counted_in_whole_and_says_so(wavetank, tmp_path):
    s = scenario(traffic__tcp_up=1)
    path, _ = capture(tmp_path, s, capture_window=(0.55, 0.6))  # judged from 0.7 s on
    code, out, err = wavetank("analyze", path)
    assert (code, err) == (0, "")
    assert "note: the run's window is 0.7 to 1.5 s, the capture 0.55" in out and "all frames are counted" in out
    document = analyze.load(path)
    assert document["report"] == analyze.load(path, whole=True)["report"]
    assert document["report"]["frames"]["all"] > 100 and document["window_missed_s"] == [0.7, 1.5]
    # one that ends before the window begins is shown, too, as its error says
    path, _ = capture(tmp_path, s)
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(path.read_bytes()[:60_001])
    code, out, err = wavetank("analyze", cut)
    assert code == 2 and "all frames are counted" in out and "Transmitters" in out
    assert "what stood before it is above" in err
    # where nothing stood, nothing is said to stand there
    cut.write_bytes(path.read_bytes()[:400])
    code, out, err = wavetank("analyze", cut)
    assert code == 2 and "no frames" in out and "nothing stood before it" in err and "above" not in err


def test_a_window_without_frames_is_refused_with_the_captures_span(wavetank, tmp_path):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1), capture_window=(0.75, 0.8))
    code, out, err = wavetank("analyze", path, "--window", "900:903")
    assert (code, out) == (2, "")
    assert "--window 900:903 holds no frame, expected seconds within the capture's 0.75" in err and " to 0.79" in err
    assert wavetank("analyze", path, "--window", "0.75:0.76")[0] == 0


def test_a_file_that_cannot_be_read_leaves_the_others_reports(wavetank, tmp_path):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1))
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(path.read_bytes()[:200_001])
    code, out, err = wavetank("analyze", cut, "gone.pcap", "lost.pcap", path)
    assert code == 2 and out.count("Transmitters") == 2
    told = [x for x in err.splitlines() if x.startswith("error: ")]
    assert len(told) == 3, err
    assert all(any(w in x for x in told) for w in ("gone.pcap: cannot be read", "lost.pcap", "middle of a block"))
    code, out, _ = wavetank("analyze", "gone.pcap", path, "--json")
    assert code == 2 and [f["path"] for f in json.loads(out)["files"]] == [str(path)]


def test_a_picture_names_the_radios_that_it_leaves_out():
    seen = air.watch(scenario(traffic__tcp_up=1, wifi__stations=12), 1, timeline=(None, 0.001))
    shown = timeline.lanes(seen.timeline)
    assert 1 < len(shown) < 13
    missing = [f"sta{i}" for i in range(1, 13) if i not in shown]
    assert f"MPDUs; silent: {', '.join(missing)}<" in timeline.svg(seen.timeline, "t").replace("&#x27;", "'")
    assert f"silent: {', '.join(missing)}" in timeline.html(seen.timeline, "t")
    many = {**seen.timeline, "nodes": ["ap", *(f"sta{i}" for i in range(1, 201)), "server"]}
    assert f"MPDUs; silent: {201 - len(shown)} other radios<" in timeline.svg(many, "t").replace("&#x27;", "'")
    whole = air.watch(scenario(traffic__tcp_up=1), 1, timeline=(None, 0.02))
    assert "silent" not in timeline.svg(whole.timeline, "t")


def test_a_capture_that_gzip_has_compressed(wavetank, tmp_path):
    path, _ = capture(tmp_path, scenario(traffic__tcp_up=1))
    packed = tmp_path / "m.pcapng.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    assert analyze.load(packed)["report"] == analyze.load(path)["report"]
    cut = tmp_path / "cut.pcapng.gz"
    cut.write_bytes(packed.read_bytes()[:100_001])
    code, out, err = wavetank("analyze", cut)
    assert (code, "Transmitters" in out) == (2, True) and "what stood before it is above" in err
    for data, says in (
        (gzip.compress(b"hello"), "holds neither, compressed by gzip"),
        (packed.read_bytes()[:12], "damaged"),
    ):
        cut.write_bytes(data)
        code, _, err = wavetank("analyze", cut)
        assert (code, says in err.replace("\n", " ")) == (2, True)


def test_a_pipe_is_no_file(wavetank, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    code, out, err = wavetank("analyze", pipe)
    assert (code, out) == (2, "") and "is no regular file (a pipe has to be saved first)" in err


def test_a_folder_that_takes_nothing_is_told_before_a_capture_is_read(wavetank, tmp_path, monkeypatch):
    monkeypatch.setattr(analyze, "load", lambda *a: pytest.fail("it was read"))
    (tmp_path / "file").touch()
    for option in ("--out", "--link-traces"):
        code, out, err = wavetank("analyze", "x.pcap", option, tmp_path / "file" / "below")
        assert (code, out) == (2, "") and "below: cannot be written" in err and err.endswith("expected a folder\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["hack", "rohc", "gone.pcap"], "gone.pcap: cannot be read (No such file or directory)"),
        (["analyze", "gone.pcap"], "gone.pcap: cannot be read"),
        (["analyze", str(FILE)], "is neither, expected a capture"),
        (["run", str(FILE), "--pcap", "--snaplen", "99999999999"], "is not in the range 0<=x<=4294967295"),
        (["analyze", str(FILE.parent)], "is a folder, expected a capture"),
        (["run", str(FILE), "--pcap", "sta7"], 'did you mean "sta1"'),
        (["run", str(FILE), "--pcap", "server"], 'unknown view "server"'),
        (["run", str(FILE), "--timeline", "x.pdf"], "ends in .svg or .html"),
        (["run", str(FILE), "--timeline", "x.svg", "--window", "3"], "expected FROM:TO in seconds"),
        (["run", str(FILE), "--window", "3:4"], "--window belongs to --timeline"),
        (["run", str(FILE), *SETS, "--timeline", "/proc/t.svg"], "/proc/t.svg: cannot be written"),
        (["run", str(FILE), *SETS, "--pcap", "--out", "/proc/x"], "expected a folder"),
        (["run", str(FILE), *SETS, "--pcap", "--out", "/proc"], "/proc/monitor.pcapng: cannot be written"),
        (["run", str(FILE), "--set", "topology.kind=wired", "--set", "htb.rate=50 Mbit/s", "--pcap"], "has no Wi-Fi"),
    ],
)
def test_bad_input_says_what_was_expected(wavetank, arguments, says):
    code, _, err = wavetank(*arguments)
    assert code == 2
    assert says in err.replace("\n", " ")
