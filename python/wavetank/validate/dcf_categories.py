"""Rows of several access categories, which `validate dcf` holds to ns-3 category by category.

Beside the other columns such a table has ``categories``, what the stations send in turn ("VI+BE|BE": the first, third, ...
both video and best effort, the others best effort), ``txop`` (1: VO's opportunities last 1.504 ms and VI's 3.008 ms, to
what is left of which A-MPDUs are cut, 0: one exchange), and of each category its goodput and its standard deviation, both
empty where no station sends it. Zero is a goodput, too: BK in a station with VO counts no slot of its backoff.
"""

from __future__ import annotations

import numpy as np

from .. import _core
from ..errors import UserError
from . import sheet
from .dcf_band import held
from .report import Row
from .sheet import Table

ALL = ("vo", "vi", "be", "bk")
OF_EACH = tuple(f"{ac}_{what}" for ac in ALL for what in ("mbit", "sd"))
#: BK behind VO sends ten frames a second, and waits long after each that collides: means of more runs than one category's.
SEEDS, SECONDS = 10, 12.0
COLUMNS = ("categories", "txop", *OF_EACH)


def there(row: Table) -> bool:
    """Whether the row is of such a table."""
    return "categories" in row


def sent(row: Table) -> list[str]:
    """The categories that some station sends, the first first."""
    names = row["categories"].lower().replace("|", "+").split("+")
    return [ac for ac in ALL if ac in names]


def check(where: str, row: Table) -> None:
    """Raises UserError for what the model has no such cell for; `_core.dcf_check` has read the categories' names."""
    entries = row["categories"].count("|") + 1
    if entries > int(row["stations"]):
        raise UserError(
            f'{where}: categories: "{row["categories"]}" is for {entries} stations, expected at most {row["stations"]}, one each'
        )
    if row["txop"] not in ("0", "1"):
        raise UserError(f'{where}: txop: "{row["txop"]}", expected one of 0, 1')
    for ac in ALL:
        if ac not in sent(row):
            if row[f"{ac}_mbit"] or row[f"{ac}_sd"]:
                raise UserError(f"{where}: {ac}_mbit and {ac}_sd: expected nothing, no station sends {ac.upper()}")
        else:
            sheet.figure(where, row, f"{ac}_mbit")
            sheet.figure(where, row, f"{ac}_sd")


def suffix(row: Table) -> str:
    """What a row's name has of them."""
    return f"-{row['categories'].lower()}{'-txop' if row['txop'] == '1' else ''}"


def run(row: Table) -> dict[str, float]:
    """The model's goodput of each category that sends, Mbit/s, mean over the seeds."""
    runs = [_core.dcf_categories(row, seed, SECONDS) for seed in range(1, SEEDS + 1)]
    means = dict(zip(ALL, np.mean(runs, axis=0), strict=True))
    return {ac: float(means[ac]) for ac in sent(row)}


def judge(name: str, row: Table, ours: dict[str, float]) -> list[Row]:
    """The whole's goodput and one row a category, ``be_mbit`` ..."""
    rows = [held(name, "goodput_mbit", float(row["goodput_mbit"]), float(row["goodput_sd"]), sum(ours.values()))]
    for ac, mbit in ours.items():
        rows.append(held(name, f"{ac}_mbit", float(row[f"{ac}_mbit"]), float(row[f"{ac}_sd"]), mbit))
    return rows
