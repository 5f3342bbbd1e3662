"""Random scenarios on both waters: what is drawn, and how it is judged; no kernel."""

from collections import Counter

import pytest
from click.testing import CliRunner

import wavetank
from wavetank import idle, linux
from wavetank.cli import cli
from wavetank.validate import (
    linux_draw,
    linux_draw_busy,
    linux_draw_corner,
    linux_draw_firmware,
    linux_draw_marks,
    linux_draw_path,
    linux_draw_rare,
    linux_random,
)
from wavetank.validate.linux_random import MORE, RUNS, judge


def scenario(keys):
    return wavetank.Scenario.from_dict({"name": "drawn", "kernel": "6.12", **keys})


def test_the_seed_draws_and_a_longer_list_begins_with_a_shorter():
    drawn = list(linux_draw.scenarios(7, 40))
    assert drawn == list(linux_draw.scenarios(7, 40))
    assert drawn[:10] == list(linux_draw.scenarios(7, 10))
    assert [s for _, s in drawn] != [s for _, s in linux_draw.scenarios(8, 40)]
    assert len({name for name, _ in drawn}) == 40


def test_every_control_comes_once_before_any_comes_again():
    n = len(linux_draw.CONTROLS)
    drawn = Counter(s["tcp"]["cc"] for _, s in linux_draw.scenarios(3, 2 * n))
    assert drawn == dict.fromkeys(linux_draw.CONTROLS, 2)


@pytest.mark.parametrize("seed", range(4))
def test_both_waters_accept_every_drawn_scenario(seed):
    for _, keys in linux_draw.scenarios(seed, 60):
        s = scenario(keys)
        assert linux.check(s, 1).seconds == (21 if s.check()["topology.kind"] == "wired" else 13)
        linux.like_linux(s).check()


@pytest.mark.parametrize("seed", range(2))
def test_both_waters_accept_every_scenario_of_firmware(seed):
    seen = Counter()
    for _, keys in linux_draw_firmware.scenarios(seed, 160):
        s = scenario(keys)
        linux.check(s, 1)
        v = linux.like_linux(s).check()
        seen.update(f"{k}={v[k]}" for k in ("wifi.standard", "wifi.width_mhz", "wifi.streams", "wifi.gi"))
        seen.update(f"{card}.{key}" for card in linux_draw_firmware.LIMITS for key in keys.get(card, ()))
    limits = [f"{card}.{key}" for card, limits in linux_draw_firmware.LIMITS.items() for key in limits]
    assert [key for key in limits if not seen[key]] == []
    wanted = {"wifi.standard": ("n", "ac", "ax"), "wifi.width_mhz": (20, 40, 80, 160), "wifi.streams": (1, 2, 3)}
    assert [f"{k}={x}" for k, values in wanted.items() for x in values if not seen[f"{k}={x}"]] == []


@pytest.mark.parametrize("seed", range(2))
def test_both_waters_accept_every_busy_host(seed):
    drawn = list(linux_draw_busy.scenarios(seed, 120))
    assert drawn[:7] == list(linux_draw_busy.scenarios(seed, 7))
    seen = Counter()
    for _, keys in drawn:
        s = scenario(keys)
        linux.check(s, 1)
        v = linux.like_linux(s).check()
        hosts = [keys["host"]["ap_rx"], keys["host"]["sta_rx"], *keys.get("stations", {}).get("rx", "").split(", ")]
        busy = [f"{us} us" for us in linux_draw_busy.BUSY]
        assert set(busy) & set(hosts), "in each a CPU is full"
        assert 1 <= keys["tcp"]["tsq_ms"] <= 8
        seen.update(f"{end}.driver={v[f'{end}.driver']}" for end in ("ap", "sta"))
        seen.update(f"{card}.gro={keys[card]['gro']}" for card in ("ath10k", "mt76") if card in keys)
        seen.update(key for way in ("tcp_up", "tcp_down") if v[key := f"traffic.{way}"])
        seen["some"] += "rx" in keys.get("stations", {})
        seen["backlog"] += "backlog" in keys["host"]
    wanted = [
        *(f"{end}.driver={card}" for end in ("ap", "sta") for card in ("ath9k", "ath10k", "mt76")),
        *(f"{card}.gro={on}" for card in ("ath10k", "mt76") for on in (True, False)),
        "traffic.tcp_up",
        "traffic.tcp_down",
        "some",
        "backlog",
    ]
    assert [w for w in wanted if not seen[w]] == []


