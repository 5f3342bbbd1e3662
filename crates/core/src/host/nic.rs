//! A wired network card's receive side: frames gather until an interrupt tells the host, which polls them off (NAPI).
//!
//! Enters: frames, with the time of their arrival, in order. Leaves: when the host is to poll, and then the frames.
//! Stands for: BCM5761 under tg3, the only wired card that the papers name ("The New TCP Modules on the Block", section IV): the status
//! block is written, and an interrupt raised, so long after the first frame that it does not tell of, or when so many are there (Broadcom
//! BCM5718 programmer's guide, host coalescing, clear-ticks mode); linux@6.12 drivers/net/ethernet/broadcom/tg3.c tg3_init_coal,
//! tg3_poll, tg3_get_invariants (TAGGED_STATUS: clear-ticks mode). With other values: Realtek's under r8169 (`rx_usecs` 200, `rx_frames` 4: what
//! rtl_hw_start_8168 wrote to IntrMitigate until 5.x, 0x5151, in rtl_coalesce_info_8168_8136's units); Intel's under e1000e (`rx_gap` 50 us, a
//! frame that comes later than that is told of at once: netdev.c e1000_set_itr, e1000_update_itr, low latency in mode 3, the default).
//! Differs: D1 the interrupt itself takes no time (the host's time a frame covers it); D2 frames that come while the host polls wait for
//! the next interrupt, which comes when the poll ends at the earliest; D3 no budget: a poll takes what is there, which at 1 Gbit/s is
//! some frames, never 64; D4 transmit completions cause no interrupts here, so that they do not take received frames along; D5 a port
//! that only forwards is caught up with when the host polls, so that the fifth of several small frames behind its queueing
//! discipline may be seen up to 20 us late; D6 e1000e's gap does not adapt: 50 us at 1 Gbit/s are five frames, fewer than the 10,000 bytes
//! from which it would go to 250 us; D7 its ring has no end: a host that takes longer for a frame
//! than the cable does falls behind without a bound.

use super::gro::Gro;
use crate::params;
use crate::sim::{Owner, Packet, Span, Time};
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
        /// It comes so long after the one before at the earliest.
        rx_gap: Span = Span::ZERO, in Span::ZERO => Span::from_us(1023), src "0: tg3 has none; linux@6.12 drivers/net/ethernet/intel/e1000e/netdev.c e1000_set_itr";
    }
}

/// Shorter frames a driver copies, bytes. src: linux@6.12 drivers/net/ethernet/intel/e1000e/netdev.c e1000_clean_rx_irq (copybreak);
/// broadcom/tg3.c TG3_RX_COPY_THRESHOLD
const COPYBREAK: u32 = 256;
/// What such a copy is charged: 192 bytes of data and head room (a 512-byte bucket with `skb_shared_info`), and `struct sk_buff`.
const COPIED: u32 = 768;

/// The memory of a frame of so many bytes with its Ethernet header: its buffer's, or of the copy that a short one is put into.
#[inline]
pub const fn charged(frame: u32, buffer: u32) -> u32 {
    if frame < COPYBREAK && COPIED < buffer { COPIED } else { buffer }
}

/// What becomes of a frame in a buffer of so much memory: nobody sent it from here, and its hash is that of its headers.
#[inline]
pub fn take_in(p: &mut Packet, buffer: u32) {
    (p.owner, p.txhash, p.truesize) = (Owner::NONE, 0, charged(p.eth_len(), buffer));
}

/// The receive side of a card.
#[derive(Clone, Debug)]
pub struct Nic {
    /// Frames that are here or announced, with the time of their arrival.
    ring: VecDeque<(Time, Packet)>,
    wait: Span,
    frames: usize,
    gap: Span,
    /// The last interrupt.
    last: Time,
    /// When the host polls next, or never.
    due: Time,
    /// The last poll's end: interrupts are off before.
    polled: Time,
    gro: Option<Gro>,
    /// The port at the other end of its cable.
    pub port: u16,
}

