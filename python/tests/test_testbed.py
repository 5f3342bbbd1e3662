"""The third water without machines: what a scenario becomes there, what is refused, what Flent and shellcheck say of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from wavetank import Scenario, UserError, _core, testbed
from wavetank.captures import flent_result
from wavetank.lab import plan
from wavetank.linux.translate import translate as to_linux
from wavetank.testbed import folder, scripts

SCENARIOS = sorted((plan.ROOT / "scenarios").glob("*.toml"))
WIFI = 'name = "a bed"\n[topology]\nkind = "wifi"\n'
WIRED = 'name = "a bed"\n[topology]\nkind = "wired"\n[htb]\nrate = "100 Mbit/s"\n'
COTSQ = {"tcp.tsq": "cotsq", "tcp.tsq_ms": 6}
SHELLCHECK = shutil.which("shellcheck")


def wifi(**sets):
    return Scenario(WIFI).set(**sets)


def wired(**sets):
    return Scenario(WIRED).set(**sets)


def lines(bed, role):
    return [s.line() for s in bed.roles[role].settings]


def refused(scenario):
    with pytest.raises(UserError) as e:
        testbed.translate(scenario)
    return str(e.value)


def test_cotsq_on_a_card_is_the_shift_and_the_ratios():
    bed = testbed.translate(wifi().set(COTSQ))
    assert list(bed.roles) == ["ap", "sta1", "server"]
    of = lines(bed, "sta1")
    # 6 ms: 2^-7 s and 76.8 % of 200 and 120 (man wavetank_tsq(8))
    assert 'tsq "$STA1_IF" 7' in of
    assert "sysctl net.ipv4.tcp_pacing_ss_ratio 154" in of
    assert "sysctl net.ipv4.tcp_pacing_ca_ratio 92" in of
    assert "sysctl net.ipv4.tcp_limit_output_bytes 10000000" in of
    # the server's card has no shift to be made up for, and keeps what the kernel has
    assert "sysctl net.ipv4.tcp_pacing_ca_ratio 120 if-there" in lines(bed, "server")
    assert not [x for x in lines(bed, "server") if "limit_output" in x or x.startswith("tsq")]
    # an access point that only forwards has no TCP
    assert not [x for x in lines(bed, "ap") if "net.ipv4.tcp_" in x or x.startswith("tsq")]
    assert "sysctl net.ipv4.ip_forward 1" in lines(bed, "ap")
    alone = testbed.translate(wifi(backhaul__present=False).set(COTSQ))
    assert 'tsq "$AP_IF" 7' in lines(alone, "ap")
    assert [h.variable for h in alone.plan.hosts] == ["AP_HOST"]


def test_cotsq_on_a_wire_is_the_ratios_alone():
    of = lines(testbed.translate(wired().set({"tcp.tsq": "cotsq", "tcp.tsq_ms": 4})), "client")
    # TCP's own shift is 10: 4 ms are 4.096 times 200 and 120
    assert "sysctl net.ipv4.tcp_pacing_ss_ratio 819" in of
    assert "sysctl net.ipv4.tcp_pacing_ca_ratio 492" in of
    assert "exceed 1000" in refused(wired().set(COTSQ))
    assert "a wired socket has the kernel's shift" in refused(wired(tcp__tsq="off"))
    assert "bbr sets its pacing rate itself" in refused(wired(tcp__cc="bbr").set({"tcp.tsq": "cotsq", "tcp.tsq_ms": 4}))


def test_disciplines_stand_where_the_scenario_has_them():
    remote = testbed.translate(wired(htb__leaf="fq_codel", netem__delay="10 ms"))
    trees = {n: [x for x in lines(remote, n) if x.startswith("tree")] for n in remote.roles}
    assert "rate 1000000000bit" in trees["client"][0] and "pfifo limit 1000" in trees["client"][0]
    assert trees["router"][0].startswith("tree \"$ROUTER_SERVER_IF\" 'qdisc root handle 1: htb default 1'")
    assert "fq_codel limit 10240 flows 1024 quantum 1514 target 5000us interval 100000us" in trees["router"][0]
    assert trees["server"] == ["tree \"$SERVER_IF\" 'qdisc root handle 10: netem delay 10000us limit 1000'"]
    cake = lines(testbed.translate(wired().set({"bottleneck.qdisc": "cake", "cake.bandwidth": "9 Mbit/s"})), "router")
    assert any("root handle 10: cake bandwidth 9000000bit diffserv3 triple-isolate" in x for x in cake)
    behind = testbed.translate(wifi(backhaul__delay="5 ms"))
    assert "tree \"$AP_WIRE_IF\" 'qdisc root handle 10: netem delay 5000us limit 100000'" in lines(behind, "ap")
    assert not [x for x in lines(testbed.translate(wifi()), "ap") if x.startswith("tree")]
    htc = {"ap.driver": "ath9k_htc", "sta.driver": "ath9k_htc"}
    old = testbed.translate(wifi(kernel="5.4").set(htc))
    assert any(x.startswith('tree "$STA1_IF" \'qdisc root handle 10: fq_codel') for x in lines(old, "sta1"))
    assert not [x for x in lines(testbed.translate(wifi().set(htc)), "sta1") if x.startswith("tree")]
    assert "from 6.2 on ath9k_htc has mac80211's queues" in refused(wifi(sta__above="qdisc").set(htc))


def test_cards_are_told_what_iw_and_debugfs_take():
    sets = {
        "wifi.mcs": 12, "wifi.short_gi": False, "ath9k.rts_threshold": 500, "mac80211.limit": 4000,
        "mac80211.aql_low": "3 ms", "mac80211.airtime_fairness": False, "wifi.band": "2.4 GHz",
    }  # fmt: skip
    of = lines(testbed.translate(wifi().set(sets)), "sta1")
    for line in (
        'bitrates "$STA1_IF" ht-mcs-2.4 12 lgi-2.4', 'rts "$STA1_IF" 500', 'aqm "$STA1_IF" fq_limit 4000',
        'aql "$STA1_IF" 3000 12000', 'airtime "$STA1_IF" 0', 'driver "$STA1_IF" ath9k', 'width "$STA1_IF" 40',
    ):  # fmt: skip
        assert line in of
    ac = {"wifi.standard": "ac", "wifi.mcs": 9, "wifi.streams": 2, "wifi.width_mhz": 80}
    ac |= {f"{end}.driver": "ath10k" for end in ("ap", "sta")}
    ap = lines(testbed.translate(wifi().set(ac).set({"ath10k.rts_threshold": 600})), "ap")
    assert 'bitrates "$AP_IF" vht-mcs-5 2:9 sgi-5' in ap and 'rts "$AP_IF" 600' in ap
    minstrel = {f"{end}.rate_control": "minstrel_ht" for end in ("ap", "sta")}
    assert not [x for x in lines(testbed.translate(wifi().set(minstrel)), "ap") if x.startswith("bitrates")]
    masked = testbed.translate(wifi().set({**minstrel, "wifi.mcs": 15, "minstrel_ht.bitrates": 15}))
    assert 'bitrates "$AP_IF" ht-mcs-5 15' in lines(masked, "ap")
    ours = testbed.translate(wifi().set({"ap.rate_control": "aasrc", "sta.rate_control": "aasrc", "aasrc.window": 99}))
    assert "param wavetank_aasrc window 99" in lines(ours, "ap")
    assert 'rate_control "$AP_IF" aasrc' in lines(ours, "ap")


@pytest.mark.parametrize("name", ["thesis-ath9k", "thesis-rc"])
def test_what_no_kernel_has_together_is_said_at_once(name):
    """Each hint alone led to the other's refusal."""
    s = Scenario.load(plan.ROOT / "scenarios" / f"{name}.toml")
    said = refused(s)
    assert refused(s.set({"kernel": "6.12"})) == said and "came with Linux 4.17" in said and "went with 4.10" in said
    hints = re.search(r"either (--set .+), or (--set .+)", said)
    assert hints
    for hint in hints.groups():
        sets = dict(word.split("=") for word in hint.split() if word != "--set")
        assert "4.1" not in refused(s.set(sets)), "what is refused next is of another kind"