@pytest.mark.parametrize("seed", range(2))
def test_both_waters_accept_every_corner(seed):
    drawn = list(linux_draw_corner.scenarios(seed, 120))
    assert drawn[:7] == list(linux_draw_corner.scenarios(seed, 7))
    seen = Counter()
    for _, keys in drawn:
        s = scenario(keys)
        linux.check(s, 1)
        v = linux.like_linux(s).check()
        seen.update(f"{section}.{key}" for section, values in keys.items() for key in values)
        seen.update(
            f"{k}={v[k]}"
            for k in ("wifi.band", "wifi.standard", "ap.rate_control", "wifi.erp_protection", "backhaul.qdisc")
        )
        seen[f"{v['wifi.standard']} under {v['ap.rate_control']}"] += 1
        seen.update(f"qdisc={keys[end]['qdisc']}" for end in ("ap", "sta") if "qdisc" in keys[end])
    wanted = [
        *(f"wifi.standard={of}" for of in "abgn"),
        *(f"wifi.band={of}" for of in ("2.4 GHz", "5 GHz")),
        *(f"wifi.erp_protection={of}" for of in ("true", "false")),
        *(f"backhaul.qdisc={of}" for of in ("netem", "cake")),
        *(f"qdisc={of}" for of in ("pfifo", "fq_codel", "pfifo_fast", "fq", "cake", "aaq")),
        *(
            "ap.rate_control=minstrel_ht",
            "g under minstrel_ht",
            "a under minstrel_ht",
            "wifi.short_preamble",
            "wifi.dsss_basic_rate",
            "stations.rate",
        ),
        *("stations.udp_dscp", "traffic.udp_dscp", "netem.jitter", "netem.rate", "edca.be_txop", "edca_ap.be_txop"),
    ]
    assert [w for w in wanted if not seen[w]] == []


@pytest.mark.parametrize("seed", range(2))
def test_both_waters_accept_every_path(seed):
    drawn = list(linux_draw_path.scenarios(seed, 120))
    assert drawn[:7] == list(linux_draw_path.scenarios(seed, 7))
    seen = Counter()
    for _, keys in drawn:
        s = scenario(keys)
        linux.check(s, 1)
        linux.like_linux(s).check()
        seen.update(keys["netem"].keys())
        # Every one harms what passes, and none refuses its own host's TCP, for which the guest's time would stand still.
        assert {"loss", "gemodel_p", "reorder", "duplicate", "jitter"} & keys["netem"].keys()
        assert keys["netem"]["limit"] == 100000
    every = [*linux_draw_path.LOSSES, *linux_draw_path.REORDERS, *linux_draw_path.DUPLICATES, *linux_draw_path.JITTERS]
    assert {k for kind in every for k in kind} | {"ecn", "rate"} <= seen.keys()


@pytest.mark.parametrize("kernel", ["6.12", "5.4", "4.19"])
def test_what_marks_is_there_and_so_are_packets_that_can_be_marked(kernel):
    drawn = list(linux_draw_marks.scenarios(1, 60, kernel))
    assert drawn[:7] == list(linux_draw_marks.scenarios(1, 7, kernel))
    seen = Counter()
    for _, keys in drawn:
        s = wavetank.Scenario.from_dict({"name": "drawn", "kernel": kernel, **keys})
        if kernel == "6.12":
            linux.check(s, 1)
            assert idle.keys(linux.like_linux(s)) == {}
        assert keys["tcp"].get("ecn", False) == (keys["tcp"]["cc"] != "dctcp")
        seen.update(f"{section}.{key}" for section in ("fq", "fq_codel", "cake") for key in keys.get(section, ()))
        seen[keys["tcp"]["cc"]] += 1
    wanted = {
        "fq_codel.ce_threshold",
        "fq_codel.flows",
        "fq_codel.target",
        "cake.bandwidth",
        "dctcp",
        "cubic",
        "reno",
        "bbr",
    }
    if kernel != "4.19":  # it has no threshold of fq's, and no BBR of which the modules make theirs
        wanted |= {"fq.ce_threshold", "bbrp", "bbr-plus", "bbr-dev"}
    assert wanted <= seen.keys()
    assert (seen["fq.ce_threshold"] > 0) == (kernel != "4.19")


