"""Modules of one's own on the second water, without its kernel: what is translated, refused, and told."""

import json
from pathlib import Path

import pytest
from linux_scenarios import MINSTREL, up, wired

import wavetank
from wavetank import ScenarioError, UserError
from wavetank.compare.columns import columns
from wavetank.linux import check, fingerprint, folders, like_linux, modelled
from wavetank.linux.modules import Module, read
from wavetank.linux.translate import translate

TESTS = Path(__file__).parents[2] / "linux" / "tests"
GENTLE = TESTS / "gentle"


@pytest.fixture
def folder(tmp_path):
    """A module's folder with what a build leaves."""
    mine = tmp_path / "my module"
    (mine / ".git").mkdir(parents=True)
    (mine / "inner").mkdir()
    for name in ("mine.c", "inner/a.h", "mine.o", "mine.mod.c", ".git/x", "Module.symvers"):
        (mine / name).write_text(name)
    (mine / "Makefile").write_text("obj-m := mine.o\n")
    return mine


def test_a_folder_and_its_parameters(folder):
    found = read(f"{folder} beta=90 list=1,2, {GENTLE}", Path())
    assert found == (Module(folder, ("beta=90", "list=1,2")), Module(GENTLE))
    assert read("my module", folder.parent) == (Module(folder),)
    assert read("off", Path()) == ()


def test_its_sources_are_all_that_a_build_reads(folder):
    before = Module(folder).digest()
    for name in ("mine.o", "mine.mod.c", ".git/x", "Module.symvers"):
        (folder / name).write_text("other")
    assert Module(folder).digest() == before
    (folder / "inner" / "a.h").write_text("other")
    assert Module(folder).digest() != before


def test_no_module_is_told(tmp_path):
    (tmp_path / "empty").mkdir()
    for name, words in (("nowhere", "there is no such folder"), ("empty", "has no Kbuild or Makefile")):
        with pytest.raises(UserError, match=words) as e:
            check(wired().set({"linux.modules": str(tmp_path / name)}))
        assert str(tmp_path / name) in str(e.value)


def test_a_path_is_the_files_own_or_the_current_folders(folder, tmp_path, monkeypatch):
    file = tmp_path / "w.toml"
    file.write_text(
        'name = "w"\n[topology]\nkind = "wired"\n[htb]\nrate = "9 Mbit/s"\n[linux]\nmodules = ["my module beta=90"]\n'
    )
    s = wavetank.Scenario.load(file)
    assert translate(s).case["modules"] == [[str(folder), "beta=90"]]
    monkeypatch.chdir(folder)
    assert translate(s.set({"linux.modules": "."})).case["modules"] == [[str(folder)]]
    assert folders([s, s.set({"linux.modules": f"., {GENTLE}"})]) == [folder, Path(), GENTLE]


def test_a_fingerprint_is_of_sources_not_of_places(folder, tmp_path):
    of = lambda where, *words: fingerprint(wired().set({"linux.modules": " ".join([str(where), *words])}), 1)  # noqa: E731
    moved = tmp_path / "moved"
    first = of(folder)
    assert len({first, of(folder, "beta=9"), fingerprint(wired(), 1)}) == 3
    folder.rename(moved)
    assert of(moved) == first
    (moved / "mine.c").write_text("other")
    assert of(moved) != first


def test_a_control_stands_in_for_every_flow():
    of = translate(up(linux__cc="mine"))
    assert [line.split()[-1] for line in of.case["flow"] if line.startswith("tcp")] == ["mine", "mine"]
    assert [f.cc for f in of.flows if f.kind == "tcp"] == ["mine", "mine"]
    assert "linux.cc: mine in place of cubic" in of.notes
    assert of.values["linux.cc"] == "mine"


def test_a_control_stands_in_for_some_flows():
    s = wired(traffic__tcp_up=3, traffic__cc=["cubic", "reno", "bbr-plus"])
    of = translate(s.set({"linux.cc": "reno=mine, bbr-plus=other"}))
    assert [line.split()[-1] for line in of.case["flow"]] == ["cubic", "mine", "other"]
    assert [f.cc for f in of.flows] == ["cubic", "mine", "other"]
    assert "controls" not in of.case, "the module of what another stands in for"


def test_a_control_stands_in_for_what_linux_lacks():
    with pytest.raises(UserError, match="has no bbr3"):
        translate(wired(tcp__cc="bbr3"))
    assert translate(wired(tcp__cc="bbr3", linux__cc="bbr3=mine")).flows[0].cc == "mine"


def test_who_listens_has_what_stands_in_for_dctcp():
    case = translate(wired(tcp__cc="dctcp", linux__cc="mine")).case
    assert "net/ipv4/tcp_congestion_control mine" in case["sysctl"]


