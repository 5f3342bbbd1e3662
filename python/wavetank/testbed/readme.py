"""The folder's README.md: who is who, what has to be true, the order of commands, what the scenario leaves open."""

from __future__ import annotations

from .bed import TestBed
from .flent_batch import section
from .roles import Role

#: Modules of linux/modules that a setting's function loads.
_MODULES = {"tsq": "wavetank_tsq"}


def text(bed: TestBed, version: str, repetitions: int) -> str:
    """The page."""
    parts = [
        f'# A test bed for "{bed.name}"',
        bed.values.get("description", ""),
        f"Made by wavetank {version} from the scenario and overrides in `wavetank.json` (digest `{bed.digest}`). Nothing here has touched a "
        "machine yet. What each function of the scripts does, and how a value is read and put back, is in `lib.sh`.",
        "## Who is who",
        _roles(bed),
        "```\n" + _wiring(bed) + "\n```",
        "## What has to be true",
        _bullets(_true(bed)),
        "## Order",
        _order(bed, repetitions),
        "## Left to the machines",
        _left(bed),
    ]
    if bed.notes:
        parts += ["## What is otherwise than in the model", _bullets(list(bed.notes))]
    parts += ["## Results", _results(bed)]
    return "\n\n".join(p for p in parts if p) + "\n"


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"* {line}" for line in lines)


def _roles(bed: TestBed) -> str:
    rows = ["| script | machine | its name in `bed.env` | its interfaces |", "| --- | --- | --- | --- |"]
    for r in bed.roles.values():
        interfaces = ", ".join(f"`{name}` ({text})" for name, _, text in r.interfaces)
        rows.append(f"| `{r.name}.sh` | {r.what} | `{r.host.variable}` | {interfaces} |")
    return "\n".join(rows)


def _wiring(bed: TestBed) -> str:
    if not bed.wifi:
        return "client ---------- router ---------- server"
    stations = [n for n in bed.roles if n.startswith("sta")]
    name = stations[0] if len(stations) == 1 else f"{stations[0]} .. {stations[-1]}"
    return f"{name}  ~ ~ ~ Wi-Fi ~ ~ ~  ap" + ("  ---------- server" if "server" in bed.roles else "")


def _packages(role: Role, bed: TestBed) -> list[str]:
    calls = {s.call for s in role.settings}
    out = ["iproute2"]
    out += ["ethtool"] if "offload" in calls else []
    out += ["iw"] if calls & {"bitrates", "rts", "txpower", "width"} else []
    out += ["hostapd"] if role.name == "ap" else []
    if role is bed.plan.at:
        out += ["flent", "iperf" if bed.plan.test == "udp_flood" else "netperf", "fping"]
    elif role.host in bed.plan.hosts:
        out += ["iperf" if bed.plan.test == "udp_flood" else "netperf"]
    return out


def _modules(bed: TestBed) -> dict[str, str]:
    found: dict[str, str] = {}
    for role in bed.roles.values():
        for s in role.settings:
            if s.call == "control":
                found[str(s.arguments[1])] = "wavetank_bbr"
            elif s.call == "module":
                found[str(s.arguments[0])] = str(s.arguments[0])
            elif s.call in _MODULES:
                found[_MODULES[s.call]] = _MODULES[s.call]
    return found


def _true(bed: TestBed) -> list[str]:
    out = []
    if "kernel" in bed.given:
        out.append(f"Every machine runs Linux {bed.values['kernel']} (`uname -r`; `check` looks).")
    else:
        out.append(
            "Every machine runs a Linux; the scenario names no version. The model's is " + bed.values["kernel"] + "."
        )
    if bed.wifi:
        for end in ("ap", "sta"):
            out.append(
                f"{'The access point' if end == 'ap' else 'Each station'}'s card is driven by `{bed.values[f'{end}.driver']}` (`check` looks)."
            )
        out.append(
            "The place is quiet, the cards are near each other, nobody else uses the channel: no script can make it so."
        )
    told = {s.arguments: s for r in bed.roles.values() for s in r.settings if s.call == "told"}
    out += [f"{a[0]}: {a[1]}." for a in told]
    out.append(
        "Addresses and routes are yours: every host reaches the others by the names in `bed.env`, and only over the interfaces named there."
    )
    out.append("Clocks need not agree. Each machine has a shell as root (`up` and `down` need it).")
    out += [f"`{r.name}`: Debian packages {', '.join(_packages(r, bed))}." for r in bed.roles.values()]
    for module, folder in _modules(bed).items():
        source = " KSRC=TREE" if folder == "wavetank_bbr" else ""
        out.append(
            f"The module `{module}`, from a clone of wavetank, on each machine whose script names it: `make -C /lib/modules/$(uname -r)/build "
            f"M=$PWD/linux/modules/{folder}{source} modules`, and `{module}.ko` into the folder that `MODULES` names."
        )
    return out


def _order(bed: TestBed, repetitions: int) -> str:
    at, name = bed.plan.at.name, section(bed.name)
    others = [n for n in bed.roles if n != at]
    steps = ["Edit `bed.env`, then copy the whole folder to every machine (`scp -r`)."]
    if bed.wifi:
        steps += [
            "`ap`: `./ap.sh hostapd > /tmp/hostapd.conf && hostapd -B /tmp/hostapd.conf` (an open network: the model encrypts nothing).",
            'Stations: `ip link set "$STA1_IF" up && iw dev "$STA1_IF" connect "$SSID"`, then their addresses.',
        ]
    hosts = sorted({r.name for r in bed.roles.values() if r.host in bed.plan.hosts})
    up = "`, `".join(f"./{n}.sh up" for n in bed.roles)
    minutes = repetitions * (bed.plan.seconds + 5) / 60
    steps += [
        f"As root, each on its machine: `{up}`. A line that is not `ok` is printed: read it before going on.",
        f"{', '.join(hosts)}: `{'`, `'.join(bed.plan.servers)}`.",
        f"`{at}`: `./flent.sh --batch-dry-run`, then `./flent.sh`: {repetitions} runs of Flent's `{bed.plan.test}`, {minutes:.0f} minutes. "
        f"Before each of them `./{at}.sh check` must hold. The others: `{'`, `'.join(f'./{n}.sh check' for n in others)}`, before and after.",
        "Each machine: `./ROLE.sh down`. It puts back what was there.",
        f"Where wavetank is: the command under Results, with `{at}`'s `results/`.",
    ]
    _ = name
    return "\n".join(f"{i}. {s}" for i, s in enumerate(steps, 1))


def _left(bed: TestBed) -> str:
    lead = []
    if bed.wifi:
        lead.append(
            "The channel: its noise, its neighbours, how far the cards are from each other. The model has none of it here."
        )
    lead.append("What a packet costs each CPU, and when programs start.")
    rows = [f"`{key} = {value}` of the scenario: {why}." for key, value, why in bed.left]
    return _bullets(lead + rows)


def _results(bed: TestBed) -> str:
    return (
        "```sh\nwavetank compare scenario.toml --with results/*.flent.gz        # beside the model, --on model,linux: beside the real kernel, too\n"
        "wavetank analyze results/*.flent.gz\n```\n\n"
        "`scenario.toml` is the scenario with the overrides that this folder was made with, so no `--set` is needed."
    )
