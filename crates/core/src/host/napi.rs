//! What a radio whose driver polls by NAPI (ath10k, mt76) hands up in one go: frames that follow each other in a TCP stream are merged.
//!
//! Enters: what mac80211 has of a PPDU, in order. Leaves: the same bytes in fewer packets, when the poll that it fell into ends.
//! Stands for: linux@6.12 drivers/net/wireless/ath/ath10k/pci.c ath10k_pci_napi_poll, htt_rx.c ath10k_htt_txrx_compl_task; net/core/dev.c
//! __napi_poll; net/mac80211/rx.c ieee80211_rx_napi (napi_gro_receive). ath10k polls so from 4.9 on; ath9k and ath9k_htc do not.
//! drivers/net/wireless/mediatek/mt76/mac80211.c mt76_rx_complete.
//! Differs: D1 a PPDU's frames are all there when the first poll begins, and no other PPDU's; D2 with a tick of 1 ms or less what a full
//! poll holds back always waits for the next one (in Linux: unless it has waited since an earlier tick).

use super::gro::Gro;
use crate::sim::{Packet, Time};
use std::collections::VecDeque;

/// Frames in a poll at most, as the driver hands them to mac80211, which may hold some back for a later one to bring along.
/// src: linux@6.12 include/linux/netdevice.h NAPI_POLL_WEIGHT
const BUDGET: usize = 64;

/// The polls of one radio.
#[derive(Clone, Debug)]
pub struct Napi {
    frames: VecDeque<(Time, Packet)>,
    /// Of these, how many each poll brings.
    polls: Vec<usize>,
    gro: Gro,
    /// What a full poll holds back goes up when it ends. src: linux@6.12 net/core/dev.c __napi_poll (HZ >= 1000)
    flushes: bool,
}

impl Napi {
    /// On a host with so many ticks a second.
    pub fn new(hz: u32) -> Napi {
        let (frames, polls) = (VecDeque::with_capacity(4 * BUDGET), Vec::with_capacity(64));
        Napi { frames, polls, gro: Gro::default(), flushes: hz < 1000 }
    }
    /// mac80211 lets go of a packet when it is given the `frame`-th frame, counted from 0.
    #[inline]
    pub fn receive(&mut self, frame: u16, p: &Packet) {
        let poll = if self.flushes { usize::from(frame) / BUDGET } else { 0 };
        while self.polls.len() <= poll {
            self.polls.push(0);
        }
        self.polls[poll] += 1;
        self.frames.push_back((Time::ZERO, *p));
    }
    /// The polls that it takes; `up` gets each packet. Where one of them ends an A-MPDU, the last to go up does. Returns how many frames
    /// went into another packet.
    pub fn poll(&mut self, mut up: impl FnMut(&Packet)) -> u64 {
        let ends = self.frames.iter().any(|(_, p)| p.ends_ampdu);
        let (mut merged, mut last) = (0, None);
        for n in self.polls.drain(..) {
            merged += self.gro.poll(&mut self.frames, n, |_, p| {
                if let Some(before) = last.replace(Packet { ends_ampdu: false, ..*p }) {
                    up(&before);
                }
            });
        }
        if let Some(p) = last {
            up(&Packet { ends_ampdu: ends, ..p });
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    fn segment(n: u32) -> Packet {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        (p.seq, p.ident, p.payload, p.headers, p.truesize) = (n * 1448, n as u16, 1448, 52, 2304);
        p
    }
    /// What goes up of so many segments, the last of which ends its A-MPDU: segments of each packet, and whether it ends it.
    fn poll(hz: u32, n: u32) -> Vec<(u16, bool)> {
        let mut napi = Napi::new(hz);
        (0..n).for_each(|i| napi.receive(i as u16, &Packet { ends_ampdu: i + 1 == n, ..segment(i) }));
        let mut up = vec![];
        let merged = napi.poll(|p| up.push((p.segs, p.ends_ampdu)));
        assert_eq!(merged, u64::from(n) - up.len() as u64);
        up
    }

    #[test]
    fn a_polls_frames_are_merged_and_the_last_packet_ends_the_ampdu() {
        assert_eq!(poll(300, 1), [(1, true)]);
        assert_eq!(poll(300, 42), [(42, true)]);
    }

    #[test]
    fn a_poll_takes_64_frames_and_gro_64_kib() {
        let of = |hz, n| poll(hz, n).iter().map(|u| u.0).collect::<Vec<_>>();
        assert_eq!(of(300, 192), [45, 19, 45, 19, 45, 19]);
        assert_eq!(of(1000, 192), [45, 45, 45, 45, 12], "what is held outlives a poll of less than a tick");
    }

    /// A frame fills a hole, and a hundred that waited behind it come with it: one poll.
    #[test]
    fn what_was_held_back_is_of_the_poll_that_lets_it_go() {
        let mut napi = Napi::new(300);
        (0..101).for_each(|i| napi.receive(0, &segment(i)));
        (101..104).for_each(|i| napi.receive(64, &segment(i)));
        let mut up = vec![];
        napi.poll(|p| up.push(p.segs));
        assert_eq!(up, [45, 45, 11, 3]);
    }

    #[test]
    fn a_ping_that_ends_the_ampdu_leaves_that_to_what_goes_up_behind_it() {
        let mut napi = Napi::new(300);
        napi.receive(0, &segment(0));
        let ping = Packet::blank(Kind::EchoRequest, FlowId(9), NodeId(0), NodeId(1));
        napi.receive(1, &Packet { ends_ampdu: true, ..ping });
        let mut up = vec![];
        napi.poll(|p| up.push((p.kind, p.ends_ampdu)));
        assert_eq!(up, [(Kind::EchoRequest, false), (Kind::Tcp, true)]);
    }
}
