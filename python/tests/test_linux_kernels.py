"""Older kernels as the second water: what is drawn for them, what they refuse, which source is taken; no kernel."""

import io
import re
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

import wavetank
from wavetank import UserError, keys, linux
from wavetank.cli import cli
from wavetank.linux import kernels, water
from wavetank.linux.translate import translate
from wavetank.validate import linux_draw, linux_draw_marks, linux_random

WIRED = {"name": "w", "topology": {"kind": "wired"}, "htb": {"rate": "100 Mbit/s"}}
#: Debian's 5.10 and stable's 5.4, as their Makefiles begin.
MAKEFILE = "# SPDX-License-Identifier: GPL-2.0\nVERSION = {}\nPATCHLEVEL = {}\nSUBLEVEL = {}\nEXTRAVERSION =\nNAME = Dare mighty things\n"


def wired(kernel, **sets):
    return wavetank.Scenario.from_dict({"kernel": kernel, **WIRED}).set(**sets)


def tree(folder, release):
    folder.mkdir()
    (folder / "Makefile").write_text(MAKEFILE.format(*release.split(".")))
    return folder


@pytest.fixture(autouse=True)
def no_source(monkeypatch):
    monkeypatch.delenv(kernels.SOURCE, raising=False)


@pytest.mark.parametrize("kind", sorted(linux_random.ON_WIRES))
@pytest.mark.parametrize("kernel", kernels.OLDER)
def test_what_is_drawn_for_a_kernel_has_nothing_that_it_lacks(kind, kernel, tmp_path):
    drawn = linux_random.draw(3, 60, tmp_path, kind, kernel)
    assert [d.name for d in drawn[:9]] == [d.name for d in linux_random.draw(3, 9, tmp_path, kind, kernel)]
    seen = set()
    for d in drawn:
        v, given = d.scenario.check(), d.scenario.given()
        assert v["kernel"] == kernel
        assert kernels.lacking(kernel, v) is None
        of = translate(d.scenario, 1)
        settings = {line.split()[0].removeprefix("net/ipv4/") for line in of.case["sysctl"]}
        said = "\n".join(of.case["tc"])
        seen |= {*settings, *re.findall(r"cake|horizon", said), v["tcp.cc"], *given}
        model = d.run("model", 0).scenario.check()
        assert (model["kernel"], model["host.hz"]) == (kernel, "100")
        if kernel == "4.14":  # its devices do not cut up, so that it builds no GSO skbs
            assert (model["tcp.gso_max_segs"], of.case["gso_max_segs"], "sock_shift" in of.case) == ("1", 1, False)
    # by their names, apart from the table
    assert not seen & {"tcp_rto_min_us", "tcp.rto_min"}
    assert kernel != "4.14" or not seen & {"cake", "tcp.tsq", "tcp.gso_max_size", "horizon"}
    assert kernels.version(kernel) >= (5, 10) or "horizon" not in seen
    # what the newer of them have is drawn, and the rest of the controls
    drawn_from = linux_draw_marks.CONTROLS if kind == "marks" else linux_draw.CONTROLS
    variants = {"bbrp", "bbr-plus", "bbr-dev"} if kernel in ("4.14", "4.19") else set()
    assert set(drawn_from) - seen == variants & set(drawn_from)
    assert kernel == "4.14" or seen >= {"tcp.tsq", "tcp.gso_max_size"}
    assert kernel == "4.14" or kind != "wired" or "cake" in seen


def test_what_6_12_draws_is_not_touched_by_what_others_lack(tmp_path):
    seen = set()
    for d in linux_random.draw(3, 60, tmp_path, "wired"):
        translate(d.scenario, 1)
        seen |= {d.scenario.check()["tcp.cc"], *d.scenario.given()}
    assert seen >= {"bbrp", "tcp.rto_min", "tcp.tsq", "cake.rtt", "tcp.gso_max_size"}


def test_the_table_names_keys_and_values_that_there_are():
    known = wavetank._core.registry()
    for need in kernels.NEEDS:
        assert set(need.keys) <= keys.defaults().keys()
        assert need.wanting <= {*known["cc"], *known["qdisc"]}
        assert kernels.version("4.14") < need.since <= kernels.version(kernels.OWN)
        assert kernels.lacking(kernels.OWN, dict.fromkeys(need.keys, "x")) is None


