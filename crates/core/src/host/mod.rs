//! What a host's CPU does to a received packet: one at a time, each for a while.
//!
//! Enters: packets that a device hands up. Leaves: the same packets, in order, later. A receiver that takes an A-MPDU apart
//! packet by packet sends its TCP ACKs one by one, so that the first ones reach the driver alone or in twos.
//! Stands for: linux@6.12 net/core/dev.c __netif_receive_skb_core up to tcp_v4_rcv, with what a CPU takes for it.
//! A wired card ([`nic`]) hands up frames in polls, merged by [`gro`], and so do ath10k and mt76 ([`napi`]); ath9k and ath9k_htc are no NAPI drivers
//! and have neither.
//! With `softirq_first` programs run when it is done with all of them: a whole A-MPDU is there before the program that waits for it reads, and
//! TCP, whose window cannot advance before, acknowledges it in one go (`__tcp_ack_snd_check`: "tcp_recvmsg() will send ACK otherwise").
//! With `wake` they run that long after the first packet woke them, on a CPU of their own, and read what has come until then. Linux has both: a
//! program stays on the CPU where it last ran while that is idle, be it the interrupt's own, where it waits for the softirq's end, or another,
//! which has to leave its idle state first (linux@6.12 kernel/sched/fair.c `wake_affine_idle`, `select_idle_sibling`).
//! Differs: D1 one CPU a host for received packets, another for programs, and sending costs nothing of either; D2 the cost is the same for every packet, and for every frame of
//! a poll: a merged packet costs what its frames cost, and goes up when the poll ends; D3 every wake-up takes the same time, however long the
//! CPU slept; writers (tcp/program/write.rs D1), echoes and timers do not wait for one; D4 a frame that finds the ring
//! of a radio's card full is dropped behind the reorder buffer, so that no hole is left; room is asked for once for all that comes together, which
//! on the air came over a while; each MSDU of an A-MSDU is a frame of it, as in ath10k's and mt76's hardware, which has a buffer for each (ath9k's has
//! one for all of them).

pub mod backlog;
pub mod gro;
pub mod napi;
pub mod nic;

pub use backlog::Backlog;
pub use napi::Napi;
pub use nic::Nic;

use crate::params;
use crate::sim::{Auto, Packet, Span, Time};
use std::collections::VecDeque;

params! {
    /// What processing one received packet costs, from the driver to the socket and back down with an ACK.
    pub struct Params {
        /// Timer ticks a second (`CONFIG_HZ`) of every host.
        hz: u32 = 300, in 100 => 1000, unit "Hz", src "Arch Linux's kernel configuration: CONFIG_HZ_300";
        /// On a station.
        sta_rx: Span = Span::from_us(4), in Span::ZERO => Span::from_ms(10), src "assumed: order of a desktop CPU's per-packet cost without GRO";
        /// On the AP or router.
        ap_rx: Span = Span::from_us(4), in Span::ZERO => Span::from_ms(10), src "assumed: as sta_rx";
        /// Frames that wait for their host's CPU in the receive ring of a radio's card, at the most; what comes beyond them is dropped. What a
        /// reorder buffer lets go is not among them. `auto`: the driver's, 512 of ath9k, 256 of ath9k_htc, 1023 of ath10k, 1536 of mt76, 2048 of iwlwifi.
        backlog: Auto<u32> = Auto::Auto, in Auto::Set(1) => Auto::Set(1_000_000), unit "frames", src "linux@6.12 ath9k.h ATH_RXBUF, htc.h ATH9K_HTC_RXBUF, ath10k/htt.h HTT_RX_RING_FILL_LEVEL, mt7915.h MT7915_RX_RING_SIZE";
        /// On the server.
        server_rx: Span = Span::from_us(2), in Span::ZERO => Span::from_ms(10), src "assumed: order of a server CPU's per-packet cost";
        /// A program that waits for data reads when its host has processed all packets that it has received, as on a single CPU; off: between
        /// any two of them, on a CPU of its own, which is what the thesis's clients must have done; `auto`: off, but where packets take no
        /// time, 256 ns after those of one instant, one program after another (and who writes, too), and under TAO, when that has looked
        /// at the packet: an odd segment with PSH is answered by its reader, behind the ACKs that were held.
        softirq_first: Auto<bool> = Auto::Auto, src "linux@6.12 kernel/softirq.c handle_softirqs: on a CPU, received packets go before programs";
        /// From the wake-up of a program that waits for data until it runs: an interrupt to its CPU, that CPU's way out of its idle state, a
        /// switch of context. What comes in meanwhile is read with the rest.
        wake: Span = Span::ZERO, in Span::ZERO => Span::from_ms(1), src "assumed: at once; linux@6.12 kernel/sched/core.c try_to_wake_up; drivers/idle/intel_idle.c exit_latency: 1 to 200 us";
    }
}