def test_a_discipline_stands_in_where_the_scenario_puts_one():
    case = translate(wired(htb__leaf="fq_codel", linux__qdisc="mine limit 7")).case
    assert next(line for line in case["tc"] if "handle 10:" in line and "rs" in line).endswith(
        "handle 10: mine limit 7"
    )
    case = translate(up(linux__qdisc="fq_codel=mine")).case
    assert case["tc"] == [
        f"{ns} qdisc replace dev {dev} root handle 10: mine" for ns, dev in (("AP", "apw"), ("S", "sw"))
    ]
    cake = wired(bottleneck__qdisc="cake", cake__bandwidth="9 Mbit/s", linux__qdisc="mine", netem__delay="9 ms")
    lines = translate(cake).case["tc"]
    assert any(line.endswith("dev rs root handle 10: mine") for line in lines)
    assert any("netem delay" in line for line in lines), "the path stays"


def test_a_rate_control_stands_in_on_every_card():
    case = translate(up(linux__rate_control="mine")).case
    assert case["rc"] == "mine,mine"
    one = up(linux__rate_control="minstrel_ht=mine", ap__rate_control="minstrel_ht")
    assert translate(one).case["rc"] == "mine,fixed"
    own = translate(up(**{k.replace(".", "__"): v for k, v in MINSTREL.items()}, linux__rate_control="mine")).case
    assert {k: v for k, v in own.items() if k != "rc"} == {
        k: v for k, v in translate(up().set(MINSTREL)).case.items() if k != "rc"
    }


@pytest.mark.parametrize(
    ("scenario", "sets", "words"),
    [
        (wired, {"linux.cc": "reno=mine"}, ["no TCP flow with reno", "it has cubic"]),
        (wired, {"linux.cc": "a b"}, ["a b", "one word"]),
        (wired, {"linux.cc": "cubic="}, ['"" is no name', "one word"]),
        (wired, {"linux.cc": "mine, other"}, ["two stand in for everything"]),
        (wired, {"linux.qdisc": "pfifo=mine, pfifo=other"}, ["two stand in for pfifo"]),
        (wired, {"linux.rate_control": "mine"}, ["no card", "no Wi-Fi"]),
        (up, {"linux.rate_control": "aasrc=mine"}, ["no card with aasrc", "it has fixed"]),
        (up, {"linux.rate_control": "mine", "sta.driver": "ath10k"}, ["firmware of ath10k"]),
        (up, {"linux.qdisc": "mine", "backhaul.present": False}, ["no discipline", "backhaul.qdisc"]),
        (wired, {"linux.qdisc": "fq=mine"}, ["no discipline with fq", "it has pfifo"]),
    ],
)
def test_what_stands_for_nothing_is_refused(scenario, sets, words):
    with pytest.raises(UserError) as e:
        translate(scenario().set(sets))
    assert f"{next(iter(sets))} = " in str(e.value)
    for w in words:
        assert w in str(e.value)


def test_a_module_that_nothing_is_told_to_use_is_told():
    loaded = "nothing in the scenario is told to use it"
    assert any(loaded in note for note in translate(wired(linux__modules=str(GENTLE))).notes)
    assert not any(loaded in note for note in translate(wired(linux__modules=str(GENTLE), linux__cc="gentle")).notes)


def test_the_model_refuses_it():
    for key, value in (("linux.modules", "x"), ("linux.cc", "mine"), ("linux.qdisc", "m"), ("linux.rate_control", "m")):
        s = up().set({key: value})
        s.check()
        with pytest.raises(ScenarioError, match=f"{key} = {value}: is the real kernel's"):
            s.run()


def test_compare_has_the_scenarios_own_on_the_model():
    s = wired(linux__cc="mine", linux__modules=str(GENTLE))
    for alike in (True, False):
        model, linux = columns([s], ["model", "linux"], alike=alike)
        of_model, of_linux = (c.scenario.check() for c in (model, linux))
        assert (of_model["linux.cc"], of_model["linux.modules"]) == ("off", "off")
        assert (of_linux["linux.cc"], of_linux["tcp.cc"]) == ("mine", "cubic")
    assert modelled(s).check()["linux.cc"] == like_linux(s).check()["linux.cc"] == "off"


def test_the_commands_take_it(wavetank, tmp_path):
    file = tmp_path / "w.toml"
    file.write_text('name = "w"\n[topology]\nkind = "wired"\n[htb]\nrate = "9 Mbit/s"\n')
    code, _, err = wavetank("run", file, "--module", GENTLE)
    assert (code, "linux.modules" in err, "run it on linux" in err) == (2, True, True)
    code, _, err = wavetank("run", file, "--module", " ")
    assert (code, "--module: it is empty" in err) == (2, True)
    code, _, err = wavetank("sweep", file, "linux.cc=off,mine", "--dry-run")
    assert (code, "point cc=mine" in err) == (2, True)
    with_both = ("--module", f"{GENTLE} beta=90", "--module", TESTS / "shallow", "--set", "linux.qdisc=shallow")
    code, out, err = wavetank("sweep", file, "linux.cc=off,gentle", *with_both, "--on", "linux", "--dry-run", "--json")
    assert code == 0, err
    assert json.loads(out)["points"] == ["cc=off", "cc=gentle"]
    for said in ("gentle, sources", "shallow, sources", "gentle in place of cubic", "shallow in place of pfifo"):
        assert said in err
