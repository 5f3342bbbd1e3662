//! The TCP ACK Optimisation: a receiver's TCP ACKs wait until the A-MPDU that they answer has been taken in whole.
//!
//! In: each received packet that is no duplicate, before the stack takes it ([`Tao::received`]) and after ([`Tao::done`]), and each
//! packet on its way down ([`Tao::sent`]). Out: pure ACKs, held and then let go together ([`Tao::release`]), for one aggregate. Whatever stands above
//! and below, the qdisc too, is not its business.
//!
//! Stands for: the thesis's sections 4.7.2 and 4.8.2.
//! How its words are read:
//! * `data_to_ack` counts segments of a TID that came and are not acknowledged; an ACK takes `ack_cnt` off it, the segments that
//!   TCP answers with it. The thesis has TCP pass that number. Here TAO knows it by itself: the flow's segments that went up since
//!   its last ACK came down. A duplicate ACK so counts for the segment that caused it; cumulative sequence numbers alone would
//!   leave the counter high after every loss, and the very ACKs that tell of the loss would be held.
//! * "Reaches one" is read as *at most one*: with an even number it steps from two to zero. One segment may be left because TCP
//!   delays every other ACK: the odd one at the end of an A-MPDU is not waited for. It is looked at when TCP is through with the
//!   packet, so that where TCP acknowledges every segment (quick ACKs, duplicates) the last ACK goes with the others.
//! * `more_data` is true from an A-MPDU's first packet to its last, and false when the last has gone up.
//! * "Each non-duplicate packet" is one that goes up, or ([`Params::behind_holes`]) one that comes, and so counts while it waits in the
//!   reorder buffer behind a hole. 3.18's mac80211 tells duplicates of an A-MPDU where it puts packets into that buffer
//!   (net/mac80211/rx.c ieee80211_sta_manage_reorder_buf).
//! * "The last packet in the A-MPDU" is, accordingly, the last one that an A-MPDU's arrival lets through the reorder buffer, or the
//!   one that the hardware marks, if it came whole: what fails its checksum ends in the driver, and its mark with it
//!   (linux@3.18 drivers/net/wireless/ath/ath9k/recv.c ath9k_rx_skb_preprocess, ath9k_apply_ampdu_details: `rs_moreaggr`). Then
//!   `more_data` stays true, and the ACKs go with those of the A-MPDU that brings the packet again.
//!
//! Differs: D1 where packets count as they come, `more_data` still changes as they go up. D2
//! a packet that is not a pure ACK passes, and may overtake held ones. D3 it stands above the qdisc, not below it.

use crate::sim::{FlowId, Kind, Packet};
use crate::wifi::Tid;

crate::params! {
    /// What a user sets of TAO.
    pub struct Params {
        /// Stations hold their TCP ACKs back until the A-MPDU has been taken in.
        enabled: bool = false, src "thesis section 4.7.2";
        /// Segments that may be without an ACK when the held ones are let go.
        leave: u16 = 1, in 0 => 64, unit "segments", src "thesis section 4.8.2: until data_to_ack reaches one";
        /// Packets count when they come, not when they go up: segments that wait behind a hole in the reorder buffer are without an ACK,
        /// too, and an A-MPDU whose last packet was lost has not ended.
        behind_holes: bool = false, src "thesis section 4.8.2: each non-duplicate packet; linux@3.18 net/mac80211/rx.c ieee80211_sta_manage_reorder_buf";
    }
}

/// What happens to a packet on its way down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// It goes on.
    Passes,
    /// It is held.
    Held,
    /// It is held, and all that are held go now.
    Released,
}

/// One TID.
#[derive(Clone, Debug, Default)]
struct Waiting {
    data_to_ack: u32,
    more_data: bool,
    held: Vec<Packet>,
    /// Segments by flow that went up since its last ACK.
    flows: Vec<(FlowId, u32)>,
}

impl Waiting {
    fn segments(&mut self, flow: FlowId) -> &mut u32 {
        let i = self.flows.iter().position(|f| f.0 == flow).unwrap_or_else(|| {
            self.flows.push((flow, 0));
            self.flows.len() - 1
        });
        &mut self.flows[i].1
    }
}

/// A station's held ACKs.
#[derive(Clone, Debug)]
pub struct Tao {
    leave: u32,
    behind_holes: bool,
    tids: [Waiting; Tid::COUNT],
}

