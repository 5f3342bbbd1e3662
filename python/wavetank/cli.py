"""The command line: a thin layer over the Python API. Tables go to standard output, progress to standard error.

With ``--json`` standard output holds one JSON document. Exit codes: 0 done, 1 ``--check`` found red rows or the core
failed, 2 bad input, 130 interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import ScenarioError, UserError, __version__, _core, files, lab, workers
from .errors import unknown

if TYPE_CHECKING:
    from .result import Result
    from .scenario import Scenario

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
on_option = click.option(
    "--on", type=click.Choice(["model", "linux"]), default="model", show_default=True, help="What it runs on."
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(min=1), default=None, help="Worker processes [default: one a core]."
)


def _echo_json(value: Any) -> None:
    click.echo(files.dumps(value))


def _print(*things: Any) -> None:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a pipe or a file has no width: let every row be whole
        console = Console(width=200)
    for t in things:
        if t is not None:
            console.print(t)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on standard error; gives a function to call with (done, of, what)."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("[bold]{task.fields[what]}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("left"), TimeRemainingColumn(), TextColumn("{task.description}"),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=False, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, what=what)

        def update(done: int, of: int, text: str) -> None:
            bar.update(task, completed=done, total=of, description=text)
            if not console.is_terminal and of and (done == of or done % max(1, of // 10) == 0):
                click.echo(f"{what}: {done} of {of}", err=True)

        yield update


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="wavetank")
def cli() -> None:
    """TCP over aggregating Wi-Fi, in a laboratory.

    Start with: wavetank reproduce cotsq --quick
    """


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise UserError(f'--set: "{text}", expected key=value, such as tcp.tsq_ms=4')
    return key.strip(), value.strip()


def on_linux(scenario: Scenario, seed: int | None) -> Result:
    """Runs on the second water: what it has of its own and how far it is go to standard error."""
    from . import linux

    for note in linux.check(scenario, seed).notes:
        click.echo(f"note: {note}", err=True)
    with _progress("linux") as progress:
        return workers.in_thread(
            lambda: linux.simulate(
                scenario, seed, lambda done, of: progress(round(done), round(of), "s of virtual time")
            )
        )


@cli.command()
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a key of the scenario; may be repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=None, help="Seed, in place of the scenario's.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="Folder for summary, samples and Flent file."
)
@click.option(
    "--pcap",
    is_flag=False,
    flag_value="monitor",
    default=None,
    metavar="[VIEW]",
    help="Capture the air with radiotap: monitor (default), all, or radios' names with commas between.",
)
@click.option(
    "--pcap-window", default=None, metavar="FROM:TO", help="Seconds of the run that are captured [default: all]."
)
@click.option(
    "--snaplen", type=click.IntRange(min=0), default=256, show_default=True, help="Bytes kept of each frame; 0: all."
)
@click.option(
    "--timeline",
    type=click.Path(path_type=Path),
    default=None,
    help="Draw who held the medium when: a file that ends in .svg, or in .html to zoom into.",
)
@click.option(
    "--window", default=None, metavar="FROM:TO", help="The timeline's seconds [default: 12 ms of the judging window]."
)
@click.option("--analyze", "analysis", is_flag=True, help="Also what `wavetank analyze` says of the run's air.")
@on_option
@json_option
def run(
    scenario: Path,
    sets: Sequence[str],
    seed: int | None,
    out: Path | None,
    pcap: str | None,
    pcap_window: str | None,
    snaplen: int,
    timeline: Path | None,
    window: str | None,
    analysis: bool,
    on: str,
    as_json: bool,
) -> None:
    """Run SCENARIO (a TOML file) and print a summary.

    With --out, the folder gets summary.json, samples.parquet and a Flent data file; captures go there too, else here.
    On linux the same scenario runs on the real Linux 6.12 in virtual time (see `wavetank linux`); what it cannot express
    is refused.
    """
    from . import air, report
    from .scenario import Scenario

    s = Scenario.load(scenario).set(dict(_pair(x) for x in sets))
    if pcap_window is not None and pcap is None:
        raise click.UsageError("--pcap-window belongs to --pcap")
    if window is not None and timeline is None:
        raise click.UsageError("--window belongs to --timeline")
    ask = air.Ask.of(s, scenario, out, pcap, pcap_window, snaplen, timeline, window, analysis)
    if on == "linux" and not ask.nothing:
        raise click.UsageError(
            "--pcap, --timeline and --analyze look at the model's air: they do not go with --on linux"
        )
    seen = None
    if on == "linux":
        result = on_linux(s, seed)
    elif ask.nothing:
        result = workers.in_thread(lambda: lab.simulate(lab.Run(str(scenario), s, seed)))
    else:
        seen = ask.watch(s, seed)
        result = seen.result
    written = result.save(out) if out is not None else []
    if seen is not None:
        written += ask.finish(seen, f"{result.scenario}, seed {result.seed}")
    summary = result.summary()
    air_report = seen.analysis if seen is not None else None
    if air_report is not None:
        from . import analyze as explain_air

        summary["air"] = explain_air.json_of(air_report)["report"]
        if out is not None:
            written.append(explain_air.draw(air_report, out / "air.png"))
    if as_json:
        _echo_json(summary)
        return
    click.echo(f"{summary['scenario']}, seed {summary['seed']}" + (", on linux" if on == "linux" else ""))
    _print(*report.run_tables(summary))
    if air_report is not None:
        _print(*explain_air.tables(air_report))
    for path in written:
        click.echo(f"wrote {path}")


@cli.command()
@click.argument("name")
@click.option("--quick", is_flag=True, help="Two repetitions; every output says so.")
@click.option("--check", is_flag=True, help="Exit with 1 if a judged row does not hold.")
@jobs_option
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="Folder for results [default: results/NAME]."
)
@on_option
@click.option(
    "--repetitions", type=click.IntRange(min=1), default=3, show_default=True, help="On linux, of each point."
)
@json_option
def reproduce(
    name: str, quick: bool, check: bool, jobs: int | None, out: Path | None, on: str, repetitions: int, as_json: bool
) -> None:
    """Regenerate a paper's figures (NAME as in `wavetank list`, or all) and judge its claims.

    Runs that are already in the folder are not run again: after Ctrl-C or a kill, the same command goes on. On linux the figures
    run on the real kernel, with the model's beside them; the table says what stands in for what it cannot have.
    """
    from . import report
    from . import reproduce as lab_reproduce

    names = lab_reproduce.expand(name)
    if on == "linux":
        from . import linux

        with _progress("linux build") as progress:
            linux.build(None, progress)
    outcomes = []
    for n in names:
        kind = n if on == "model" else f"{n}-on-{on}"
        folder = Path("results") / kind if out is None else (out / kind if name == "all" else out)
        _usable(folder)
        count = jobs or lab.default_jobs()
        with _progress(f"reproduce {n}") as progress:
            if on == "linux":
                outcomes.append(lab_reproduce.reproduce_on_linux(n, folder, quick, count, progress, repetitions))
            else:
                outcomes.append(lab_reproduce.reproduce(n, folder, quick, count, progress))
    if as_json:
        _echo_json(outcomes[0].json() if name != "all" else lab_reproduce.merged(outcomes))
    else:
        for o in outcomes:
            _print(report.claims_table(o), report.misses_table(o.verdicts), report.unmeasured_table(o.verdicts))
            for path in o.written:
                if path.suffix == ".png" or path.name in ("claims.json", "samples.parquet"):
                    click.echo(f"wrote {path}")
    failures = [f for o in outcomes for f in o.measured.failures()]
    for text in failures:
        click.echo(f"error: {text}", err=True)
    if failures:
        sys.exit(1)
    if check and any(v.cls == "judged" and not v.ok for o in outcomes for v in o.verdicts):
        sys.exit(1)


def _usable(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise UserError(f"{folder}: cannot be written ({e.strerror}), expected a folder") from None


@cli.command()
@click.argument("form", required=False)
@click.option("--set", "sets", multiple=True, metavar="SYMBOL=NUMBER", help="An input of FORM; may be repeated.")
@json_option
def theory(form: str | None, sets: Sequence[str], as_json: bool) -> None:
    """The papers' closed forms: list them, or evaluate FORM."""
    from . import closed_forms, report

    if form is None:
        if sets:
            raise UserError("--set: needs a FORM, expected one of " + ", ".join(closed_forms.forms()))
        every = closed_forms.all_at_defaults()
        if as_json:
            _echo_json({"forms": every})
        else:
            _print(report.forms_table(every))
        return
    value = closed_forms.evaluate(form, dict(map(_pair, sets)))
    if as_json:
        _echo_json(value)
    else:
        _print(report.form_table(value))


