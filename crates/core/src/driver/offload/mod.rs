//! Cards whose firmware takes packets by the hundred and aggregates by itself: what [`ath10k`](super::ath10k)'s, [`mt76`](super::mt76)'s,
//! [`iwlwifi`](super::iwlwifi)'s and the [`linksys`](super::linksys) access point have in common.
//!
//! Enters: packets that the driver pushes from what stands above ([`Above`]). Leaves: PPDUs for the MAC, completions for the driver.
//!
//! ```text
//! TXQs or qdisc -> descriptors -> firmware: FIFO a (peer, TID) -> A-MSDU -> A-MPDU -> PPDUs that stand ready -> air
//! ```

mod chosen;
mod descriptors;
mod firmware;
mod rate_set;

pub(super) use descriptors::{Descriptors, Slot};
pub(super) use firmware::Firmware;

use crate::phy::Mode;
use crate::sim::{Packet, Span, Time};
use crate::wifi::{Ac, Sink, StaIx, Tid};

/// What a card's firmware keeps to. The devices' own sections have the sources.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// MSDUs that it takes.
    pub msdus: u16,
    /// MPDUs in an A-MPDU at most.
    pub ampdu_frames: u16,
    /// MSDUs in an A-MSDU at most; 1: none.
    pub amsdu_msdus: u8,
    /// The host forms A-MSDUs ([`Descriptors::join`]): an MPDU has what comes together, and nothing else.
    pub amsdus_by_host: bool,
    /// Bytes of an MPDU that a VHT or HE peer takes.
    pub mpdu_bytes: u16,
    /// Bytes of an A-MSDU that an HT peer takes.
    pub amsdu_bytes: u16,
    /// Bytes of an A-MPDU that a VHT peer takes.
    pub vht_bytes: u32,
    /// The same of an HE peer.
    pub he_bytes: u32,
    /// A PPDU's time on the air at most.
    pub airtime: Span,
    /// PPDUs that stand in a hardware queue, the one on the air included.
    pub depth: u8,
    /// Of these, PPDUs of one peer and TID.
    pub tid_depth: u8,
    /// How often an MPDU is sent again: it counts how often it was in a PPDU that the hardware was done with.
    pub retries: u8,
    /// A PPDU under an agreement is sent once, and what nobody answered is formed anew; else its rate chain is gone through.
    pub once: bool,
    /// PSDUs of more bytes are protected by RTS/CTS.
    pub rts_threshold: Option<u32>,
}

/// What a peer has agreed to, and announces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer {
    /// A-MSDUs within A-MPDUs.
    pub amsdus: bool,
    /// MPDUs of a Block Ack window.
    pub window: u16,
    /// Shortest time from the start of one MPDU of an aggregate to the next that it takes.
    pub density: Span,
}

/// What stands above the driver: mac80211's TXQs (from 4.15 on), or a qdisc a category.
pub trait Above {
    /// A round over what has packets of this category begins.
    fn start(&mut self, ac: Ac);
    /// Whose turn it is next; false: the round is over.
    fn turn(&mut self, now: Time, ac: Ac) -> bool;
    /// The next packet of who has the turn, with its next hop, its TID, and what AQL was charged for it.
    fn pull(&mut self, now: Time, ac: Ac, sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)>;
    /// The turn is over.
    fn give_back(&mut self, now: Time, ac: Ac);
    /// A packet that it gave is completed: AQL's charge ends, and the driver registers what it takes for its airtime (ath10k).
    fn completed(&mut self, now: Time, p: &Packet, to: StaIx, tid: Tid, charged: Span);
    /// Who is told so: that is how a peer was sent to last, which AQL reckons with (`ieee80211_tx_status_ext`, last_rate_info).
    fn sent_at(&mut self, _to: StaIx, _mode: Mode) {}
    /// The same for AQL alone.
    fn freed(&mut self, _to: StaIx, _tid: Tid, _charged: Span) {}
    /// The hardware has counted this airtime to and from a station (`ieee80211_sta_register_airtime`).
    fn spent(&mut self, _now: Time, _sta: StaIx, _ac: Ac, _tx: Span, _rx: Span) {}
    /// Whether completions that leave `pending` of `most` descriptors in use let more down: half must be free for TXQs
    /// (`ath10k_mac_tx_push_pending`), one for a netdev queue (`ath10k_htt_tx_dec_pending`).
    fn resumes(&self, pending: u16, most: u16) -> bool;
    /// Whether a packet that came is pushed at once, with `pending` of `most` descriptors in use.
    fn pushes(&self, pending: u16, most: u16) -> bool {
        pending < most
    }
    /// Whether a poll for received frames pushes, too: one that has told of completions does in any case.
    fn polls(&self) -> bool {
        false
    }
}