impl Tao {
    /// Nothing held.
    pub fn new(p: &Params) -> Tao {
        Tao { leave: p.leave.into(), behind_holes: p.behind_holes, tids: Default::default() }
    }
    /// `p` is about to go up; `last`: it ends its A-MPDU.
    pub fn received(&mut self, tid: Tid, p: &Packet, last: bool) {
        let w = &mut self.tids[tid.ix()];
        w.more_data = !last;
        if p.kind != Kind::Tcp || p.payload == 0 {
            return;
        }
        let n = u32::from(p.segs); // it counts below GRO
        w.data_to_ack += n;
        *w.segments(p.flow) += n;
    }
    /// An A-MPDU has arrived, `whole`: with its last packet, which `waits`: it lies behind a hole, and so does all of the A-MPDU. Whether the
    /// last packet that goes up of it tells that it has ended.
    pub fn ends(&mut self, tid: Tid, whole: bool, waits: bool) -> bool {
        let w = &mut self.tids[tid.ix()];
        w.more_data &= !(self.behind_holes && waits);
        whole || !self.behind_holes
    }
    /// TCP is through with a packet; `behind`: packets of the TID in the reorder buffer. True: what is held may go.
    pub fn done(&self, tid: Tid, behind: u32) -> bool {
        self.due(tid, behind)
    }
    /// `p` comes down, while `behind` packets of the TID are in the reorder buffer.
    pub fn sent(&mut self, tid: Tid, p: &Packet, behind: u32) -> Sent {
        if p.kind != Kind::Tcp {
            return Sent::Passes;
        }
        let w = &mut self.tids[tid.ix()];
        let ack_cnt = core::mem::take(w.segments(p.flow));
        w.data_to_ack -= ack_cnt;
        if !p.is_pure_ack() {
            return Sent::Passes;
        }
        if w.held.is_empty() && ack_cnt == 0 && w.data_to_ack == 0 {
            return Sent::Passes; // it answers no data: a handshake's, or a window's
        }
        w.held.push(*p);
        if self.due(tid, behind) { Sent::Released } else { Sent::Held }
    }
    fn due(&self, tid: Tid, behind: u32) -> bool {
        let w = &self.tids[tid.ix()];
        let to_ack = w.data_to_ack + if self.behind_holes { behind } else { 0 };
        !w.held.is_empty() && !w.more_data && to_ack <= self.leave
    }
    /// Moves what is held to `to`, in order.
    pub fn release(&mut self, tid: Tid, to: &mut Vec<Packet>) {
        to.append(&mut self.tids[tid.ix()].held);
    }
    /// Packets held.
    pub fn held(&self) -> u64 {
        self.tids.iter().map(|w| w.held.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::NodeId;
    use crate::sim::packet::flags;

    const BE: Tid = Tid::new(0);

    fn packet(flow: u16, payload: u32) -> Packet {
        let p = Packet::blank(Kind::Tcp, FlowId(flow), NodeId(0), NodeId(1));
        Packet { payload, flags: flags::ACK, ..p }
    }
    /// A segment that TCP does not answer; whether what is held goes.
    fn data(t: &mut Tao, flow: u16, last: bool) -> bool {
        t.received(BE, &packet(flow, 1448), last);
        t.done(BE, 0)
    }
    /// A segment and the ACK that answers it.
    fn answered(t: &mut Tao, flow: u16, last: bool) -> Sent {
        t.received(BE, &packet(flow, 1448), last);
        ack(t, flow)
    }
    fn ack(t: &mut Tao, flow: u16) -> Sent {
        t.sent(BE, &packet(flow, 0), 0)
    }
    fn go(t: &mut Tao) -> usize {
        let mut v = vec![];
        t.release(BE, &mut v);
        v.len()
    }

    #[test]
    fn an_even_ampdu_is_answered_by_one_aggregate() {
        let mut t = Tao::new(&Params::default());
        for i in 1..=42 {
            if i % 2 == 0 {
                let s = answered(&mut t, 0, i == 42);
                assert_eq!(s, if i == 42 { Sent::Released } else { Sent::Held }, "{i}");
            } else {
                assert!(!data(&mut t, 0, false));
            }
        }
        assert_eq!((go(&mut t), t.held()), (21, 0));
    }

    #[test]
    fn an_odd_one_does_not_wait_for_the_delayed_ack() {
        let mut t = Tao::new(&Params::default());
        for i in 1..=7 {
            if i % 2 == 0 {
                assert_eq!(answered(&mut t, 0, false), Sent::Held);
            } else {
                assert_eq!(data(&mut t, 0, i == 7), i == 7, "the last segment itself lets the three ACKs go");
            }
        }
        assert_eq!(go(&mut t), 3);
        // The next A-MPDU's first segment completes the pair.
        assert_eq!(answered(&mut t, 0, false), Sent::Held, "more of it follows");
        assert!(data(&mut t, 0, true), "the odd one again");
        assert_eq!(go(&mut t), 1);
    }

    #[test]
    fn an_ampdu_may_end_with_what_is_no_data() {
        let mut t = Tao::new(&Params::default());
        data(&mut t, 0, false);
        assert_eq!(answered(&mut t, 0, false), Sent::Held);
        t.received(BE, &packet(1, 0), true); // the ACK of an upload
        assert!(t.done(BE, 0));
        assert_eq!(go(&mut t), 1);
    }

    #[test]
    fn duplicate_acks_count_for_what_caused_them() {
        let mut t = Tao::new(&Params::default());
        for i in 1..=5 {
            // A hole before them: TCP answers each.
            let s = answered(&mut t, 0, i == 5);
            assert_eq!(s, if i == 5 { Sent::Released } else { Sent::Held });
        }
        assert_eq!(go(&mut t), 5);
    }

    #[test]
    fn what_waits_behind_a_hole_counts_where_it_is_counted_as_it_comes() {
        for behind_holes in [false, true] {
            let mut t = Tao::new(&Params { behind_holes, ..Params::default() });
            t.received(BE, &packet(0, 1448), false);
            t.received(BE, &packet(0, 1448), true);
            let s = t.sent(BE, &packet(0, 0), 10);
            assert_eq!(s, if behind_holes { Sent::Held } else { Sent::Released });
            assert!(t.done(BE, 0), "the hole is filled, or given up");
        }
    }

    #[test]
    fn an_ampdu_that_lost_its_last_packet_has_not_ended_where_packets_count_as_they_come() {
        for behind_holes in [false, true] {
            let mut t = Tao::new(&Params { behind_holes, ..Params::default() });
            // Two of three came.
            let last = t.ends(BE, false, false);
            t.received(BE, &packet(0, 1448), false);
            t.received(BE, &packet(0, 1448), last);
            assert_eq!(ack(&mut t, 0), if behind_holes { Sent::Held } else { Sent::Released });
            go(&mut t);
            // The third comes again, and another behind it: one ACK for the two.
            let last = t.ends(BE, true, false);
            t.received(BE, &packet(0, 1448), false);
            t.received(BE, &packet(0, 1448), last);
            assert_eq!(ack(&mut t, 0), Sent::Released);
            // An A-MPDU that came whole, but behind a hole, has ended all the same.
            let last = t.ends(BE, false, false);
            t.received(BE, &packet(0, 1448), last);
            t.ends(BE, true, true);
            assert!(!t.tids[BE.ix()].more_data);
        }
    }

    #[test]
    fn a_slow_host_is_waited_for() {
        let mut t = Tao::new(&Params::default());
        for i in 1..=6 {
            t.received(BE, &packet(0, 1448), i == 6);
        }
        assert_eq!(ack(&mut t, 0), Sent::Released, "one ACK for all that had gone up");
        assert_eq!(go(&mut t), 1);
        for i in 1..=3 {
            t.received(BE, &packet(0, 1448), i == 3);
        }
        t.received(BE, &packet(1, 1448), true);
        assert_eq!(ack(&mut t, 0), Sent::Released, "one segment of the other flow may be left");
    }

    #[test]
    fn what_answers_no_data_passes() {
        let mut t = Tao::new(&Params::default());
        assert_eq!(ack(&mut t, 0), Sent::Passes);
        data(&mut t, 0, false);
        assert_eq!(t.sent(BE, &packet(0, 100), 0), Sent::Passes, "data with an ACK on it");
        assert_eq!(t.sent(BE, &Packet::blank(Kind::Udp, FlowId(1), NodeId(1), NodeId(0)), 0), Sent::Passes);
        assert_eq!(t.held(), 0);
    }
}