@cli.command(name="list")
@json_option
def list_(as_json: bool) -> None:
    """Experiments, closed forms, congestion controls, queueing disciplines, drivers."""
    from . import plan

    names = _core.registry()
    figures = {
        n: [{"id": f.id, "figure": f.source, "title": f.title} for f in plan.load(n)] for n in plan.experiments()
    }
    scenarios = sorted(str(p) for p in (plan.ROOT / "scenarios").glob("*.toml"))
    labels = {
        "cc": "congestion controls", "qdisc": "queueing disciplines", "driver": "drivers", "rate": "rate controls",
        "kernel": "kernel profiles",
    }  # fmt: skip
    if as_json:
        _echo_json({
            "experiments": [{"name": n, "figures": f} for n, f in figures.items()],
            "congestion_controls": names["cc"], "qdiscs": names["qdisc"], "drivers": names["driver"],
            "rates": names.get("rate", []), "kernels": names.get("kernel", []),
            "theory": [f["name"] for f in _core.theory()], "scenarios": scenarios,
        })  # fmt: skip
        return
    for n, fs in figures.items():
        click.secho(f"{n}", bold=True)
        for f in fs:
            click.echo(f"  {f['figure']}: {f['title']}")
    for kind, values in names.items():
        click.secho(labels.get(kind, kind), bold=True)
        click.echo("  " + ", ".join(values))
    click.secho("closed forms", bold=True)
    click.echo("  " + ", ".join(f["name"] for f in _core.theory()))
    click.secho("scenarios that come with it", bold=True)
    for path in scenarios:
        click.echo(f"  {path}")


