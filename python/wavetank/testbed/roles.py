"""Who is in a test bed, and what each is told: roles, their interfaces, their settings. It knows no scenario's key."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

#: What a radio's interface is.
RADIO = "the Wi-Fi device"


@dataclass(frozen=True)
class Name:
    """A name that the user gives in ``bed.env``: a host's, an interface's."""

    variable: str


@dataclass(frozen=True)
class Setting:
    """One call of a function of ``lib.sh``, and the scenario's keys that it is for."""

    call: str
    arguments: tuple[str | Name, ...]
    keys: str

    def line(self) -> str:
        """The call, quoted for the shell."""
        words = [f'"${a.variable}"' if isinstance(a, Name) else shlex.quote(a) for a in self.arguments]
        return " ".join([self.call, *words])


@dataclass
class Role:
    """A machine of the bed. ``interfaces`` are (variable, default, what it is)."""

    name: str
    what: str
    host: Name
    interfaces: tuple[tuple[str, str, str], ...]
    #: Whether TCP begins or ends here.
    endpoint: bool
    settings: list[Setting] = field(default_factory=list)

    def tell(self, call: str, *arguments: str | Name, keys: str = "") -> None:
        """Adds a setting; the same one twice is one."""
        new = Setting(call, arguments, keys)
        if all((s.call, s.arguments) != (call, arguments) for s in self.settings):
            self.settings.append(new)


def variable(role: str, what: str) -> str:
    """``sta1``, ``IF`` -> ``STA1_IF``."""
    return f"{role}_{what}".upper()


def _role(name: str, what: str, interfaces: tuple[tuple[str, str, str], ...], endpoint: bool) -> Role:
    found = tuple((variable(name, i), default, text) for i, default, text in interfaces)
    return Role(name, what, Name(variable(name, "HOST")), found, endpoint)


def wired() -> dict[str, Role]:
    """Client - router - server."""
    return {
        r.name: r
        for r in (
            _role("client", "sends uploads and runs Flent", (("IF", "eth0", "towards the router"),), True),
            _role(
                "router",
                "forwards between the two",
                (("CLIENT_IF", "eth0", "towards the client"), ("SERVER_IF", "eth1", "towards the server")),
                False,
            ),
            _role("server", "runs netserver", (("IF", "eth0", "towards the router"),), True),
        )
    }


def wifi(stations: int, backhaul: bool) -> dict[str, Role]:
    """Stations - access point - server; without a wire behind it the access point is the server."""
    wire = (("WIRE_IF", "eth0", "towards the server"),) if backhaul else ()
    far = "forwards between Wi-Fi and wire" if backhaul else "runs netserver, or Flent"
    every = [_role("ap", f"the access point: {far}", (("IF", "wlan0", RADIO), *wire), not backhaul)]
    every += [_role(f"sta{i + 1}", "a station", (("IF", "wlan0", RADIO),), True) for i in range(stations)]
    if backhaul:
        every.append(_role("server", "behind the access point", (("IF", "eth0", "towards the access point"),), True))
    return {r.name: r for r in every}


def device(namespace: str, dev: str) -> tuple[str, Name]:
    """The second water's namespace and device (C1 wlan1, S sw, R rs, ...) as a role and its interface."""
    fixed = {
        ("C", "cr"): ("client", "IF"),
        ("R", "rc"): ("router", "CLIENT_IF"),
        ("R", "rs"): ("router", "SERVER_IF"),
        ("S", "sr"): ("server", "IF"),
        ("S", "sw"): ("server", "IF"),
        ("AP", "wlan0"): ("ap", "IF"),
        ("AP", "apw"): ("ap", "WIRE_IF"),
    }
    role, what = fixed.get((namespace, dev), (f"sta{namespace[1:]}", "IF"))
    return role, Name(variable(role, what))
