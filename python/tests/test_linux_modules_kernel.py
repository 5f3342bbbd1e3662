"""Modules of one's own on the second water, with its kernel: `pytest -m kernel`, which linux/test calls."""

import json
import shutil
from pathlib import Path

import pytest

import wavetank as lab
from wavetank import UserError
from wavetank.linux import tree

pytestmark = pytest.mark.kernel
TESTS = Path(__file__).parents[2] / "linux" / "tests"
SHORT = {"lead_in": "400 ms", "flows": "4 s", "tail": "400 ms", "warmup": "1 s"}


def wired(**sets):
    values = {
        "name": "w",
        "topology": {"kind": "wired"},
        "time": SHORT,
        "htb": {"rate": "20 Mbit/s"},
        "pfifo": {"limit": 50},
    }
    return lab.Scenario.from_dict(values).set({"netem.delay": "20 ms"}).set(**sets)


def wifi(**sets):
    return lab.Scenario.from_dict({"name": "s", "topology": {"kind": "wifi"}, "time": SHORT}).set(**sets)


def module(name, *parameters):
    return " ".join([str(TESTS / name), *parameters])


def broken(tmp_path, name, *edits):
    """A module's folder with edits, and a Makefile in place of its Kbuild."""
    folder = tmp_path / name
    shutil.copytree(TESTS / name, folder)
    (folder / "Kbuild").rename(folder / "Makefile")
    source = folder / f"{name}.c"
    text = source.read_text()
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    source.write_text(text)
    return folder


def test_a_control_runs_equal_twice_and_is_not_cubic():
    s = wired(linux__modules=module("gentle"))
    mine, again, cubic = (x.run(1, on="linux") for x in (*[s.set({"linux.cc": "gentle"})] * 2, s))
    first, second = ({**r.summary(), "wall_s": 0} for r in (mine, again))
    assert json.dumps(first) == json.dumps(second)
    assert mine.digest == again.digest != cubic.digest
    assert (mine.flows[0].cc, cubic.flows[0].cc) == ("gentle", "cubic")
    assert mine.resolved["linux.cc"] == "gentle"
    assert mine.flows[0].goodput_mbit > 10


def test_it_is_reno_and_with_its_parameter_it_is_not():
    """At 50 % `gentle` is the kernel's Reno (linux/tests/own has that to the byte)."""
    s = wired(linux__modules=module("gentle"), tcp__cc="reno")
    reno, mine = s.run(1, on="linux"), s.set({"linux.cc": "gentle"}).run(1, on="linux")
    other = wired(linux__modules=module("gentle", "beta=90"), linux__cc="gentle").run(1, on="linux")
    assert mine.digest == reno.digest
    assert other.digest != mine.digest


def test_one_beside_cubic():
    s = wired(linux__modules=module("gentle"), traffic__tcp_up=2, traffic__cc=["cubic", "reno"])
    r = s.set({"linux.cc": "reno=gentle"}).run(1, on="linux")
    assert [f.cc for f in r.flows] == ["cubic", "gentle"]
    assert s.run(1, on="linux").digest == r.digest, "gentle is Reno"


def test_a_discipline_holds_what_its_parameter_says():
    """Ten packets at 20 Mbit/s and 20 ms: the kernel's FIFO of ten, whose queue is as long."""
    mine = wired(linux__modules=module("shallow", "depth=10"), linux__qdisc="shallow").run(1, on="linux")
    fifo = wired(linux__modules=module("shallow"), pfifo__limit=10).run(1, on="linux")
    assert mine.digest == fifo.digest
    assert 5 < max(mine.qdiscs["bottleneck"]["backlog_packets"]) <= 10


def test_a_rate_control_sends_at_its_rate():
    r = wifi(linux__modules=module("lowest", "mcs=3"), linux__rate_control="lowest").run(1, on="linux")
    sent = {m.mcs for m in r.nodes["sta1"].modes}
    assert sent == {3}
    assert r.nodes["sta1"].ampdu_hist[2:].sum() > 0


def test_compare_and_the_air_know_it(wavetank, tmp_path):
    file = tmp_path / "f.toml"
    file.write_text(
        'name = "f"\n[topology]\nkind = "wifi"\n[time]\nlead_in = "400 ms"\nflows = "3 s"\ntail = "400 ms"\n'
    )
    of = (file, "--module", module("gentle"), "--set", "linux.cc=gentle", "--json")
    code, out, err = wavetank(
        "run", *of, "--on", "linux", "--out", tmp_path / "out", "--pcap", "--state", "2s", "--analyze"
    )
    assert code == 0, err
    assert json.loads(out)["flows"][0]["cc"] == "gentle"
    assert "gentle in place of cubic" in " ".join(json.loads(out)["notes"])
    assert (tmp_path / "out" / "monitor.pcapng").stat().st_size > 0
    seen = [p.read_text() for p in (tmp_path / "out" / "state-2.000s").rglob("*") if p.is_file()]
    assert any("gentle" in text for text in seen), "ss names it"
    code, out, err = wavetank("compare", *of, "--air", "--out", tmp_path / "compared")
    assert code == 0, err
    of_linux, of_model = (
        json.loads((tmp_path / "compared" / w / "summary.json").read_text())["flows"][0]["cc"]
        for w in ("linux", "model")
    )
    assert (of_linux, of_model) == ("gentle", "cubic")


def test_what_does_not_compile_is_shown_with_its_folder(tmp_path):
    folder = broken(tmp_path, "gentle", ("tcp_reno_cong_avoid", "tcp_no_such_thing"))
    with pytest.raises(UserError) as e:
        wired(linux__modules=str(folder), linux__cc="gentle").run(1, on="linux")
    assert f"{folder}: does not build for Linux" in str(e.value)
    assert f"{folder}/gentle.c:" in str(e.value), "where, in the folder, not in the cache"
    assert "tcp_no_such_thing" in str(e.value)
    with pytest.raises(UserError, match="does not build"):
        tree.build(modules=[folder])


def test_a_name_that_nothing_registers_is_told_with_those_that_there_are():
    with pytest.raises(UserError, match=r"no congestion control gentel; it has bbr, .*cubic, .*gentle, "):
        wired(linux__modules=module("gentle"), linux__cc="gentel").run(1, on="linux")
    with pytest.raises(UserError, match="no rate control lowets; mac80211 took minstrel_ht"):
        wifi(linux__modules=module("lowest"), linux__rate_control="lowets").run(1, on="linux")
    with pytest.raises(UserError, match=r"shalow: .*qdisc kind is unknown"):
        wired(linux__modules=module("shallow"), linux__qdisc="shalow").run(1, on="linux")


def test_what_does_not_load_is_told_in_the_kernels_words(tmp_path):
    with pytest.raises(UserError, match=r"(?s)module gentle: cannot be loaded .*`x' invalid for parameter `beta'"):
        wired(linux__modules=module("gentle", "beta=x"), linux__cc="gentle").run(1, on="linux")
    with pytest.raises(UserError, match=r"(?s)module gentle: cannot be loaded .*unknown parameter 'betta'"):
        wired(linux__modules=module("gentle", "betta=9"), linux__cc="gentle").run(1, on="linux")
    folder = broken(tmp_path, "gentle", (".undo_cwnd	= tcp_reno_undo_cwnd,", ""))
    with pytest.raises(UserError, match="gentle does not implement required ops"):
        wired(linux__modules=str(folder), linux__cc="gentle").run(1, on="linux")