@pytest.mark.parametrize(
    "kind", [pytest.param(k, marks=[] if k == "common" else pytest.mark.slow) for k in sorted(linux_random.DRAWS)]
)
def test_every_drawn_scenario_runs(kind, tmp_path):
    # Upon a core that checks itself (scripts/venv checked): no number may overflow, no assertion fail, whatever is drawn.
    for drawn in linux_random.draw(1, 20, tmp_path, kind):
        result = drawn.run("model", 0).scenario.run()
        assert result.flows or result.pings, drawn.name


def test_what_is_drawn_covers_what_both_waters_share():
    seen = Counter()
    for _, keys in (s for seed in (2, 3) for s in linux_draw.scenarios(seed, 600)):
        v = scenario(keys).check()
        seen.update(
            [
                f"{k}={v[k]}"
                for k in (
                    "ap.driver",
                    "sta.driver",
                    "topology.kind",
                    "htb.leaf",
                    "bottleneck.qdisc",
                    "wifi.standard",
                    "tcp.tsq",
                    "hack.policy",
                    "traffic.rrul",
                )
            ]
        )
    wanted = [*(f"{end}.driver={d}" for end in ("ap", "sta") for d in ("ath9k", "ath9k_htc", "ath10k")), "ap.driver=ath9k_tidq",
              "topology.kind=wired", *(f"htb.leaf={q}" for q in ("pfifo", "bfifo", "fq_codel", "fq", "cake")), "bottleneck.qdisc=cake", "wifi.standard=a", "wifi.standard=n", *(f"tcp.tsq={t}" for t in ("kernel", "cotsq", "bytes", "off")),
              *(f"hack.policy={p}" for p in ("off", "native", "timer", "opportunistic", "more-data")), "traffic.rrul=true"]  # fmt: skip
    assert [w for w in wanted if not seen[w]] == []


@pytest.mark.slow
def test_rare_keys_are_read_where_they_are_drawn():
    drawn = list(linux_draw_rare.scenarios(3, 25))
    assert drawn[:5] == list(linux_draw_rare.scenarios(3, 5))
    assert len({word for name, _ in drawn for word in name.split("+")[1:]}) > 30
    for (_, keys), (_, plain) in zip(drawn, linux_draw.scenarios(3, 25), strict=True):
        s = scenario(keys)
        linux.check(s, 1)
        more = s.given() - scenario(plain).given()
        assert not more & set(idle.keys(s))
    assert sum(len(name.split("+")) for name, _ in drawn) > 3 * len(drawn)


def test_long_names_of_rare_draws_are_cut():
    names = [name for name, _ in linux_draw_rare.scenarios(6402, 24)]
    assert max(map(len, names)) == linux_draw_rare.LONGEST_NAME
    assert len(set(names)) == len(names)


def test_controls_take_the_place_of_those_that_are_drawn(tmp_path):
    asked = linux_random.draw(7, 12, tmp_path, "path", controls=["cdg", "lp"])
    for i, (d, plain) in enumerate(zip(asked, linux_random.draw(7, 12, tmp_path, "path"), strict=True)):
        cc, was = ("cdg", "lp")[i % 2], plain.scenario.check()["tcp.cc"]
        assert d.name == f"{plain.name}-as-{cc}"
        assert d.scenario.check()["tcp.cc"] == cc
        other = {k for k in plain.scenario.given() if k.partition(".")[0] not in (was, "name")}
        assert d.scenario.given() - {"name"} == other - {"name"}
        linux.check(d.scenario, 1)


@pytest.mark.parametrize("key", sorted(linux_draw_rare.KEYS))
def test_rare_values_are_not_the_defaults(key):
    s = scenario({"topology": {"kind": "wifi"}})
    default = s.check()[key]
    for value in linux_draw_rare.KEYS[key]:
        assert s.set({key: value}).check()[key] != default


def test_figures_are_those_of_the_run():
    s = scenario(
        next(
            k
            for _, k in linux_draw.scenarios(1, 60)
            if k["traffic"]["tcp_up"] > 1 and k.get("wifi", {}).get("stations", 0) > 1
        )
    )
    r = s.set({"time.flows": "2 s", "time.warmup": "1 s"}).run(1)
    f = linux_random.figures(r)
    assert f["goodput_up"] == pytest.approx(sum(x.goodput_mbit for x in r.flows if x.direction == "up"))
    assert f["cwnd_p50"] > max(linux_random._within(r, x, "snd_cwnd").min() for x in r.flows if x.kind == "tcp")
    assert 1 <= f["ampdu_up"] <= 64
    assert "goodput_down" not in f or any(x.direction == "down" for x in r.flows)


