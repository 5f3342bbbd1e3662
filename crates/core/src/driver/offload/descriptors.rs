//! The driver's side: MSDU descriptors (ath10k) or tokens (mt76), what is pushed down, what completions free.
//!
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath10k/htt_tx.c ath10k_htt_tx_inc_pending, ath10k_htt_tx_alloc_msdu_id;
//! txrx.c ath10k_txrx_tx_unref; mediatek/mt76/tx.c mt76_token_consume, mt76_token_release.
//! Differs: D1 management frames take no descriptors; D2 no peer flow control (push mode only, as without 10.4 firmware).

use crate::sim::{Bin, Packet, Place, Reason, Span};
use crate::wifi::{Sink, StaIx, Tid};

/// The number of a descriptor (`msdu_id`).
pub type Slot = u16;

/// A packet that the firmware has.
#[derive(Clone, Copy, Debug)]
pub struct Desc {
    pub packet: Packet,
    pub to: StaIx,
    pub tid: Tid,
    /// What AQL was charged for it.
    pub charged: Span,
    /// It is in one MPDU with what was taken before it: the host forms A-MSDUs.
    joined: bool,
    /// Its receiver has it: for accounting only.
    landed: bool,
}

/// All descriptors.
#[derive(Debug)]
pub struct Descriptors {
    descs: Vec<Desc>,
    free: Vec<Slot>,
    landed: u16,
}

impl Descriptors {
    pub fn new(msdus: u16) -> Descriptors {
        use crate::sim::{FlowId, Kind, NodeId};
        let packet = Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(0));
        let blank = Desc { packet, to: StaIx::AP, tid: Tid::new(0), charged: Span::ZERO, joined: false, landed: false };
        Descriptors { descs: vec![blank; usize::from(msdus)], free: (0..msdus).rev().collect(), landed: 0 }
    }
    /// MSDUs that the firmware has (`num_pending_tx`).
    pub fn pending(&self) -> u16 {
        (self.descs.len() - self.free.len()) as u16
    }
    /// Whether a descriptor is free (`ath10k_htt_tx_inc_pending` would not answer -EBUSY).
    pub fn has_room(&self) -> bool {
        !self.free.is_empty()
    }
    /// A packet goes to the firmware. There must be room.
    pub fn take(&mut self, p: &Packet, to: StaIx, tid: Tid, charged: Span) -> Slot {
        let slot = self.free.pop().expect("a free descriptor");
        self.descs[usize::from(slot)] = Desc { packet: *p, to, tid, charged, joined: false, landed: false };
        slot
    }
    /// How many more [`Descriptors::take_more`] can take.
    pub fn left(&self) -> u32 {
        u32::from(Slot::MAX - self.pending())
    }
    /// The same where there is no number of them that the hardware has: there are as many as are needed. Without AQL.
    pub fn take_more(&mut self, p: &Packet, to: StaIx, tid: Tid) -> Slot {
        if self.free.is_empty() {
            self.free.push(self.descs.len() as Slot);
            self.descs.push(Desc { packet: *p, to, tid, charged: Span::ZERO, joined: false, landed: false });
        }
        self.take(p, to, tid, Span::ZERO)
    }
    /// Whom a packet is for.
    pub fn of(&self, slot: Slot) -> (StaIx, Tid) {
        let d = &self.descs[usize::from(slot)];
        (d.to, d.tid)
    }
    /// It is in one MPDU with what was taken before it.
    pub fn join(&mut self, slot: Slot) {
        self.descs[usize::from(slot)].joined = true;
    }
    /// Whether it is.
    pub fn is_joined(&self, slot: Slot) -> bool {
        self.descs[usize::from(slot)].joined
    }
    pub fn packet(&self, slot: Slot) -> &Packet {
        &self.descs[usize::from(slot)].packet
    }
    /// The receiver has it: for accounting only.
    pub fn landed(&mut self, slot: Slot) {
        let d = &mut self.descs[usize::from(slot)];
        self.landed += u16::from(!d.landed);
        d.landed = true;
    }
    /// A completion: the skb is freed. What the receiver has, though no acknowledgement came, is no drop.
    pub fn complete(&mut self, slot: Slot, ok: bool, sink: &mut Sink<'_>) -> Desc {
        let d = self.descs[usize::from(slot)];
        self.landed -= u16::from(d.landed);
        self.free.push(slot);
        if ok || d.landed {
            sink.free(&d.packet);
        } else {
            sink.drop(d.packet, Place::Driver, Reason::Retries);
        }
        d
    }
    /// Whether the receiver has it.
    pub fn has_landed(&self, slot: Slot) -> bool {
        self.descs[usize::from(slot)].landed
    }
    /// Packets that it has and that their receivers have not.
    pub fn owed(&self) -> u64 {
        u64::from(self.pending() - self.landed)
    }
}