def test_a_weight_is_the_access_points_word_on_each_station(tmp_path):
    bed, _ = testbed.write(wifi().set({"mac80211.weight": 512}), tmp_path, 1)
    assert 'weight "$AP_IF" 512' in lines(bed, "ap") and not [x for x in lines(bed, "sta1") if "weight" in x]
    assert any("associated then" in n for n in bed.notes)
    assert "came with Linux 5.1" in refused(wifi(kernel="4.19").set({"mac80211.weight": 512}))
    assert "ath9k_htc shares no airtime" in refused(wifi(ap__driver="ath9k_htc").set({"mac80211.weight": 512}))

    # an iw that keeps its stations' weights in a file a station
    (tmp_path / "bin").mkdir()
    iw = tmp_path / "bin" / "iw"
    iw.write_text(
        """#!/bin/sh
cd stations || exit 1
case "$4 $5" in
'dump ') for s in *; do [ ! -f "$s" ] || echo "Station $s (on $2)"; done ;;
"get $5") [ -f "$5" ] && printf '\\tairtime weight: %s\\n' "$(cat "$5")" ;;
"set $5") echo "$7" >"$5" ;;
esac
"""
    )
    iw.chmod(0o755)
    stations = tmp_path / "stations"
    stations.mkdir()

    def said(verb):
        script = f"ROLE=ap BED=x here=. STATE=.; . ./lib.sh; verb={verb}; weight wlan0 512; [ $verb != down ] || back"
        # what `down` does with what was saved; it itself asks for root
        back = "back() { saved weight 'wlan0 a1' >was && set_weight 'wlan0 a1' \"$(cat was)\"; set_weight 'wlan0 b2' 256; }\n"
        env = {**os.environ, "PATH": f"{iw.parent}:{os.environ['PATH']}"}
        done = subprocess.run(
            ["sh", "-c", back + script], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.splitlines()

    assert "no station is associated" in said("check")[0] and said("up") == []
    (stations / "a1").write_text("300")
    assert said("check") == ["differs      weight wlan0 a1: has 300, wants 512"]
    said("up")
    said("up")
    assert said("check") == ["ok           weight wlan0 a1 = 512"]
    said("down")  # b2 was there, and left
    assert (stations / "a1").read_text().strip() == "300"


def test_what_is_left_to_machines_is_said_and_what_none_can_have_is_refused():
    bed = testbed.translate(wifi(host__wake="100 us", ath9k__depth=3, host__hz=250, kernel="5.4"))
    assert [(k, v) for k, v, _ in bed.left] == [("ath9k.depth", "3"), ("host.wake", "100 us")]
    of = lines(bed, "sta1")
    assert {"kernel 5.4", "hz 250"} <= set(of)
    assert any(x.startswith("told 'ath9k.depth = 3'") for x in of)
    for sets, why in (
        ({"hack.policy": "more-data"}, "a MAC that no card has"),
        ({"channel.on": True}, "a real channel cannot be prescribed"),
        ({"wifi.error_rate": 0.01}, "losses cannot be prescribed"),
        ({"stations.error_down": "0.1"}, "losses cannot be prescribed"),
        ({"tao.enabled": True}, "two calls within the driver"),
        ({"tcp.enforce_pacing": True}, "netperf"),
        ({"tcp.rcvlowat": "10 KiB"}, "netperf"),
        ({"tcp.cc": "bbr3"}, "Linux 6.12 has no bbr3"),
        ({"cubic.beta": 600}, "the kernel's own value holds"),
        ({"mac80211.target": "5 ms"}, "a constant of mac80211"),
        ({"stations.mcs": "0", "wifi.stations": 2}, "all its stations"),
        ({"stations.weight": "512, 256", "wifi.stations": 2}, "mac80211.weight gives all of them one"),
        ({"traffic.ping_payload": 100}, "Flent's pings have 56 bytes"),
        ({"time.flows": "2500 ms"}, "whole seconds"),
        ({"traffic.start_step": "500 ms", "traffic.tcp_up": 2}, "whole seconds"),
        ({"ap.driver": "linksys"}, "the scripts know"),
        ({"ap.driver": "ath9k_tidq"}, "since Linux 4.10"),
        ({"kernel": "4.14", **COTSQ}, "came with Linux 4.17"),
        ({"wifi.aggregation": False}, "no switch for it"),
        ({"tcp.init_cwnd": 4}, "belongs to a route"),
    ):
        text = refused(wifi().set(sets))
        assert "cannot be had on a test bed" in text and why in text, text


@pytest.mark.parametrize("kind", [WIFI, WIRED], ids=["wifi", "wired"])
def test_every_key_is_carried_out_left_or_refused(kind):
    """No key is swallowed: set to another value, it changes a script, Flent's batch, a note, or is refused or irrelevant."""
    base = Scenario(kind)
    plain = base.check()
    before = _written(testbed.translate(base))
    swallowed = []
    for r in _core.schema():
        key = f"{r['section']}.{r['key']}" if r["section"] else r["key"]
        if key in ("name", "description", "seed", "topology.kind", "time.warmup", "time.cooldown"):
            continue
        for value in _others(r, plain.get(key, "")):
            s = base.set({key: value})
            try:
                if s.check()[key] == plain[key]:
                    continue
            except _core.ScenarioError:
                continue
            try:
                after = _written(testbed.translate(s))
            except UserError:
                break
            if after != before or _irrelevant(s, key):
                break
            swallowed.append(f"{key} = {value}")
            break
    # kept where it is: what a key of a part that is not chosen says, and what is already so
    assert swallowed == []


def _written(bed):
    roles = {n: lines(bed, n) for n in bed.roles}
    return (
        roles,
        bed.hostapd,
        bed.left,
        bed.notes,
        bed.plan.test,
        bed.plan.options,
        [h.variable for h in bed.plan.hosts],
    )


def _irrelevant(scenario, key):
    from wavetank.linux.relevance import Relevance
    from wavetank.testbed.bed import _Translator

    t = _Translator(scenario)
    t.translate()
    v = t.v
    section = key.partition(".")[0]
    unchosen = {
        "traffic.udp_payload": v["traffic.udp_up"] == v["traffic.udp_down"] == "off",
        "traffic.marks": v["traffic.rrul"] == "false",
        "traffic.ping_stations": t.stations == 1,
        "backhaul.at": True,  # of a discipline that is everywhere the same
        "wifi.rate": v["wifi.standard"] not in "abg",
        "wifi.streams": v["wifi.standard"] != "ac",
        "time.tail": False,
        "tcp.tsq_bytes": v["tcp.tsq"] not in ("cotsq", "bytes"),
        "tcp.tsq_ms": v["tcp.tsq"] != "cotsq",
        "tcp.tsq_pkts": v["tcp.tsq"] != "cotsq",
        "tcp.pacing_at_server": False,
        "wifi.band": not t.wifi,
    }
    if key in unchosen:
        return unchosen[key]
    if section in (
        "wifi",
        "ap",
        "sta",
        "stations",
        "edca",
        "edca_ap",
        "mac80211",
        "backhaul",
        "hack",
        "tao",
        "medium",
        "reorder",
    ):
        return not t.wifi or not Relevance(t).of(key)
    return not Relevance(t).of(key)


def _others(row, now):
    """Values that differ from what holds."""
    span = str(row["range"])
    if row["kind"] == "switch":
        return ["false" if now == "true" else "true"]
    if " | " in span:
        return [v for v in span.split(" | ") if v != now]
    of = {
        "time": ["1 s", "2 ms", "3 us"],
        "rate": ["6 Mbit/s", "33 Mbit/s"],
        "bytes": ["20000 B", "100 KiB"],
        "list": ["1"],
    }
    return of.get(row["kind"], ["1", "3", "2", "20", "0.5", "300"])


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_each_papers_scenario_is_written_or_refused_with_a_key(path, tmp_path):
    s = Scenario.load(path)
    try:
        bed, written = testbed.write(s, tmp_path / "bed", 2)
    except UserError as e:
        assert re.match(r".*\.toml: [a-z0-9_.]+ = .+: cannot be had on a test bed: .+", str(e))
        assert not (tmp_path / "bed").exists()
        return
    assert {p.name for p in written} == {p.name for p in (tmp_path / "bed").iterdir()}
    manifest = json.loads((tmp_path / "bed" / "wavetank.json").read_text())
    assert manifest["digest"] == bed.digest == testbed.digest_of(s)
    again = Scenario.load(tmp_path / "bed" / "scenario.toml")
    assert testbed.digest_of(again) == bed.digest
    page = (tmp_path / "bed" / "README.md").read_text()
    assert all(f"`{r}.sh`" in page for r in bed.roles)
    for program in (tmp_path / "bed").glob("*.sh"):
        assert os.access(program, os.X_OK) != program.name.startswith("lib")
        subprocess.run(["sh", "-n", str(program)], check=True)


def test_the_papers_beds_can_be_had():
    """Those that a paper measured on stock cards: only what no stock machine has is refused."""
    refusals = {}
    for path in SCENARIOS:
        try:
            testbed.translate(Scenario.load(path))
        except UserError as e:
            refusals[path.stem] = str(e).split(": ")[1]
    assert refusals == {
        "hack-or-tao-n": "ap.driver = ath9k_tidq",
        "thesis-ath9k": "tcp.tsq = off",
        "thesis-hack-11n": "tcp.tsq = off",
        "thesis-rc": "tcp.tsq = off",
        "thesis-sora": "tcp.tsq = off",
    }


ODD = {
    "several": wifi(wifi__stations=3).set({"traffic.tcp_up": 2, **COTSQ}),
    "bbrp": wired(tcp__cc="bbrp").set({"bbrp.bbrp_pace": 8}),
    "ac": wifi(wifi__standard="ac", wifi__mcs=9, wifi__width_mhz=80).set(
        {"ap.driver": "ath10k", "sta.driver": "ath10k", "edca.be_aifsn": 2, "edca_ap.vi_txop": "3008 us"}
    ),
    "weight": wifi(wifi__stations=2).set({"mac80211.weight": 100}),
    "aarc": wifi(ap__rate_control="aarc", sta__rate_control="aarc"),
    "quotes": wired(name='it\'s "a" $(bed) `x`; rm -rf'),
}


@pytest.mark.slow
@pytest.mark.skipif(SHELLCHECK is None, reason="shellcheck is not installed")
@pytest.mark.parametrize("name", [*ODD, "tsqtp-wired", "cotsq-ath9k"])
def test_shellcheck_finds_nothing(name, tmp_path):
    s = ODD.get(name) or Scenario.load(plan.ROOT / "scenarios" / f"{name}.toml")
    testbed.write(s, tmp_path, 1)
    files = [p.name for p in tmp_path.glob("*.sh")] + ["bed.env"]
    done = subprocess.run([str(SHELLCHECK), "-x", *files], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_name_with_quotes_is_no_command(tmp_path):
    testbed.write(ODD["quotes"], tmp_path, 1)
    done = subprocess.run(["sh", "client.sh", "sideways"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "usage: client.sh up|check|show|down\n".replace("up|check|show|down", "up|down|check|show")


def test_hostapd_conf(tmp_path):
    testbed.write(ODD["ac"], tmp_path, 1)
    env = tmp_path / "bed.env"

    def conf(channel):
        env.write_text(re.sub(r"CHANNEL=\d+", f"CHANNEL={channel}", env.read_text()))
        done = subprocess.run(["sh", "./ap.sh", "hostapd"], cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    of = conf(36)
    assert of[:5] == ["interface=wlan0", "driver=nl80211", "ssid=wavetank", "country_code=DE", "channel=36"]
    assert {"hw_mode=a", "ieee80211ac=1", "vht_oper_chwidth=1", "wmm_ac_be_aifs=2", "tx_queue_data1_burst=3.0"} <= set(
        of
    )
    # src: 802.11-2020 annex E: 80 MHz are centred on 42, 58, 106, 122, 138, 155; 40 MHz pair 36+40, 44+48, 149+153
    for channel, side, middle in (
        (36, "+", 42),
        (40, "-", 42),
        (64, "-", 58),
        (100, "+", 106),
        (132, "+", 138),
        (161, "-", 155),
    ):
        of = conf(channel)
        assert f"vht_oper_centr_freq_seg0_idx={middle}" in of
        assert f"ht_capab=[HT40{side}][SHORT-GI-20][SHORT-GI-40]" in of


def test_an_encrypted_network_is_hostapds(tmp_path):
    for encryption in ("none", "ccmp"):
        folder = tmp_path / encryption
        testbed.write(ODD["ac"].set({"wifi.encryption": encryption}), folder, 1)
        done = subprocess.run(["sh", "./ap.sh", "hostapd"], cwd=folder, capture_output=True, text=True, check=True)
        lines = {"wpa=2", "wpa_key_mgmt=WPA-PSK", "rsn_pairwise=CCMP", "wpa_passphrase=wavetank-ccmp"}
        assert (lines <= set(done.stdout.splitlines())) == (encryption == "ccmp")
        page = (folder / "README.md").read_text()
        assert ("wpa_supplicant -B" in page, "an open network" in page) == (encryption == "ccmp", encryption == "none")


FLENT = os.environ.get("FLENT") or shutil.which("flent", path=str(Path(sys.executable).parent)) or shutil.which("flent")
# Flent's own code reads the batch and loads the test, as it would for a run; says what comes of it.
READ = """
import json, sys
from flent import batch, settings
s = settings.new(); s.BATCH_FILES = [sys.argv[1]]; s.BATCH_DRY = True
runner = batch.new(s); name = next(iter(runner.batches)); b = runner.batches[name]
found = list(runner.expand_argsets(b, runner.get_argsets(b), s.TIME, name, print_status=False, no_shuffle=True))
_, t = found[0]
print(json.dumps({"runs": len(found), "commands": [c["exec"] for c in runner.commands_for(found[0][0], t)], "sets": list(t.DATA_SETS),
  **{k: getattr(t, k) for k in ("NAME", "HOSTS", "LENGTH", "DELAY", "STEP_SIZE", "SWAP_UPDOWN", "TEST_PARAMETERS", "NOTE", "TITLE")}}))
"""
TRAFFIC = {
    "tcp_upload": wired(),
    "tcp_nup": wired(traffic__tcp_up=3).set({"traffic.start_step": "2 s"}),
    "tcp_ndown": wired(traffic__tcp_up=0, traffic__tcp_down=2),
    "tcp_bidirectional": wired(traffic__tcp_up=1, traffic__tcp_down=1),
    "tcp_1up_noping": wired(traffic__ping="off"),
    "rrul": wired(traffic__rrul=True),
    "rrul_be": wired(traffic__rrul=True, traffic__marks=False),
    "rrul_be_nflows": wired(traffic__tcp_up=3, traffic__tcp_down=2),
    "udp_flood_var_up": wired(traffic__tcp_up=0, traffic__udp_up="30 Mbit/s"),
    "rtt_fair_var_up": ODD["several"],
    "rtt_fair_var": wifi(wifi__stations=2, traffic__tcp_up=1, traffic__tcp_down=1),
}


def _computed(name):
    return name.endswith((" avg", " sum", " totals", " fairness"))


@pytest.mark.flent
@pytest.mark.skipif(not FLENT, reason="set FLENT to Flent's command")
@pytest.mark.slow
@pytest.mark.parametrize("test", TRAFFIC)
def test_flent_takes_the_batch(test, tmp_path):
    pytest.importorskip("flent")
    scenario = TRAFFIC[test].set({"time.flows": "7 s", "time.lead_in": "3 s", "traffic.ping_payload": 56})
    bed, _ = testbed.write(scenario, tmp_path, 4)
    done = subprocess.run(
        [sys.executable, "-c", READ, str(tmp_path / "flent.batch")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    of = json.loads(done.stdout.splitlines()[-1])
    assert (of["NAME"], of["runs"], of["LENGTH"], of["DELAY"], of["STEP_SIZE"]) == (
        test,
        4,
        7,
        0 if test == "tcp_1up_noping" else 3,
        0.2,
    )
    assert of["NOTE"] == f"wavetank testbed a-bed digest {bed.digest}"
    assert of["commands"] == [f"./{bed.plan.at.name}.sh check"]
    if test != "udp_flood_var_up":
        assert of["TEST_PARAMETERS"]["tcp_cong_control"] == "cubic"
    if test == "tcp_nup":
        assert of["TEST_PARAMETERS"]["stream_delays"] == "0,2,4"
    # what comes back bears the scenario's own names, as the second water has them
    file = _File(of["HOSTS"], [n for n in of["sets"] if not _computed(n)])
    names = flent_result._Names(file, scenario.check())
    flows = [n for n in file.series if n.startswith(("TCP", "UDP"))]
    called = sorted(names.flow(_Flow(n))[0] for n in flows)
    assert called == sorted(f.name for f in to_linux(scenario.set({"tcp.tsq": "kernel"})).flows)
    pings = {names.ping(n)[0] for n in file.series if n.startswith("Ping")}
    expected = {n for n, _ in to_linux(scenario.set({"tcp.tsq": "kernel"})).echoes}
    if test == "rrul_be":  # Flent's are BE, all three; the scenario's keep the names that they have with marks
        expected = {"icmp", "udp_be"}
    assert expected <= pings
    # and the command itself, with bed.env's hosts
    path = f"{Path(str(FLENT)).parent}:{os.environ['PATH']}"
    env = (tmp_path / "bed.env").read_text().replace("SERVER_HOST=server", "SERVER_HOST=10.1.2.3")
    (tmp_path / "bed.env").write_text(env)
    done = subprocess.run(
        ["sh", "./flent.sh", "--batch-dry-run", "--batch-verbose"],
        capture_output=True, text=True, check=True, cwd=tmp_path, env={**os.environ, "PATH": path},
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert said.count(f"Would run test '{test}'") == 4
    assert "hosts=10.1.2.3" in said or "SERVER_HOST" not in {h.variable for h in bed.plan.hosts}


class _File:
    def __init__(self, hosts, series):
        self.hosts, self.series = hosts, series


class _Flow:
    def __init__(self, name):
        self.name, self.kind = name, name[:3].lower()


def test_the_command_keeps_what_the_user_named(wavetank, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(WIRED)
    code, out, err = wavetank("testbed", file, "--out", tmp_path / "bed", "--json")
    assert code == 0, err
    said = json.loads(out)
    assert said["flent"]["test"] == "tcp_upload" and said["roles"]["client"]
    env = tmp_path / "bed" / "bed.env"
    env.write_text(env.read_text().replace("SERVER_HOST=server", "SERVER_HOST=ten.example"))
    code, out, err = wavetank("testbed", file, "--out", tmp_path / "bed", "--set", "tcp.cc=reno")
    assert code == 0 and "was there and is kept" in out
    assert "SERVER_HOST=ten.example" in env.read_text()
    assert "hosts = ten.example\n" in (tmp_path / "bed" / "flent.batch").read_text()
    assert "tcp_congestion_control reno" in (tmp_path / "bed" / "client.sh").read_text()
    env.write_text("CLIENT_HOST=a\n")
    code, _, err = wavetank("testbed", file, "--out", tmp_path / "bed")
    assert code == 2 and "bed.env: has no CLIENT_IF, " in err
    code, _, err = wavetank("testbed", file, "--set", "tcp.ccc=reno")
    assert code == 2 and "tcp.cc" in err


def _measured(tmp_path, digest, name="m.flent.gz", rate=40.0, version=4):
    x = [i * 0.5 for i in range(20)]
    up = [rate if 3 <= t <= 7 else None for t in x]
    data = {
        "version": version,
        "metadata": {
            "NAME": "tcp_upload", "LENGTH": 4, "TOTAL_LENGTH": 10, "HOSTS": ["server"], "T0": "2024-05-01T10:00:00.500000Z",
            "NOTE": f"wavetank testbed a-bed digest {digest}",
            "SERIES_META": {"TCP upload": {"CONG_CONTROL": "cubic", "TCP_RETRANSMIT": "17"}},
        },
        "x_values": x,
        "results": {"TCP upload": up, "TCP upload::tcp_rtt": [5.0] * 20, "Ping (ms) ICMP": [9.0] * 20},
        "raw_values": {"Ping (ms) ICMP": [{"t": 1714557600.5 + t, "val": 7.0 + (t > 5.5)} for t in x]},
    }  # fmt: skip
    (tmp_path / name).write_text(json.dumps(data))
    return tmp_path / name


@pytest.mark.usefixtures("canvases")
@pytest.mark.parametrize("version", [3, 4])
def test_measured_files_stand_beside_the_model(wavetank, tmp_path, version):
    s = wired().set({"time.flows": "4 s", "time.lead_in": "1 s", "time.tail": "1 s", "htb.rate": "20 Mbit/s"})
    file = tmp_path / "s.toml"
    testbed.write(s, tmp_path / "bed", 1)
    shutil.copy(tmp_path / "bed" / "scenario.toml", file)
    digest = testbed.digest_of(s)
    a = _measured(tmp_path, digest, version=version)
    b = _measured(tmp_path, digest, "n.flent", 20.0, version)
    r = flent_result.result(a, s.check())
    # the pings come every 0.5 s of the raw values, at a step of 0.5: none is missing
    assert not np.isnan(r.pings[0].rtt_ms).any()
    # the flows start where the scenario's do: 1 s, not the file's 3
    assert r.window == (3.0, 5.0)
    flow = r.flows[0]
    assert (flow.name, flow.goodput_mbit, flow.retransmits, flow.cc) == ("up1", 40.0, 17, "cubic")
    t, rate = flow.goodput()
    assert t[int((rate > 0).argmax())] == 1.0
    assert r.summary()["ping_ms"]["p50"] == 8.0  # from 3.5 of the flows' 4 s on, on Flent's clock 5.5
    assert r.summary()["flows"][0]["tcp_rtt_ms"]["p50"] == 5.0
    code, out, err = wavetank("compare", file, "--with", a, b, "--out", tmp_path / "cmp", "--json")
    assert code == 0, err
    assert "digest" not in err
    rows = {x["figure"]: x for x in json.loads(out)["rows"]}
    assert rows["up1 goodput"]["testbed"] == 30.0
    assert rows["up1 goodput"]["model"] == pytest.approx(18.9, abs=0.5)
    assert rows["up1 goodput"]["difference"]["testbed"] == pytest.approx(0.58, abs=0.06)
    assert (rows["up1 retransmits"]["testbed"], rows["up1 RTOs"]["testbed"]) == (17, None)
    assert [f["file"] for f in json.loads(out)["testbed_files"]] == [str(a), str(b)]
    assert {"goodput.png", "ping.png", "srtt.png", "compare.csv"} <= {p.name for p in (tmp_path / "cmp").iterdir()}
    code, _, err = wavetank("compare", file, "--set", "tcp.cc=reno", "--with", a, "--out", tmp_path / "cmp2")
    assert code == 0
    assert "was measured for another scenario" in err and "congestion control was cubic, not reno" in err
    assert "none of its flows" not in err
    down = ("compare", file, "--set", "traffic.tcp_up=0", "--set", "traffic.tcp_down=2", "--with", a)
    _, _, err = wavetank(*down, "--out", tmp_path / "cmp3")
    assert f"{a}: none of its flows (up1) is the scenario's (down1, down2)" in " ".join(err.split())
    for arguments, why in (
        (("compare", file, a), "behind --with"),
        (("compare", "--with", a), "expected a SCENARIO"),
        (("compare", file, "--with", file), "is no JSON, expected a Flent data file"),
        (("compare", file, "--on", "model"), "expected two waters"),
    ):
        code, _, err = wavetank(*arguments)
        assert code == 2 and why in err, err


def test_lost_pings_are_gaps(tmp_path):
    path = _measured(tmp_path, "0" * 16)
    data = json.loads(path.read_text())
    del data["raw_values"]["Ping (ms) ICMP"][7:9]
    path.write_text(json.dumps(data))
    ping = flent_result.result(path, wired(time__flows="4 s", time__lead_in="1 s").check()).pings[0]
    assert np.flatnonzero(np.isnan(ping.rtt_ms)).tolist() == [7]
    assert ping.t[6:9].tolist() == pytest.approx([1.0, 1.5, 2.5])


@pytest.mark.parametrize(
    ("release", "build", "kernel", "holds"),
    [
        ("6.6.129", "#0 SMP Mon Mar 2 2026", "6.6.129", True),
        ("6.1.0-44-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.192-1 (2026-03-01)", "6.1.192", True),
        ("6.1.0-44-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.19-1 (2023-03-01)", "6.1.192", False),
        ("6.12.9", "#1", "6.12", True),
        ("6.1.9", "#1", "6.12", False),
    ],
)
def test_a_stable_release_is_looked_for_where_the_system_tells_it(tmp_path, release, build, kernel, holds):
    """A scenario with a kernel of three numbers was a traceback."""
    bed = testbed.translate(wifi(kernel=kernel))
    assert all(f"kernel {kernel}" in lines(bed, role) for role in ("ap", "sta1"))
    lib = Path(testbed.__file__).parent / "lib.sh"
    asked = (
        f"uname() {{ case $1 in -r) echo '{release}' ;; -v) echo '{build}' ;; esac; }}; wants() {{ [ \"$2\" = \"$3\" ]; }}; "
        f"eval \"$(sed -n '/^kernel() {{/,/^}}/p' {lib})\"; kernel {kernel}"
    )
    assert (subprocess.run(["sh", "-c", asked], check=False).returncode == 0) == holds


def test_the_library_is_the_packages(tmp_path):
    testbed.write(wired(), tmp_path, 1)
    assert [f.name for f in scripts.LIBRARY] == ["lib-host.sh", "lib-tc.sh", "lib-wifi.sh", "lib.sh"]
    for file in scripts.LIBRARY:
        assert (tmp_path / file.name).read_bytes() == file.read_bytes()
    assert folder.toml(testbed.translate(wired(kernel="3.10"))).count('kernel = "3.10"') == 1
