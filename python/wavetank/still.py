"""Keys of a channel, of fixed rates and of feedback that say how something is that does not happen; guides without a channel."""

from __future__ import annotations

from collections.abc import Iterator

from .linux.asked import Asked

#: What each needs to happen, and that as it is where it does not.
NEEDS = {
    "drift_time": ("drift_db", "0"), "power_range": ("power_step", "0 ns"),
    "burst_length": ("burst_every", "0 ns"), "burst_db": ("burst_every", "0 ns"),
}  # fmt: skip

#: Rate controls that the receiver tells of the channel.
GUIDED = ("aarc", "aarc_snr")


def why(t: Asked, section: str, name: str) -> str:
    """Of keys of a channel that is there: what does not happen on it."""
    if section == "aarc" and name != "max_backoff" and not _has_channel(t):
        return "channel.on is false, so there is no feedback"
    if section == "floor" and name not in ("topology", "walk"):
        stand = int(t.v["floor.topology"]) or float(t.v["floor.walk"].split()[0])
        return "" if stand else "no station is on the floor (floor.topology, floor.walk)"
    if section == "channel" and (said := _of_floor(t, name)):
        return said
    if section != "channel" or name not in NEEDS:
        return ""
    need, none = NEEDS[name]
    return f"channel.{need} is {none}" if t.v[f"channel.{need}"] == none else ""


def _of_floor(t: Asked, name: str) -> str:
    """Of what a place on the floor has of its own: its SNR, and how much of it comes in a straight line."""
    stand = int(t.v["floor.topology"]) or float(t.v["floor.walk"].split()[0])
    if not stand:
        return ""
    by = {"snr": "each station's place on the floor says it", "k_db": "on the floor it is floor.k_db"}
    return f"{by[name]} (floor.topology, floor.walk)" if name in by else ""


def rates(t: Asked) -> str:
    """Of ``[fixed]``: whether nobody's rates are."""
    given = {t.v[f"{end}.rate_control"] for end in ("ap", "sta")}
    return "" if given & {"fixed", "ideal"} else "no card has fixed rates (ap.rate_control, sta.rate_control)"


def guides(t: Asked) -> Iterator[str]:
    """What rate controls are that ask how the channel is, where there is none."""
    ends = [end for end in ("ap", "sta") if t.v["topology.kind"] == "wifi" and t.v[f"{end}.rate_control"] in GUIDED]
    if ends and not _has_channel(t):
        named = " and ".join(f"{end}.rate_control = {t.v[f'{end}.rate_control']}" for end in ends)
        has = "has" if len(ends) == 1 else "have"
        yield (
            f"{named} {has} nothing to go by: without a channel (channel.on is false) there is no feedback, and what is left is "
            f"AASRC whose longest back-off is aarc.max_backoff ({t.v['aarc.max_backoff']})"
        )


def _has_channel(t: Asked) -> bool:
    return t.v["channel.on"] == "true"
