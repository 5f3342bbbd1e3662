"""The folder's README.md: who is who, what has to be true, the order of commands, what the scenario leaves open."""

from __future__ import annotations

from .bed import TestBed
from .own import PASSPHRASE
from .roles import Role

_LEAD = """\
Made by wavetank {version} from the scenario and overrides in `wavetank.json` (digest `{digest}`). Nothing here has touched a
machine yet. What each function of the scripts does, and how a value is read and put back, is in `lib*.sh`."""

_RESULTS = """\
```sh
wavetank compare scenario.toml --with results/*.flent.gz     # beside the model; --on model,linux: and the real kernel
wavetank analyze results/*.flent.gz
```

`scenario.toml` is the scenario with the overrides that this folder was made with, so no `--set` is needed."""

_BUILD = """\
The module `{module}`, from a clone of wavetank, on each machine whose script names it:
  `make -C /lib/modules/$(uname -r)/build M=$PWD/linux/modules/{folder}{source} modules`, and `{module}.ko` into the
  folder that `MODULES` names."""

_BPF = " Or, from Linux 6.10 on with BTF: `CONTROL_BY=bpf` in\n  `bed.env`, and wavetank, clang and bpftool on the machine."


def text(bed: TestBed, version: str, repetitions: int) -> str:
    """The page."""
    parts = [
        f'# A test bed for "{bed.name}"',
        bed.values.get("description", ""),
        _LEAD.format(version=version, digest=bed.digest),
        "## Who is who",
        _roles(bed),
        f"```\n{_wiring(bed)}\n```",
        "## What has to be true",
        _bullets(_true(bed)),
        "## Order",
        "\n".join(f"{i}. {s}" for i, s in enumerate(_order(bed, repetitions), 1)),
        "## Left to the machines",
        _bullets(_left(bed)),
    ]
    if bed.notes:
        parts += ["## What is otherwise than in the model", _bullets(list(bed.notes))]
    return "\n\n".join(p for p in [*parts, "## Results", _RESULTS] if p) + "\n"


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
    """Debian's names of what a role's script and Flent need."""
    calls = {s.call for s in role.settings}
    tool = "iperf" if bed.plan.test.startswith("udp_flood") else "netperf"
    out = ["iproute2"]
    out += ["ethtool"] if "offload" in calls else []
    out += ["iw"] if calls & {"bitrates", "rts", "txpower", "weight", "width"} else []
    out += ["hostapd"] if role.name == "ap" else []
    if role is bed.plan.at:
        out += ["flent", tool, "fping"]
    elif role.host in bed.plan.hosts:
        out.append(tool)
    if bed.plan.test.startswith("rrul") and (role is bed.plan.at or role.host in bed.plan.hosts):
        out.append("irtt")
    return out


def _modules(bed: TestBed) -> dict[str, str]:
    """Modules of ours that the scripts load, each with its folder in linux/modules."""
    found: dict[str, str] = {}
    for s in [s for role in bed.roles.values() for s in role.settings]:
        if s.call == "control":
            found[str(s.arguments[1])] = "wavetank_bbr"
        elif s.call in ("module", "tsq"):
            name = "wavetank_tsq" if s.call == "tsq" else str(s.arguments[0])
            found[name] = name
    return found


def _true(bed: TestBed) -> list[str]:
    model = bed.values["kernel"]
    out = [
        f"Every machine runs Linux {model} (`uname -r`; `check` looks)."
        if "kernel" in bed.given
        else f"Every machine runs Linux; the scenario names no version (the model's is {model})."
    ]
    if bed.wifi:
        ends = {"The access point's card": "ap", "Each station's card": "sta"}
        out += [f"{what} is driven by `{bed.values[f'{end}.driver']}` (`check` looks)." for what, end in ends.items()]
        out.append(
            "The place is quiet, the cards are near each other, nobody else uses the channel: no script can do that."
        )
    told = {s.arguments: None for r in bed.roles.values() for s in r.settings if s.call == "told"}
    out += [f"{a[0]}: {a[1]}." for a in told]
    out += [
        "Addresses and routes are yours: every host reaches the others by the names in `bed.env`, and only over the\n"
        "  interfaces named there. The forwarding machine routes (`up` switches `ip_forward` on).",
        "Each machine has a shell as root: `up` and `down` need it. Clocks need not agree.",
    ]
    out += [f"`{r.name}` has Debian's packages {', '.join(_packages(r, bed))}." for r in bed.roles.values()]
    for module, folder in _modules(bed).items():
        source = " KSRC=TREE" if folder == "wavetank_bbr" else ""
        out.append(_BUILD.format(module=module, folder=folder, source=source) + (_BPF if source else ""))
    return out


def _order(bed: TestBed, repetitions: int) -> list[str]:
    at = bed.plan.at.name
    others = "`, `".join(f"./{n}.sh check" for n in bed.roles if n != at)
    up = "`, `".join(f"./{n}.sh up" for n in bed.roles)
    hosts = ", ".join(f"`{r.name}`" for r in bed.roles.values() if r.host in bed.plan.hosts)
    minutes = repetitions * (bed.plan.seconds + 5) / 60
    steps = ["Edit `bed.env`, then copy the whole folder to every machine (`scp -r`)."]
    if bed.wifi:
        protected = "wpa=2" in bed.hostapd
        join = (
            f"wpa_passphrase wavetank {PASSPHRASE} > /tmp/wpa.conf && wpa_supplicant -B -i wlan0 -c /tmp/wpa.conf"
            if protected
            else "iw dev wlan0 connect wavetank"
        )
        steps += [
            "`ap`: `./ap.sh hostapd > /tmp/hostapd.conf && hostapd -B /tmp/hostapd.conf`\n"
            f"   ({'WPA2' if protected else 'an open network'}, as wifi.encryption has it).",
            f"Each station, with its own names: `ip link set wlan0 up && {join}`, then its address.",
        ]
    return [
        *steps,
        f"As root, each on its machine: `{up}`.\n   Lines that are not `ok` are printed: read them before going on.",
        f"{hosts}: `{'`, `'.join(bed.plan.servers)}`.",
        f"`{at}`: `./flent.sh --batch-dry-run`, then `./flent.sh`: {repetitions} runs of Flent's `{bed.plan.test}`, "
        f"{minutes:.0f} minutes.\n   Before each of them `./{at}.sh check` must hold. The others, before and after: `{others}`.",
        "Each machine: `./ROLE.sh down`. It puts back what was there.",
        f"Where wavetank is: the command under Results, with `{at}`'s `results/`.",
    ]


def _left(bed: TestBed) -> list[str]:
    lead = ["What a packet costs each CPU, and when programs start."]
    if bed.wifi:
        lead.insert(0, "The channel: its noise, its neighbours, how far the cards are from each other.")
    return lead + [f"`{key} = {value}` of the scenario: {why}." for key, value, why in bed.left]
