"""What bound a run is told by every verb that runs: each reason once, with where it holds."""

import json

import pytest

from wavetank import Scenario, bounds, cpu
from wavetank.offered import Bound

LINK = """name = "x"
[topology]
kind = "wifi"
[time]
lead_in = "0 s"
warmup = "500 ms"
flows = "1 s"
tail = "0 s"
[wifi]
standard = "ac"
mcs = 9
width_mhz = 160
[sta]
driver = "ath10k"
[ap]
driver = "ath10k"
[traffic]
tcp_up = 0
udp_up = "900 Mbit/s"
"""


def test_a_reason_is_told_once_with_the_first_runs_that_it_is_of():
    found = {f"p{i}": [Bound(f"sent {i}", "it waits")] for i in range(bounds.TOLD + 2)}
    found["p0"].append(Bound("carried 9", "it is full"))
    assert bounds.together(found | {"free": []}) == [
        "p0: sent 0; p1: sent 1; p2: sent 2; and at 2 more: it waits",
        "p0: carried 9: it is full",
    ]


def test_a_flood_that_the_access_points_cpu_cannot_take_is_told():
    """Everybody's ping grew for as long as it lasted, and nothing said why."""
    slow = {"host.ap_rx": "100 us", "traffic.udp_up": "off"}  # 10,000 packets a second
    scenario = Scenario(LINK, "x.toml").set(slow)

    def told(rate):
        s = scenario.set({"traffic.udp_down": rate})
        return [b.what for b in cpu.notes(s, s.run(1))]

    assert told("60 Mbit/s") == []
    (what,) = told("180 Mbit/s")
    assert what.endswith(" datagrams a second and can take 10,000")
    assert 15_000 < float(what.split()[4].replace(",", "")) < 15_600


@pytest.mark.usefixtures("canvases")
def test_compare_and_sweep_tell_of_a_socket_that_is_full(wavetank, tmp_path):
    file = tmp_path / "x.toml"
    file.write_text(LINK)
    code, _, err = wavetank("compare", file, "--against", "traffic.udp_up=100 Mbit/s", "--out", tmp_path / "c")
    (note,) = [line for line in err.splitlines() if "a program waits for room" in line]
    assert code == 0 and note.startswith("note: traffic.udp_up=900 Mbit/s: udp_up1 sent ") and "100 M" not in note, note
    code, out, err = wavetank(
        "sweep",
        file,
        "traffic.udp_up=100 Mbit/s,900 Mbit/s,1 Gbit/s",
        "--repetitions",
        "1",
        "--json",
        "--out",
        tmp_path / "s",
    )
    (note,) = [line for line in err.splitlines() if "a program waits for room" in line]
    assert code == 0 and note.startswith("note: udp_up=900 Mbit/s: udp_up1 sent ") and "; udp_up=1 Gbit/s: " in note, (
        note
    )
    (bound,) = json.loads(out)["bound"]
    assert list(bound["at"]) == ["udp_up=900 Mbit/s", "udp_up=1 Gbit/s"] and "waits for room" in bound["why"]
