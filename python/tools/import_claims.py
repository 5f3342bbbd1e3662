"""Makes the product's claims.csv from a list of claims with quotations.

    python tools/import_claims.py SOURCE.csv [python/wavetank/data/claims.csv]

Quotations stay behind: rows that share one become rows that share a number. Our own columns (class, reason, measure,
quantity, reduce) are kept from the file that is there; rows that are new get a first guess.
"""

from __future__ import annotations

import csv
import hashlib
import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from wavetank.lab.claims import ASSUMPTIONS, COLUMNS, PATH

OURS = ("class", "reason", "measure", "quantity", "reduce")


def sentence(row: dict[str, str]) -> int:
    digest = hashlib.sha256(f"{row['source']}\0{row['quote']}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def guess(row: dict[str, str]) -> dict[str, str]:
    keys = dict(p.split("=", 1) for p in row["condition"].split(";") if "=" in p)
    ours = dict.fromkeys(OURS, "")
    ours["class"] = "unmeasured"
    ours["reason"] = f"no experiment yet: {row['experiment']}"
    note = keys.get("note", "")
    if note and note not in ASSUMPTIONS:
        ours["reason"] = f"{ours['reason']} (and contradicted: {note})"
    return ours


def main() -> None:
    source = Path(sys.argv[1])
    target = Path(sys.argv[2]) if len(sys.argv) > 2 else PATH
    kept = {}
    if target.exists():
        with target.open(encoding="utf-8", newline="") as f:
            kept = {r["id"]: r for r in csv.DictReader(f)}
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    with source.open(encoding="utf-8", newline="") as f:
        for row in csv.DictReader(f):
            ours = {k: kept[row["id"]][k] for k in OURS} if row["id"] in kept else guess(row)
            writer.writerow({**row, "sentence": str(sentence(row)), **ours})
    target.write_text(out.getvalue(), encoding="utf-8")


if __name__ == "__main__":
    main()
