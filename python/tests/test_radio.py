"""The virtual radio's layers: a file includes (and so can call) its own and those below."""

import re
from pathlib import Path

RADIO = Path(__file__).parents[2] / "linux" / "radio"
#: Interfaces between layers belong to the ground, on which all stand.
GROUND = {"driver.h", "rider.h", "frame.h", "kernel.h", "older/linux/kernel_read_file.h", "older/linux/unaligned.h"}
#: What a file has in another form on kernels before 6.12 is of that file's layer.
OLDER = {"older/ops.h": "mac"}


def layers():
    """Object (``air/phy``) to layer: those of one line of Kbuild, the lowest first."""
    lines = re.findall(r"^wavetank_radio-y \+?:?= ?(.*)$", (RADIO / "Kbuild").read_text(), re.MULTILINE)
    return {name.removesuffix(".o"): i for i, line in enumerate(lines) for name in line.split()}


def layer_of(file):
    """The layer of a file in ``linux/radio``, by its own name or its folder's."""
    of = layers()
    if file in GROUND:
        return 0
    if (name := OLDER.get(file, file.rsplit(".", 1)[0])) in of:
        return of[name]
    return {n.partition("/")[0]: i for n, i in of.items() if "/" in n}[file.partition("/")[0]]


def test_every_source_of_the_radio_is_in_a_layer():
    sources = {str(p.relative_to(RADIO).with_suffix("")) for p in RADIO.rglob("*.c") if "target" not in p.parts}
    assert sources == set(layers()) - {"hack_core"}


def test_no_file_of_the_radio_includes_a_higher_layer():
    own = {str(p.relative_to(RADIO)) for p in RADIO.rglob("*.[ch]") if "target" not in p.parts}
    included = {f: set(re.findall(r'^#include "(.+)"$', (RADIO / f).read_text(), re.MULTILINE)) & own for f in own}
    assert sum(map(len, included.values())) > 100
    upward = [f"{f} includes {h}" for f, hs in included.items() for h in sorted(hs) if layer_of(h) > layer_of(f)]
    assert upward == []