@pytest.mark.parametrize(
    ("kernel", "sets", "words"),
    [
        ("4.14", {"tcp.tsq": "off"}, ["tcp.tsq = off", "Linux 4.14 has no shift", "4.16"]),
        ("4.14", {"tcp.gso_max_segs": 4}, ["tcp.gso_max_segs = 4", "4.17"]),
        ("4.14", {"bottleneck.qdisc": "cake", "cake.bandwidth": "10 Mbit/s"}, ["bottleneck.qdisc = cake", "Linux 4.14 has no CAKE", "4.19"]),
        ("5.4", {"htb.leaf": "fq", "fq.horizon": "1 s"}, ["fq.horizon", "Linux 5.4 has no horizon", "5.8"]),
        ("5.10", {"tcp.tso_rtt_log": 0}, ["tcp.tso_rtt_log = 0", "Linux 5.10 has no sysctl tcp_tso_rtt_log", "5.18"]),
        ("5.10", {"tcp.rto_min": "50 ms"}, ["tcp.rto_min = 50 ms", "tcp_rto_min_us", "6.11"]),
        ("5.15.148", {"tcp.tso_rtt_log": 0}, ["tcp.tso_rtt_log = 0", "Linux 5.15.148 has no sysctl tcp_tso_rtt_log", "5.18"]),
        ("6.1.192", {"tcp.rto_min": "50 ms"}, ["tcp.rto_min = 50 ms", "Linux 6.1.192 has no sysctl tcp_rto_min_us", "6.11"]),
        ("6.6.129", {"tcp.rto_min": "50 ms"}, ["tcp.rto_min = 50 ms", "Linux 6.6.129 has no sysctl tcp_rto_min_us", "6.11"]),
        ("4.19", {"traffic.cc": "cubic, bbrp", "traffic.tcp_up": 2}, ["traffic.cc", "Linux 4.19 has no BBR", "5.1"]),
        ("3.18", {}, ["kernel = 3.18", "Linux 6.12, on wires 4.14, 4.19, 5.4, 5.10, 5.10.262, 5.15.148, 6.1.192 and 6.6.129, too", "leave it out, or set 6.12"]),
        ("5.10", {"topology.kind": "wifi"}, ["kernel = 5.10", "Linux 6.12, on wires 4.14", "leave it out, or set 6.12"]),
    ],
)  # fmt: skip
def test_what_a_kernel_lacks_is_refused_with_who_has_it(kernel, sets, words):
    with pytest.raises(UserError) as e:
        translate(wired(kernel).set(sets))
    assert [w for w in words if w not in str(e.value)] == []


def test_a_kernel_has_its_own_words_and_defaults():
    def case(kernel, **sets):
        return translate(wired(kernel, htb__leaf="fq", **sets)).case

    assert "net/ipv4/tcp_rmem 4096 87380 6291456" in case("4.19")["sysctl"]
    assert "net/ipv4/tcp_rmem 4096 131072 6291456" in case("5.4")["sysctl"]
    assert "net/ipv4/tcp_rmem 4096 65536 6291456" in case("4.19", tcp__rmem_default="64 KiB")["sysctl"]
    assert ["horizon" in "\n".join(case(k)["tc"]) for k in ("4.14", "5.4", "5.10", "6.12")] == [
        False,
        False,
        True,
        True,
    ]
    assert ["rto_min" in "\n".join(case(k)["sysctl"]) for k in ("5.10", "6.1.192", "6.6.129", "6.12")] == [
        False,
        False,
        False,
        True,
    ]
    logs = [[x for x in case("6.12", **sets)["sysctl"] if "rtt_log" in x] for sets in ({}, {"tcp__tso_rtt_log": 0})]
    assert logs == [[], ["net/ipv4/tcp_tso_rtt_log 0"]], "the kernel's own, unless another is asked for"
    # one segment an skb may be asked for on 4.14, and says so where it was not
    assert case("4.14", tcp__gso_max_segs=1)["gso_max_segs"] == 1
    assert any("tcp.gso_max_segs is 1: Linux 4.14" in n for n in translate(wired("4.14")).notes)
    assert case("4.19")["gso_max_segs"] == 0


