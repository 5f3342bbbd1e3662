"""Makes docs/reference/ and docs/devices/README.md from the schema and the docstrings.

python python/tools/make_docs.py            writes the pages
python python/tools/make_docs.py --check    says which are out of date, and fails
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import click

import wavetank
from wavetank import _core, shipped, state
from wavetank.cli import cli
from wavetank.lab import metrics, plan
from wavetank.state import snapshot

ROOT = Path(__file__).parents[2] / "docs" / "reference"
NOTE = "<!-- made by python/tools/make_docs.py -->\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def parameters() -> str:
    out = [NOTE, "# Parameters", "", "Every key that a scenario can have; `wavetank explain KEY` says the same.", ""]
    section = None
    for r in _core.schema():
        if r["section"] != section:
            section = r["section"]
            out += ["", f"## [{section}]" if section else "## Above all sections", ""]
            out += ["| key | unit | default | range | what | source |", "| --- | --- | --- | --- | --- | --- |"]
        cells = [f"`{r['key']}`", r["unit"], r["default"], r["range"], r["doc"], r["source"]]
        out.append("| " + " | ".join(_cell(c) for c in cells) + " |")
    return "\n".join(out) + "\n"


#: A device model, what it is, and the section of its keys.
DEVICES = {
    "ath9k": ("Atheros 802.11n on PCIe", "ath9k"),
    "ath9k_tidq": ("The same before Linux 4.10: what it has beside ath9k's own", "ath9k"),
    "ath9k_htc": ("Atheros AR9271 on USB", "ath9k_htc"),
    "ath10k": ("Qualcomm Atheros 802.11ac on PCIe", "ath10k"),
    "mt76": ("MediaTek 802.11ax on PCIe", "mt76"),
    "iwlwifi": ("Intel 802.11ax on PCIe", "iwlwifi"),
    "linksys": ("The thesis's commercial access point", "linksys"),
    "sora": ("The thesis's software radio", "sora"),
    "host": ("What received packets and woken programs cost a host", "host"),
}
#: Of ath9k's keys those that only the driver with queues of its own has.
OF_TIDQ = ("max_pending", "keep_turn")
DEVICES_HEAD = """# Devices

Every constant of each model of a device, and what its default rests on: a **fact** of a standard, of a paper, or of a driver's, a
firmware's or a kernel's source; **assumed**: nothing that is public decides it, or what does is another device's; **calibrated**:
the value with which a measurement comes out, which is named, and which is no evidence for the model any more. What each key is:
[parameters](../reference/parameters.md), or `wavetank explain KEY`, which says `basis` and `source`, too. *Otherwise in*: which
scenarios that come with the package set another value. What the pages say is assumed beside constants is in no table here.

