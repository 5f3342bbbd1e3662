"""The folder's programs: a script a role, ``flent.sh``, and ``bed.env``, in which the user names what is theirs."""

from __future__ import annotations

import shlex
from pathlib import Path

from .bed import TestBed
from .flent_batch import section
from .roles import Role

#: What the scripts share.
LIBRARY = tuple(sorted(Path(__file__).parent.glob("lib*.sh")))


def defaults(bed: TestBed) -> dict[str, str]:
    """bed.env's names and values, as they are written first."""
    out: dict[str, str] = {}
    for role in bed.roles.values():
        out[role.host.variable] = role.name
        out |= {name: default for name, default, _ in role.interfaces}
    if bed.wifi:
        out |= {"SSID": "wavetank", "CHANNEL": "36" if bed.values["wifi.band"] == "5 GHz" else "1"}
        out |= {"COUNTRY": "DE", "TXPOWER_MBM": ""}
    return out | {
        "STATE": "/run/wavetank",
        "MODULES": "/opt/wavetank/modules",
        "CONTROL_BY": "module",
        "REPLACE_QDISC": "no",
    }


_WHAT = {
    "SSID": "the network's name",
    "CHANNEL": "the access point's (primary) channel",
    "COUNTRY": "the country whose rules hold (ISO 3166), for hostapd",
    "TXPOWER_MBM": "transmit power of every card, 1/100 dBm; empty: as it is",
    "STATE": "where each machine keeps what was there before `up`",
    "MODULES": "where each machine has wavetank's modules (*.ko)",
    "CONTROL_BY": "how bbrp, bbr_plus and bbr_dev come in: module, or bpf (`wavetank bpf load`, Linux 6.10 or later with BTF)",
    "REPLACE_QDISC": "yes: `up` may take away a queueing discipline that somebody has set by hand; `down` cannot bring it back",
}


def env(bed: TestBed) -> str:
    """bed.env."""
    what = dict(_WHAT)
    for role in bed.roles.values():
        what[role.host.variable] = f"{role.name}: {role.what}; its name or address, as the others reach it over the bed"
        what |= {name: f"{role.name}'s interface: {text}" for name, _, text in role.interfaces}
    lines = [
        "# shellcheck shell=sh disable=SC2034",
        f'# The bed\'s names, for the scenario "{bed.name}". Yours to edit: `wavetank testbed` keeps it where it is there.',
        "",
    ]
    for name, value in defaults(bed).items():
        lines += [f"# {what[name]}", f"{name}={shlex.quote(value)}"]
    return "\n".join(lines) + "\n"


_HEAD = """\
#!/bin/sh
# {role} of the scenario "{name}": {what}. Made by wavetank {version}.
#   ./{role}.sh up|check|show|down{extra}      what each does: lib.sh; README.md has the order
# shellcheck source-path=SCRIPTDIR
set -u
ROLE={role}
BED={bed}
{verb}here=$(dirname "$0")
# shellcheck source=bed.env
. "$here/bed.env"
# shellcheck source=lib.sh
. "$here/lib.sh"
"""


def script(bed: TestBed, role: Role, version: str) -> str:
    """One role's script."""
    point = role.name == "ap" and bool(bed.hostapd)
    head = _HEAD.format(
        role=role.name, name=bed.name.replace("\n", " "), what=role.what, version=version,
        bed=shlex.quote(f"{section(bed.name)} {bed.digest}"), extra="|hostapd" if point else "",
        verb="extra=hostapd\n" if point else "",
    )  # fmt: skip
    lines = [head, "settings() {"]
    keys = None
    for s in role.settings:
        if s.keys != keys:
            lines.append(f"\t# {s.keys}")
            keys = s.keys
        lines.append(f"\t{s.line()}")
    lines += ["}" if role.settings else "\t:\n}", ""]
    if point:
        lines += [hostapd(bed), ""]
    return "\n".join([*lines, 'main "$@"', ""])


def hostapd(bed: TestBed) -> str:
    """The function that prints hostapd.conf, with bed.env's names."""
    width = bed.values["wifi.width_mhz"]
    body = [line.replace("@HT40@", '$(ht40 "$CHANNEL")') for line in bed.hostapd]
    body = [line.replace("@MIDDLE@", f'$(middle "$CHANNEL" {width})') for line in body]
    head = ["interface=$AP_IF", "driver=nl80211", "ssid=$SSID", "country_code=$COUNTRY", "channel=$CHANNEL"]
    return "\n".join(["hostapd() {", "\tcat <<END", *head, *body, "END", "}"])


def flent(bed: TestBed) -> str:
    """flent.sh: the batch with bed.env's hosts."""
    hosts = ",".join(f"${{{h.variable}}}" for h in bed.plan.hosts)
    return f"""\
#!/bin/sh
# Runs Flent's batch here, on {bed.plan.at.name}, with bed.env's hosts. Further words go to Flent:
#   --batch-dry-run, --batch-repetitions 1
# shellcheck source-path=SCRIPTDIR
set -eu
cd "$(dirname "$0")"
# shellcheck source=bed.env
. ./bed.env
exec flent -B flent.batch -b {shlex.quote(section(bed.name))} --batch-override "hosts={hosts}" "$@"
"""
