"""A wired path's way back, which no rate bounds but netem's: a note for scenarios whose flows go there."""

from __future__ import annotations

from .scenario import Scenario

NOTE = (
    "the wired way back (S - R - C) has no rate, as on the reference's machine: downloads, RRUL's among them, are bound by "
    "their windows alone"
)


def notes(scenario: Scenario) -> list[str]:
    """The note, if TCP flows of a wired scenario go down. Raises ScenarioError."""
    values = scenario.check()
    if values["topology.kind"] != "wired" or values["netem.rate"] != "off":
        return []
    own = values["stations.tcp_down"]  # a wired path has one station: the list's first
    flows = own.partition(",")[0].partition("*")[0] if own != "off" else values["traffic.tcp_down"]
    return [NOTE] if int(flows) else []