@cli.command()
@click.argument("key", required=False)
@json_option
def explain(key: str | None, as_json: bool) -> None:
    """What a scenario's KEY is: unit, default, range, source. A section alone lists its keys; nothing lists all."""
    rows = {f"{r['section']}.{r['key']}" if r["section"] else r["key"]: r for r in _core.schema()}
    if key is None:
        chosen = list(rows)
    else:
        chosen = [k for k in rows if k == key] or [k for k in rows if k.startswith(f"{key}.")]
        chosen = chosen or [k for k in rows if k.rpartition(".")[2] == key]
    if not chosen:
        raise unknown("key", str(key), [*rows, *{r["section"] for r in rows.values() if r["section"]}])
    out: list[dict[str, str]] = [{"name": k, **{c: str(v) for c, v in rows[k].items()}} for k in chosen]
    if as_json:
        _echo_json(out[0] if key in rows else out)
        return
    if len(out) == 1:
        for field in ("name", "doc", "unit", "default", "range", "source"):
            click.echo(f"{field:>8}  {out[0][field]}")
        return
    from rich.table import Table

    table = Table(header_style="bold", pad_edge=False)
    for c in ("key", "unit", "default", "range", "what"):
        table.add_column(c)
    for r in out:
        table.add_row(r["name"], r["unit"], r["default"], r["range"], r["doc"])
    _print(table)


