"""Sockets as ``ss -tinm`` prints them.

src: iproute2 misc/ss.c (7.1) ``tcp_show_info``, ``tcp_stats_print``, ``print_skmeminfo``, ``sock_state_print``. Differs: D1 a
field that the model does not keep is missing, where ss prints it if it is not 0: of skmem f, o and bl; ``send`` of a control
that tells its own round trip (Vegas and its like). D2 columns have fixed widths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .snapshot import Socket

#: States that ``ss -t`` leaves out. src: misc/ss.c default_dbs, SS_CONN
HIDDEN = ("LISTEN", "UNCONN", "SYN-RECV")
#: Controls whose ``get_info`` is Vegas's: ss reckons ``send`` with their round trip. src: linux@6.12 net/ipv4/tcp_*.c
OWN_RTT = ("vegas", "nv", "yeah", "veno", "illinois", "westwood")
#: src: linux@6.12 include/uapi/linux/tcp.h TCPI_OPT_WSCALE
WSCALE = 4
#: Names of skmem's letters, in ss's order.
SKMEM = (
    ("r", "rmem_alloc"), ("rb", "rcvbuf"), ("t", "wmem_alloc"), ("tb", "sndbuf"), ("w", "wmem_queued"), ("d", "drops"),
)  # fmt: skip


def text(sockets: Sequence[Socket]) -> str:
    """What ``ss -tinm`` prints in the host's namespace."""
    rows = [_head("State", "Recv-Q", "Send-Q", ("Local Address", "Port"), ("Peer Address", "Port"))]
    for s in sockets:
        if s.state not in HIDDEN:
            rows.append(_head(s.state, str(s.recv_q), str(s.send_q), s.local, s.remote))
            rows.append("\t " + skmem(s) + "".join(f" {word}" for word in words(s)))
    return "".join(f"{row.rstrip()}\n" for row in rows)


def _head(state: str, recv: str, send: str, *ends: tuple[str, object]) -> str:
    addresses = " ".join(f"{host:>15}:{port!s:<5}" for host, port in ends)
    return f"{state:<10} {recv:<6} {send:<8} {addresses}"


def skmem(s: Socket) -> str:
    """``print_skmeminfo``."""
    return f"skmem:({','.join(f'{letter}{s.mem[name]}' for letter, name in SKMEM if name in s.mem)})"


class _Info:
    """``TCP_INFO``'s fields without their prefix, as ss prints one: not where it is 0, or not kept."""

    def __init__(self, s: Socket) -> None:
        self.of = {k.removeprefix("tcpi_"): v for k, v in s.info.items()}

    def __getitem__(self, name: str) -> int:
        return self.of.get(name, 0)

    def plain(self, *names: str) -> Iterator[str]:
        """``NAME:VALUE``, or ``WORD=NAME`` where ss has a word of its own."""
        for name in names:
            word, _, field = name.rpartition("=")
            if self[field]:
                yield f"{word or field}:{self[field]}"

    def ms(self, word: str, name: str) -> Iterator[str]:
        """Microseconds as milliseconds."""
        if self[name]:
            yield f"{word}:{self[name] / 1000:g}"


def words(s: Socket) -> Iterator[str]:
    """``tcp_stats_print``, word by word; rates as ``-n`` has them."""
    i = _Info(s)
    yield s.cc
    yield from _clock(i)
    yield from _sent(i)
    if s.bbr is not None:
        yield bbr(s)
    if i["rtt"] and s.cc not in OWN_RTT:
        yield f"send {i['snd_cwnd'] * i['snd_mss'] * 8e6 / i['rtt']:.0f}bps"
    yield from i.plain("lastsnd=last_data_sent", "lastrcv=last_data_recv", "lastack=last_ack_recv")
    yield from _rates(i)
    yield from _out(i)
    yield from _received(i)


def _clock(i: _Info) -> Iterator[str]:
    if i["options"] & WSCALE:
        yield f"wscale:{i['snd_wscale']},{i['rcv_wscale']}"
    if i["rto"] != 3_000_000:
        yield from i.ms("rto", "rto")
    yield from i.plain("backoff")
    if i["rtt"]:
        yield f"rtt:{i['rtt'] / 1000:g}/{i['rttvar'] / 1000:g}"
    yield from i.ms("ato", "ato")


def _sent(i: _Info) -> Iterator[str]:
    yield from i.plain("mss=snd_mss", "pmtu", "rcvmss=rcv_mss", "advmss", "cwnd=snd_cwnd")
    if i["snd_ssthresh"] < 0xFFFF:
        yield from i.plain("ssthresh=snd_ssthresh")
    yield from i.plain("bytes_sent", "bytes_retrans", "bytes_acked", "bytes_received")
    yield from i.plain("segs_out", "segs_in", "data_segs_out", "data_segs_in")


def _rates(i: _Info) -> Iterator[str]:
    if i["pacing_rate"] and i["pacing_rate"] != 2**64 - 1:
        yield f"pacing_rate {i['pacing_rate'] * 8}bps"
    if i["delivery_rate"]:
        yield f"delivery_rate {i['delivery_rate'] * 8}bps"
    yield from i.plain("delivered", "delivered_ce")
    if i["delivery_rate_app_limited"]:
        yield "app_limited"
    if i["busy_time"]:
        yield f"busy:{i['busy_time'] // 1000}ms"
        for name in ("rwnd_limited", "sndbuf_limited"):
            if i[name]:
                yield f"{name}:{i[name] // 1000}ms({100 * i[name] / i['busy_time']:.1f}%)"


def _out(i: _Info) -> Iterator[str]:
    yield from i.plain("unacked")
    if i["retrans"] or i["total_retrans"]:
        yield f"retrans:{i['retrans']}/{i['total_retrans']}"
    yield from i.plain("lost", "sacked", "dsack_dups")
    if i.of.get("reordering", 3) != 3:
        yield f"reordering:{i['reordering']}"
    yield from i.plain("reord_seen")


def _received(i: _Info) -> Iterator[str]:
    yield from i.ms("rcv_rtt", "rcv_rtt")
    yield from i.plain("rcv_space", "rcv_ssthresh", "notsent=notsent_bytes")
    if i["min_rtt"] != 0xFFFF_FFFF:
        yield from i.ms("minrtt", "min_rtt")
    yield from i.plain("rcv_ooopack", "snd_wnd", "rcv_wnd", "rehash")


def bbr(s: Socket) -> str:
    """BBR's words."""
    assert s.bbr is not None
    least = 0xFFFF_FFFF if s.bbr.min_rtt_us is None else s.bbr.min_rtt_us
    gains = "".join(
        f",{name}:{gain / 256:g}"
        for name, gain in (("pacing_gain", s.bbr.pacing_gain), ("cwnd_gain", s.bbr.cwnd_gain))
        if gain
    )  # fmt: skip
    return f"bbr:(bw:{s.bbr.bw * 8}bps,mrtt:{least / 1000:g}{gains})"
