"""Sweeps: which setting? A scenario at every point of some axes, each with its goodput, latency and aggregation.

``axes`` reads axes, ``plan`` makes a laboratory's figure of them, ``run`` has it run (``cluster``: elsewhere), ``gather`` and
``result`` are what comes of it, ``table``, ``pictures`` and ``save`` show it.
"""
