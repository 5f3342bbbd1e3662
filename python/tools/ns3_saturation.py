"""Makes ns3-saturation-more.csv with Debian's ns-3 (libns3-dev): `python python/tools/ns3_saturation.py OUT.csv [--jobs N]`.

The rows differ from ns3-saturation.csv in what that leaves alone: width, guard interval, MCS, streams, payload, rates of
802.11a, RTS at low rates, 802.11ac, 20 stations, the access point as sender. About an hour on one core.

With --categories it makes ns3-categories.csv: rows of several access categories and a goodput of each.
"""

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).with_suffix(".cc")
LIBRARIES = [f"-lns3-{m}" for m in ("wifi", "applications", "internet", "mobility", "network", "core")]
SETS = ("std", "mode", "dir", "width_mhz", "stations", "max_ampdu_bytes", "sgi", "rts", "udp_payload", "ba_window")
SEEDS, SECONDS = 3, 5

HT = [  # mode, width, stations, sgi, rts, payload; each as single frames and as A-MPDUs
    ("HtMcs7", 20, 5, 1, 0, 1472), ("HtMcs4", 20, 3, 0, 0, 1472), ("HtMcs5", 40, 8, 0, 0, 1472),
    ("HtMcs15", 40, 4, 1, 0, 1472), ("HtMcs15", 20, 1, 0, 0, 1472), ("HtMcs23", 40, 2, 1, 0, 1472),
    ("HtMcs7", 40, 5, 1, 0, 200), ("HtMcs7", 40, 1, 1, 0, 200), ("HtMcs15", 40, 3, 1, 0, 64),
    ("HtMcs1", 20, 2, 1, 0, 1472), ("HtMcs0", 20, 4, 0, 0, 1472), ("HtMcs0", 40, 5, 1, 1, 1472),
    ("HtMcs2", 40, 1, 1, 1, 1472), ("HtMcs4", 40, 6, 1, 1, 1472), ("HtMcs8", 40, 4, 1, 1, 1472),
    ("HtMcs15", 40, 10, 1, 1, 1472), ("HtMcs7", 20, 2, 0, 1, 300), ("HtMcs3", 40, 20, 1, 1, 1472),
]  # fmt: skip
DOWN = [("HtMcs7", 40, 4, 1, 0, 1472), ("HtMcs12", 20, 10, 0, 1, 700)]
AC = [  # of one stream
    ("VhtMcs9", 80, 1, 1, 0, 1472), ("VhtMcs9", 80, 5, 1, 0, 1472), ("VhtMcs5", 40, 3, 0, 0, 1472),
    ("VhtMcs8", 20, 2, 1, 1, 1472), ("VhtMcs0", 80, 4, 0, 1, 1472), ("VhtMcs7", 80, 2, 1, 0, 400),
]  # fmt: skip
AX = [  # of one stream: mode, direction, width, stations, rts, payload; each with both Block Ack windows
    ("HeMcs11", "up", 80, 1, 0, 1472), ("HeMcs11", "up", 80, 5, 0, 1472), ("HeMcs11", "up", 80, 2, 0, 1472),
    ("HeMcs9", "up", 160, 1, 0, 1472), ("HeMcs11", "up", 80, 1, 0, 400), ("HeMcs7", "down", 80, 3, 0, 1472),
    ("HeMcs4", "up", 80, 4, 1, 1472), ("HeMcs7", "up", 40, 3, 0, 1472), ("HeMcs5", "up", 20, 4, 0, 1472),
    ("HeMcs0", "up", 20, 2, 0, 1472),
]  # fmt: skip
LEGACY = [  # Mbit/s, stations, rts, payload
    (6, 3, 0, 700), (9, 5, 1, 1472), (12, 3, 0, 700), (18, 3, 0, 700), (24, 10, 1, 1472), (36, 20, 0, 1472), (48, 3, 0, 700),
    (54, 1, 1, 100),
]  # fmt: skip

