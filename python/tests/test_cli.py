"""The command: exit codes, JSON on standard output alone, errors for people."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from wavetank import Scenario, ScenarioError
from wavetank.cli import notes
from wavetank.lab import plan

SCENARIO = str(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
SHORT = ["--set", "time.flows=4 s", "--set", "time.lead_in=1 s", "--set", "time.tail=1 s"]


VERBS = [
    "run", "sweep", "reproduce", "theory", "list", "explain", "validate", "bench", "analyze", "packetdrill", "compare",
    "linux build", "linux status", "csi", "csid ap", "csid client", "csid key", "hack rohc",
]  # fmt: skip


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_has_help_and_json(wavetank, verb):
    code, out, _ = wavetank(*verb.split(), "--help")
    assert code == 0
    assert "--json" in out


def test_run_prints_one_document(wavetank):
    code, out, err = wavetank("run", SCENARIO, *SHORT, "--seed", 3, "--json")
    assert code == 0, err
    document = json.loads(out)
    assert (document["scenario"], document["seed"]) == ("cotsq-ath9k-htc", 3)


def test_run_prints_tables_and_writes(wavetank, tmp_path):
    code, out, err = wavetank("run", SCENARIO, *SHORT, "--out", tmp_path / "o")
    assert code == 0, err
    assert "goodput" in out and "wrote" in out
    assert {p.name for p in (tmp_path / "o").iterdir()} >= {"summary.json", "samples.parquet"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "gone.toml"], "gone.toml: cannot be read"),
        (["run", SCENARIO, "--set", "nonsense"], "expected key=value"),
        (["run", SCENARIO, "--set", "netem.loss=5%"], '"5%" (did you mean "0.05"?); expected a number from 0 to 1'),
        (["run", ""], "error: run: SCENARIO: it is empty, expected a path"),
        (["run", SCENARIO, "--out", ""], "error: run: --out: it is empty, expected a path"),
        (["run", SCENARIO, "--out", "--json"], "error: run: --out: --json is an option, expected a path"),
        (["run", "--pcap", SCENARIO], f'--pcap took "{SCENARIO}" for the views to capture; name SCENARIO before it'),
        (["run"], "error: run: SCENARIO is missing, expected wavetank run [OPTIONS] SCENARIO"),
        (
            ["sweep", SCENARIO],
            "error: sweep: KEY=VALUES is missing, expected wavetank sweep [OPTIONS] SCENARIO KEY=VALUES...",
        ),
        (["csid", "client"], "error: csid client: --ap is missing, expected wavetank csid client [OPTIONS]"),
        (["runn"], 'error: unknown verb "runn", expected one of 19 names (wavetank --help); did you mean "run"?'),
        (["linux", "buil"], 'error: linux: unknown verb "buil", expected build, status; did you mean "build"?'),
        (["-x"], 'error: unknown option "-x", expected --help, --version'),
        (["run", SCENARIO, "--sed", "3"], '; did you mean "--seed"?'),
        (["reproduce", "cotsq", "--rep", "3"], '; did you mean "--repetitions"?'),
        (["run", SCENARIO, "--seed"], "error: run: --seed has no value, expected --seed INTEGER"),
        (["theory", "--set"], "error: theory: --set has no value, expected --set SYMBOL=NUMBER"),
        (["run", SCENARIO, "--json=1"], "error: run: --json takes no value"),
        (["run", SCENARIO, "--seed", "x"], "error: run: --seed: 'x' is not a valid integer"),
        (
            ["run", SCENARIO, "--on", "lin"],
            'error: run: --on: unknown word "lin", expected linux, model; did you mean "linux"?',
        ),
        (["run", SCENARIO, "extra"], 'error: run: unexpected "extra", expected wavetank run [OPTIONS] SCENARIO'),
        (["run", SCENARIO, "tcp.cc=bbr"], '; did you mean --set "tcp.cc=bbr"?'),
        (["theory", "hard-times", "x"], 'error: theory: unexpected "x", expected wavetank theory [OPTIONS] [FORM]'),
        (["run", SCENARIO, "--set", "wifi.mcs=7.0"], "wifi.mcs: 7.0; expected a whole number from 0 to 31"),
        (["run", SCENARIO, "--set", "time.flows=1e300"], "time.flows: 1e300; expected a time with its unit"),
        (["sweep", SCENARIO, "tcp.tsq_ms=1,2", "--quick", "--repetitions", "3"], "exclude each other"),
        (["sweep", SCENARIO, "tcp.tsq_ms=1,2", "--metric", "zzz"], "names (wavetank list)"),
        (["explain", "zzz"], "names (wavetank explain)"),
        (["theory", "hard-times", "--set", "t"], "expected key=value, such as t=20"),
        (["validate", "linux", "--recorded", "--docs", "gone.md"], "gone.md: cannot be read"),
        (["reproduce", "cotsk"], 'did you mean "cotsq"'),
        (["explain", "tcp.tsq_mss"], 'did you mean "tcp.tsq_ms"'),
        (["explain", "bottleneck.rate"], 'did you mean "htb.rate"'),  # as a scenario's error has it
        (["explain", "sgi"], 'did you mean "wifi.short_gi"'),
        (["run", SCENARIO, "--against", "tcp.cc=bbr"], 'unknown option "--against", which compare and sweep have'),
        (["compare", SCENARIO, "--plot", "x.png"], 'unknown option "--plot", which run has'),
        (["run", SCENARIO, "--jsn"], 'error: run: unknown option "--jsn", expected --analyze, '),
        (["theory", "hard-time"], "did you mean"),
        (["run", SCENARIO, "--set", "tcp.tsq_ms=-1"], "-1; expected a whole number of ms from 0 to 100000"),
        (["run", SCENARIO, "--set", "tcp.tsq_ms=4 MiB"], "expected a whole number of ms from 0 to 100000"),
        (["run", SCENARIO, "--set", "tcp.tsq_ms=99999999999999999999"], "a whole number of ms from 0 to 100000"),
        (["run", SCENARIO, "--set", "traffic.tcp_up=-1"], 'a whole number from 0 to 256, or "auto"'),
        (["run", SCENARIO, "--set", "tcp.cc=CUBIC"], 'did you mean "cubic"'),
        (
            ["run", SCENARIO, "--set", "wifi.standard=b", "--set", "wifi.rate=54 Mbit/s"],
            "wifi.rate: 54 Mbit/s; expected",
        ),
        (["validate", "wifi"], "wifi"),
        (["sweep", SCENARIO, "tcp.cc=cubic,bbr", "--best", "foo"], '--best: unknown metric "foo", expected one of'),
        (
            ["sweep", SCENARIO, "tcp.cc=cubic,bbr", "--best", "godput"],
            '(wavetank list); did you mean "goodput"',
        ),
        (["compare", SCENARIO, "--against", "tcp.cc=foo"], '--against: tcp.cc: "foo"'),
        (["analyze", "x.pcapng", "--window", "5:4"], "expected FROM:TO with FROM below TO"),
        (["theory", "hard-times", "--set", "t=1e400"], "expected a number from 0 to 1000000 (packets)"),
        (["run", SCENARIO, "--snaplen", "10"], "--snaplen belongs to --pcap"),
        (["run", SCENARIO, "--pcap-window", "1:2"], "--pcap-window belongs to --pcap"),
        (["run", SCENARIO, "--notes"], "--notes belongs to --on linux"),
        (["run", SCENARIO, "--set", "wifi.mcs=fast"], '--set: wifi.mcs: "fast"; expected a whole number from 0 to 31'),
        (["run", SCENARIO, "--set", "wifi.mcs=32"], "--set: wifi.mcs: 32; expected a whole number from 0 to 31"),
        (["run", SCENARIO, "--set", "wifi.mcs=yes"], "expected a whole number from 0 to 31"),
        (["run", SCENARIO, "--set", "tcp.ccc=1"], '--set: tcp.ccc: [tcp] has no key "ccc"'),
        (["validate", "kernel", "--reference", "gone"], "gone"),
        (["validate", "dcf", "--reference", "gone.csv"], "gone.csv"),
        (["validate", "linux", "--reference", "gone"], "gone"),
        (["validate", "dcf", "--recorded"], "--recorded"),
        (["validate", "ath9k", "--more"], "--more belongs to kernel or dcf, not to ath9k"),
        (["validate", "kernel", "--categories"], "--categories belongs to dcf, not to kernel"),
        (["validate", "dcf", "--sender"], "--sender belongs to ath9k, not to dcf"),
        (
            ["validate", "dcf", "--categories", "--more"],
            "--more, --categories, --sender and --kernel are references of their own",
        ),
        (["validate", "kernel", "--more", "--reference", "gone"], "--more"),
        (["validate", "kernel", "--on", "linux"], "--on"),
        (["run", SCENARIO, "--on", "linux"], "host.wake = 100 us"),
        (
            ["run", SCENARIO, "--on", "linux", "--set", "host.wake=0", "--set", "ath9k_htc.cpu_ppdu=40 us"],
            "kernel = 4.14",
        ),
        (["run", SCENARIO, "--on", "sea"], "sea"),
        (["compare", SCENARIO, "--on", "model"], "expected two waters"),
        (["compare", SCENARIO, "--on", ""], "expected two waters"),
        (["run", SCENARIO, "--set", "time.flows=1 ms"], "--set: time.flows: 1 ms; expected more than time.warmup"),
        (["run", SCENARIO, "--set", "name=../../evil"], '--set: name: "../../evil"; expected a short name for results'),
        (["run", SCENARIO, "--set", "tcp.rmem_max=1 B"], "expected a size from 2304 B to 2147483647 B"),
        (["run", SCENARIO, "--set", "tcp.rmem_max=4 GiB"], "expected a size from 2304 B to 2147483647 B"),
        (
            ["run", SCENARIO, "--set", "seed=18446744073709551616"],
            "seed: 18446744073709551616; expected a whole number",
        ),
        (["sweep", SCENARIO, "name=a,b", "--dry-run"], "axis name: says what a scenario is called"),
        (
            ["sweep", SCENARIO, "tcp.tsq_ms=1", "--seed", str(2**64 - 1), "--repetitions", "2"],
            "--seed: 18446744073709551615",
        ),
        (["sweep", SCENARIO, "tcp.tsq_ms=1", "--seed", str(2**64)], "--seed"),
        (
            ["compare", SCENARIO, "--against", "tcp.tsq_ms=1", "--seed", str(2**64 - 1), "--repetitions", "2"],
            "--seed: 1844",
        ),
        (["compare", SCENARIO, "--against", "foo=1"], '--against: foo: there is no key or section "foo"'),
        (["compare", SCENARIO, "--against", "foo"], '--against: "foo", expected key=value'),
        (
            ["theory", "bianchi", "--set", "CWmin=1023", "--set", "CWmax=15"],
            "--set: CWmin: 1023, expected at most CWmax (15)",
        ),
        (["theory", "bianchi", "--set", "CWmax=7"], "--set: CWmax: 7, expected at least CWmin (15)"),
        (["validate", "dcf", "--reference", "/"], "/: cannot be read (Is a directory), expected a CSV file"),
        (
            ["validate", "kernel", "--reference", "gone"],
            "gone: cannot be read (No such file or directory), expected a folder",
        ),
        (["validate", "kernel", "--reference", SCENARIO], f"{SCENARIO}: is no ZIP file, expected a folder"),
        (["fly"], "fly"),
        (["run", SCENARIO, "--jbos", "1"], "jbos"),
    ],
)
def test_bad_input_is_code_2_and_a_sentence(wavetank, arguments, says):
    code, out, err = wavetank(*arguments)
    assert code == 2
    assert says in err
    assert "Traceback" not in err and "Usage:" not in err
    assert err.splitlines()[-1].startswith("error: "), "one line says it"
    assert out == ""


def test_what_is_another_word_is_not_proposed(wavetank):
    code, _, err = wavetank("explain", "foo")
    assert code == 2 and "did you mean" not in err


def test_the_largest_seed_is_whole_wherever_it_comes_from(wavetank):
    most = 2**64 - 1
    for asked in (["--set", f"seed={most}"], ["--seed", most]):
        code, out, err = wavetank("run", SCENARIO, *SHORT, *asked, "--json")
        assert code == 0, err
        assert json.loads(out)["seed"] == most


def test_a_core_that_panics_is_told_with_the_seed_that_was_used(wavetank, monkeypatch):
    class PanicException(BaseException):
        pass

    def panics(*_):
        raise PanicException("assertion failed")

    monkeypatch.setattr("wavetank._core.run", panics)
    for asked, seed in (([], 1), (["--set", "seed=7"], 7), (["--seed", "8"], 8)):
        code, _, err = wavetank("run", SCENARIO, *asked)
        assert code == 1 and f"seed {seed}: assertion failed" in err


def test_a_scenarios_name_leads_no_result_elsewhere(wavetank, tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    Path("evil.toml").write_text('name = "../../evil"\n[topology]\nkind = "wifi"\n')
    code, _, err = wavetank("compare", "evil.toml", "--against", "tcp.tsq_ms=2")
    assert code == 2 and err.startswith('error: evil.toml:1: name: "../../evil"; expected')
    assert [p.name for p in tmp_path.rglob("*")] == ["in", "evil.toml"]


def test_downloads_on_a_wire_are_told_of(wavetank, tmp_path):
    wired = tmp_path / "w.toml"
    wired.write_text('name = "w"\n[topology]\nkind = "wired"\n[htb]\nrate = "9 Mbit/s"\n[time]\nflows = "3 s"\n')
    code, _, err = wavetank("run", wired, "--set", "traffic.tcp_down=1", "--set", "netem.delay=10 ms")
    assert code == 0 and "note: the wired way back (S - R - C) has no rate" in err


def test_a_files_name_that_is_none_is_answered_with_the_nearest_file(wavetank, tmp_path, monkeypatch):
    (tmp_path / "house.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    code, _, err = wavetank("run", "house.tml")
    assert code == 2
    assert 'did you mean "house.toml"?' in err and "tml.toml" not in err


def test_a_scenario_that_is_none_says_how_many_are_listed(wavetank, tmp_path, monkeypatch):
    for name in ("ac5", "other", "third"):
        (tmp_path / f"{name}.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    listed = len(json.loads(wavetank("list", "--json")[1])["scenarios"])
    code, _, err = wavetank("run", "ac6")
    assert code == 2 and f"one of the {listed} names of `wavetank list`" in err and 'did you mean "ac5"?' in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_standard_output_is_named(unbuffered):
    # Where it buffers, Python writes what is left as it ends, and ends with 120 if it cannot.
    command, env = [sys.executable, "-m", "wavetank", "list"], {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=env)
    assert done.returncode == 2
    assert done.stderr == "error: standard output: cannot be written (No space left on device)\n"


def test_where_nothing_can_be_written_is_told_before_the_run(wavetank, tmp_path, monkeypatch):
    from wavetank.lab import runner

    monkeypatch.setattr(runner, "simulate", lambda *_: pytest.fail("it ran"))
    file = tmp_path / "file"
    file.write_text("mine")
    for words, says in (
        (["--out", file], f"{file}: is a file, expected a folder"),
        (["--out", file / "a" / "b"], f"{file / 'a' / 'b'}: cannot be written ({file} is a file), expected a folder"),
        (["--plot", file / "p.png"], f"{file / 'p.png'}: cannot be written ({file} is a file), expected a file"),
    ):
        assert wavetank("run", SCENARIO, *words)[::2] == (2, f"error: {says}\n")
    (tmp_path / "p.svg").mkdir()
    for option in ("--plot", "--timeline"):
        code, _, err = wavetank("run", SCENARIO, option, tmp_path / "p.svg")
        assert (code, err) == (2, f"error: {tmp_path / 'p.svg'}: is a folder, expected a file\n")
    assert file.read_text() == "mine" and sorted(p.name for p in tmp_path.iterdir()) == ["file", "p.svg"]


@pytest.mark.parametrize("words", [["list"], ["theory"], ["explain", "--json"]], ids=" ".join)
@pytest.mark.parametrize("stderr", [subprocess.PIPE, subprocess.STDOUT], ids=["apart", "together"])
def test_a_reader_that_leaves_is_no_error(words, stderr):
    command = [sys.executable, "-m", "wavetank", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr) as process:
        process.stdout.close()
        said = process.stderr.read() if process.stderr else b""
        assert (process.wait(60), said) == (0, b"")


def test_it_runs_with_its_outputs_closed():
    command = f"{sys.executable} -m wavetank list >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0


def test_an_option_is_not_named_where_there_was_none():
    s = Scenario.load(SCENARIO)
    for refuse in (
        lambda: s.set({"tcp.ccc": 1}),
        lambda: s.set({"tcp.cc": "foo"}).check(),
        lambda: s.set(wifi__mcs=99).run(),
    ):
        with pytest.raises(ScenarioError, match=r"^(tcp|wifi)\."):
            refuse()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tsq_mss = 4", "tsq_ms"),
        ('cc = "cubik"', "cubic"),
        ("tsq_ms = 4000000", "tsq_ms"),
        ('rto_min = "5 Mbit/s"', "5 ms"),
        ("cc = ", "TOML"),
    ],
)
def test_a_bad_scenario_names_file_line_and_nearest(wavetank, tmp_path, text, says):
    path = tmp_path / "bad.toml"
    path.write_text('name = "bad"\n[topology]\nkind = "wifi"\n[tcp]\n' + text + "\n")
    code, _, err = wavetank("run", path, "--out", tmp_path / "out")
    assert code == 2
    assert "bad.toml:5" in err
    assert says in err
    assert not (tmp_path / "out").exists()


def test_aggregation_with_802_11a_is_refused(wavetank, tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('name = "a"\n[topology]\nkind = "wifi"\n[wifi]\nstandard = "a"\naggregation = true\n')
    code, _, err = wavetank("run", path)
    assert code == 2
    assert "a.toml" in err


def test_explain_finds_what_a_word_is_about(wavetank):
    for word, keys in (("rts", {"ath9k.rts_threshold", "fixed.rts_fallback"}), ("airtime", {"ath9k.airtime", "mac80211.airtime_fairness"}), ("jitter", {"traffic.start_jitter"}),
                       ("nosuchword", set())):  # fmt: skip
        code, out, err = wavetank("explain", word, "--json")
        found = {r["name"] for r in json.loads(out)} if code == 0 else set()
        assert keys <= found, (word, out, err)
        assert code == 0 or f'unknown key "{word}"' in err


def test_list_and_explain(wavetank):
    code, out, _ = wavetank("list", "--json")
    assert code == 0
    document = json.loads(out)
    assert {e["name"] for e in document["experiments"]} >= {"cotsq", "hard-times"}
    assert {"congestion_controls", "qdiscs", "drivers"} <= set(document)
    code, out, _ = wavetank("list")
    assert "CoTSQ, Figure 4" in out
    code, out, _ = wavetank("explain", "tcp.tsq_ms", "--json")
    row = json.loads(out)
    assert {"unit", "default", "range", "source"} <= set(row)
    code, out, _ = wavetank("explain", "tcp")
    assert "tcp.tsq_ms" in out


def test_theory(wavetank):
    code, out, _ = wavetank("theory", "--json")
    assert code == 0
    forms = json.loads(out)["forms"]
    assert all({"name", "inputs", "value"} <= set(f) for f in forms)
    code, out, _ = wavetank("theory")
    assert forms[0]["name"] in out
    name, symbol = forms[0]["name"], forms[0]["inputs"][0]["symbol"]
    code, out, err = wavetank("theory", name, "--set", f"{symbol}=lots")
    assert code == 2 and "expected a number" in err


@pytest.mark.slow
def test_bench(wavetank):
    code, out, err = wavetank("bench", "--json")
    assert code == 0, err
    rows = json.loads(out)["workloads"]
    assert [r["name"] for r in rows] == ["ath9k-upload", "down-14", "rrul"]
    keys = {"simulated_s", "wall_s", "events", "goodput_mbit", "core_peak_rss_mb", "process_peak_rss_mb"}
    assert all(keys <= set(r) for r in rows)


#: A second of flows and nothing else.
A_SECOND = '[time]\nlead_in = "0 s"\nflows = "1 s"\ntail = "0 s"\nwarmup = "0 s"\n'
WIRED = f'name = "w"\n[topology]\nkind = "wired"\n[htb]\nrate = "10 Mbit/s"\n{A_SECOND}'


def test_what_cannot_be_looked_at_is_said_before_the_run(wavetank, tmp_path):
    on_air, wired = tmp_path / "air.toml", tmp_path / "wired.toml"
    on_air.write_text(f'name = "a"\n[topology]\nkind = "wifi"\n{A_SECOND}')
    wired.write_text(WIRED)
    for words, said in (
        ((on_air, "--timeline", tmp_path / "t.svg", "--window", "3:4"), "after the end, expected seconds from 0 to 1"),
        ((on_air, "--pcap", "--pcap-window", "1:2"), "after the end"),
        ((wired, "--analyze"), "has no Wi-Fi"),
        ((on_air, "--plot", tmp_path / "run.jpeg"), "expected a file name that ends in .png, .pdf, .svg"),
    ):
        code, _, err = wavetank("run", *words)
        assert code == 2 and said in err, err


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("run.png", b"\x89PNG"),
        pytest.param("run.pdf", b"%PDF", marks=pytest.mark.slow),
        pytest.param("run.svg", b"<?xml", marks=pytest.mark.slow),
    ],
)
def test_a_page_is_the_same_bytes_each_time(wavetank, tmp_path, name, starts):
    (tmp_path / "w.toml").write_text(WIRED)
    both = []
    for _ in range(2):
        assert wavetank("run", tmp_path / "w.toml", "--plot", tmp_path / name)[0] == 0
        both.append((tmp_path / name).read_bytes())
    assert both[0].startswith(starts) and both[0] == both[1]


def test_what_is_no_integer_is_called_so(wavetank):
    for words in (
        ("run", "a.toml", "--seed", "x"),
        ("csi", "a.log", "--rx", "1.5"),
        ("sweep", "a", "b=1", "--repetitions", "nan"),
    ):
        code, _, err = wavetank(*words)
        assert code == 2 and f"'{words[-1]}' is not a valid integer\n" in err


def test_closed_forms_refuse_what_is_no_quantity(wavetank):
    code, _, err = wavetank("theory", "bianchi", "--set", "stations=0")
    assert code == 2 and 'unknown input of bianchi "stations", expected ' in err and " n, " in err
    for form, symbol, values, says in (
        (
            "bianchi",
            "n",
            ("-1", "0", "1.5", "1e9", "nan", "inf", "1e400", "two"),
            "a whole number from 1 to 10000 (station)",
        ),
        ("tcp-dcf", "window", ("0", "0.5"), "a whole number from 1 to 1000000 (segment)"),
        ("tcp-dcf", "CWmin", ("1e6",), "a whole number from 0 to 127 (slot)"),
        ("goodput-11n", "rate", ("0",), "a number from 0.1 to 100000 (Mbit/s)"),
        ("hack", "rate", ("0",), "a number from 0.1 to 100000 (Mbit/s)"),
        ("overhead", "rate", ("0",), "a number from 0.1 to 100000 (Mbit/s)"),
        ("sora-llack", "quantile", ("1.1",), "a number from 0 to 1"),
    ):
        for value in values:
            code, _, err = wavetank("theory", form, "--set", f"{symbol}={value}")
            assert code == 2 and f'--set: {symbol}: "{value}", expected {says}' in err, err


def test_a_download_of_one_segment_at_a_time(wavetank):
    code, out, err = wavetank("theory", "tcp-dcf", "--set", "window=1", "--json")
    assert code == 0, err
    value = json.loads(out)["value"]
    assert 15 < value["contending Mbit/s"] < 24 and value["collided 1"] == 0
    code, out, _ = wavetank("theory", "bianchi")
    assert "1 to 10000" in out and "E[P]" in out


def test_explain_of_an_empty_word_is_no_list_of_all(wavetank):
    code, out, err = wavetank("explain", "")
    assert (code, out) == (2, "") and "a KEY is empty" in err


def test_explain_takes_several_keys(wavetank):
    code, out, _ = wavetank("explain", "htb.rate", "pfifo", "--json")
    assert code == 0 and [r["name"] for r in json.loads(out)][:2] == ["htb.rate", "pfifo.limit"]
    _, out, _ = wavetank("explain", "tcp.tsq_ms", "wifi.mcs")  # each with its source, as one alone
    assert [line.split()[1] for line in out.splitlines() if line.startswith("    name ")] == ["tcp.tsq_ms", "wifi.mcs"]
    assert out == "\n".join(wavetank("explain", k)[1] for k in ("tcp.tsq_ms", "wifi.mcs"))
    assert out.count("  source  ") == 2


def test_closed_forms_have_their_units_in_their_column_and_break_no_word(wavetank, monkeypatch):
    _, out, _ = wavetank("theory", "bianchi")
    goodput = next(line for line in out.splitlines() if line.startswith("│goodput"))
    assert [cell.strip() for cell in goodput.split("│")[1:4:2]] == ["goodput", "Mbit/s"]
    _narrow(monkeypatch, 60)
    _, out, _ = wavetank("theory")
    words = {w.strip(",") for line in out.splitlines() for w in line.replace("│", " ").split()}
    assert {"aggregating", "Throughput", "turnaround", "contending", "equations", "RTT_base"} <= words


@pytest.mark.parametrize(
    ("command", "there", "asked"),
    [("run", "upload.toml", "uplaod.toml"), ("packetdrill", "slow.pkt", "slo.pkt")],
)
def test_a_file_that_is_not_there_is_told_the_one_that_is(wavetank, tmp_path, command, there, asked):
    (tmp_path / there).write_text("")
    (tmp_path / f"{asked}.bak").write_text("")
    code, _, err = wavetank(command, tmp_path / asked)
    assert code == 2 and err.endswith(f'; did you mean "{tmp_path / there}"?\n')
    assert "did you mean" not in wavetank(command, tmp_path / "another" / asked)[2]


@pytest.mark.parametrize("command", ["run", "analyze", "packetdrill"])
def test_an_address_of_the_network_is_told_to_be_one(wavetank, command):
    code, _, err = wavetank(command, "https://example.org/x.toml")
    assert code == 2 and err.startswith("error: https://example.org/x.toml: is an address, expected ")
    assert "`curl -O https://example.org/x.toml`" in err


def test_what_a_pictures_font_has_not_is_told_once_as_a_note(wavetank, tmp_path):
    scenario = tmp_path / "x.toml"
    named = Path(SCENARIO).read_text(encoding="utf-8").replace('name = "', 'name = "\U0001f4e1 ', 1)
    scenario.write_text(named, encoding="utf-8")
    short = [x for key in ("lead_in=0 s", "warmup=0 s", "flows=10 ms", "tail=0 s") for x in ("--set", f"time.{key}")]
    code, _, err = wavetank("run", scenario, *short, "--plot", tmp_path / "x.png")
    assert code == 0
    assert err.count("\U0001f4e1") == 1 and "note: the pictures' font has no \U0001f4e1" in err
    assert "Warning" not in err


@pytest.mark.parametrize(
    ("word", "first", "among"),
    [
        ("queue", "linksys.queue", "fq_codel.limit"),
        ("buffer", "tcp.rx_per_buffer", "tcp.wmem_max"),
        ("bandwidth", "cake.bandwidth", "wifi.width_mhz"),
        ("mtu", "fq_codel.mtu", "tcp.gso_max_size"),
        ("tsq", "tcp.tsq", "tcp.pacing_shift"),
        ("retry", "ath9k.retries", "fixed.tries"),
        ("latency", "backhaul.delay", "netem.delay"),
        ("hidden", "medium.places", "medium.places"),
        ("mss", "fq_codel.mtu", "tcp.init_cwnd"),
    ],
)
def test_explain_searches_names_first_and_explanations_always(wavetank, word, first, among):
    code, out, err = wavetank("explain", word, "--json")
    assert code == 0, err
    found = json.loads(out)
    names = [r["name"] for r in (found if isinstance(found, list) else [found])]
    assert names[0] == first and among in names


def test_plain_numbers_say_their_unit_and_take_it(wavetank):
    for key, unit in (
        ("tcp.tsq_ms", "ms"), ("ath9k.rts_threshold", "bytes"), ("ath9k.ampdu_bytes", "bytes"), ("fq_codel.mtu", "bytes"),
        ("tcp.init_cwnd", "segments"), ("tcp.pacing_ss_ratio", "%"), ("channel.snr", "dB"), ("ath9k.retries", "count"),
    ):  # fmt: skip
        code, out, _ = wavetank("explain", key, "--json")
        assert (code, json.loads(out)["unit"]) == (0, unit), key
    for given, found in (("4 ms", 4), ("0.004 s", 4)):
        code, out, err = wavetank(
            "run", SCENARIO, *SHORT, "--set", "tcp.tsq=cotsq", "--set", f"tcp.tsq_ms={given}", "--json"
        )
        assert code == 0, err
        both = wavetank("run", SCENARIO, *SHORT, "--set", "tcp.tsq=cotsq", "--set", f"tcp.tsq_ms={found}", "--json")
        assert json.loads(out)["digest"] == json.loads(both[1])["digest"]


def test_every_key_whose_explanation_has_a_unit_says_it():
    """A key of milliseconds, bytes or segments that is a plain number must not say "count"."""
    from wavetank import _core

    ending = {"_ms": "ms", "_us": "us", "_bytes": "bytes", "_db": "dB", "_dbm": "dBm", "_mhz": "MHz", "_m": "m"}
    words = {
        "milliseconds": "ms",
        "microseconds": "us",
        "segments": "segments",
        "dB": "dB",
        "percent": "%",
        "kbit/s": "kbit/s",
    }
    for r in _core.schema():
        if r["kind"] not in ("count", "number"):
            continue
        key = f"{r['section']}.{r['key']}"
        wanted = {u for end, u in ending.items() if r["key"].endswith(end)}
        last = r["doc"].rstrip(".").replace(";", ",").split(", ")[-1].removeprefix("in ")
        wanted |= {u for word, u in words.items() if last.lower() == word.lower()}
        assert wanted <= {r["unit"]}, (key, wanted, r["doc"])


def _narrow(monkeypatch, columns):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes it for a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(columns))


def test_notes_of_what_is_the_kernels_own_are_a_line():
    own = [f"host.{k} is 0: there is none" for k in "abcd"]
    every = ["another one", *own]
    assert notes.shortened(every, own, every=True) == every
    other, line = notes.shortened(every, own, every=False)
    assert other == "another one" and line.startswith("4 keys that are left open") and "--notes" in line
    assert notes.shortened(every, own[:2], every=False) == every, "a line that stands for two saves none"


@pytest.mark.usefixtures("canvases")
def test_a_comparison_says_all_that_it_wrote_and_its_json_all_that_it_said(wavetank, tmp_path):
    two = ["--set", "wifi.stations=2", "--set", "wifi.rate=54 Mbit/s", "--against", "tcp.cc=bbr", *SHORT]
    code, out, err = wavetank("compare", SCENARIO, *two, "--out", tmp_path)
    assert code == 0 and "Jain's index of the flows" in out
    told = [line.split()[1] for line in out.splitlines() if line.startswith("wrote ")]
    assert sorted(told) == sorted(f"{p}{'/' if p.is_dir() else ''}" for p in tmp_path.iterdir())
    said = [line.removeprefix("note: ") for line in err.splitlines() if line.startswith("note: ")]
    assert said and json.loads((tmp_path / "compare.json").read_text())["notes"] == said
    _, out, err = wavetank("run", SCENARIO, *SHORT, "--set", "wifi.rate=54 Mbit/s", "--json", "--out", tmp_path / "run")
    (one,) = json.loads(out)["notes"]
    assert f"note: {one}" in err
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["notes"] == [one]


def test_a_capture_is_no_scenario_and_says_who_reads_it(wavetank, tmp_path):
    for name, head in (
        ("a.flent.gz", b"\x1f\x8b\x08\x00\xff"),
        ("a.pcapng", b"\x0a\x0d\x0d\x0a\xff"),
        ("a.pcap", b"\xd4\xc3\xb2\xa1"),
    ):
        (tmp_path / name).write_bytes(head)
        code, _, err = wavetank("run", tmp_path / name)
        assert code == 2 and "`wavetank analyze` reads captures" in err


def test_one_kind_of_what_there_is(wavetank):
    code, out, _ = wavetank("list", "qdiscs", "rates")
    assert code == 0 and {"fq_codel", "cake", "minstrel_ht"} <= {*out.split()} and "cubic" not in out
    assert wavetank("list", "experiments")[1].split() == [
        e["name"] for e in json.loads(wavetank("list", "--json")[1])["experiments"]
    ]
    assert list(json.loads(wavetank("list", "congestion-controls", "--json")[1])) == ["congestion_controls"]
    code, _, err = wavetank("list", "metrix")
    assert code == 2 and 'did you mean "metrics"?' in err


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ("driver", "drivers"),
        ("metric", "metrics"),
        ("congestion-control", "congestion_controls"),
        ("cc", "congestion_controls"),
    ],
)
def test_one_word_for_many_names_a_kind_too(wavetank, given, kind):
    assert wavetank("list", given) == wavetank("list", kind)
    assert list(json.loads(wavetank("list", given, "--json")[1])) == [kind]


def test_figures_are_listed_as_plans_have_them():
    from wavetank import shipped

    for name in shipped.experiments():
        assert shipped.figures(name) == [{"id": f.id, "figure": f.source, "title": f.title} for f in plan.load(name)]


def test_a_narrow_terminal_cuts_nothing_off(wavetank, monkeypatch):
    _narrow(monkeypatch, 60)
    for command in (["explain", "rts"], ["run", SCENARIO, *SHORT, "--set", "wifi.stations=3"]):
        code, out, _ = wavetank(*command)
        assert code == 0 and "…" not in out and "..." not in out.replace("20, ...", "")
    _, out, _ = wavetank("explain", "rts")
    assert "ath9k.rts_threshold: " in out, "no name is broken"
    assert max(len(line) for line in out.splitlines() if line.startswith("  ")) <= 60


@pytest.mark.parametrize("columns", [60, 80])
def test_a_narrow_terminal_breaks_no_number_and_no_name(wavetank, monkeypatch, columns):
    command = ["run", SCENARIO, *SHORT, "--set", "wifi.stations=2", "--set", "traffic.udp_down=1 Mbit/s"]
    _, whole, _ = wavetank(*command)
    _narrow(monkeypatch, columns)
    out = re.sub(r"\x1b\[[0-9;]*m", "", wavetank(*command)[1])
    assert max(map(len, out.splitlines())) <= columns

    def cells(text):
        lines = (line.strip("│┃").split("│" if "│" in line else "┃") for line in text.splitlines() if line[:1] in "│┃")
        return [[c.strip() for c in line] for line in lines]

    table = [row for row in cells(whole) if "times real time" not in row[-1]]
    rows = [row for row in cells(out) if "real" not in row[-1]]
    for name, *values in (row for row in table if row[0] not in ("flow", "radio")):
        parts = [v for row in rows if row[0] == name for v in row[1:]]
        assert [v for v in values if v not in parts] == [], f"{name}: in one piece, in one of the parts"
    words = {w for row in table if row[0] in ("flow", "radio") for c in row for w in c.split()}
    assert words <= {w for row in rows for c in row for w in c.split()}


def test_a_part_of_a_narrow_table_has_its_keys_title_and_caption():
    from rich.console import Console
    from rich.table import Table

    from wavetank.cli import narrow

    wide = Console(width=1000)

    table = Table(title="t", caption="c")
    for name, key in (("cc", True), ("mcs", True), ("a long heading of goodput", False), ("ping", False)):
        table.add_column(name, no_wrap=key)
    table.add_row("cubic", "7", "123456789", "[b]1.5 ms[/b]", style="bold")
    assert narrow.parts(table, 60, wide) == [table]
    first, last = narrow.parts(table, 31, wide)
    assert [c.header for c in first.columns] == ["cc", "mcs", "a long heading of goodput"]
    assert [list(c.cells) for c in last.columns] == [["cubic"], ["7"], ["[b]1.5 ms[/b]"]]
    assert (first.title, first.caption, last.title, last.caption) == ("t", None, None, "c")
    assert last.rows[0].style == "bold" and [c.width for c in last.columns] == [5, 3, 6]
    assert narrow.parts(table, 20, wide) == [table], "no room even for one column"
    table.add_column("what")
    table.add_row("reno", "7", "1", "2", "a sentence that is folded, since nobody wants it in one line")
    assert narrow.parts(table, 60, wide) == [table]


def test_a_pipe_has_no_width(wavetank, tmp_path):
    _, out, _ = wavetank("explain", "tcp")
    rows = [line for line in out.splitlines() if "tcp.tsq_pkts" in line]
    assert len(rows) == 1 and "Static: the small queue, in segments." in rows[0]
    figure = tmp_path / "f.toml"
    (tmp_path / "s.toml").write_text(
        'name = "s"\n[topology]\nkind = "wifi"\n[time]\nlead_in = "0 s"\ntail = "0 s"\nflows = "3 s"\n'
    )
    figure.write_text(
        'figure = "A long name of a figure"\ntitle = "and a title that is longer than its table"\nbase = "s.toml"\n'
        'repetitions = 1\npoints = [{ name = "a" }]\n[[panels]]\nkind = "bars"\npoints = ["a"]\nquantity = "goodput"\n'
    )
    code, out, err = wavetank("reproduce", figure, "--out", tmp_path / "out")
    assert code == 0, err
    assert "A long name of a figure: and a title that is longer than its table (1 repetition)" in out.splitlines()


def test_a_key_that_there_is_not_is_told_where_it_is_set():
    from wavetank import ScenarioError, load

    with pytest.raises(ScenarioError, match=r"tcp\.tsq_ms"):
        load("cotsq-ath9k").set({"tcp.tsqms": 4})


@pytest.fixture
def standard_input(monkeypatch):
    """What verbs read there."""
    from wavetank.cli import given

    def put(octets):
        given._standard_input.cache_clear()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(octets)))

    yield put
    given._standard_input.cache_clear()


def test_a_scenario_comes_on_standard_input(wavetank, standard_input, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (plan.ROOT / "scenarios" / "cotsq-ath9k.toml").read_bytes()
    short = ("--set", "time.flows=3 s", "--seed", "1")
    digests = []
    for name in ("cotsq-ath9k", "-"):
        standard_input(text)
        code, out, err = wavetank("run", name, *short, "--json")
        assert code == 0, err
        digests.append(json.loads(out)["digest"])
    assert digests[0] == digests[1]
    standard_input(text)
    assert "stdin-monitor.pcapng" in wavetank("run", "-", *short, "--pcap")[1]
    for verb in (("sweep", "-", "tcp.cc=cubic", "--dry-run"), ("testbed", "-", "--set", "kernel=6.12")):
        standard_input(text)
        code, _, err = wavetank(*verb)
        assert code == 0, err
    standard_input(text.replace(b"cubic", b"reno"))
    code, out, err = wavetank("compare", "cotsq-ath9k", "-", *short[:2], "--json")
    assert code == 0, err
    assert set(json.loads(out)["waters"]) == {"cotsq-ath9k", "stdin"}


@pytest.mark.parametrize(
    ("octets", "told"),
    [
        (b"", "stdin: is empty, expected a scenario file (TOML)"),
        (b"name = '\xff'", "stdin: is not UTF-8 text, expected a scenario file (TOML)"),
        ("name = 'x'".encode("utf-16"), "stdin: is UTF-16, expected a scenario file (TOML) in UTF-8 (iconv "),
        (b'name = "x"\n[tcp]\ncd = "cubic"\n', "stdin:3: tcp.cd: "),
    ],
)
def test_standard_input_that_is_no_scenario(wavetank, standard_input, octets, told):
    standard_input(octets)
    code, _, err = wavetank("run", "-")
    assert code == 2 and told in err


def test_echoes_under_way_as_the_run_ends_are_not_called_lost(wavetank):
    sets = {"wifi.stations": 60, "time.flows": "3 s", "time.lead_in": "1 s", "time.warmup": "1 s"}
    given = [x for k, v in sets.items() for x in ("--set", f"{k}={v}")]
    code, out, _ = wavetank("run", "cotsq-ath9k", *given, "--set", "time.tail=0 s")
    assert code == 0 and "without an answer)" in out and " lost)" not in out
    ends = [
        json.loads(wavetank("run", "cotsq-ath9k", *given, "--set", f"time.tail={t} s", "--json")[1]) for t in (0, 5)
    ]
    assert ends[0]["pings"]["lost"] > 5 >= ends[1]["pings"]["lost"], "they were under way"
