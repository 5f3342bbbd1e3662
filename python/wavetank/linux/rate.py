"""Rate control and the channel of a scenario, as the second water carries them out."""

from __future__ import annotations

from collections.abc import Mapping

from .. import units
from .asked import Asked

#: What 6.12 has, and what the module wavetank_aasrc brings.
STOCK = ("fixed", "minstrel_ht")
#: Those that firmware may have; the virtual card does both itself.
FIRMWARE = ("fixed", "ideal")
OWN = ("aasrc", "aarc", "aarc_snr")
#: Sections of a scenario that the channel is made of; the core writes it down (``_core.channel_trace``).
CHANNEL = ("channel.", "floor.", "stations.snr")


def controls(t: Asked, drivers: list[str]) -> tuple[str, str]:
    """The rate controls of the access point and the stations, ``drivers`` being their cards'; what they need is in the case."""
    said = t.text("ap.rate_control"), t.text("sta.rate_control")
    # another of mac80211's has to the rest of the scenario what the kernel's own has
    own = [t.stand_ins["linux.rate_control"].of(name) for name in said]
    ap, sta = ("minstrel_ht" if its else name for name, its in zip(said, own, strict=True))
    for card, name, its_own in zip(("ap.rate_control", "sta.rate_control"), (ap, sta), own, strict=True):
        key = "linux.rate_control" if its_own else card
        if name not in (*STOCK, "ideal", *OWN):
            raise t.refuse(key, f"the second water has {', '.join((*STOCK, 'ideal', *OWN))}")
        its = drivers[:1] if card.startswith("ap.") else drivers[1:]
        if name != "fixed" and "ath9k_tidq" in its:
            raise t.refuse(key, "frames wait below rate control there, which was not held against the model yet")
        leave = ("ath9k", "mt76") if name == "minstrel_ht" else ("ath9k",)
        other = [driver for driver in its if driver not in leave]
        if name not in FIRMWARE and other:
            quiet = "mt76's cards that leave rates to mac80211 do not tell of aggregates"
            raise t.refuse(key, quiet if other[0] == "mt76" else f"the firmware of {other[0]} chooses")
    if {ap, sta} - set(FIRMWARE):
        names = [its or ("fixed" if name in FIRMWARE else name) for name, its in zip((ap, sta), own, strict=True)]
        t.case["rc"] = ",".join(names)
    if {ap, sta} & set(OWN):
        t.case["rc_params"] = _aasrc(t)
    if {ap, sta} & {"aarc", "aarc_snr"}:
        _feedback(t)
    return ap, sta


def _aasrc(t: Asked) -> dict[str, int]:
    return {
        "max_backoff_ms": _ms(t, "aasrc.max_backoff", power=True),
        "pkt_bytes": t.number("aasrc.pkt_bytes"),
        "overhead_ns": t.span("aasrc.overhead"),
        "window": t.number("aasrc.window"),
        "silence_ms": _ms(t, "aasrc.silence"),
    }


def _feedback(t: Asked) -> None:
    """The guest does what the CSI daemon does; feedback in the Block Ack would need a card that puts it there."""
    if t.text("aarc.feedback") != "udp":
        raise t.refuse("aarc.feedback", "Block Acks are the card's own; use udp")
    if float(t.text("aarc.loss")):
        raise t.refuse("aarc.loss", "the guest's feedback channel loses nothing")
    most = _ms(t, "aarc.max_backoff", power=True)
    t.case["rc_params"] |= {
        "aarc_max_backoff_ms": most,
        "aarc_snr_max_backoff_ms": most,
        "threshold": round(float(t.text("aarc.threshold")) * 100),
        "feedback_ms": _ms(t, "aarc.max_age"),
        "ack_snr": False,  # the receiver's SNR, as in the model
    }
    if units.switch(t.v["channel.on"]):
        t.case["feedback"] = t.span("aarc.delay")
    elif t.text("aarc.delay"):
        t.notes.append("aarc.delay: there is no channel, so no feedback")


def _ms(t: Asked, key: str, *, power: bool = False) -> int:
    """Whole milliseconds; ``power``: rounded down to a power of two, as in the model."""
    ns = t.span(key)
    if power:
        return 1 << max(0, (ns // 10**6).bit_length() - 1)
    if ns % 10**6:
        raise t.refuse(key, "the module counts whole milliseconds")
    return ns // 10**6


def channel(t: Asked) -> None:
    """What each link does to a PPDU: computed by the core, step by step, for this seed; handed over as a file."""
    if not t.on("channel.on"):
        return
    values = {k: t.text(k) for k in sorted(t.v) if k.startswith(CHANNEL)}
    t.case["channel"] = {"csi": "feedback" in t.case, **values}


def sections(v: Mapping[str, str]) -> dict[str, bool]:
    """Whether a scenario has each of these sections."""
    names = {v["ap.rate_control"], v["sta.rate_control"]}
    return {
        "channel": units.switch(v["channel.on"]),
        "floor": units.switch(v["channel.on"]),
        "aasrc": bool(names & set(OWN)),
        "aarc": bool(names & {"aarc", "aarc_snr"}),
        "minstrel_ht": "minstrel_ht" in names,
    }