| device | facts | assumed | calibrated |
| --- | --- | --- | --- |"""


def devices() -> str:
    """Every constant of each device model, and what it rests on."""
    out, tables = [NOTE, DEVICES_HEAD], []
    rows, others = _core.schema(), _set_by_scenarios()
    for device, (what, section) in DEVICES.items():
        own = [r for r in rows if r["section"] == section]
        if section == "ath9k":
            own = [r for r in own if (r["key"] in OF_TIDQ) == (device == "ath9k_tidq")]
        counts = [sum(r["basis"] == basis for r in own) for basis in ("fact", "assumed", "calibrated")]
        assert sum(counts) == len(own), device
        out.append(f"| [{device}](#{device}) | {' | '.join(map(str, counts))} |")
        page = ROOT.parent / "devices" / f"{device}.md"
        where = f": [its page]({page.name})" if page.exists() else ""
        tables += ["", f"## {device}", "", f"{what}{where}.", "", *_bases(own, others)]
    sections = {section for _, section in DEVICES.values()}
    rest = [r for r in rows if r["section"] not in sections and r["basis"] in ("assumed", "calibrated")]
    tables += ["", "## Elsewhere", "", "What is assumed or calibrated of no device.", "", *_bases(rest, others)]
    return "\n".join([*out, *tables]) + "\n"


def _bases(rows: Sequence[_core.SchemaRow], others: Mapping[str, str]) -> list[str]:
    out = ["| key | default | unit | basis | evidence | otherwise in |", "| --- | --- | --- | --- | --- | --- |"]
    for r in rows:
        key = f"{r['section']}.{r['key']}"
        basis = r["basis"] if r["basis"] == "fact" else f"**{r['basis']}**"
        cells = [f"`{key}`", r["default"], r["unit"], basis, r["evidence"], others.get(key, "")]
        out.append("|" + "".join(f" {_cell(c)} |" if c else " |" for c in cells))
    return out


def _set_by_scenarios() -> dict[str, str]:
    """Of each key the values that shipped scenarios give it, other than its default, and which do."""
    defaults = {f"{r['section']}.{r['key']}": r["default"] for r in _core.schema()}
    by: dict[str, dict[str, list[str]]] = {}
    for path in sorted(shipped.SCENARIOS.glob("*.toml")):
        scenario = wavetank.Scenario.load(path)
        values = scenario.check()
        for key in scenario.given():
            if values.get(key, "") != defaults.get(key, ""):
                by.setdefault(key, {}).setdefault(values.get(key, ""), []).append(path.stem)
    return {k: "; ".join(f"{v}: {', '.join(names)}" for v, names in sorted(of.items())) for k, of in by.items()}


def forms() -> str:
    out = [NOTE, "# Closed forms", ""]
    for f in _core.theory():
        out += [
            f"## {f['name']}",
            "",
            f"{f['title']} ({f['source']}). Gives {', '.join(f'`{o}`' for o in f['outputs'])}.",
            "",
        ]
        out += ["| input | default | unit | range | what |", "| --- | --- | --- | --- | --- |"]
        for i in f["inputs"]:
            within = f"{i['low']:.12g} to {i['high']:.12g}" + (", whole" if i["whole"] else "")
            out.append(f"| `{i['symbol']}` | {i['default']:g} | {_cell(i['unit'])} | {within} | {_cell(i['doc'])} |")
        out.append("")
    return "\n".join(out)


def api() -> str:
    out = [NOTE, "# Python API", "", inspect.getdoc(wavetank) or "", ""]
    for name in wavetank.__all__:
        thing = getattr(wavetank, name)
        if not callable(thing):
            continue
        title = f"{name}{inspect.signature(thing)}" if inspect.isfunction(thing) else f"class {name}"
        out += [f"## `{title}`", "", inspect.getdoc(thing) or "", ""]
        if dataclasses.is_dataclass(thing):
            fields = [f"`{f.name}` ({f.type})" for f in dataclasses.fields(thing) if not f.name.startswith("_")]
            out += [f"Fields: {', '.join(fields)}.", ""]
        if inspect.isclass(thing) and not issubclass(thing, Exception):
            own = [vars(c) for c in reversed(thing.__mro__) if c.__module__.startswith("wavetank")]
            for member, m in {k: v for c in own for k, v in c.items()}.items():
                if isinstance(m, property | cached_property) and not member.startswith("_"):
                    get = m.fget if isinstance(m, property) else m.func
                    gives = inspect.signature(get).return_annotation if get else ""
                    out += [f"* `{member}: {gives}`", f"  {(inspect.getdoc(m) or '').replace(chr(10), ' ')}"]
                function = m.__func__ if isinstance(m, classmethod) else m
                if member.startswith("_") or not inspect.isfunction(function):
                    continue
                out += [
                    f"* `{member}{inspect.signature(function)}`",
                    f"  {(inspect.getdoc(function) or '').replace(chr(10), ' ')}",
                ]
            out.append("")
    return "\n".join([*out, *states()]).rstrip() + "\n"


def states() -> list[str]:
    """The types of a run's state, each field with the words above it in the source."""
    out = ["## `wavetank.state`", "", inspect.getdoc(snapshot) or "", ""]
    for name in state.__all__:
        thing = getattr(state, name)
        if not inspect.isclass(thing):
            continue
        out += [f"### `{name}`", "", inspect.getdoc(thing) or "", ""]
        words: list[str] = []
        for line in inspect.getsource(thing).splitlines():
            text = line.strip()
            if text.startswith("#:"):
                words.append(text.removeprefix("#:").strip())
            elif found := re.match(r"    ([a-z_]\w*): (.+?)(?: = .*)?$", line):
                out.append(f"* `{found[1]}` ({found[2]})" + (f": {' '.join(words)}" if words else ""))
                words = []
        out.append("")
    return out


