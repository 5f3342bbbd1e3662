"""What a bed's translation asks of a scenario: the second water's reader, with this water's words and roles."""

from __future__ import annotations

from ..errors import UserError
from ..linux.asked import Asked, Asks
from ..linux.kernels import version
from .roles import Role, wifi, wired


class Bed(Asked):
    """A translation under way: besides what :class:`Asked` has, the roles and what each is told."""

    def __init__(self, scenario: Asks) -> None:
        super().__init__(scenario, None)
        self.wifi = self.text("topology.kind") == "wifi"
        self.stations = self.number("wifi.stations") if self.wifi else 1
        self.backhaul = self.wifi and self.on("backhaul.present")
        self.roles: dict[str, Role] = wifi(self.stations, self.backhaul) if self.wifi else wired()
        #: Kernel that was asked for; None: any.
        self.kernel = version(self.text("kernel")) if "kernel" in self.given else None
        self.used["kernel"] = self.v["kernel"]

    def refuse(self, key: str, why: str) -> UserError:
        """The error for a key that cannot be carried out."""
        value = self.v.get(key, "")
        return UserError(f"{self.path}: {key} = {value}: cannot be had on a test bed: {why}")

    def before(self, version: tuple[int, int]) -> bool:
        """Whether the scenario asks for a kernel older than this one."""
        return self.kernel is not None and self.kernel < version

    def no_kernel(self, key: str) -> UserError | None:
        """The error for ath9k's own queues beside a card's shift, which ``key`` asks for: no kernel has had both."""
        ends = [end for end in ("ap", "sta") if self.v[f"{end}.driver"] == "ath9k_tidq"]
        if not ends:
            return None
        drivers = ", ".join(f"{end}.driver" for end in ends)
        plain = " ".join(f"--set {end}.driver=ath9k" for end in ends)
        without = "--set tcp.tsq=kernel" if key == "tcp.tsq" else f"without {key}"
        return self.refuse(
            key,
            f"the cards' shift, by which it is made, came with Linux 4.17, and ath9k_tidq ({drivers}) went with 4.10: "
            f"either --set kernel=3.18 {without}, or --set kernel=6.12 {plain}",
        )

    @property
    def endpoints(self) -> list[Role]:
        """Where TCP begins or ends."""
        return [r for r in self.roles.values() if r.endpoint]

    @property
    def far(self) -> Role:
        """The end that is no station: the server, or the access point in its place."""
        return self.roles.get("server") or self.roles["ap"]
