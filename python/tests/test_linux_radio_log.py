"""What the virtual radio is asked to write down."""

import math
from pathlib import Path

import pytest

from wavetank import linux


@pytest.mark.parametrize(
    ("spans", "snaplen", "asked"),
    [
        ([(0.5, 2.25)], 256, (500_000, 2_250_000, 256)),
        ([(3.0, 4.0), (1.0, 2.0)], 40, (1_000_000, 4_000_000, linux.HEADERS)),
        ([(0.0, math.inf)], 0, (0, 2**32 - 1, 1 << 16)),
    ],
)
def test_it_is_asked_for_all_that_is_looked_at_in_its_own_units(spans, snaplen, asked):
    radio = linux.RadioLog(Path("x"), spans, snaplen).asked({"radio": {"mode": 0}})["radio"]
    assert (radio["capture_from_us"], radio["capture_until_us"], radio["capture_octets"]) == asked
    assert radio["mode"] == 0


def test_addresses_are_the_guests():
    assert linux.addresses(["ap", "sta1", "sta2", "server"]) == ["10.1.0.1", "10.1.0.10", "10.1.0.11", "10.0.1.2"]