/// A host's receive path.
#[derive(Clone, Debug)]
pub struct Host {
    /// What waits, and when the host is done with it: known on arrival, since packets are taken in turn.
    ring: VecDeque<(Time, Packet)>,
    /// What takes it no time: it is done with that where it comes.
    passing: VecDeque<Packet>,
    cost: Span,
    busy_until: Time,
    /// Frames that its radio's card has room for.
    radio_ring: usize,
    /// The wired port that is the only way to this host. What leaves that port can be announced before it arrives: nothing
    /// can come in between.
    pub wire: Option<u16>,
    /// Its wired card, if that gathers frames.
    pub nic: Option<Nic>,
    /// Its radio's polls, if frames are merged there.
    pub napi: Option<Box<Napi>>,
    /// What veth pairs bring.
    pub backlog: Backlog,
}

/// What a poll brought.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Polled {
    /// Frames that went into another packet.
    pub merged: u64,
    /// The instant at which the host is done with the first packet, if none was waiting before: call [`Host::taken`] then.
    pub first: Option<Time>,
    /// When to poll again.
    pub next: Option<Time>,
}

impl Host {
    /// A host that takes `cost` for a packet.
    pub fn new(cost: Span) -> Host {
        let (ring, passing) = (VecDeque::with_capacity(256), VecDeque::with_capacity(256));
        Host {
            ring,
            passing,
            cost,
            busy_until: Time::ZERO,
            radio_ring: usize::MAX,
            wire: None,
            nic: None,
            napi: None,
            backlog: Backlog::default(),
        }
    }

    /// Its radio's card has a ring of so many frames.
    pub fn set_radio_ring(&mut self, frames: u32) {
        self.radio_ring = frames as usize;
    }

    /// The same, with a wired card at the far end of this port's cable.
    pub fn with_nic(mut self, p: &nic::Params, port: u16) -> Host {
        self.nic = Nic::new(p, port);
        self
    }

    /// The same, behind this wired port alone.
    pub fn behind(mut self, port: u16) -> Host {
        self.wire = Some(port);
        self
    }

    /// A device hands `p` up at `at`, which is not before any earlier packet's, in so many frames. The instant at which the host is done
    /// with it, if it is the only one waiting: the caller then calls [`Host::taken`].
    #[inline]
    pub fn arrive(&mut self, at: Time, p: &Packet, frames: u16) -> Option<Time> {
        self.busy_until = self.busy_until.max(at) + self.cost * i64::from(frames);
        self.ring.push_back((self.busy_until, *p));
        (self.ring.len() == 1).then_some(self.busy_until)
    }

    /// A veth pair hands `p` up: no driver, no turn to wait for, while the CPU may be at what a card has brought. The caller calls
    /// [`Host::taken`] in this instant.
    /// src: linux@6.12 drivers/net/veth.c veth_forward_skb, net/core/dev.c __netif_rx: a backlog of its own, served when the sender's softirq ends
    pub fn pass(&mut self, p: &Packet) {
        self.passing.push_back(*p);
    }

    /// The packet that it is done with. Two calls, this and [`Host::taken`], so that it is copied once.
    #[inline]
    pub fn done(&self) -> &Packet {
        match self.passing.front() {
            Some(p) => p,
            None => &self.ring.front().expect("the host is called once a packet").1,
        }
    }
    /// That packet leaves it. When it will be done with the next.
    #[inline]
    pub fn taken(&mut self) -> Option<Time> {
        if self.passing.pop_front().is_some() {
            return None;
        }
        self.ring.pop_front();
        self.ring.front().map(|w| w.0)
    }

    /// The card's interrupt came: takes the frames that are there, one by one, and hands them up merged as far as GRO may.
    pub fn poll(&mut self, now: Time) -> Polled {
        let Host { ring, cost, busy_until, nic: Some(nic), .. } = self else {
            return Polled { merged: 0, first: None, next: None };
        };
        let idle = ring.is_empty();
        let begin = (*busy_until).max(now);
        let (merged, end, next) = nic.poll(now, begin, *cost, |at, p| ring.push_back((at, *p)));
        *busy_until = end;
        let first = ring.front().filter(|_| idle).map(|w| w.0);
        Polled { merged, first, next }
    }

