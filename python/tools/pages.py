"""What a page of the docs says to do: its commands, and the scenario files that it shows in full."""

from __future__ import annotations

import itertools
import re
import shlex
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def commands(page: str) -> list[list[str]]:
    """The words of every ``wavetank`` command in the page's blocks of sh, in their order, without their comments."""
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```", page, re.S | re.M)).replace("\\\n", " ")
    return [shlex.split(line, comments=True)[1:] for line in blocks.splitlines() if line.startswith("wavetank ")]


def printed(page: str) -> list[list[str]]:
    """What the page shows as printed: the lines of each of its blocks of text."""
    return [block.splitlines() for block in re.findall(r"^```text\n(.*?)^```", page, re.S | re.M)]


def prints(page: str) -> list[tuple[list[list[str]], list[str]]]:
    """Each block of text with the commands of the block of sh that stands before it, whose output it shows."""
    blocks = re.findall(r"^```(sh|text)\n(.*?)^```", page, re.S | re.M)
    return [
        (commands(f"```sh\n{sh}```\n"), text.splitlines())
        for (a, sh), (b, text) in itertools.pairwise(blocks)
        if (a, b) == ("sh", "text")
    ]


def scenarios(page: str) -> dict[str, str]:
    """The page's scenarios by their files' names."""
    texts = re.findall(r"^```toml\n(.*?)^```", page, re.S | re.M)
    return {f"{tomllib.loads(t)['name']}.toml": t for t in texts if t.startswith("name = ")}