def test_a_wired_run_has_no_figures_of_the_air():
    s = scenario(next(k for name, k in linux_draw.scenarios(1, 20) if "-wired-" in name))
    f = linux_random.figures(s.set({"time.flows": "2 s", "time.warmup": "1 s"}).run(1))
    assert set(f) == {"goodput_up", "cwnd_p50", "srtt_p50", "ping_p50"}


KERNEL = [{"goodput_up": 100.0 + x, "cwnd_p50": 2.0, "ping_p50": 10.0, "ampdu_up": 20.0} for x in (-1, 0, 1)]


@pytest.mark.parametrize(
    ("planted", "outside"),
    [
        ({}, set()),
        ({"goodput_up": 0.96}, set()),
        ({"goodput_up": 0.94}, {"goodput_up"}),
        ({"cwnd_p50": 1.5}, set()),  # a segment is the least difference that tells
        ({"cwnd_p50": 2.0}, {"cwnd_p50"}),
        ({"ping_p50": 1.16, "ampdu_up": 0.84}, {"ping_p50", "ampdu_up"}),
    ],
)
def test_planted_differences_are_found(planted, outside):
    model = [{k: v * planted.get(k, 1) for k, v in run.items()} for run in KERNEL]
    rows = judge("x", KERNEL, model)
    assert {r.metric for r in rows} == set(KERNEL[0])
    assert {r.metric for r in rows if not r.ok} == outside


def test_a_miss_says_by_how_many_standard_errors():
    (row,) = judge("x", [{"goodput_up": 100.0 + x} for x in (-1, 0, 1)], [{"goodput_up": 90.0 + x} for x in (-1, 0, 1)])
    # medians 100 and 90, 5 beyond; the error of each median is sqrt(pi / 2) / sqrt(3)
    assert row.reason == "4.9 standard errors beyond"
    (row,) = judge("x", [{"goodput_up": 100.0}], [{}])
    assert (row.ok, row.reason) == (False, "the model gave no value")
    assert judge("x", [{}], [{"goodput_up": 1.0}]) == []


def test_runs_without_a_value_are_chance_or_not():
    some = [{"ping_p50": 5.0 + x / 100} for x in range(12)]
    (row,) = judge("x", some, [*some[:11], {}])
    assert (row.ok, row.reference, row.ours) == (True, pytest.approx(5.055), pytest.approx(5.05))
    # by hand: 4 of 12 and none, 495/10626 = 4.7 %; 3 of 12 and none, 220/2024 = 11 %
    (row,) = judge("x", some, [*some[:8], {}, {}, {}, {}])
    assert (row.ok, row.reason) == (False, "no value in 4 of 12 runs, in 0 of the kernel's 12")
    assert [linux_random.as_often(n, (12, 12)) for n in ((0, 3), (3, 0), (0, 4), (4, 0), (0, 0), (12, 12), (6, 8))] == [
        True, True, False, False, True, True, True,
    ]  # fmt: skip
    (row,) = judge("x", [*some[:8], {}, {}, {}, {}], some)
    assert row.ok is False


def test_pairs_of_one_channel_are_judged_by_their_differences():
    courses = [50.0, 150.0, 100.0, 80.0, 120.0, 100.0]
    kernel = [{"goodput_up": x} for x in courses]
    model = [{"goodput_up": x - 6 - d} for x, d in zip(courses, (-1, 0, 1, 1, 0, -1), strict=True)]
    (row,) = judge("x", kernel, model, pairs=True)
    # medians 100 and 94; differences of 5 to 7, whose standard deviation is sqrt(4 / 5): sqrt(pi / 2) * that / sqrt(6) = 0.458
    assert (row.ok, row.reference, row.ours, row.reason) == (False, 100.0, 94.0, "2.2 standard errors of pairs beyond")
    assert not linux_random._by_chance(row)
    (apart,) = judge("x", kernel, model)
    assert apart.reason == "0.0 standard errors beyond"
    assert linux_random._by_chance(apart)
    # pairs of unlike courses tell as little as runs that are none
    (row,) = judge("x", kernel, model[3:] + model[:3], pairs=True)
    assert (row.ok, row.reason) == (False, "0.1 standard errors of pairs beyond")


