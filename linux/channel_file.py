# SPDX-License-Identifier: GPL-2.0
"""Writes the file that wavetank_radio's parameter `channel` names (radio/air/channel.c has the format)."""

import math
import struct

#: An octet's loss that lets no frame through: 2^-1 an octet.
NEVER = 2**32 - 1


def survival(probability, octets=1538):
    """The loss of an octet that lets MPDUs of so many octets through with this probability."""
    return NEVER if probability <= 0 else min(NEVER, round(-math.log2(probability) / octets * 2**32))


def cliff(best, modes=8, doubtful=0.0):
    """Losses by MCS where all up to `best` arrive, the next with probability `doubtful`, and none above."""
    return [0 if m <= best else survival(doubtful) if m == best + 1 else NEVER for m in range(modes)]


def write(path, step_ns, links, dsss=()):
    """Writes `links`: {(from, to): steps}, a step being (SNR of the control half, of the extension half, losses, response).

    SNRs are in dB, losses by MCS at any width (802.11a's rates lose nothing), the response is a list of (re, im). `dsss`: losses
    at 1, 2, 5.5 and 11 Mbit/s, all the time, at 2.4 GHz.
    Radio 0 is the access point.
    """
    steps = next(iter(links.values()))
    ofdm = [0] * 8 + list(dsss)
    mcs, subcarriers = len(steps[0][2]), len(steps[0][3])
    modes = mcs + len(ofdm)
    with open(path, "wb") as f:
        head = len(links), len(steps), step_ns, subcarriers, len(dsss)
        f.write(b"WTCHAN3\n" + struct.pack("<IIQII", *head))
        for (sender, receiver), steps in links.items():
            f.write(struct.pack("<HHHH", sender, receiver, mcs, 1))
            for ctl, ext, losses, response in steps:
                parts = [part for pair in response for part in pair]
                snrs = round(ctl * 100), round(ext * 100)
                f.write(struct.pack(f"<hh{modes}I{2 * subcarriers}h", *snrs, *losses, *ofdm, *parts))
