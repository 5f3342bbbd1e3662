"""The air of the second water: captures, pictures and analyses of what the real mac80211 sent (`pytest -m kernel`)."""

import json
from itertools import pairwise

import pytest
from expert import complaints

import wavetank
from wavetank.captures import air, analyze

pytestmark = pytest.mark.kernel
SHORT = {"lead_in": "400 ms", "flows": "2 s", "tail": "400 ms", "warmup": "500 ms"}
HTC, ATH10K, TIDQ = ({"ap__driver": d, "sta__driver": d} for d in ("ath9k_htc", "ath10k", "ath9k_tidq"))
#: Of all that can be on the air: RTS, losses of frames and of answers, voice without a Block Ack session, keys, three stations.
ALL = {
    "wifi__stations": 3, "traffic__rrul": True, "traffic__tcp_up": 4, "traffic__tcp_down": 4, "wifi__encryption": "ccmp",
    "wifi__error_rate": 0.05, "medium__response_error": 0.02, "ath9k__rts_threshold": 0,
}  # fmt: skip


def scenario(**sets):
    return wavetank.Scenario.from_dict({"name": "s", "topology": {"kind": "wifi"}, "time": SHORT}).set(**sets)


@pytest.mark.parametrize(
    "sets", [{}, ALL, HTC, ATH10K, TIDQ], ids=["ath9k", "all", "ath9k_htc", "ath10k", "ath9k_tidq"]
)
def test_tshark_takes_the_kernels_frames_for_frames(tshark, tmp_path, sets):
    """Whole frames: their checksums are the stack's own, and hold."""
    path = tmp_path / "monitor.pcapng"
    seen = air.watch(scenario(**sets), 1, [("monitor", path)], snaplen=0, capture_window=(0.0, 1.5), on="linux")
    # One segment in 65536 has a checksum of 0xffff for 0: the kernel never writes 0 (net/core/dev.c skb_checksum_help, CSUM_MANGLED_0).
    assert {text for _, text in complaints(tshark, path)} <= {"TCP Checksum 0xffff instead of 0x0000 (see RFC 1624)"}
    # with its bit ignored an encrypted payload is there, too, for nobody enciphered it
    states = tshark(
        path, "-o", "wlan.ignore_wep:Yes - with IV", "-Y", "tcp && tcp.checksum != 0xffff", "-T", "fields",
        "-e", "tcp.checksum.status",
    )  # fmt: skip
    said = states.replace(",", "\n").splitlines()  # of an A-MSDU's MSDUs tshark says it in one line
    assert len(said) > 500 and set(said) == {"1"}
    assert seen.notes == ()


@pytest.mark.parametrize("sets", [{}, ALL, ATH10K, HTC], ids=["ath9k", "all", "ath10k", "ath9k_htc"])
def test_the_log_says_what_the_radios_counters_say(sets):
    """Aggregates by size, but for what is under way where the window begins and ends; airtime, losses; and the run is the same."""
    s = scenario(**sets)
    seen, alone = air.watch(s, 1, analysis=True, on="linux"), s.run(1, on="linux")
    assert seen.result.digest == alone.digest
    report = analyze.json_of(seen.analysis)["report"]
    for name, node in alone.nodes.items():
        told = next(x for x in report["stations"] if x["name"] == name)
        sizes = [0] * 65
        for n, count in enumerate(told["ampdu_hist"]):
            sizes[n] = count
        assert sum(abs(a - b) for a, b in zip(sizes[1:], node.ampdu_hist[1:], strict=True)) <= 4, name
        assert told["airtime_fraction"] == pytest.approx(node.airtime_fraction, rel=0.02, abs=0.002)
    goodput = sum(f["goodput_mbit"] for f in report["flows"] if f["protocol"] == "tcp")
    if not report["frames"]["encrypted"]:
        assert goodput == pytest.approx(sum(f.goodput_mbit for f in alone.flows), rel=0.03)


def test_a_picture_of_the_kernels_air(wavetank, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        'name = "s"\n[topology]\nkind = "wifi"\n[time]\nlead_in = "400 ms"\nflows = "1 s"\nwarmup = "500 ms"\n'
    )
    code, out, _ = wavetank(
        "run",
        file,
        "--on",
        "linux",
        "--timeline",
        tmp_path / "t.svg",
        "--pcap",
        "ap",
        "--out",
        tmp_path,
        "--analyze",
        "--json",
    )
    assert code == 0, out
    assert json.loads(out)["air"]["stations"][0]["mpdus"] > 1000
    assert "sta1" in (tmp_path / "t.svg").read_text() and (tmp_path / "ap.pcapng").stat().st_size > 100_000
    code, out, _ = wavetank("analyze", tmp_path / "ap.pcapng")
    assert code == 0 and "sta1:" in out and "server:30500" in out, out


