"""Draws packetdrill scripts that no one wrote: `python python/tools/random_packetdrill.py OUT/ [--count N] [--seed N]`.

A peer and a program at random act on the model, step by step. What it sends, its windows and its TCP_INFO after each step
are the script's expectations: where google/packetdrill, on the kernel that `--kernel`, `--hz` and `--max-header` name, finds
something else, one of the two is wrong (docs/packetdrill.md). What the script is to print there stands in OUT/NUMBER.printed.
"""

import argparse
import copy
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from wavetank import _core

FIELDS = [
    "ca_state", "snd_cwnd", "snd_ssthresh", "unacked", "sacked", "lost",
    "retrans", "reordering", "total_retrans", "delivered", "dsack_dups", "reord_seen",
    "backoff", "retransmits", "probes", "bytes_acked", "bytes_received", "notsent_bytes",
    "bytes_retrans", "bytes_sent", "rcv_ooopack", "snd_wnd", "rcv_mss", "state",
    "rcv_ssthresh", "rcv_space", "rcv_wnd", "snd_mss", "rto", "rtt",
    "rttvar", "min_rtt", "rcv_rtt",
]  # fmt: skip
#: A packet of the trace: time, direction, flags, numbers, length, the rest.
PACKET = re.compile(r"^([0-9.]+) ([<>]) (?:\[\w+\] )?(\S+) (\d+):(\d+)\((\d+)\)(?: ack (\d+))?(.*)$")
#: Microseconds within a millisecond from which on a step that is a little late has the next one's timestamp.
LATE = 960

#: Those that draw nothing at random, nor pace.
CONTROLS = [
    "reno", "cubic", "bic", "westwood", "htcp", "highspeed", "hybla", "vegas", "nv", "scalable", "illinois", "veno", "yeah",
]  # fmt: skip
Range = tuple[int, int]


class Receiver:
    """The peer's: what has come, and the SACK blocks that tell of it, the newest first."""

    def __init__(self) -> None:
        self.next = 1
        self.early: list[Range] = []
        self.recent: list[Range] = []

    def take(self, start: int, end: int) -> Range | None:
        """A segment comes. What of it had come before, for a DSACK."""
        if end <= self.next:
            return start, end
        start = max(start, self.next)
        twice = (start, end) if any(a <= start and end <= b for a, b in self.early) else None
        merged: list[Range] = []
        for a, b in sorted([*self.early, (start, end)]):
            if merged and a <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(b, merged[-1][1])
            else:
                merged.append((a, b))
        if merged[0][0] == self.next:
            self.next = merged.pop(0)[1]
        newest = [m for m in merged if m[0] <= start and end <= m[1]]
        told = [m for m in merged if any(a >= m[0] and b <= m[1] for a, b in self.recent)]
        self.recent = list(dict.fromkeys([*newest, *told, *merged]))
        self.early = merged
        return twice