def test_the_source_must_be_of_the_kernel_that_is_asked_for(monkeypatch, tmp_path):
    def said(kernel):
        with pytest.raises(UserError) as e:
            linux.check(wired(kernel), 1)
        return str(e.value)

    linux.check(wired("6.12"), 1)
    text = said("5.10")
    assert "kernel = 5.10: Linux 6.12 would run" in text
    assert "set WAVETANK_KERNEL_SOURCE to the source of Linux 5.10" in text
    assert "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.10.N.tar.xz" in text
    monkeypatch.setenv(kernels.SOURCE, str(tree(tmp_path / "k54", "5.4.59")))
    assert "is Linux 5.4.59, expected 5.10" in said("5.10")
    assert "is Linux 5.4.59, and kernel = 6.12 is asked for: unset it" in said("6.12")
    assert linux.check(wired("5.4"), 1).values["kernel"] == "5.4"
    # of a stable release no other will do; of a series any
    text = said("5.10.262")
    assert "is Linux 5.4.59, expected 5.10.262" in text
    assert "https://cdn.kernel.org/pub/linux/kernel/v5.x/linux-5.10.262.tar.xz" in text
    monkeypatch.setenv(kernels.SOURCE, str(tree(tmp_path / "k510", "5.10.200")))
    assert "is Linux 5.10.200, expected 5.10.262" in said("5.10.262")
    assert linux.check(wired("5.10"), 1).values["kernel"] == "5.10"
    monkeypatch.setenv(kernels.SOURCE, str(tree(tmp_path / "k510.262", "5.10.262")))
    assert linux.check(wired("5.10.262"), 1).values["kernel"] == "5.10.262"
    monkeypatch.setenv(kernels.SOURCE, str(tmp_path / "k54"))
    # another source is another run
    here = water.fingerprint(wired("5.4"), 1)
    monkeypatch.setenv(kernels.SOURCE, str(tree(tmp_path / "later", "5.4.273")))
    assert water.fingerprint(wired("5.4"), 1) != here


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (
            lambda at: None,
            "cannot be read (No such file or directory), expected a kernel's source, a tarball or an unpacked tree",
        ),
        (lambda at: at.mkdir(), "cannot be read (No such file or directory), expected a kernel's source"),
        (lambda at: at.write_text("no kernel"), "cannot be read (it is no tar archive), expected a kernel's source"),
        (lambda at: (at.mkdir(), (at / "Makefile").write_text("all:\n")), "its Makefile names no version"),
    ],
)
def test_what_is_no_source_is_told(monkeypatch, tmp_path, make, says):
    make(tmp_path / "it")
    monkeypatch.setenv(kernels.SOURCE, str(tmp_path / "it"))
    with pytest.raises(UserError) as e:
        linux.check(wired("5.10"), 1)
    assert str(e.value).startswith(f"WAVETANK_KERNEL_SOURCE={tmp_path / 'it'}: ")
    assert says in str(e.value)


def test_the_builds_own_command_tells_it_too(monkeypatch, tmp_path):
    """linux/build and linux/kernel/build, which know nothing of the product (a folder without a kernel ended in a traceback)."""
    linux_folder = Path(__file__).parents[2] / "linux"
    if not linux_folder.is_dir():
        pytest.skip("the second water's folder linux/ is not here")
    monkeypatch.syspath_prepend(str(linux_folder))
    import uml

    for at, says in (
        (tmp_path / "none", "there is no such tarball or folder, expected a kernel's source"),
        (tmp_path, "this folder has no Makefile, expected the top of a kernel's source"),
    ):
        with pytest.raises(uml.Trouble) as e:
            uml.source_at(str(at), "--source")
        assert str(e.value) == f"--source={at}: {says}"
    assert uml.source_at(str(tree(tmp_path / "k54", "5.4.59")), "--source") == tmp_path / "k54"


@pytest.mark.parametrize("compression", ["", "gz", "xz"])
def test_a_tarballs_version_is_its_topmost_makefiles(tmp_path, compression):
    at = tmp_path / "linux.tar"
    with tarfile.open(at, f"w:{compression}") as tar:
        for name, release in (("linux-5.10.262/arch/Makefile", "1.2.3"), ("linux-5.10.262/Makefile", "5.10.262")):
            text = MAKEFILE.format(*release.split(".")).encode()
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text))
    assert kernels.release(str(at)) == "5.10.262"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["--draw", "house"],
            "--draw house has Wi-Fi, which runs on Linux 6.12 only: --kernel 5.10 takes --draw path, wired or marks",
        ),
        ([], "--random has Wi-Fi, which runs on Linux 6.12 only: --kernel 5.10 takes --draw path, wired or marks"),
        (["--draw", "path"], "set WAVETANK_KERNEL_SOURCE to the source of Linux 5.10"),
    ],
)
def test_the_command_says_what_cannot_be(words, says):
    done = CliRunner().invoke(cli, ["validate", "linux", "--random", "2", "--kernel", "5.10", *words])
    assert done.exit_code == 2 or isinstance(done.exception, UserError)
    assert says in " ".join(done.output.split()) + str(done.exception)


def test_the_command_runs_the_draw_of_a_kernel(monkeypatch, tmp_path):
    runs = []
    monkeypatch.setattr(linux, "build", lambda *a: {})
    monkeypatch.setattr(linux_random.runner, "simulate", runs.append)
    monkeypatch.setattr(linux_random, "figures", lambda _: {"goodput_up": 1.0})
    monkeypatch.setenv(kernels.SOURCE, str(tree(tmp_path / "k54", "5.4.59")))
    monkeypatch.chdir(tmp_path)
    words = ["validate", "linux", "--random", "2", "--seed", "7", "--kernel", "5.4", "--draw", "wired", "--jobs", "1"]
    done = CliRunner().invoke(cli, [*words, "--json"])
    assert done.exit_code == 0, done.output
    assert '"what": "linux --random"' in done.output
    assert len(list((tmp_path / "results" / "wired-linux-5.4-7").glob("w7-*.toml"))) == 2
    assert {r.scenario.check()["kernel"] for r in runs} == {"5.4"}
    assert "seed 7: Linux 5.4.59, 3 runs of each water" in CliRunner().invoke(cli, words).output