    /// Packets take it no time: those of one instant are one softirq, and programs run when it is over.
    #[inline]
    pub fn in_no_time(&self) -> bool {
        self.cost == Span::ZERO
    }

    /// When its CPU is done with the packet that it is at, if any has come that it has not processed.
    #[inline]
    pub fn busy_until(&self, now: Time) -> Option<Time> {
        // A wire may announce what has not come yet; a card's polls do not.
        let has_come = |done: &Time| self.nic.is_some() || *done - self.cost <= now;
        self.ring.front().map(|&(done, _)| done).filter(has_come)
    }

    /// The card had no room for a frame that would have let `p` go up: of its A-MPDU, what waits is all there is to come.
    pub fn refuse(&mut self, p: &Packet) {
        if let Some((_, last)) = self.ring.back_mut() {
            last.ends_ampdu |= p.ends_ampdu;
        }
    }

    /// Whether the ring of its radio's card is full of frames that wait for its CPU, behind the one that it is at. What takes it no time does not
    /// wait, however much comes at once.
    #[inline]
    pub fn is_full(&self) -> bool {
        // Frames are counted where there may be too many: one a packet, unless polls merge.
        let most = if self.napi.is_some() { usize::from(u8::MAX) } else { 1 };
        self.ring.len() * most > self.radio_ring && self.ringed() > self.radio_ring && !self.in_no_time()
    }
    #[inline(never)]
    fn ringed(&self) -> usize {
        self.ring.iter().map(|w| usize::from(w.1.ringed)).sum()
    }

    /// Packets that wait.
    pub fn held(&self) -> usize {
        self.ring.len() + self.passing.len() + self.nic.as_ref().map_or(0, Nic::held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn packets_of_one_aggregate_come_out_one_by_one() {
        let mut h = Host::new(Span::from_us(4));
        let p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        let t = Time::from_us(100);
        assert_eq!(h.arrive(t, &p, 1), Some(Time::from_us(104)));
        assert_eq!(h.arrive(t, &p, 1), None);
        assert_eq!(h.taken(), Some(Time::from_us(108)));
        assert_eq!(h.taken(), None);
        assert_eq!(h.arrive(Time::from_us(110), &p, 1), Some(Time::from_us(114)));
        assert_eq!(h.arrive(Time::from_us(112), &p, 3), None);
        h.taken();
        assert_eq!(h.arrive(Time::from_us(130), &p, 1), None, "three frames, merged, take it 12 us");
    }

    #[test]
    fn the_ring_holds_frames_and_not_what_they_let_go() {
        let (t, blank) = (Time::from_us(100), Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1)));
        let mut h = Host::new(Span::from_us(4));
        h.set_radio_ring(2);
        for (ringed, full) in [(1, false), (0, false), (0, false), (1, false), (1, true)] {
            h.arrive(t, &Packet { ringed, ..blank }, 1);
            assert_eq!(h.is_full(), full);
        }
        h.taken();
        assert!(!h.is_full(), "the CPU is at the next one");

        let mut at_once = Host::new(Span::ZERO);
        at_once.set_radio_ring(1);
        for _ in 0..9 {
            at_once.arrive(t, &Packet { ringed: 1, ..blank }, 1);
        }
        assert!(!at_once.is_full());
    }

    #[test]
    fn a_poll_merges_what_follows_and_the_packet_is_done_with_its_last_frame() {
        let mut h = Host::new(Span::from_us(2)).with_nic(&nic::Params::default(), 0);
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        (p.payload, p.headers) = (1448, 52);
        let nic = h.nic.as_mut().unwrap();
        assert_eq!(nic.arrive(Time::ZERO, Time::from_us(100), &p, 2_304), Some(Time::from_us(120)));
        (p.seq, p.ident) = (1448, 1);
        nic.arrive(Time::ZERO, Time::from_us(112), &p, 2_304);
        (p.seq, p.ident) = (2896, 2);
        nic.arrive(Time::ZERO, Time::from_us(124), &p, 2_304);
        let polled = h.poll(Time::from_us(120));
        let next = Some(Time::from_us(144));
        assert_eq!(polled, Polled { merged: 1, first: Some(Time::from_us(124)), next }, "the third frame comes later");
        assert_eq!((h.done().segs, h.held()), (2, 2));
    }
}