@cli.command()
@click.argument("what", type=click.Choice(["kernel", "dcf", "linux", "ath9k", "minstrel"]))
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder (kernel, linux) or file (dcf, ath9k, minstrel) in place of the one that comes with it.",
)
@click.option("--recorded", is_flag=True, help="linux: against the kernel's runs that are kept, instead of running it.")
@click.option("--on", type=click.Choice(["model", "linux"]), default="model", help="dcf: what is held to ns-3.")
@click.option(
    "--docs", type=click.Path(path_type=Path), default=None, help="linux: put the table into this Markdown file."
)
@click.option(
    "--plots",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="kernel: a folder for one picture a case, the kernel's two runs beside ours over time.",
)
@click.option("--check", is_flag=True, help="Exit with 1 if a case does not hold.")
@jobs_option
@json_option
def validate(
    what: str,
    reference: Path | None,
    recorded: bool,
    on: str,
    docs: Path | None,
    plots: Path | None,
    check: bool,
    jobs: int | None,
    as_json: bool,
) -> None:
    """Hold the model against the Linux kernel (kernel: TCP, linux: Wi-Fi), ns-3 (dcf), or a real access point (ath9k).

    `minstrel` replays what the kernel's Minstrel-HT was told and compares every decision. `linux` runs both waters on the
    standing set (linux/standing); `dcf --on linux` holds the virtual radio itself to ns-3.
    """
    from . import report
    from .validate import ath9k, dcf, kernel, linux, minstrel

    for option, given, owner in (
        ("--recorded", recorded, "linux"),
        ("--docs", docs, "linux"),
        ("--plots", plots, "kernel"),
        ("--on", on == "linux", "dcf"),
    ):
        if given and what != owner:
            raise click.UsageError(f"{option} belongs to {owner}, not to {what}")
    count = jobs or lab.default_jobs()
    calls: dict[str, Callable[[Callable[[str], None]], Any]] = {
        "kernel": lambda done: kernel.validate(reference, count, done, plots),
        "dcf": lambda done: dcf.validate(reference, count, done, on),
        "linux": lambda done: linux.validate(reference, count, done, recorded),
        "ath9k": lambda done: ath9k.validate(reference, count, done),
        "minstrel": lambda done: minstrel.validate(reference, count, done),
    }
    modules: dict[str, Any] = {"kernel": kernel, "dcf": dcf, "linux": linux, "ath9k": ath9k, "minstrel": minstrel}
    with _progress(f"validate {what}") as progress:
        total = len(modules[what].load(reference or modules[what].PATH))
        if what == "linux" and not recorded:
            from .linux import build

            build(None, progress)
            total *= 2
        reached = 0

        def done(name: str) -> None:
            nonlocal reached
            reached += 1
            progress(min(reached, total), total, name)

        outcome = calls[what](done)
        progress(total, total, "")
    if docs:
        linux.write_docs(outcome, docs)
    if as_json:
        _echo_json(outcome.json())
    else:
        _print(report.validation_table(outcome))
        for note in outcome.notes:
            click.echo(note)
    if check and any(ok is False for ok in outcome.cases().values()):
        sys.exit(1)


@cli.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--window",
    default=None,
    metavar="FROM:TO",
    help="Seconds of the capture's clock [default: a run's judging window, else all].",
)
@click.option("--all", "whole", is_flag=True, help="All of a run's capture, not its judging window alone.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="Folder for a figure (PNG) and the numbers (JSON) a file.",
)
@json_option
def analyze(paths: Sequence[Path], window: str | None, whole: bool, out: Path | None, as_json: bool) -> None:
    """Explain captures (pcap or pcapng with radiotap, as of a monitor interface) and Flent files.

    A-MPDU sizes, aggregates in a row, retries, losses, rates, airtime, TCP goodput and round trips.
    """
    from . import air
    from . import analyze as analysis

    span = air.window(window, "--window") if window is not None else None
    if span is not None and whole:
        raise click.UsageError("--all and --window exclude each other")
    documents = []
    for path in paths:
        document = workers.in_thread(partial(analysis.load, path, span, whole))
        documents.append(document)
        written = analysis.save(document, out) if out is not None else []
        if not as_json:
            click.secho(analysis.heading(document), bold=True)
            for text in analysis.remarks(document):
                click.secho(f"note: {text}")
            _print(*analysis.tables(document))
            for p in written:
                click.echo(f"wrote {p}")
    if as_json:
        values = [analysis.json_of(d) for d in documents]
        _echo_json(values[0] if len(values) == 1 else {"files": values})
    damaged = [d for d in documents if d["file"]["damage"]]
    for d in damaged:
        click.echo(f"error: {d['path']}: {d['file']['damage']}; what stood before it is above", err=True)
    if damaged:
        sys.exit(2)