class Draw:
    """One script as it grows."""

    #: Controls of which one is drawn.
    controls: ClassVar[list[str]] = CONTROLS
    #: How many connections have ECN.
    marked: ClassVar[float] = 0.3
    #: What is printed of TCP_INFO, and beside it, by packetdrill's names.
    shown: ClassVar[list[str]] = [f"tcpi_{name}" for name in FIELDS]
    #: Seconds that keep what a timer does and what the peer does apart.
    apart = 500e-6
    #: Seconds after a step within which a packet is the answer to it.
    soon = 5e-5
    #: Seconds between ACKs of one step.
    gaps: ClassVar[list[float]] = [2e-5, 2e-5, 2e-5, 0.0007]
    #: Seconds after which a script is long enough.
    long = 25.0
    #: The window scale that the peer offers, if any.
    scale: int | None = 7

    def __init__(self, seed: int, kernel: str, hz: int, max_header: int | None) -> None:
        self.r = r = random.Random(seed)
        self.kernel, self.hz, self.max_header = kernel, hz, max_header
        self.sack, self.stamps = r.random() < 0.85, r.random() < 0.4
        self.mss = r.choice([1000, 1000, 1460, 500])
        self.rtt = r.choice([0.03, 0.1, 0.1, 0.2]) + r.randint(-1900, 1900) / 1e6
        if self.stamps and self.rtt * 1e6 % 1000 > LATE:
            self.rtt = round(self.rtt - 1e-4, 6)  # with an opening that is not clear no step would be
        self.window = r.choice([1000, 1000, 200, 50, 20])
        self.odd = r.random() < 0.5
        self.client, self.ecn = r.random() < 0.3, r.random() < self.marked
        self.closed, self.fin, self.taken = False, False, 0
        self.echoes, self.marks = False, r.choice([0, 0, 0.1, 0.5])
        self.peer, self.seq, self.on_way = Receiver(), 1, list[Range]()
        self.echo, self.seen, self.now = 0, 0, 0.0
        self.lines: list[tuple[float, str]] = []
        self.trace: list[str] = []
        self.head = [
            f"`sysctl -q net.ipv4.tcp_congestion_control={r.choice(self.controls)}",
            f"sysctl -q net.ipv4.tcp_timestamps={int(self.stamps)}",
            *(["sysctl -q net.ipv4.tcp_early_retrans=0"] if r.random() < 0.15 else []),
            *(["sysctl -q net.ipv4.tcp_slow_start_after_idle=0"] if r.random() < 0.15 else []),
            f"sysctl -q net.ipv4.tcp_ecn={int(self.ecn)}",
            'sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456" net.ipv4.tcp_wmem="4096 262144 4194304"`',
        ]
        self.open()

    def open(self) -> None:
        self.add("socket(..., SOCK_STREAM, IPPROTO_TCP) = 3")
        self.options()
        sack = "sackOK" if self.stamps else "nop,nop,sackOK"
        stamps = "TS val 100 ecr {}" if self.sack else "nop,nop,TS val 100 ecr {}"
        options = [*([sack] if self.sack else []), *([stamps] if self.stamps else [])]
        scale = [] if self.scale is None else ["nop", f"wscale {self.scale}"]
        syn = f"win 65535 <{','.join([f'mss {self.mss}', *options, *scale])}>"
        if self.client:
            self.add("fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK) = 0")
            self.add("connect(3, ..., ...) = -1 EINPROGRESS (Operation now in progress)")
            self.answer_comes()
            self.add(f"< S{'E' if self.ecn else ''}. 0:0(0) ack 1 {syn.format(self.echo)}")
            self.fd = 3
        else:
            self.add("setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0")
            self.add("bind(3, ..., ...) = 0")
            self.add("listen(3, 1) = 0")
            self.add(f"< S{'EW' if self.ecn else ''} 0:0(0) {syn.format(0)}")
            self.answer_comes()
            self.packet(".", 1, 0)
            self.add("accept(3, ..., ...) = 4")
            self.fd = 4
        if self.r.random() < 0.3:
            self.add(f"setsockopt({self.fd}, SOL_TCP, TCP_NODELAY, [1], 4) = 0")
        self.run()

    def options(self) -> None:
        """What the program sets before the connection opens."""

    def answer_comes(self) -> None:
        """A round trip goes by in the handshake."""
        self.run()
        self.left()
        self.now += self.rtt

    def add(self, text: str) -> None:
        self.lines.append((self.now, text))

    def run(self) -> bool:
        """Runs what there is on the model, with what that sent before, which timestamps echo. Whether all can be done."""
        got = _core.packetdrill(self.expected(), self.kernel, self.hz, self.max_header)
        self.trace, self.printed, self.fails = got["trace"], got["printed"], got["failure"]
        return not self.fails and not got["skipped"]

    def left(self) -> list[Range]:
        """What the model has sent since this was asked last."""
        out = []
        for m in filter(None, map(PACKET.match, self.trace[self.seen :])):
            if m[2] == ">":
                stamp = re.search(r"TS val (\d+)", m[8])
                self.echo = max(self.echo, int(stamp[1])) if stamp else 0
                out.append((int(m[4]), int(m[5]) + ("F" in m[3])))
        self.seen = len(self.trace)
        return [(a, b) for a, b in out if b > a]

    def packet(self, flags: str, seq: int, n: int, ack: int | None = None, blocks: list[Range] | None = None) -> None:
        options = [f"nop,nop,TS val {100 + int(self.now * 1000)} ecr {self.echo}"] if self.stamps else []
        if self.sack and blocks:
            options.append("nop,nop,sack " + " ".join(f"{a}:{b}" for a, b in blocks[: 3 if self.stamps else 4]))
        ack = self.peer.next if ack is None else ack
        tail = f" <{','.join(options)}>" if options else ""
        mark = "[ce] " if self.ecn and n and self.r.random() < self.marks else "[ect0] " if self.ecn and n else ""
        ece = "E" if self.ecn and self.echoes else ""
        if n and self.ecn and self.r.random() < 0.1:
            ece += "W"
        self.add(f"< {mark}{ece}{flags} {seq}:{seq + n}({n}) ack {ack} win {self.window}{tail}")

    def step(self) -> bool:
        """Something happens. False: it does not, in the state that there is."""
        r = self.r
        self.on_way += self.left()
        wait = r.choice(self.waits())
        self.now = round(self.now + wait + (r.randint(100, 3900) / 1e6 if wait > 1e-3 else 0), 6)
        before = len(self.lines)
        odd = [self.stray] * (3 if self.odd else 1)
        acts = [*self.acts(), *odd]
        r.choice([*acts, self.close] if self.now > 3 else acts)()
        if len(self.lines) == before:
            return False
        self.add(f"%{{ print({','.join(self.shown)}) }}%")
        return True

    def acts(self) -> list[Callable[[], None]]:
        """What may happen, beside what is odd, as often as it shall."""
        return [self.write] * 3 + [self.arrive] * 10 + [self.send] * 2 + [self.read] * 2 + [self.offer]

    def waits(self) -> list[float]:
        """Seconds from one step to the next."""
        return [1e-4, 1e-4, 0.0023, 0.02, 0.02, self.rtt, self.rtt, self.rtt, 0.04, 0.3, 0.6, 1.5]

    def sizes(self) -> list[int]:
        """Bytes of a write."""
        m = self.mss
        return [1, 100, m, m * 2, m * 3 + 17, m * 10, m * 20, self.r.randint(1, 30000)]

    def write(self) -> None:
        if self.closed:
            return
        n = self.r.choice(self.sizes())
        more = self.r.random() < 0.1
        self.add(f"send({self.fd}, ..., {n}, MSG_MORE) = {n}" if more else f"write({self.fd}, ..., {n}) = {n}")

    def arrive(self) -> None:
        """Some of what is on its way is received, and acknowledged: with losses, out of order, twice."""
        r = self.r
        if not self.on_way:
            return
        k = r.randint(1, len(self.on_way))
        batch, self.on_way = self.on_way[:k], self.on_way[k:]
        size = self.mss - (12 if self.stamps else 0)
        segments = [(at, min(at + size, end)) for start, end in batch for at in range(start, end, size)]
        loss, lost_acks = r.choice([0, 0, 0.1, 0.3, 0.6]), r.choice([0, 0, 0, 0.3])
        segments = [s for s in segments if r.random() >= loss]
        if r.random() < 0.25:
            r.shuffle(segments)
        if segments and r.random() < 0.1:
            segments.insert(r.randrange(len(segments)), r.choice(segments))
        every, gap = r.choice([1, 1, 2, 100]), r.choice(self.gaps)
        for i, (start, end) in enumerate(segments):
            last, hole = i == len(segments) - 1, bool(self.peer.early)
            twice = self.peer.take(start, end)
            due = last or (every < 100 and (twice or hole or self.peer.early or i % every == every - 1))
            if due and r.random() >= lost_acks:
                self.packet(".", self.seq, 0, blocks=[*([twice] if twice else []), *self.peer.recent])
                self.now = round(self.now + gap, 6)

    def send(self) -> None:
        """The peer's data: in order, early or again."""
        r = self.r
        if self.fin and r.random() < 0.8:
            return
        n, how = r.choice([1000, 1448 if self.stamps else 1460, 1000]), r.random()
        for _ in range(r.choice([1, 1, 2, 4])):
            at = self.seq
            if how < 0.6:
                self.seq += n
            elif how < 0.8:
                at += r.choice([n, 2 * n, 5 * n, 1])
            else:
                at = max(1, at - r.choice([n, 1, 2 * n]))
            self.packet(r.choice([".", "P."]), at, n, blocks=self.peer.recent)

    def stray(self) -> None:
        """The echo of a mark, an ACK that is old, a DSACK, a block of a part of a segment, a number below the window."""
        r, p = self.r, self.peer
        if self.ecn and r.random() < 0.5:
            self.echoes = not self.echoes and r.random() < 0.5
            self.packet(".", self.seq, 0, blocks=p.recent)
            return
        kind = r.randrange(4)
        if kind == 0:
            self.packet(".", self.seq, 0, max(1, p.next - r.choice([0, 1, self.mss, 5 * self.mss])), p.recent)
        elif kind == 1:
            twice = [(max(1, p.next - self.mss), p.next)] if p.next > self.mss else []
            self.packet(".", self.seq, 0, blocks=[*twice, *p.recent])
        elif kind == 2 and self.sack and p.early:
            a, b = r.choice(p.early)
            self.packet(".", self.seq, 0, blocks=[(a, r.randint(a + 1, b))])
        else:
            self.packet(".", max(1, self.seq - 1), 0)

    def read(self) -> None:
        """The program takes all that has come."""
        there, state = int(self.last("tcpi_bytes_received")) - self.taken, int(self.last("tcpi_state"))
        if there <= 0 or self.closed or state not in (1, 4, 5, 8):
            return
        there -= state == 8  # the FIN
        self.taken += there
        self.add(f"read({self.fd}, ..., {self.r.choice([there, 10 * there])}) = {there}")

    def close(self) -> None:
        """Either end has no more to say."""
        if self.r.random() < 0.5:
            if not self.closed:
                self.closed = True
                self.add(f"shutdown({self.fd}, SHUT_WR) = 0")
        elif not self.fin:
            self.fin = True
            self.packet("F.", self.seq, 0, blocks=self.peer.recent)
            self.seq += 1

    def offer(self) -> None:
        self.window = self.r.choice([0, 10, 50, 1000, 1000])
        self.packet(".", self.seq, 0, blocks=self.peer.recent)

    def is_over(self) -> bool:
        """A connection that was reset is no more, and TCP_INFO tells little of it."""
        return self.last("tcpi_state") == "7"

    def ends(self) -> bool:
        """Whether the script may end with the connection; its last step then tells no more than can be told of that."""
        return False

    def last(self, name: str) -> str:
        """What was printed last of one field; before that, nothing."""
        return self.printed[-1].split()[self.shown.index(name)] if self.printed else "0"

    def is_clear(self) -> bool:
        """No timer's packet is so near to a step that a real host could have them the other way round."""
        steps = [at for at, _ in self.lines]
        if self.stamps and any(at * 1e6 % 1000 > LATE for at in steps):
            return False
        for m in filter(None, map(PACKET.match, self.trace)):
            at = float(m[1])
            if m[2] == "<":
                continue
            answers = any(-2e-5 <= at - s < 3e-4 for s in steps)
            if not answers and any(abs(at - s) < self.apart for s in steps):
                return False
        return True

    def expected(self) -> str:
        """The script, with what the model sent between what is done to it."""
        out, done, injected = list(self.head), 0, iter([i for i, (_, x) in enumerate(self.lines) if x.startswith("<")])

        def do(until: int) -> None:
            nonlocal done
            out.extend(f"{at:.6f} {line}" for at, line in self.lines[done:until])
            done = max(done, until)

        for m in filter(None, map(PACKET.match, self.trace)):
            if m[2] == "<":
                do(next(injected) + 1)
                continue
            at, until = float(m[1]), done
            while until < len(self.lines):
                then, line = self.lines[until]
                late = then < at - self.soon or (then <= at + 3e-6 and not line.startswith("%{"))
                if line.startswith("<") or not late:
                    break
                until += 1
            do(until)
            last = self.lines[done - 1][0]
            out.append(f"{last if abs(at - last) < 4e-4 else at:.6f} {m[0].split(' ', 1)[1]}")
        do(len(self.lines))
        return "\n".join(out) + "\n"


