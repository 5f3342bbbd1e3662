"""Draws scripts of little room: `python python/tools/random_packetdrill_tight.py OUT/ [--count N]`.

As random_packetdrill.py, but receive buffers are small and what the peer sends is more than they hold, early or in order, so
that Linux collapses, prunes and drops; the program reads in parts and corks; the memory of the socket is printed, too.
"""

from collections.abc import Callable
from typing import ClassVar

from random_packetdrill import Draw, main


class TightDraw(Draw):
    """A script of a socket with little room."""

    shown: ClassVar[list[str]] = [*Draw.shown, "SK_MEMINFO_RMEM_ALLOC", "SK_MEMINFO_RCVBUF"]

    def options(self) -> None:
        r = self.r
        self.corked, self.size = False, r.choice([1000, 1000, 1448 if self.stamps else 1460])
        if r.random() < 0.8:
            room = r.choice([r.randint(1500, 6000), r.randint(5000, 30000), r.randint(5000, 30000)])
            self.add(f"setsockopt(3, SOL_SOCKET, SO_RCVBUF, [{room}], 4) = 0")

    def acts(self) -> list[Callable[[], None]]:
        return [self.write] * 2 + [self.arrive] * 3 + [self.send] * 8 + [self.read] * 2 + [self.offer, self.cork]

    def send(self) -> None:
        """Runs of the peer's data: from where the socket waits for them, further on, or early."""
        r = self.r
        if self.fin:
            return
        there = 1 + int(self.last("tcpi_bytes_received"))
        n, how = self.size, r.random()
        at = there if how < 0.5 else self.seq if how < 0.7 else there + n * r.choice([1, 1, 2, 3, 5, 8, 13])
        if r.random() < 0.05:
            at += r.choice([1, n // 2])
        runs = r.choice([1, 1, 1, 2, 3])
        for _ in range(runs):
            for _ in range(r.choice([1, 1, 2, 4, 8, 12])):
                self.packet(r.choice([".", "P."]), at, n, blocks=self.peer.recent)
                at += n
            if how < 0.7:
                self.seq = max(self.seq, at)
            at += n * r.choice([1, 1, 2])

    def read(self) -> None:
        """All that has come, or a part."""
        there, state = int(self.last("tcpi_bytes_received")) - self.taken, int(self.last("tcpi_state"))
        if self.r.random() < 0.5 or there < 2 or state != 1 or self.closed:
            super().read()
            return
        part = self.r.choice([1, there // 2, min(there, self.size), there - 1])
        self.taken += part
        self.add(f"read({self.fd}, ..., {part}) = {part}")

    def cork(self) -> None:
        """The program corks, or no longer."""
        if not self.closed:
            self.corked = not self.corked
            self.add(f"setsockopt({self.fd}, SOL_TCP, TCP_CORK, [{int(self.corked)}], 4) = 0")


if __name__ == "__main__":
    main(__doc__, TightDraw)
