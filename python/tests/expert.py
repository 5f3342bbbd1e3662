"""What tshark remarks of captures."""

#: tshark's severity from which on it warns.
WARN = 0x00600000
#: What tshark says of TCP when an A-MPDU's holes are filled later: true of the air, whoever listens. Damaged copies are among them.
OF_THE_AIR = (
    "out-of-order", "previous segment(s) not captured", "acked segment that wasn't captured", "d-sack sequence", "retransmission",
)  # fmt: skip


def expert(tshark, path, of="frame"):
    """What tshark remarks of the frames that a filter lets through: severity and message of every remark."""
    out = tshark(path, "-Y", f"_ws.expert && {of}", "-T", "fields", "-E", "aggregator=|",
                 "-e", "_ws.expert.severity", "-e", "_ws.expert.message")  # fmt: skip
    found = set()
    for line in out.splitlines():
        severities, messages = line.split("\t")
        found.update(zip((int(x, 0) for x in severities.split("|")), messages.split("|"), strict=True))
    return found


def complaints(tshark, path):
    """What it warns of in the frames that came whole, beside the order of segments."""
    found = {x for x in expert(tshark, path, "radiotap.flags.badfcs==0") if x[0] >= WARN}
    return {x for x in found if not any(text in x[1].lower() for text in OF_THE_AIR)}