CATEGORIES = ("vo", "vi", "be", "bk")
EDCA = [  # std, mode, direction, width, stations, A-MPDU, sgi, rts, payload, window, what the stations send in turn, TXOP limits
    ("n", "HtMcs7", "up", 40, 2, 0, 1, 0, 1472, 64, "VI|BE", 0),
    ("n", "HtMcs7", "up", 20, 4, 0, 1, 0, 1472, 64, "VO|VI|BE|BK", 0),
    ("n", "HtMcs4", "up", 20, 1, 0, 0, 0, 1472, 64, "VI+BE", 0),
    ("n", "HtMcs7", "up", 40, 1, 0, 1, 0, 1472, 64, "VO+VI+BE+BK", 0),
    ("n", "HtMcs3", "up", 40, 8, 0, 0, 0, 1472, 64, "VI+BE|BE", 0),
    ("n", "HtMcs2", "up", 20, 4, 0, 1, 0, 300, 64, "BE|BK", 0),
    ("n", "HtMcs5", "up", 40, 4, 0, 1, 1, 1472, 64, "VI|BE", 0),
    ("n", "HtMcs4", "down", 40, 4, 0, 1, 0, 1472, 64, "VO|VI|BE|BK", 0),
    ("n", "HtMcs7", "up", 40, 2, 0, 1, 0, 1472, 64, "VI|BE", 1),
    ("n", "HtMcs7", "up", 20, 4, 0, 1, 0, 1472, 64, "VO|VI|BE|BK", 1),
    ("n", "HtMcs4", "up", 20, 1, 0, 0, 0, 1472, 64, "VI+BE", 1),
    ("n", "HtMcs2", "up", 20, 8, 0, 1, 0, 300, 64, "VO|BE", 1),
    ("n", "HtMcs5", "up", 40, 4, 0, 1, 1, 1472, 64, "VI|BE", 1),
    ("n", "HtMcs4", "down", 40, 4, 0, 1, 0, 1472, 64, "VO|VI|BE|BK", 1),
    ("n", "HtMcs5", "up", 40, 2, 65535, 1, 0, 1472, 64, "VI|BE", 0),
    ("n", "HtMcs4", "up", 20, 4, 65535, 1, 0, 1472, 64, "VO|VI|BE|BK", 0),
    ("n", "HtMcs3", "up", 20, 1, 65535, 0, 0, 1472, 64, "VI+BE", 0),
    ("n", "HtMcs5", "up", 20, 6, 65535, 1, 1, 1472, 64, "BE|BK", 0),
    ("n", "HtMcs4", "down", 20, 4, 65535, 1, 0, 1472, 64, "VO|VI|BE|BK", 0),
    ("ac", "VhtMcs5", "up", 80, 2, 0, 1, 0, 1472, 64, "VI|BE", 0),
    ("ac", "VhtMcs4", "up", 40, 3, 0, 1, 0, 1472, 64, "VI+BE|BE|BK", 1),
    ("ac", "VhtMcs2", "up", 80, 3, 65535, 1, 0, 1472, 64, "VO|BE|BK", 0),
    ("ax", "HeMcs5", "up", 80, 2, 0, 0, 0, 1472, 256, "VI|BE", 1),
    ("ax", "HeMcs3", "up", 40, 3, 65535, 0, 0, 1472, 256, "VI|BE|BE+BK", 0),
    ("ax", "HeMcs2", "up", 20, 1, 65535, 0, 0, 1472, 64, "VO+VI+BE+BK", 0),
    ("n", "HtMcs5", "up", 40, 2, 65535, 1, 0, 1472, 64, "VI|BE", 1),
    ("n", "HtMcs4", "up", 20, 4, 65535, 1, 0, 1472, 64, "VO|VI|BE|BK", 1),
    ("n", "HtMcs3", "up", 20, 1, 65535, 0, 0, 1472, 64, "VI+BE", 1),
    ("n", "HtMcs7", "up", 40, 4, 65535, 1, 1, 1472, 64, "VO|VI", 1),
    ("n", "HtMcs4", "down", 20, 4, 65535, 1, 0, 1472, 64, "VO|VI|BE|BK", 1),
    ("n", "HtMcs1", "up", 20, 2, 65535, 1, 0, 1472, 64, "VO|VI", 1),
    ("ac", "VhtMcs2", "up", 80, 3, 65535, 1, 0, 1472, 64, "VO|VI|BE", 1),
    ("ac", "VhtMcs7", "up", 80, 2, 1048575, 1, 0, 1472, 64, "VI|BE", 1),
    ("ax", "HeMcs3", "up", 40, 3, 65535, 0, 0, 1472, 256, "VI|BE|BE+BK", 1),
    ("n", "HtMcs2", "up", 40, 2, 65535, 1, 0, 1472, 64, "VI|BE", 1),
    ("ac", "VhtMcs3", "up", 80, 3, 65535, 1, 0, 1472, 64, "VO|VI|BE", 1),
    ("ax", "HeMcs3", "up", 40, 1, 65535, 0, 0, 1472, 256, "VO+VI+BE", 1),
]  # fmt: skip
EDCA_SEEDS, EDCA_SECONDS = 10, 10