def test_where_the_guests_room_ends_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr("wavetank.linux.radio_log.ROOM", 1)
    seen = air.watch(scenario(), 1, [("monitor", tmp_path / "m.pcapng")], on="linux")
    assert len(seen.notes) == 1 and "ends at 0.7" in seen.notes[0], seen.notes


def test_a_card_that_chooses_rates_tries_its_management_frames_again(tshark, tmp_path):
    """Eight stations whose voice collides: a request for a Block Ack session that is lost holds its TID for a second
    (mac80211 ADDBA_RESP_INTERVAL)."""
    path = tmp_path / "monitor.pcapng"
    s = scenario(**ATH10K, wifi__stations=8, traffic__rrul=True, traffic__tcp_up=4, traffic__mark_acks=False)
    # of nine seeds (286 requests) one has a request all of whose tries collide, the first
    air.watch(s, 2, [("monitor", path)], on="linux")
    columns = (
        "frame.time_epoch",
        "wlan.ta",
        "wlan.ra",
        "wlan.fixed.action_code",
        "wlan.fixed.baparams.tid",
        "wlan.fc.retry",
    )
    fields = [x for c in (*columns, "radiotap.flags.badfcs") for x in ("-e", c)]
    out = tshark(path, "-Y", "wlan.fc.type_subtype == 0x0d", "-T", "fields", *fields)
    asked, waits, again = {}, [], 0
    for line in out.splitlines():
        time, sender, receiver, code, tid, retry, bad = line.split("\t")
        again += retry == "1"
        if int(code, 16) == 0:
            asked.setdefault((sender, receiver, tid), float(time))
        elif int(code, 16) == 1 and bad == "0" and (receiver, sender, tid) in asked:
            waits.append(float(time) - asked.pop((receiver, sender, tid)))
    assert len(waits) > 30
    assert again > 0, "some were lost"
    assert max(waits) < 0.5


@pytest.mark.parametrize("on", ["model", "linux"])
def test_single_frames_of_stations_take_turns_in_an_ath10k(tshark, tmp_path, on):
    """Voice goes without a session; no more of it stands in the hardware than aggregates would (`ath10k.depth`)."""
    path = tmp_path / "monitor.pcapng"
    downs = {"wifi__stations": 3, "traffic__tcp_up": 0, "traffic__tcp_down": 1, "traffic__tcp_dscp": "EF"}
    air.watch(scenario(ap__driver="ath10k", **downs), 1, [("monitor", path)], capture_window=(1.0, 2.0), on=on)
    shown = "wlan.fc.type_subtype == 0x28 && wlan.qos.tid == 6 && wlan.fc.fromds == 1 && wlan.fc.retry == 0"
    to = tshark(path, "-Y", shown, "-T", "fields", "-e", "wlan.ra").split()
    assert len(to) > 1000
    assert sum(a == b for a, b in pairwise(to)) < 0.1 * len(to)


def test_a_unit_of_ath9k_htcs_firmware_is_ready_when_its_cpu_is_done(tshark, tmp_path):
    """No reading of the guest's clock (256 ns each) comes between: a unit that is ready as a slot begins leaves in it.

    The station's CPU looks at once (`cpu_turn`), so that a unit of 17 is formed 1404 us (16 frames and their answer), 272 us
    and 284 us after the one of 16 before it began. Where a slot begins then, it begins then; a clock that is late makes it the
    next slot in nearly all cases.
    """
    path = tmp_path / "monitor.pcapng"
    sets = {**HTC, "wifi__mcs": 7, "wifi__width_mhz": 40, "wifi__short_gi": True, "ath9k_htc__cpu_ppdu": "80 us"}
    s = scenario(**sets, ath9k_htc__cpu_turn="1 ns", host__sta_rx="0 ns", tcp__gso_max_segs=1, traffic__ping="off")
    air.watch(s, 1, [("monitor", path)], capture_window=(0.9, 2.4), on="linux")
    rows = tshark(
        path, "-Y", "wlan.fc.type == 2 && wlan.ta == 02:77:74:00:00:01 && radiotap.ampdu.reference", "-T", "fields",
        "-e", "frame.time_epoch", "-e", "radiotap.ampdu.reference",
    )  # fmt: skip
    units: dict[str, list[float]] = {}
    for row in rows.splitlines():
        time, reference = row.split("\t")
        units.setdefault(reference, []).append(float(time))
    after = [1e6 * (b[0] - a[0]) for a, b in pairwise(units.values()) if (len(a), len(b)) == (16, 17)]
    near = [us for us in after if 1959 < us < 1971]
    assert len(near) > 50
    assert sum(us < 1961 for us in near) > 0.3 * len(near)