def experiments() -> str:
    out = [NOTE, "# Experiments", ""]
    for name in shipped.experiments():
        out += [f"## {name}", "", "| figure | what | points | file |", "| --- | --- | --- | --- |"]
        for f in plan.load(name):
            points = list(f.points)
            shown = ", ".join(points[:12]) + (f" ... ({len(points)})" if len(points) > 12 else "")
            out.append(f"| {f.source} | {f.title} | {shown} | `experiments/{f.id}.toml` |")
        out.append("")
    return "\n".join(out)


def quantities() -> str:
    """What figures, sweeps and their tables can have of a run."""
    out = [
        NOTE,
        "# Metrics",
        "",
        "What `sweep --metric` takes, and figures by `quantity`. `NAME:mean`, `NAME:p90` and so on: statistics of its samples.",
        "*Down* is what the access point sends to stations, *up* what they send. Of the judging window, but for retransmissions,",
        "timeouts and what TCP/HACK and rate control count.",
        "",
        "| metric | of one | unit | what |",
        "| --- | --- | --- | --- |",
    ]
    families: dict[str, list[str]] = {}
    for name in metrics.QUANTITIES:
        families.setdefault(name.partition("@")[0], []).append(name)
    for family, names in families.items():
        of = [n.partition("@")[2] for n in names if "@" in n]
        each = ["`@staN`"] * any(o.startswith("sta") for o in of) + ["`@CONTROL`"] * any(
            not o.startswith("sta") for o in of
        )
        q = metrics.QUANTITIES[family if family in metrics.QUANTITIES else names[0]]
        what = q.label if family in metrics.QUANTITIES else re.sub(rf"\b{of[0]}\b", each[0].strip("`@"), q.label)
        alone = "" if family in metrics.QUANTITIES else "only "
        cells = [f"`{family}`", f"{alone}{', '.join(each)}", q.unit, _cell(what + (f": {q.more}" if q.more else ""))]
        out.append("|" + "".join(f" {c} |" if c else " |" for c in cells))
    return "\n".join(out) + "\n"


def commands() -> str:
    """Every verb with its options, from click."""
    out = [NOTE, "# The command", "", "`wavetank VERB --help` says the same.", ""]

    def page(name: str, command: click.Command) -> None:
        if isinstance(command, click.Group):
            out.extend([f"## {name}", "", inspect.cleandoc(command.help or ""), ""])
            for child in sorted(command.commands):
                page(f"{name} {child}", command.commands[child])
            return
        words = " ".join(
            p.metavar or (p.human_readable_name.upper() if p.required else f"[{p.human_readable_name.upper()}]")
            for p in command.params
            if isinstance(p, click.Argument)
        )
        out.extend([f"## {name} {words}".rstrip(), "", inspect.cleandoc(command.help or ""), ""])
        options = [p for p in command.params if isinstance(p, click.Option)]
        out.extend(["| option | what |", "| --- | --- |"] if options else [])
        for o in options:
            kind = "|".join(o.type.choices) if isinstance(o.type, click.Choice) else o.type.name.split(" ")[0].upper()
            value = "" if o.is_flag else f" {o.metavar or kind}"
            default = f" Default: {o.default}." if o.show_default and isinstance(o.default, (str, int)) else ""
            text = (o.help or "").rstrip()
            out.append(f"| `{o.opts[-1]}{_cell(value)}` | {_cell(text)}{default} |")
        out.append("")

    page("wavetank", cli)
    return "\n".join(out).rstrip() + "\n"


PAGES = {
    "commands.md": commands,
    "parameters.md": parameters,
    "theory.md": forms,
    "api.md": api,
    "experiments.md": experiments,
    "metrics.md": quantities,
    "../devices/README.md": devices,
}


def main() -> int:
    stale = []
    for name, make in PAGES.items():
        path, text = ROOT / name, make()
        if "--check" in sys.argv:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"out of date: {', '.join(stale)}; run python python/tools/make_docs.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
