//! A wired network card's receive side: frames gather until an interrupt tells the host, which polls them off (NAPI).
//!
//! Enters: frames, with the time of their arrival, in order. Leaves: when the host is to poll, and then the frames.
//! Stands for: BCM5761 under tg3, the only wired card that the papers name ("The New TCP Modules on the Block", section IV): the status
//! block is written, and an interrupt raised, so long after the first frame that it does not tell of, or when so many are there (Broadcom
//! BCM5718 programmer's guide, host coalescing, clear-ticks mode); linux@6.12 drivers/net/ethernet/broadcom/tg3.c tg3_init_coal,
//! tg3_poll, tg3_get_invariants (TAGGED_STATUS: clear-ticks mode).
//! Differs: D1 the interrupt itself takes no time (the host's time a frame covers it); D2 frames that come while the host polls wait for
//! the next interrupt, which comes when the poll ends at the earliest; D3 no budget: a poll takes what is there, which at 1 Gbit/s is
//! some frames, never 64; D4 transmit completions cause no interrupts here, so that they do not take received frames along.

use super::gro::Gro;
use crate::params;
use crate::sim::{Packet, Span, Time};
use std::collections::VecDeque;

params! {
    /// The wired network cards' receive side.
    pub struct Params {
        /// Generic receive offload.
        gro: bool = true, src "linux@6.12 include/linux/netdev_features.h NETIF_F_SOFT_FEATURES: on unless switched off";
        /// An interrupt comes so long after the first frame. With 0 and no GRO each frame is taken as it comes.
        rx_usecs: Span = Span::from_us(20), in Span::ZERO => Span::from_us(1023), src "linux@6.12 drivers/net/ethernet/broadcom/tg3.h LOW_RXCOL_TICKS_CLRTCKS";
        /// It comes at once when so many wait.
        rx_frames: u32 = 5, in 1 => 255, src "linux@6.12 drivers/net/ethernet/broadcom/tg3.h LOW_RXMAX_FRAMES";
    }
}

/// The receive side of a card.
#[derive(Clone, Debug)]
pub struct Nic {
    ring: VecDeque<(Time, Packet)>,
    wait: Span,
    frames: usize,
    /// When the host polls next, or never.
    due: Time,
    /// The last poll's end: interrupts are off before.
    polled: Time,
    pub(super) gro: Option<Gro>,
}

impl Nic {
    /// A card as `p` has it; none where it would do nothing.
    pub fn new(p: &Params) -> Option<Nic> {
        let acts = p.gro || p.rx_usecs > Span::ZERO;
        acts.then(|| Nic {
            ring: VecDeque::with_capacity(256),
            wait: p.rx_usecs,
            frames: p.rx_frames as usize,
            due: Time::NEVER,
            polled: Time::ZERO,
            gro: p.gro.then(Gro::default),
        })
    }
    /// At `now` it is known that a frame arrives at `at`, which is not before any earlier one. When the host is to poll, if that has
    /// become earlier.
    #[inline]
    pub fn arrive(&mut self, now: Time, at: Time, p: &Packet) -> Option<Time> {
        self.ring.push_back((at, *p));
        let by = self.interrupt()?.max(now);
        (by < self.due).then(|| {
            self.due = by;
            by
        })
    }
    /// When the host is to poll.
    #[inline]
    pub fn due(&self) -> Time {
        self.due
    }
    /// When the frames that wait raise an interrupt.
    #[inline]
    fn interrupt(&self) -> Option<Time> {
        let first = self.ring.front()?.0 + self.wait;
        let full = self.ring.get(self.frames - 1).map_or(first, |f| f.0);
        Some(first.min(full).max(self.polled))
    }
    /// The next frame that has arrived by `now`.
    #[inline]
    pub(super) fn take(&mut self, now: Time) -> Option<Packet> {
        if self.ring.front()?.0 > now {
            return None;
        }
        self.ring.pop_front().map(|f| f.1)
    }
    /// The poll is over at `end`. When the next is due.
    pub(super) fn polled(&mut self, end: Time) -> Option<Time> {
        self.polled = end;
        self.due = self.interrupt().unwrap_or(Time::NEVER);
        (!self.due.is_never()).then_some(self.due)
    }
    /// Frames that wait.
    pub(super) fn held(&self) -> usize {
        self.ring.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    fn frame() -> Packet {
        Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1))
    }

    #[test]
    fn the_first_frame_waits_twenty_microseconds_the_fifth_not_at_all() {
        let mut n = Nic::new(&Params::default()).unwrap();
        let us = Time::from_us;
        assert_eq!(n.arrive(us(0), us(100), &frame()), Some(us(120)));
        assert_eq!(n.arrive(us(0), us(112), &frame()), None, "it is told of with the first");
        let mut m = n.clone();
        assert_eq!(
            (m.take(us(120)).is_some(), m.take(us(120)).is_some(), m.take(us(120)).is_none()),
            (true, true, true)
        );
        assert_eq!(m.polled(us(124)), None);
        assert_eq!(m.arrive(us(0), us(130), &frame()), Some(us(150)), "the next one waits anew");
        assert_eq!((n.arrive(us(0), us(113), &frame()), n.arrive(us(0), us(114), &frame())), (None, None));
        assert_eq!(n.arrive(us(0), us(115), &frame()), Some(us(115)), "five");
    }

    #[test]
    fn an_interrupt_waits_for_the_end_of_the_poll() {
        let mut n = Nic::new(&Params { rx_frames: 1, ..Params::default() }).unwrap();
        let us = Time::from_us;
        assert_eq!(n.arrive(us(0), us(10), &frame()), Some(us(10)));
        n.take(us(10));
        assert_eq!(n.arrive(us(0), us(11), &frame()), None, "nothing before the poll is over");
        assert_eq!(n.polled(us(12)), Some(us(12)));
    }

    #[test]
    fn a_card_without_gro_and_moderation_is_none() {
        assert!(Nic::new(&Params { gro: false, rx_usecs: Span::ZERO, rx_frames: 1 }).is_none());
    }
}
