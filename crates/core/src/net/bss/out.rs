//! What a BSS wants to be called for, and what a call brought about.

use crate::sim::{Freed, Lane, Packet, Place, Reason, Time};
use crate::wifi::{Came, MediumEvent, StaIx};

/// What a BSS wants to be called for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BssEvent {
    /// The medium.
    Medium(MediumEvent),
    /// A reorder buffer's timer: which receiver's, which buffer.
    Reorder(StaIx, u16),
    /// A driver's own clock: whose, and the tag it asked with.
    Driver(StaIx, u32),
    /// The access point's hardware asks its driver for the next beacon.
    BeaconAsked,
    /// The access point's beacon was on the air.
    BeaconSent {
        /// Nobody has decoded it.
        collided: bool,
    },
    /// A station's ACKs have waited long enough for a response to ride on.
    Hack(StaIx),
}

/// An MSDU for a station's host.
#[derive(Clone, Copy, Debug)]
pub struct HandedUp {
    /// Whose host.
    pub to: StaIx,
    /// Which frame brought it up, of those that its driver handed to mac80211 at once, from 0 on; `None`: no frame, but a reorder buffer's
    /// timer, which is no poll's. src: linux@6.12 net/mac80211/rx.c ieee80211_release_reorder_timeout (no list, so netif_receive_skb);
    /// drivers/net/wireless/mediatek/mt76/agg-rx.c mt76_rx_aggr_reorder_work (no napi)
    pub frame: Option<u16>,
    /// The packet.
    pub packet: Packet,
}

/// What a call brought about. The caller drains it after each call; it is used again.
#[derive(Clone, Debug, Default)]
pub struct Out {
    /// Calls of [`Bss::on`](super::Bss::on) that are wanted.
    pub schedule: Vec<(Time, Lane, BssEvent)>,
    /// MSDUs for the host of a station, in order.
    pub up: Vec<HandedUp>,
    /// Within a call: frames that a driver hands on, and the further MSDUs of one.
    pub(super) came: Vec<Came>,
    pub(super) more: Vec<Packet>,
    /// Memory of skbs that were freed, and whose it was, in the order of `kfree_skb`.
    pub freed: Vec<Freed>,
    /// Packets that ended; their owners are credited from here, not from `freed`.
    pub dropped: Vec<(Packet, Place, Reason)>,
}

impl Out {
    /// Whether there is nothing to drain.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.schedule.is_empty() && self.up.is_empty() && self.freed.is_empty() && self.dropped.is_empty()
    }
    /// All of it was seen to.
    #[inline]
    pub fn clear(&mut self) {
        self.schedule.clear();
        self.up.clear();
        self.freed.clear();
        self.dropped.clear();
    }
}