def test_a_scenario_is_judged_in_pairs_where_it_has_a_channel(monkeypatch, tmp_path):
    Waters(monkeypatch)
    drawn = linux_random.draw(1, 30, tmp_path, "rare")
    with_channel = [d for d in drawn if d.scenario.check()["channel.on"] == "true"]
    assert 0 < len(with_channel) < 30
    assert [d for d in drawn if d.in_pairs] == with_channel
    said = linux_random.validate(1, 30, tmp_path, kind="rare").notes
    assert sum("in pairs" in n for n in said) == 1
    assert any(n.startswith(f"{len(with_channel)} with a channel, judged in pairs") for n in said)
    assert not any("in pairs" in n for n in linux_random.validate(1, 3, tmp_path, kind="wired").notes)


class Waters:
    """Stands for both waters: the model's goodput is 10 % less where a scenario has one flow up."""

    def __init__(self, monkeypatch):
        self.runs = Counter()
        monkeypatch.setattr(linux_random.runner, "simulate", self.simulate)
        monkeypatch.setattr(linux_random, "figures", lambda f: f)

    def simulate(self, run):
        self.runs[run.point, run.water] += 1
        worse = run.water == "model" and run.scenario.check()["traffic.tcp_up"] == "1"
        return {"goodput_up": (90.0 if worse else 100.0) + run.seed % 3 / 10}


def test_a_scenario_that_misses_is_run_more_often_and_told_how_to_see(monkeypatch, tmp_path):
    waters = Waters(monkeypatch)
    report = linux_random.validate(1, 12, tmp_path)
    missed = [name for name, ok in report.cases().items() if not ok]
    assert 0 < len(missed) < 12
    for name in report.cases():
        one_up = wavetank.load(tmp_path / f"{name}.toml").check()["traffic.tcp_up"] == "1"
        assert one_up == (name in missed)
        assert waters.runs[name, "linux"] == waters.runs[name, "model"] == RUNS + (MORE if one_up else 0)
    for name in missed:
        assert any(n.startswith(f"wavetank compare {tmp_path / name}.toml  # goodput_up: ") for n in report.notes)


def test_what_was_run_is_not_run_again(monkeypatch, tmp_path):
    waters = Waters(monkeypatch)
    first = linux_random.validate(1, 4, tmp_path)
    before = waters.runs.total()
    assert linux_random.validate(1, 4, tmp_path).rows == first.rows
    assert waters.runs.total() == before
    linux_random.validate(1, 5, tmp_path)
    assert waters.runs.total() in (before + 2 * RUNS, before + 2 * (RUNS + MORE))


def test_a_run_that_failed_is_a_miss_and_is_tried_again(monkeypatch, tmp_path):
    def broken(run):
        raise linux.LinuxFailed("the guest wrote no result")

    monkeypatch.setattr(linux_random.runner, "simulate", broken)
    report = linux_random.validate(1, 1, tmp_path)
    (row,) = report.rows
    assert (row.ok, row.metric, row.reason) == (False, "run", "linux: the guest wrote no result")
    Waters(monkeypatch)
    assert [r.metric for r in linux_random.validate(1, 1, tmp_path).rows] == ["goodput_up"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["kernel", "--random", "3"], "--random belongs to linux"),
        (["linux", "--random", "3", "--recorded"], "runs both waters"),
        (["linux", "--seed", "3"], "belong to --random"),
        (["linux", "--draw", "rare"], "belong to --random"),
        (["linux", "--random", "0"], "0 is not in the range"),
    ],
)
def test_bad_options(words, says):
    done = CliRunner().invoke(cli, ["validate", *words])
    assert done.exit_code == 2
    assert says in done.output


def test_the_command_exits_with_1_only_where_it_is_asked_to(monkeypatch, tmp_path):
    Waters(monkeypatch)
    monkeypatch.setattr(linux, "build", lambda *a: {})
    words = ["validate", "linux", "--random", "12", "--out", str(tmp_path), "--jobs", "1"]
    done = CliRunner().invoke(cli, words)
    assert (done.exit_code, "wavetank compare" in done.output) == (0, True)
    assert CliRunner().invoke(cli, [*words, "--check"]).exit_code == 1
