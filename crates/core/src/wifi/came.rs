//! A received frame on its way from the card to mac80211.
//!
//! Cards, buses and interrupts carry it as it came; duplicates and order are the host's business behind them
//! (linux@6.12 drivers/net/wireless/ath/ath9k/recv.c `ath_rx_tasklet`, htc_drv_txrx.c `ath9k_rx_tasklet`: `ieee80211_rx` last).

use super::{Seq, StaIx, Tid};
use crate::sim::{FlowId, Kind, NodeId, Packet};

/// What mac80211 has to do with a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Frame {
    /// Outside a Block Ack agreement: it goes up.
    Plain,
    /// The (first) MSDU of an MPDU of an agreement.
    Numbered(Seq),
    /// A further MSDU of the MPDU before it.
    Further,
    /// A BAR: nothing before this number will come any more.
    Bar(Seq),
    /// The host has it: it takes its way and its time, and is dropped.
    Duplicate,
}

/// A received frame.
#[derive(Clone, Copy, Debug)]
pub struct Came {
    /// What it carries.
    pub p: Packet,
    /// Who sent it.
    pub from: StaIx,
    /// Its TID.
    pub tid: Tid,
    /// What it is.
    pub frame: Frame,
    /// It is the last one of its PPDU that was decoded; and whether it is the last that was sent.
    pub last: Option<bool>,
}

impl Came {
    /// A BAR from `from`.
    pub fn bar(from: StaIx, tid: Tid, start: Seq) -> Came {
        let p = Packet { headers: 0, ..Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0)) };
        Came { p, from, tid, frame: Frame::Bar(start), last: Some(true) }
    }
    /// A packet from `from` outside any agreement.
    pub fn plain(p: &Packet, from: StaIx, tid: Tid) -> Came {
        Came { p: *p, from, tid, frame: Frame::Plain, last: None }
    }
    /// Whether it is a packet's only copy.
    pub fn is_packet(&self) -> bool {
        matches!(self.frame, Frame::Plain | Frame::Numbered(_) | Frame::Further)
    }
}
