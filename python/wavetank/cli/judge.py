"""The model held against something: ``validate``, ``packetdrill``; and against the clock: ``bench``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import _core, files
from ..named import Named
from ..progress import shown
from .base import _echo_json, _print, cli, jobs_option, json_option
from .number import Whole
from .place import Place
from .usage import Choice

if TYPE_CHECKING:
    from ..validate.report import Report


@cli.command()
@click.argument("what", type=Choice(["kernel", "dcf", "linux", "ath9k", "minstrel", "reported"]))
@click.option(
    "--reference",
    type=Place(),
    default=None,
    help="Folder (kernel, linux) or file (dcf, ath9k, minstrel, reported) in place of the one that comes with it.",
)
@click.option(
    "--more",
    is_flag=True,
    help="kernel: random scenarios on the same machine, dcf: other modes, widths and payloads, in place of the reference.",
)
@click.option(
    "--categories", is_flag=True, help="dcf: several access categories, each one's goodput, in place of the reference."
)
@click.option(
    "--sender",
    is_flag=True,
    help="ath9k: the access point sends four flows of its own, under TSQ, at each MCS, in place of the reference.",
)
@click.option(
    "--kernel",
    "older",
    type=Choice(["4.14", "4.19", "5.4", "5.10", "5.10.262", "5.15.148", "6.1.192", "6.6.129"]),
    default=None,
    help="kernel: the cases of the reference and of --more on an older kernel, against its profile; linux (5.4 on): some of "
    "the standing set, recorded. What ran for 5.10 is 5.10.262, which has a profile of its own. With --random: scenarios of what "
    "that kernel has, run on it (--draw path, wired or marks).",
)
@click.option("--recorded", is_flag=True, help="linux: against the kernel's runs that are kept, instead of running it.")
@click.option(
    "--random",
    "count",
    type=Whole(min=1),
    default=None,
    metavar="N",
    help="linux: N random scenarios on both waters, in place of the standing set.",
)
@click.option(
    "--draw",
    type=Choice(["common", "rare", "firmware", "house", "busy", "corner", "path", "wired", "marks"]),
    default=None,
    help="--random: keys that scenarios commonly have [default]; each with up to three more that hardly anyone sets; ath10k, "
    "mt76 and iwlwifi, whose firmware aggregates, under 802.11n, ac and ax; stations with drivers, standards and modes of their "
    "own; hosts whose CPU is full; 2.4 GHz, 802.11b, g and a, floods of several categories, disciplines above cards, uneven and "
    "slow wires; wired paths that lose, double, reorder and delay unevenly; wires alone; or wires that mark, under DCTCP and "
    "others with ECN.",
)
@click.option(
    "--cc",
    default=None,
    metavar="NAME,...",
    help="--random: congestion controls in place of those that are drawn, in turn.",
)
@click.option("--seed", type=Whole(min=0), default=None, help="--random: what draws them [default: 1].")
@click.option(
    "--out",
    type=Place(),
    default=None,
    help="--random: folder for their files and runs [default: results/random-linux-SEED, rare-linux-SEED, path-linux-5.10-SEED, "
    "...].",
)
@click.option("--on", type=Choice(["model", "linux"]), default="model", help="dcf: what is held to ns-3.")
@click.option("--docs", type=Place(), default=None, help="linux: put the table into this Markdown file.")
@click.option(
    "--plots",
    type=Place(file_okay=False),
    default=None,
    help="kernel: a folder for one picture a case, the kernel's two runs beside ours over time; ath9k: one of all rows by MCS.",
)
@click.option("--check", is_flag=True, help="Exit with 1 if a case does not hold.")
@jobs_option
@json_option
def validate(
    what: str,
    reference: Path | None,
    more: bool,
    categories: bool,
    sender: bool,
    older: str | None,
    recorded: bool,
    count: int | None,
    draw: str | None,
    cc: str | None,
    seed: int | None,
    out: Path | None,
    on: str,
    docs: Path | None,
    plots: Path | None,
    check: bool,
    jobs: int,
    as_json: bool,
) -> None:
    """Hold the model against the Linux kernel (kernel: TCP, linux: Wi-Fi), ns-3 (dcf), or a real access point (ath9k).

    `reported` are figures of other cards that were told on a mailing list, with as much of the set-up as was said.

    `minstrel` replays what the kernel's Minstrel-HT was told and compares every decision. `linux` runs both waters on the
    standing set (linux/standing), or with --random on scenarios that no one has looked at: the same N and seed draw the
    same ones, and the command goes on where it was stopped; with --kernel they are of wires, and the kernel that runs is the
    one whose source WAVETANK_KERNEL_SOURCE names. `dcf --on linux` holds the virtual radio itself to ns-3.
    """
    from ..validate import ath9k, ath9k_sender, dcf, kernel, linux, linux_page, minstrel, reported

    for option, given, owner in (
        ("--more", more, "kernel or dcf"),
        ("--categories", categories, "dcf"),
        ("--sender", sender, "ath9k"),
        ("--kernel", older is not None, "kernel or linux"),
        ("--recorded", recorded, "linux"),
        ("--random", count is not None, "linux"),
        ("--docs", docs, "linux"),
        ("--plots", plots, "kernel or ath9k"),
        ("--on", on == "linux", "dcf"),
    ):
        if given and what not in owner.split(" or "):
            raise click.UsageError(f"{option} belongs to {owner}, not to {what}")
    if sum((more, categories, sender, older is not None, reference is not None)) > 1:
        raise click.UsageError(
            "--more, --categories, --sender and --kernel are references of their own, --reference names another"
        )
    if count is not None:
        if reference or recorded or docs:
            raise click.UsageError(
                "--random draws its scenarios and runs both waters: no --reference, --recorded or --docs"
            )
        _tell(_random(count, 1 if seed is None else seed, out, jobs, draw, cc, older), check, as_json)
        return
    if any(given is not None for given in (draw, cc, seed, out)):
        raise click.UsageError("--draw, --cc, --seed and --out belong to --random")
    if docs is not None:
        if older:
            raise click.UsageError("--docs has the table of 6.12, --kernel runs of another")
        linux_page.marked(docs)
    reference = {"kernel": kernel.MORE, "dcf": dcf.MORE}[what] if more else dcf.CATEGORIES if categories else reference
    if older:
        recorded = what == "linux"
        reference = (kernel.OLDER if what == "kernel" else linux.OLDER).get(older)
        if reference is None:
            raise click.UsageError(
                f"linux has runs of {' and '.join(linux.OLDER)}, none of {older}: there wavetank's radio cannot be built"
            )
    real = ath9k_sender if sender else ath9k
    calls: dict[str, Callable[[Callable[[str], None]], Any]] = {
        "kernel": lambda done: kernel.validate(reference, jobs, done, plots, older),
        "dcf": lambda done: dcf.validate(reference, jobs, done, on),
        "linux": lambda done: linux.validate(reference, jobs, done, recorded, older),
        "ath9k": lambda done: real.validate(reference, jobs, done, plots),
        "minstrel": lambda done: minstrel.validate(reference, jobs, done),
        "reported": lambda done: reported.validate(reference, jobs, done),
    }
    modules: dict[str, Any] = {
        "kernel": kernel, "dcf": dcf, "linux": linux, "ath9k": real, "minstrel": minstrel, "reported": reported,
    }  # fmt: skip
    with shown(f"validate {what}") as progress:
        rows = modules[what].load(reference or modules[what].PATH)
        total = modules[what].runs(rows) if what in ("ath9k", "reported") else len(rows)
        progress(0, total, "")
        if what == "linux" and not recorded:
            from ..linux import build

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
        linux_page.write_docs(outcome, docs)
    _tell(outcome, check, as_json)


def _random(
    count: int, seed: int, out: Path | None, jobs: int, draw: str | None, cc: str | None, older: str | None
) -> Report:
    """Random scenarios on both waters, of 6.12 or of an older kernel."""
    from ..linux import build, kernels
    from ..validate import linux_random

    if older and draw not in linux_random.ON_WIRES:
        asked = f"--draw {draw} has" if draw else "--random has"
        *some, last = linux_random.ON_WIRES
        raise click.UsageError(
            f"{asked} Wi-Fi, which runs on Linux {kernels.OWN} only: --kernel {older} takes --draw {', '.join(some)} or {last}"
        )
    kernel, draw = older or kernels.OWN, draw or "common"
    kernels.require(kernel)
    known = Named(((name, name) for name in _core.registry()["cc"]), "congestion control")
    controls = [known[name.strip()] for name in cc.split(",")] if cc else []
    words = ("random" if draw == "common" else draw, "linux", *([older] if older else []), *controls, str(seed))
    name = "-".join(words)
    folder = out or Path("results") / name
    files.usable(folder)
    with shown("validate linux --random") as progress:
        build(None, progress)
        return linux_random.validate(seed, count, folder, jobs, progress, draw, kernel, controls)


def _tell(outcome: Report, check: bool, as_json: bool) -> None:
    """Prints it; with ``check`` ends with 1 if a case does not hold."""
    from .. import report

    if as_json:
        _echo_json(outcome.json())
    else:
        _print(report.validation_table(outcome))
        for note in outcome.notes:
            click.echo(note)
    if check and any(ok is False for ok in outcome.cases().values()):
        sys.exit(1)


@cli.command()
@click.argument("paths", nargs=-1, required=True, type=Place(), metavar="FILE...")
@click.option("--kernel", default="6.12", help="The kernel profile.  [default: 6.12]")
@click.option("--hz", type=Whole(100, 1000), default=1000, help="Timer ticks a second.  [default: 1000]")
@click.option("--trace", is_flag=True, help="Print every packet, also of scripts that hold.")
@json_option
def packetdrill(paths: Sequence[Path], kernel: str, hz: int, trace: bool, as_json: bool) -> None:
    """Drive the model's TCP by packetdrill scripts (files, or folders of *.pkt).

    What is not supported is named and counted as skipped, never as passed. Exits with 1 if a script fails, with 2 if one
    cannot be read: a slip is an error, with its line and what was expected there.
    """
    from .. import packetdrill as drill

    reports, errors = drill.run_all(paths, kernel, hz)
    total = drill.total(reports)
    if as_json:
        _echo_json({"scripts": reports, "total": total, "errors": errors})
    else:
        for r in reports:
            for line in drill.lines(r, trace):
                click.echo(line)
        wrong = f", {len(errors)} cannot be read" if errors else ""
        click.echo(f"{total['pass']} pass, {total['fail']} fail, {total['skip']} skip{wrong}")
    for text in errors:
        click.echo(f"error: {text}", err=True)
    if errors:
        sys.exit(2)
    if total["fail"]:
        sys.exit(1)


@cli.command()
@json_option
def bench(as_json: bool) -> None:
    """Speed and memory on the standard workloads, each in a process of its own."""
    from .. import _core
    from .. import bench as benchmark

    if _core.CHECKED:
        click.echo(
            "note: this core, made by ./test, checks itself as it runs, a third slower; scripts/venv makes the users'",
            err=True,
        )
    with shown("bench") as progress:
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
