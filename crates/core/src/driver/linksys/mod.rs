//! The thesis's commercial access point (Linksys WRT610N, a Broadcom chip): short aggregates, several of them back to back.
//!
//! Enters: packets for the stations. Leaves: bursts of A-MPDUs of at most 16 MPDUs within one transmit opportunity.
//!
//! ```text
//! FIFO a (station, TID), round robin -> 64 descriptors -> A-MPDUs of up to 16 -> air, until the burst's time is over
//! ```
//!
//! Stands for: thesis section 4.8.3 (what was seen of it: at most 16 frames, 5 % of accesses with one aggregate, three in the
//! median, fair to its stations); its maker's published driver for chips of the family, linux@6.12
//! drivers/net/wireless/broadcom/brcm80211/brcmsmac/{ampdu,main}.c. The device's own software is closed.
//! Aggregation, retries and BARs are [`offload`](super::offload)'s, driven as by [`ath10k`](super::ath10k), with this device's limits.
//! Differs: D1 the published driver has one queue that its stations share; the thesis saw fairness, so here each has its own;
//! D2 one opportunity a burst, whatever follows which; D3 reception takes no time.

use super::ath10k::{self, Ath10k};
use super::offload::Above;
use crate::sim::{Bin, Packet, Place, Reason, Span, Time, Verdict};
use crate::wifi::{Ac, Sink, StaIx, Tid};
use std::collections::VecDeque;

crate::params! {
    /// A Linksys WRT610N.
    pub struct Params {
        /// MPDUs in an A-MPDU at most.
        ampdu_frames: u8 = 16, in 1 => 64, src "thesis section 4.8.3; linux@6.12 brcmsmac/ampdu.c AMPDU_NUM_MPDU";
        /// How long one won opportunity lasts: 10 ms at most in the published driver. Calibrated: three full aggregates at 135 Mbit/s, each
        /// with its RTS and CTS.
        burst: Span = Span::from_ms(5), in Span::ZERO => Span::from_ms(10), src "calibrated: thesis fig 4.18, median; linux@6.12 brcmsmac/main.h MAXFRAMEBURST_TXOP";
        /// Packets that the hardware takes.
        descriptors: u16 = 64, in 16 => 1_024, src "assumed: as the maker's published driver, linux@6.12 brcmsmac/main.c NTXD";
        /// A PPDU's time on the air at most.
        airtime: Span = Span::from_ms(5), in Span::from_us(200) => Span::from_us(5_484), src "assumed: as the maker's published driver, linux@6.12 brcmsmac/ampdu.c AMPDU_MAX_DUR";
        /// Retries of an MPDU.
        retries: u8 = 5, in 0 => 30, src "assumed: as the maker's published driver, linux@6.12 brcmsmac/ampdu.c AMPDU_DEF_RETRY_LIMIT";
        /// PSDUs of more bytes are protected by RTS/CTS, each A-MPDU of a burst by its own.
        rts_threshold: Option<u32> = None, in Some(0) => Some(65_535), unit "bytes", src "assumed: as the maker's published driver, linux@6.12 brcmsmac/main.c RTSThresh; ampdu.c brcms_c_ampdu_finalize: TXC_SENDRTS on an A-MPDU's first MPDU";
        /// Packets that wait for one station and TID at most.
        queue: u16 = 256, in 1 => 10_000, src "assumed: the thesis saw no starvation at 14 stations; the published driver's queue holds 256 or so in all";
    }
}

impl Params {
    /// This device's limits, as the shared machinery takes them.
    pub fn machinery(&self) -> ath10k::Params {
        ath10k::Params {
            msdus: self.descriptors,
            ampdu_frames: self.ampdu_frames,
            amsdu_msdus: 1,
            airtime: self.airtime,
            depth: self.descriptors.div_ceil(u16::from(self.ampdu_frames)).min(16) as u8,
            tid_depth: 16,
            retries: self.retries,
            report: Span::ZERO,
            rts_threshold: self.rts_threshold,
            ..ath10k::Params::default()
        }
    }
}

/// The device: the machinery over the stations' FIFOs.
pub type Linksys = Ath10k<Fifos>;

/// One FIFO a (station, TID), served in turn.
#[derive(Debug)]
pub struct Fifos {
    limit: usize,
    queues: Vec<VecDeque<Packet>>,
    /// Queues with packets, in the order of their turn, by category; and how many packets the first may yet send.
    turn: [VecDeque<usize>; Ac::COUNT],
    left: [u8; Ac::COUNT],
    share: u8,
}

