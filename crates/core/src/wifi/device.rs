//! The driver seam: what the BSS asks of a device driver, and what a driver may do during a call.
//!
//! The driver is pulled: the MAC looks at the [`head`](Device::head) of each hardware queue and says when it is
//! [`done`](Device::done) with it. The driver in turn pulls from the queues above it, which it is handed in every call
//! (`ieee80211_tx_dequeue` of mac80211's TXQs, or a qdisc's `dequeue`). A driver that needs a clock asks to be called again.

use super::ac::{Ac, Tid};
use super::burst::{Burst, Report, StaIx};
use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::rate::aasrc::Counts;
use crate::sim::{Bin, Freed, Lane, NodeId, Owner, Packet, Place, Reason, Span, Time};

/// Where the effects of a driver's call go, in order. The vectors are recycled by their owner.
pub struct Sink<'a> {
    /// `kfree_skb` of what was sent, and super-packets that were cut: the memory and whose it was, in the order of the calls.
    pub freed: &'a mut Vec<Freed>,
    /// Packets that ended otherwise; their owner is credited from here, not from `freed`.
    pub dropped: &'a mut Vec<(Packet, Place, Reason)>,
    /// Calls of [`Device::timer`] that are wanted, each with the driver's own tag.
    pub wants: &'a mut Vec<(Time, Lane, u32)>,
}

impl Sink<'_> {
    /// The packet was sent and its skb is freed. Nobody hears of one that no socket is charged for, which most are that were forwarded.
    #[inline]
    pub fn free(&mut self, p: &Packet) {
        if p.owner != Owner::NONE {
            self.freed.push(p.into());
        }
    }
}

impl Bin for Sink<'_> {
    fn drop(&mut self, p: Packet, place: Place, reason: Reason) {
        self.dropped.push((p, place, reason));
    }
}

/// Which station of the BSS is the next hop to a node: what `skb->dst` and the neighbour table know. The BSS learns it from
/// each packet that the stack hands down; a driver that pulls from a qdisc looks it up.
#[derive(Clone, Debug, Default)]
pub struct Hops(Vec<StaIx>);

impl Hops {
    /// Packets for `dst` go to `to`.
    pub fn learn(&mut self, dst: NodeId, to: StaIx) {
        let i = usize::from(dst.0);
        if i >= self.0.len() {
            self.0.resize(i + 1, StaIx::AP);
        }
        self.0[i] = to;
    }
    /// The next hop of `p`; the access point where nothing was learnt.
    pub fn of(&self, p: &Packet) -> StaIx {
        self.0.get(usize::from(p.dst.0)).copied().unwrap_or(StaIx::AP)
    }
}

/// A device driver with its hardware queues.
pub trait Device {
    /// What stands above it: mac80211's TXQs or a qdisc.
    type Queues;

    /// Something was put into the queues for (`to`, `tid`) (`wake_tx_queue`, or a netdev's transmit).
    fn wake(&mut self, now: Time, to: StaIx, tid: Tid, q: &mut Self::Queues, sink: &mut Sink<'_>);
    /// What the hardware would send next of this category. It must stay the same, and in place, from the moment the MAC
    /// looked until `done` (the MAC looks again after every call into the driver, but only where it had found nothing).
    fn head(&self, ac: Ac) -> Option<&Burst>;
    /// The hardware is done with the head of `ac`: takes it off, then does what completion does.
    fn done(&mut self, now: Time, ac: Ac, report: &Report, q: &mut Self::Queues, sink: &mut Sink<'_>);
    /// A wanted call.
    fn timer(&mut self, now: Time, tag: u32, q: &mut Self::Queues, sink: &mut Sink<'_>);
    /// Frames came from `from`; `airtime` is the sum of their durations, each as if it had come alone (what ath9k registers by
    /// `ieee80211_sta_register_airtime` on the receiving side: recv.c ath_rx_count_airtime).
    fn heard(&mut self, _now: Time, _from: StaIx, _tid: Tid, _airtime: Span, _q: &mut Self::Queues) {}
    /// The receiver of a PPDU to `to` tells of it (`answered`: in a response that came), for rate controls that want it.
    fn feedback(&mut self, _now: Time, _to: StaIx, _mode: Mode, _answered: bool, _f: &Feedback) {}
    /// `best` would be the ideal mode for what goes on the air to `to`.
    fn learn(&mut self, _to: StaIx, _best: Mode) {}
    /// What its rate control did, if that counts it.
    fn rate_counts(&self) -> Option<Counts> {
        None
    }
    /// Packets inside the driver and its hardware, for conservation: not those in the queues above, nor MPDUs that the
    /// receiver has ([`Mpdu::received`](super::burst::Mpdu::received)).
    fn held(&self) -> u64;
}