@cli.command()
@json_option
def bench(as_json: bool) -> None:
    """Speed and memory on the standard workloads, each in a process of its own."""
    from . import bench as benchmark

    with _progress("bench") as progress:
        rows = benchmark.run(progress)
    if as_json:
        _echo_json({"workloads": rows})
        return
    from rich.table import Table

    table = Table(header_style="bold", pad_edge=False)
    for c in (
        "workload",
        "simulated s",
        "wall s",
        "times real time",
        "events",
        "goodput Mbit/s",
        "core MB",
        "process MB",
    ):
        table.add_column(c, justify="left" if c == "workload" else "right")
    for r in rows:
        core = r["core_peak_rss_mb"]
        table.add_row(
            r["name"], f"{r['simulated_s']:.0f}", f"{r['wall_s']:.3f}", f"{r['simulated_s'] / r['wall_s']:.0f}",
            f"{r['events']:,}", f"{r['goodput_mbit']:.1f}", "–" if core is None else f"{core:.0f}",
            f"{r['process_peak_rss_mb']:.0f}",
        )  # fmt: skip
    _print(table)


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("--kernel", default="6.12", help="The kernel profile.  [default: 6.12]")
@click.option("--hz", type=click.IntRange(100, 1000), default=1000, help="Timer ticks a second.  [default: 1000]")
@click.option("--trace", is_flag=True, help="Print every packet, also of scripts that hold.")
@json_option
def packetdrill(paths: Sequence[Path], kernel: str, hz: int, trace: bool, as_json: bool) -> None:
    """Drive the model's TCP by packetdrill scripts (files, or folders of *.pkt).

    What is not supported is named and counted as skipped, never as passed. Exits with 1 if a script fails.
    """
    from . import packetdrill as drill

    reports = [drill.run(p, kernel, hz) for p in drill.scripts(paths)]
    total = drill.total(reports)
    if as_json:
        _echo_json({"scripts": reports, "total": total})
    else:
        for r in reports:
            for line in drill.lines(r, trace):
                click.echo(line)
        click.echo(f"{total['pass']} pass, {total['fail']} fail, {total['skip']} skip")
    if total["fail"]:
        sys.exit(1)


@cli.group()
def bpf() -> None:
    """Congestion controls for stock kernels, as BPF programs (root; a kernel with BTF; clang and bpftool)."""


@bpf.command("load")
@click.argument("name")
@click.option(
    "--pace",
    type=click.IntRange(4, 15),
    default=6,
    help="bbrp_pace: gain of the probing phase in quarters; 5 is BBR.  [default: 6]",
)
def bpf_load(name: str, pace: int) -> None:
    """Compile and register NAME (bbrp), so that sockets and sysctls can choose it."""
    from . import bpf as programs

    programs.load(name, pace)
    click.echo(f"loaded {name} with pace {pace}; choose it by sysctl net.ipv4.tcp_congestion_control={name}")


@bpf.command("status")
@json_option
def bpf_status(as_json: bool) -> None:
    """Say which programs there are, which are loaded, and what this machine lacks for them."""
    from . import bpf as programs

    lacks = programs.machine_lacks() + programs.tools_lack()
    loaded = [] if lacks else programs.loaded()
    if as_json:
        _echo_json({"programs": programs.programs(), "loaded": loaded, "lacks": lacks})
        return
    click.echo(f"programs: {', '.join(programs.programs()) or 'none (no checkout)'}")
    click.echo(f"loaded: {', '.join(loaded) or 'none'}")
    if lacks:
        click.echo(f"lacks: {'; '.join(lacks)}")


@bpf.command("unload")
@click.argument("name")
def bpf_unload(name: str) -> None:
    """Remove NAME; connections that use it keep it until they end."""
    from . import bpf as programs

    programs.unload(name)
    click.echo(f"unloaded {name}")


from . import cli_linux  # noqa: E402, F401 - its verbs register themselves


def main(arguments: Sequence[str] | None = None) -> None:
    """The command's entry: errors for people, exit codes for scripts."""
    from .linux import LinuxFailed

    try:
        code = cli.main(
            args=None if arguments is None else list(arguments), prog_name="wavetank", standalone_mode=False
        )
    except click.exceptions.NoArgsIsHelpError as e:
        e.show()
        code = 0
    except click.ClickException as e:
        e.show()
        code = 2
    except LinuxFailed as e:
        click.echo(f"error: {e}", err=True)
        code = 1
    except lab.CoreFailed as e:
        click.echo(f"error: {e}; this is a defect, please report it", err=True)
        code = 1
    except workers.WorkerDied as e:
        click.echo(f"error: {e}: was it killed, or out of memory? what was completed is kept", err=True)
        code = 1
    except (UserError, ScenarioError) as e:
        click.echo(f"error: {e}", err=True)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted: what was completed is kept", err=True)
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    sys.exit(code if isinstance(code, int) else 0)
