"""Draws the pictures of docs/ again, each by the command that its page shows.

``python python/tools/make_pictures.py [NAME...] [--jobs N]``: NAME is how a picture's name begins (``tour``); without, all are
drawn. A command of a page is carried out as it stands there, with ``--jobs`` as it is given here, so that page and picture cannot
part. What needs the real kernel is left out where that is not built. Colours are put down as a palette: a third of the octets.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pages
from PIL import Image

DOCS = pages.ROOT / "docs"


@dataclass(frozen=True)
class Picture:
    """A picture of the docs: the page, what tells its command from the page's others, and the file that this leaves."""

    name: str
    page: str
    words: str
    left: str


PICTURES = (
    Picture("cotsq-fig7.png", "README.md", "reproduce cotsq", "results/cotsq/cotsq-fig7.png"),
    Picture("tour-run.png", "docs/tour.md", "--plot run.png", "run.png"),
    Picture("tour-air.svg", "docs/tour.md", "--timeline air.svg", "air.svg"),
    Picture("tour-air8.svg", "docs/tour.md", "--timeline air8.svg", "air8.svg"),
    Picture("tour-tsq.png", "docs/tour.md", "sweep cotsq-ath9k", "results/sweep-cotsq-ath9k-tsq_ms-cc/tradeoff.png"),
    Picture("tour-waters.png", "docs/tour.md", "--out waters", "waters/srtt.png"),
    Picture("tour-house.png", "docs/tour.md", "--out qdiscs", "qdiscs/sweep.png"),
    Picture("sweeps-tsq.png", "docs/sweeps.md", "sweep cotsq-ath9k", "results/sweep-cotsq-ath9k-tsq_ms-cc/tradeoff.png"),
    Picture("sweeps-aql.png", "docs/sweeps.md", "stations=1,2,4,8", "results/sweep-office-aql_low+aql_high-stations/sweep.png"),
    Picture("sweeps-beside.png", "docs/sweeps.md", "sweep beside.toml", "results/sweep-beside-cc-qdisc/sweep.png"),
    Picture("cake-ack-filter.png", "docs/cake.md", "sweep narrow-return.toml",
            "results/sweep-narrow-return-bandwidth-ack_filter/sweep.png"),
    Picture("compare-bitrate.png", "docs/second-water.md", "compare walk.toml", "results/compare-walk/bitrate.png"),
    Picture("real-ath9k.png", "docs/reference-data.md", "validate ath9k --plots real", "real/ath9k.png"),
    Picture("real-ath9k-sender.png", "docs/reference-data.md", "validate ath9k --sender --plots real", "real/ath9k-sender.png"),
    Picture("sensitivity-laboratories.png", "docs/sensitivity.md", "reproduce sensitivity",
            "results/sensitivity/sensitivity-laboratories.png"),
    Picture("sensitivity-thesis.png", "docs/sensitivity.md", "reproduce sensitivity",
            "results/sensitivity/sensitivity-thesis.png"),
    Picture("sensitivity-floor.png", "docs/sensitivity.md", "reproduce sensitivity",
            "results/sensitivity/sensitivity-floor.png"),
    Picture("hack-or-tao.png", "docs/hack-or-tao.md", "reproduce hack-or-tao", "results/hack-or-tao/hack-or-tao-answer.png"),
)  # fmt: skip


def command(picture: Picture) -> list[str]:
    """The words of the picture's command, which its page has once."""
    every = pages.commands((pages.ROOT / picture.page).read_text("utf-8"))
    found = [c for c in every if " ".join(c) == picture.words] or [c for c in every if picture.words in " ".join(c)]
    if len(found) != 1:
        sys.exit(f"{picture.page}: {picture.words!r} is in {len(found)} commands, expected one")
    return found[0]


def draw(picture: Picture, jobs: int, work: Path) -> str:
    """Carries the command out in a folder of its page, and puts what it drew into docs/; says what became of it."""
    from wavetank.linux import tree

    words = command(picture)
    if any("linux" in w.split(",") for w in words) and not tree.status()["ready"]:
        return "left out: the real kernel is not built (wavetank linux build)"
    folder = work / picture.page.replace("/", "-")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages.scenarios((pages.ROOT / picture.page).read_text("utf-8")).items():
        (folder / name).write_text(text, "utf-8")
    if words[0] != "run":
        words = [*words, "--jobs", str(jobs)]
    path = os.pathsep.join(filter(None, (str(pages.ROOT / "python"), os.environ.get("PYTHONPATH"))))
    done = subprocess.run(
        [sys.executable, "-m", "wavetank", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{picture.name}: wavetank {' '.join(words)} ended with code {done.returncode}")
    put(folder / picture.left, DOCS / picture.name)
    return f"{(DOCS / picture.name).stat().st_size / 1000:.0f} kB"


def put(drawn: Path, kept: Path) -> None:
    if drawn.suffix != ".png":
        shutil.copyfile(drawn, kept)
        return
    with Image.open(drawn) as image:
        small = image.convert("RGB").quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        small.save(kept, optimize=True)


def main() -> int:
    ask = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ask.add_argument("names", nargs="*", metavar="NAME", help="how names begin; without, all")
    ask.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    given = ask.parse_args()
    with tempfile.TemporaryDirectory() as work:
        for picture in PICTURES:
            if not given.names or picture.name.startswith(tuple(given.names)):
                print(f"docs/{picture.name}: {draw(picture, given.jobs, Path(work))}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
