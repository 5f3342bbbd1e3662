import pytest


@pytest.fixture(scope="session")
def one_result():
    from wavetank.lab import plan
    from wavetank.scenario import Scenario

    s = Scenario.load(plan.ROOT / "scenarios" / "cotsq-ath9k-htc.toml")
    return s.set({"tcp.tsq_ms": 6, "tcp.tsq": "cotsq", "time.flows": "6 s"}).run(1)