def rows() -> list[dict[str, str]]:
    """What each row sets."""
    every = [
        ("n", mode, to, width, n, ampdu, sgi, rts, payload)
        for to, some in (("up", HT), ("down", DOWN))
        for mode, width, n, sgi, rts, payload in some
        for ampdu in (0, 65535)
    ]
    every += [
        ("ac", mode, "up", width, n, ampdu, sgi, rts, payload)
        for mode, width, n, sgi, rts, payload in AC
        for ampdu in (0, 65535, 1048575)
    ]
    every += [
        ("ax", mode, to, width, n, ampdu, 0, rts, payload, window)
        for mode, to, width, n, rts, payload in AX
        for ampdu, window in ((0, 256), (65535, 256), (1048575, 64), (1048575, 256))
    ]
    every += [("a", f"OfdmRate{r}Mbps", "up", 20, n, 0, 0, rts, payload) for r, n, rts, payload in LEGACY]
    return [dict(zip(SETS, map(str, (*row, 64)[: len(SETS)]), strict=True)) for row in every]


def main() -> None:
    """Builds the program, runs every row, writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--categories", action="store_true", help="rows of several access categories")
    args = parser.parse_args()
    sets = (*SETS, "categories", "txop") if args.categories else SETS
    seeds, seconds = (EDCA_SEEDS, EDCA_SECONDS) if args.categories else (SEEDS, SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "saturation"
        subprocess.run(["g++", "-O2", "-std=c++17", str(SOURCE), "-o", str(program), *LIBRARIES], check=True)

        def run(row: dict[str, str], seed: int) -> list[float]:
            words = [f"--{k}={v}" for k, v in row.items()] + [f"--seconds={seconds}", f"--seed={seed}"]
            return [float(w) for w in subprocess.check_output([str(program), *words], text=True).split()]

        with ThreadPoolExecutor(args.jobs) as pool:
            table = [dict(zip(sets, map(str, row), strict=True)) for row in EDCA] if args.categories else rows()
            jobs = [[pool.submit(run, row, seed) for seed in range(1, seeds + 1)] for row in table]
            for row, runs in zip(table, jobs, strict=True):
                got = [r.result() for r in runs]
                whole = [sum(r) for r in got]
                row["goodput_mbit"], row["goodput_sd"] = (
                    f"{statistics.mean(whole):.3f}",
                    f"{statistics.stdev(whole):.3f}",
                )
                for ac, values in zip(CATEGORIES, zip(*got, strict=True), strict=True) if args.categories else ():
                    sends = ac.upper() in row["categories"].replace("|", "+").split("+")
                    row[f"{ac}_mbit"] = f"{statistics.mean(values):.4f}" if sends else ""
                    row[f"{ac}_sd"] = f"{statistics.stdev(values):.4f}" if sends else ""
                print(",".join(row.values()), file=sys.stderr, flush=True)
    columns = list(table[0]) if args.categories else [*SETS[:-1], "goodput_mbit", "goodput_sd", SETS[-1]]
    with args.out.open("w", newline="", encoding="utf-8") as f:
        writer = csv.DictWriter(f, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main()