impl Fifos {
    /// For stations `0..peers`.
    pub fn new(par: &Params, peers: usize) -> Fifos {
        Fifos {
            limit: par.queue.into(),
            queues: (0..peers * Tid::COUNT).map(|_| VecDeque::with_capacity(par.queue.into())).collect(),
            turn: core::array::from_fn(|_| VecDeque::with_capacity(peers * Tid::COUNT)),
            left: [0; Ac::COUNT],
            share: par.ampdu_frames,
        }
    }
    /// Takes a packet, or drops it if its queue is full.
    pub fn enqueue(&mut self, to: StaIx, tid: Tid, p: &Packet, sink: &mut Sink<'_>) -> Verdict {
        let i = to.ix() * Tid::COUNT + tid.ix();
        let q = &mut self.queues[i];
        if q.len() >= self.limit {
            sink.drop(*p, Place::Driver, Reason::Overlimit);
            return Verdict::Ok;
        }
        q.push_back(*p);
        if q.len() == 1 {
            self.turn[Ac::of(tid).ix()].push_back(i);
        }
        Verdict::Ok
    }
    /// Whether packets for station `to` wait.
    pub fn more_for(&self, to: StaIx) -> bool {
        self.queues[to.ix() * Tid::COUNT..][..Tid::COUNT].iter().any(|q| !q.is_empty())
    }
    /// Packets in them.
    pub fn packets(&self) -> u64 {
        self.queues.iter().map(|q| q.len() as u64).sum()
    }
}

impl Above for Fifos {
    fn start(&mut self, _ac: Ac) {}
    fn turn(&mut self, _now: Time, ac: Ac) -> bool {
        !self.turn[ac.ix()].is_empty()
    }
    fn pull(&mut self, _now: Time, ac: Ac, _sink: &mut Sink<'_>) -> Option<(Packet, StaIx, Tid, Span)> {
        let k = ac.ix();
        let i = *self.turn[k].front()?;
        let p = self.queues[i].pop_front()?;
        self.left[k] = if self.left[k] == 0 { self.share } else { self.left[k] } - 1;
        if self.queues[i].is_empty() || self.left[k] == 0 {
            // The next station's turn: an aggregate's worth each.
            self.left[k] = 0;
            self.turn[k].pop_front();
            if !self.queues[i].is_empty() {
                self.turn[k].push_back(i);
            }
        }
        Some((p, StaIx((i / Tid::COUNT) as u8), Tid::new((i % Tid::COUNT) as u8), Span::ZERO))
    }
    fn give_back(&mut self, _now: Time, _ac: Ac) {}
    fn completed(&mut self, _now: Time, _p: &Packet, _to: StaIx, _tid: Tid, _charged: Span) {}
    /// An aggregate's worth goes down at a time (brcms_c_ampdu_add_frame gathers it).
    fn resumes(&self, pending: u16, most: u16) -> bool {
        pending + u16::from(self.share) <= most
    }
    fn pushes(&self, pending: u16, most: u16) -> bool {
        self.resumes(pending, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    fn packet(seq: u32) -> Packet {
        Packet { seq, ..Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1)) }
    }

    #[test]
    fn stations_take_turns_of_an_aggregate() {
        let (mut freed, mut dropped, mut wants) = (vec![], vec![], vec![]);
        let mut sink = Sink { freed: &mut freed, dropped: &mut dropped, wants: &mut wants };
        let mut f = Fifos::new(&Params { queue: 40, ..Params::default() }, 3);
        for seq in 0..41 {
            f.enqueue(StaIx(1), Tid::new(0), &packet(seq), &mut sink);
        }
        for seq in 0..5 {
            f.enqueue(StaIx(2), Tid::new(0), &packet(seq), &mut sink);
        }
        let mut order = vec![];
        while f.turn(Time::ZERO, Ac::Be) {
            let (_, to, ..) = f.pull(Time::ZERO, Ac::Be, &mut sink).unwrap();
            match order.last_mut() {
                Some((t, n)) if *t == to.0 => *n += 1,
                _ => order.push((to.0, 1)),
            }
        }
        assert_eq!(order, [(1, 16), (2, 5), (1, 24)], "the last of a full queue was dropped");
        assert_eq!((dropped.len(), f.packets()), (1, 0));
    }
}
