//! What a user sets of TCP/HACK.

use crate::sim::Span;

crate::choices! {
    /// When a station's TCP ACKs wait for a link-layer response.
    pub enum Policy {
        /// Never: there is no TCP/HACK.
        Off = "off",
        /// Never, but ACKs are counted as with the others.
        Native = "native",
        /// Always, for a fixed time at most: the thesis's explicit timer.
        Timer = "timer",
        /// They are queued as ever, and ride if data come before they had the medium.
        Opportunistic = "opportunistic",
        /// While the AP says that more is queued for the station.
        MoreData = "more-data",
    }
}

impl Policy {
    /// Whether ACKs may ride.
    pub const fn rides(self) -> bool {
        !matches!(self, Policy::Off | Policy::Native)
    }
}

crate::params! {
    /// TCP/HACK: TCP ACKs of a station ride on its link-layer ACKs and Block Acks. No card offers it.
    pub struct Params {
        /// When a TCP ACK of a station waits for a link-layer response to ride on.
        policy: Policy = Policy::Off, src "thesis section 3.3.2.1";
        /// The explicit timer: how long an ACK waits at most for a frame that it can ride on.
        timer: Span = Span::from_ms(10), in Span::from_us(100) => Span::from_s(1), src "this project: two full A-MPDUs at 150 Mbit/s; the thesis knows no good value (section 3.3.2.1)";
        /// How long the AP's promise of more data is believed, and its word that ACKs have come is waited for, before a frame of their own
        /// brings them.
        guard: Span = Span::from_ms(100), in Span::from_ms(1) => Span::from_s(1), src "this project: half of Linux's least retransmission timeout (TCP_RTO_MIN), and a round over twenty stations with full A-MPDUs";
        /// From TCP's handing an ACK down until the NIC holds it, compressed.
        load: Span = Span::from_us(5), in Span::ZERO => Span::from_ms(10), src "assumed: compression and a descriptor's way over PCI Express; the race of thesis section 3.3.3.1";
        /// Bytes that ride on one response at most.
        bytes: u16 = 512, in 8 => 2_000, unit "bytes", src "this project: the ACKs of two full A-MPDUs and what a loss makes them repeat";
    }
}