def draw(
    seed: int, kernel: str = "6.12", hz: int = 100, max_header: int | None = None, kind: type[Draw] = Draw
) -> Draw:
    """A script of six to fifty steps; what cannot be carried out, or is not clear, is taken back."""
    d = kind(seed, kernel, hz, max_header)
    left = float(d.r.randint(6, 50))
    while left > 0 and d.now < d.long:
        kept = {k: copy.deepcopy(v) for k, v in vars(d).items() if k != "r"}
        if d.step() and d.run() and d.is_clear():
            if not d.is_over():
                left -= 1
                continue
            if d.ends():
                break
        vars(d).update(kept)
        left -= 0.25
    return d


def main(about: str | None = __doc__, kind: type[Draw] = Draw) -> None:
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="of the first")
    parser.add_argument("--kernel", default="6.12")
    parser.add_argument("--hz", type=int, default=100)
    parser.add_argument(
        "--max-header", type=int, help="the kernel's MAX_HEADER, bytes; 96 as the second water's is configured"
    )
    parser.add_argument("--control", help="of all of them, in place of one at random (dctcp is none of these)")
    args = parser.parse_args()
    if args.control:
        marked = 0.9 if args.control == "dctcp" else kind.marked
        kind = type("One", (kind,), {"controls": [args.control], "marked": marked})
    args.out.mkdir(parents=True, exist_ok=True)
    for seed in range(args.seed, args.seed + args.count):
        d = draw(seed, args.kernel, args.hz, args.max_header, kind)
        (args.out / f"{seed}.pkt").write_text(d.expected())
        (args.out / f"{seed}.printed").write_text("\n".join(d.printed) + "\n")


if __name__ == "__main__":
    main()