impl Nic {
    /// A card as `p` has it, at the far end of `port`'s cable; none where it would do nothing.
    pub fn new(p: &Params, port: u16) -> Option<Nic> {
        let acts = p.gro || p.rx_usecs > Span::ZERO || p.rx_gap > Span::ZERO;
        acts.then(|| Nic {
            ring: VecDeque::with_capacity(256),
            wait: p.rx_usecs,
            frames: p.rx_frames as usize,
            gap: p.rx_gap,
            last: Time::ZERO,
            due: Time::NEVER,
            polled: Time::ZERO,
            gro: p.gro.then(Gro::default),
            port,
        })
    }
    /// At `now` it is known that a frame arrives at `at`, which is not before any earlier one, in a buffer of so much memory. When the host
    /// is to poll, if that has become earlier.
    #[inline]
    pub fn arrive(&mut self, now: Time, at: Time, p: &Packet, buffer: u32) -> Option<Time> {
        self.ring.push_back((at, *p));
        take_in(&mut self.ring.back_mut().expect("it was just put there").1, buffer);
        let n = self.ring.len();
        if n != 1 && n != self.frames {
            return None;
        }
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
        Some(first.min(full).max(self.polled).max(self.last + self.gap))
    }
    /// The host polls off what has arrived, `cost` a frame. `up` gets each packet and when it goes up. Returns how many frames went into
    /// another packet, when the poll is over, and when to poll next.
    pub fn poll(
        &mut self,
        now: Time,
        begin: Time,
        cost: Span,
        mut up: impl FnMut(Time, &Packet),
    ) -> (u64, Time, Option<Time>) {
        self.last = now;
        let n = self.ring.iter().take_while(|f| f.0 <= now).count();
        let at = |frames: usize| begin + cost * frames as i64;
        let merged = match &mut self.gro {
            Some(g) => g.poll(&mut self.ring, n, |i, p| up(at(i), p)),
            None => {
                self.ring.drain(..n).enumerate().for_each(|(i, f)| up(at(i + 1), &f.1));
                0
            }
        };
        self.polled = at(n);
        self.due = self.interrupt().unwrap_or(Time::NEVER);
        (merged, self.polled, (!self.due.is_never()).then_some(self.due))
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

    const BUFFER: u32 = 2_304;

    fn frame() -> Packet {
        Packet::blank(Kind::Udp, FlowId(0), NodeId(0), NodeId(1))
    }

    #[test]
    fn the_first_frame_waits_twenty_microseconds_the_fifth_not_at_all() {
        let mut n = Nic::new(&Params::default(), 0).unwrap();
        let us = Time::from_us;
        assert_eq!(n.arrive(us(0), us(100), &frame(), BUFFER), Some(us(120)));
        assert_eq!(n.arrive(us(0), us(112), &frame(), BUFFER), None, "it is told of with the first");
        let (mut m, mut up) = (n.clone(), Vec::new());
        let polled = m.poll(us(120), us(120), Span::from_us(2), |at, _| up.push(at));
        assert_eq!((polled, up), ((0, us(124), None), vec![us(122), us(124)]));
        assert_eq!(m.arrive(us(0), us(130), &frame(), BUFFER), Some(us(150)), "the next one waits anew");
        assert_eq!(
            (n.arrive(us(0), us(113), &frame(), BUFFER), n.arrive(us(0), us(114), &frame(), BUFFER)),
            (None, None)
        );
        assert_eq!(n.arrive(us(0), us(115), &frame(), BUFFER), Some(us(115)), "five");
    }

    #[test]
    fn an_interrupt_waits_for_the_end_of_the_poll() {
        let mut n = Nic::new(&Params { rx_frames: 1, ..Params::default() }, 0).unwrap();
        let us = Time::from_us;
        assert_eq!(n.arrive(us(0), us(10), &frame(), BUFFER), Some(us(10)));
        assert_eq!(n.arrive(us(0), us(11), &frame(), BUFFER), None, "nothing before the poll is over");
        assert_eq!(n.poll(us(10), us(10), Span::from_us(2), |_, _| ()), (0, us(12), Some(us(12))));
    }

    #[test]
    fn intels_interrupts_keep_their_distance() {
        let us = Time::from_us;
        let p = Params { rx_usecs: Span::ZERO, rx_frames: 255, rx_gap: Span::from_us(50), ..Params::default() };
        let mut n = Nic::new(&p, 0).unwrap();
        assert_eq!(n.arrive(us(0), us(100), &frame(), BUFFER), Some(us(100)), "the first one is told of at once");
        for at in [112, 124, 136] {
            n.arrive(us(0), us(at), &frame(), BUFFER);
        }
        assert_eq!(n.poll(us(100), us(100), Span::from_us(2), |_, _| ()), (0, us(102), Some(us(150))));
        let mut up = 0;
        assert_eq!(n.poll(us(150), us(150), Span::from_us(2), |_, _| up += 1), (0, us(156), None));
        assert_eq!(up, 3, "those that came within the gap, together");
        assert_eq!(n.arrive(us(156), us(160), &frame(), BUFFER), Some(us(200)));
    }

    #[test]
    fn a_card_without_gro_and_moderation_is_none() {
        assert!(Nic::new(&Params { gro: false, rx_usecs: Span::ZERO, rx_frames: 1, ..Params::default() }, 0).is_none());
    }
}
