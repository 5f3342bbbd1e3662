"""Draws scripts of BBR as random_packetdrill.py does of others: `python python/tools/random_packetdrill_bbr.py OUT/ [--count N]`.

What it writes is more and what it waits for finer, so that pacing matters; rates and BBR's own numbers are printed, too. A
script ends before ProbeBw, whose first phase the kernel draws at random.
"""

from typing import ClassVar

from random_packetdrill import Draw, main


class BbrDraw(Draw):
    """A script of a socket that paces."""

    controls: ClassVar[list[str]] = ["bbr"]
    shown: ClassVar[list[str]] = [
        *Draw.shown,
        "tcpi_pacing_rate", "tcpi_delivery_rate", "tcpi_delivery_rate_app_limited",
        "bbr_bw", "bbr_min_rtt", "bbr_pacing_gain", "bbr_cwnd_gain",
    ]  # fmt: skip
    # Nothing is late in virtual time, and segments leave all the time.
    apart, soon = 20e-6, 3e-6
    gaps: ClassVar[list[float]] = [2e-5, 2e-5, 0.0003, 0.001, 0.003, 0.01]
    # Beyond the ten seconds after which the least RTT is looked for anew.
    long = 40.0

    def waits(self) -> list[float]:
        t = self.rtt
        return [0.001, 0.0023, 0.01, 0.02, t / 4, t / 2, t, t, t, t, 0.3, self.r.choice([0.6, 1.5, 5.0, 11.0])]

    def sizes(self) -> list[int]:
        m = self.mss
        return [*super().sizes(), m * 30, m * 60, m * 60, m * 100]

    def is_over(self) -> bool:
        # The window's gain in ProbeBw, 2.
        return super().is_over() or self.last("bbr_cwnd_gain") == "512"


if __name__ == "__main__":
    main(__doc__, BbrDraw)
