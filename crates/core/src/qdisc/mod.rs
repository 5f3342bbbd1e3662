//! Queueing disciplines: what stands between IP and a device.
//!
//! Packets enter by [`Qdisc::enqueue`] and leave by [`Qdisc::dequeue`], which the device's side calls until it gets
//! nothing or has no room; then [`Qdisc::wake_at`] says when to ask again (`qdisc_watchdog`). A dropped packet goes to
//! the [`Bin`] that the caller hands in. Stands for Linux 6.12 net/sched/sch_*.c; what runs a discipline
//! (`__qdisc_run`, the device's stopped queue) is `net`'s, the queues inside mac80211 are `mac80211`'s.
//!
//! A discipline is one file and one line of `disciplines!` below; the line also buys the battery of `battery.rs`. A
//! packet's length is its Ethernet frame's without FCS, as `qdisc_pkt_len` has it.

use crate::sim::params::{Param, Raw, Refused, Schema, Value};
use crate::sim::{Bin, Named, Owner, Packet, Series, Time, Verdict};

pub mod aaq;
pub mod cake;
pub mod cobalt;
pub mod codel;
pub mod fifo;
pub mod fq;
pub mod fq_codel;
pub mod htb;
pub mod netem;
pub mod pfifo_fast;
pub mod pool;
pub mod skb;

#[cfg(test)]
mod battery;
#[cfg(test)]
pub(crate) mod vectors;

/// What a driver tells a discipline of the queue that it was given the last packet from, or that has this id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Message {
    /// No more of it for now.
    Pause,
    /// More of it is welcome.
    Resume,
}

/// What a discipline tells of itself by `tc`'s names (those of its JSON): bytes, packets, microseconds; switches are 0 or 1.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Told {
    /// How it is set.
    pub options: Named,
    /// Its own counters, which `tc -s` shows below what all have.
    pub stats: Named,
    /// Those of each of its classes, where it has such of its own (CAKE's tins), in `tc`'s order.
    pub tins: Vec<Named>,
}

/// What every discipline does. Dispatch is static: see [`Qdisc`].
pub trait Discipline {
    /// What a user sets.
    type Params: Schema + Copy;
    /// Makes one, empty. `seed` perturbs its hash, where it has one.
    fn build(setup: &Setup, seed: u32) -> Self;
    /// Whether it lets packets wait for time to pass ([`Discipline::wake_at`]).
    const TIMED: bool = false;
    /// Takes a packet or refuses it.
    fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict;
    /// Gives the next packet that may leave now.
    fn dequeue(&mut self, now: Time, bin: &mut impl Bin) -> Option<Packet>;
    /// When to ask again after `dequeue` gave nothing though packets are held; nothing for a work-conserving one.
    fn wake_at(&self, _now: Time) -> Option<Time> {
        None
    }
    /// Whether a packet may pass the empty queue by (`TCQ_F_CAN_BYPASS`).
    fn can_bypass(&self) -> bool {
        false
    }
    /// What the device had no room for stands before the queue (`q->gso_skb`), and counts for its limit: packets and bytes of it from now on.
    /// src: linux@6.12 net/sched/sch_generic.c dev_requeue_skb
    fn park(&mut self, _packets: u32, _bytes: u64) {}
    /// Whether it is empty and `dequeue` would change nothing. One that keeps books of flows may have some to close.
    fn rests(&self) -> bool {
        false
    }
    /// Whether it frees a packet from the socket that is charged for it, as it takes it in.
    fn orphans(&self, _p: &Packet) -> bool {
        false
    }
    /// Whether a super-packet is to be cut first, and handed in segment by segment.
    fn splits(&self, _p: &Packet) -> bool {
        false
    }
    /// Whether it wants to be told by the driver ([`Discipline::message`]).
    fn listens(&self) -> bool {
        false
    }
    /// Whether the queue that the last packet came from holds more (`skb->more_data`).
    fn more_data(&self) -> bool {
        false
    }
    /// The driver's word on its queue `id`.
    fn message(&mut self, _id: u32, _m: Message) {}
    /// A socket's pacing rate from now on, bytes a second (`sk_pacing_rate`).
    fn paced(&mut self, _owner: Owner, _rate: u64) {}
    /// Packets held.
    fn packets(&self) -> u32;
    /// Bytes held, as `qdisc_pkt_len` counts.
    fn bytes(&self) -> u64;
    /// Packets dropped so far, as `tc -s` says.
    fn dropped(&self) -> u64;
    /// Packets that it made so far: more than it was given.
    fn made(&self) -> u64 {
        0
    }
    /// How it is set, and what it counts beside the above.
    fn told(&self) -> Told {
        Told::default()
    }
}

/// Registers the disciplines. `leaves` can stand at a device's root and inside a classful discipline, `others` at a
/// root only.
macro_rules! disciplines {
    (leaves { $( $(#[doc = $ld:literal])+ $L:ident = $ln:literal, $lk:ident: $lt:ty; )* }
     others { $( $(#[doc = $od:literal])+ $O:ident = $on:literal, $ok:ident: $ot:ty; )* }) => {
        $crate::choices! {
            /// A queueing discipline by its name.
            pub enum Kind { $( $(#[doc = $ld])+ $L = $ln, )* $( $(#[doc = $od])+ $O = $on, )* }
        }
        $crate::choices! {
            /// A queueing discipline that can stand inside another.
            pub enum LeafKind { $( $(#[doc = $ld])+ $L = $ln, )* }
        }
        /// The parameters of every discipline; a device uses those of the kinds that it has.
        #[derive(Clone, Copy, Debug, Default)]
        pub struct Setup {
            /// What an older kernel's do otherwise.
            pub old: Old,
            $( $(#[doc = $ld])+ pub $lk: <$lt as Discipline>::Params, )*
            $( $(#[doc = $od])+ pub $ok: <$ot as Discipline>::Params, )*
        }
        impl Setup {
            /// The schema of a kind's parameters.
            pub fn schema(kind: Kind) -> Vec<Param> {
                match kind {
                    $( Kind::$L => <$lt as Discipline>::Params::schema(), )*
                    $( Kind::$O => <$ot as Discipline>::Params::schema(), )*
                }
            }
            /// Sets one parameter of a kind. `None`: there is no such key.
            pub fn set(&mut self, kind: Kind, key: &str, raw: &Raw) -> Option<Result<(), Refused>> {
                match kind { $( Kind::$L => self.$lk.set(key, raw), )* $( Kind::$O => self.$ok.set(key, raw), )* }
            }
            /// A kind's keys with their present values.
            pub fn values(&self, kind: Kind) -> Vec<(&'static str, String)> {
                match kind { $( Kind::$L => self.$lk.values(), )* $( Kind::$O => self.$ok.values(), )* }
            }
        }
        /// A discipline inside another.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Leaf { $( $L($lt), )* }
        impl Leaf {
            /// Makes one, empty.
            pub fn new(kind: LeafKind, setup: &Setup, seed: u32) -> Leaf {
                match kind { $( LeafKind::$L => Leaf::$L(Discipline::build(setup, seed)), )* }
            }
        }
        dispatch!(Leaf { $($L),* });
        /// A discipline at a device's root.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Qdisc { $( $L($lt), )* $( $O($ot), )* }
        impl Qdisc {
            /// Makes one, empty. `seed` perturbs its hash, where it has one.
            pub fn new(kind: Kind, setup: &Setup, seed: u32) -> Qdisc {
                match kind {
                    $( Kind::$L => Qdisc::$L(Discipline::build(setup, seed)), )*
                    $( Kind::$O => Qdisc::$O(Discipline::build(setup, seed)), )*
                }
            }
        }
        dispatch!(Qdisc { $($L,)* $($O),* });
    };
}

macro_rules! dispatch {
    ($name:ident { $($V:ident),* $(,)? }) => {
        impl $name {
            /// Takes a packet. [`Verdict::Drop`]: `p` itself went to `bin`; [`Verdict::Cn`]: another packet of its flow did.
            #[inline]
            pub fn enqueue(&mut self, now: Time, p: Packet, bin: &mut impl Bin) -> Verdict {
                match self { $( $name::$V(q) => q.enqueue(now, p, bin), )* }
            }
            /// Gives the next packet that may leave now.
            #[inline]
            pub fn dequeue(&mut self, now: Time, bin: &mut impl Bin) -> Option<Packet> {
                match self { $( $name::$V(q) => q.dequeue(now, bin), )* }
            }
            /// After `dequeue` gave nothing: when to ask again, if packets wait for time to pass.
            #[inline]
            pub fn wake_at(&self, now: Time) -> Option<Time> {
                match self { $( $name::$V(q) => q.wake_at(now), )* }
            }
            /// Whether the queue is empty and a packet may pass it by, to the device or, where that is full, to what stands before the queue
            /// (`__dev_xmit_skb` with `TCQ_F_CAN_BYPASS`).
            #[inline]
            pub fn can_bypass(&self) -> bool {
                match self { $( $name::$V(q) => q.can_bypass() && q.packets() == 0, )* }
            }
            /// What stands before the queue from now on, packets and bytes.
            #[inline]
            pub fn park(&mut self, packets: u32, bytes: u64) {
                match self { $( $name::$V(q) => q.park(packets, bytes), )* }
            }
            /// Whether the queue is empty and asking it for a packet would change nothing.
            #[inline]
            pub fn rests(&self) -> bool {
                match self { $( $name::$V(q) => q.rests(), )* }
            }
            /// Whether it frees this packet from its socket as it takes it in (`skb_orphan`): the caller then credits the
            /// owner and hands the packet in without one.
            #[inline]
            pub fn orphans(&self, p: &Packet) -> bool {
                match self { $( $name::$V(q) => q.orphans(p), )* }
            }
            /// Whether it lets packets wait for time to pass.
            pub fn timed(&self) -> bool {
                fn of<D: Discipline>(_: &D) -> bool {
                    D::TIMED
                }
                match self { $( $name::$V(q) => of(q), )* }
            }
            /// Whether a super-packet is to be cut first, and handed in segment by segment.
            #[inline]
            pub fn splits(&self, p: &Packet) -> bool {
                match self { $( $name::$V(q) => q.splits(p), )* }
            }
            /// Whether it wants to be told by the driver.
            #[inline]
            pub fn listens(&self) -> bool {
                match self { $( $name::$V(q) => q.listens(), )* }
            }
            /// Whether the queue that the last packet came from holds more.
            #[inline]
            pub fn more_data(&self) -> bool {
                match self { $( $name::$V(q) => q.more_data(), )* }
            }
            /// The driver's word on its queue `id`.
            pub fn message(&mut self, id: u32, m: Message) {
                match self { $( $name::$V(q) => q.message(id, m), )* }
            }
            /// A socket's pacing rate from now on, bytes a second; for who paces by it.
            pub fn paced(&mut self, owner: Owner, rate: u64) {
                match self { $( $name::$V(q) => q.paced(owner, rate), )* }
            }
            /// Packets held.
            pub fn packets(&self) -> u32 {
                match self { $( $name::$V(q) => q.packets(), )* }
            }
            /// Bytes held.
            pub fn bytes(&self) -> u64 {
                match self { $( $name::$V(q) => q.bytes(), )* }
            }
            /// Packets dropped so far (`tc -s`).
            pub fn dropped(&self) -> u64 {
                match self { $( $name::$V(q) => q.dropped(), )* }
            }
            /// Packets that it made so far.
            pub fn made(&self) -> u64 {
                match self { $( $name::$V(q) => q.made(), )* }
            }
            /// How it is set, and what it counts.
            pub fn told(&self) -> Told {
                match self { $( $name::$V(q) => q.told(), )* }
            }
            /// Its kind's name.
            pub fn name(&self) -> &'static str {
                match self { $( $name::$V(_) => Kind::$V.name(), )* }
            }
        }
    };
}

/// What the disciplines of older kernels do otherwise; none of it in 6.12.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Old {
    /// A full `fq_codel` drops one packet of the fattest flow (before 4.7: 9d18562a2278).
    pub fq_codel_one: bool,
    /// CoDel does not count what was dropped so (`cvars.count`: after 4.19).
    pub fq_codel_uncounted: bool,
    /// CoDel spares a backlog that is no larger than the largest packet it has seen, 256 bytes at least, not one of an MTU (before 4.2: a5d28090405038).
    pub codel_largest: bool,
    /// In `fq_codel` a flow that runs empty while others are full is not forgiven how long it has waited: its next packet is dropped without another
    /// interval of grace (all but 6.1.192 and 6.12.117, both of 2026, where `codel_dequeue` of an empty flow clears `first_above_time`).
    pub codel_keeps_above: bool,
    /// Which `cake` it has.
    pub cake: cake::Age,
    /// Which `fq` it has.
    pub fq: fq::Age,
    /// `pfifo_fast`'s limit holds for its three bands together (before 4.16: c5ad119fb6c0, each its own ring).
    pub pfifo_fast_shared: bool,
    /// What the device had no room for of a super-packet is one packet to the discipline (before 4.16: `q->gso_skb` is an skb, not a list).
    pub requeued_one: bool,
    /// And has no bytes (before 4.7: `dev_requeue_skb` without `qdisc_qstats_backlog_inc`).
    pub requeued_weightless: bool,
}

impl Old {
    /// Those of the kernel of this series; `stable`: its stable release, where the name has one.
    pub fn of(kernel: Series, stable: Option<u16>) -> Old {
        Old {
            fq_codel_one: kernel < (4, 7),
            fq_codel_uncounted: kernel < (5, 0), // some time between 4.19 and 5.4
            codel_largest: kernel < (4, 2),
            codel_keeps_above: !matches!(kernel, (6, 1 | 12)),
            cake: match (kernel, stable) {
                (v, _) if v < (5, 1) => cake::Age::Counts,
                (v, _) if v < (5, 9) => cake::Age::Unplaced,
                ((5, 10), Some(_)) => cake::Age::Steps, // 262, of 2026
                (v, _) if v < (6, 1) => cake::Age::Silent,
                (v, _) if v < (6, 12) => cake::Age::Steps,
                _ => cake::Age::Tabled,
            },
            fq: match kernel {
                v if v < (4, 20) => fq::Age::Paces,
                v if v < (5, 8) => fq::Age::Keeps,
                v if v < (6, 7) => fq::Age::Bounds,
                _ => fq::Age::Bands,
            },
            pfifo_fast_shared: kernel < (4, 16),
            requeued_one: kernel < (4, 16),
            requeued_weightless: kernel < (4, 7),
        }
    }
}

disciplines! {
    leaves {
        /// First in, first out, limited in packets.
        Pfifo = "pfifo", pfifo: fifo::Pfifo;
        /// First in, first out, limited in bytes.
        Bfifo = "bfifo", bfifo: fifo::Bfifo;
        /// Fair queueing with CoDel in every flow.
        FqCodel = "fq_codel", fq_codel: fq_codel::FqCodel;
        /// Fair queueing that holds each packet until its departure time: the enforcer of TCP's pacing.
        Fq = "fq", fq: fq::Fq;
        /// A shaper with classes by DSCP, flows that share by host, COBALT in each, and a filter for TCP ACKs.
        Cake = "cake", cake: cake::Cake;
    }
    others {
        /// Three FIFO bands by priority: the kernel's default where none is set.
        PfifoFast = "pfifo_fast", pfifo_fast: pfifo_fast::PfifoFast;
        /// A token bucket of one class with a leaf below.
        Htb = "htb", htb: htb::Htb;
        /// A queue for each destination, emptied by whole aggregates: under `ath9k_tidq`, which tells it when.
        Aaq = "aaq", aaq: aaq::Aaq;
        /// A path that delays, loses, doubles, reorders, and has a rate.
        Netem = "netem", netem: netem::Netem;
    }
}

impl Setup {
    /// Whether a socket above a discipline of this kind is paced by `fq`, which stands at the root or inside it.
    /// src: linux@6.12 net/sched/sch_fq.c fq_classify: SK_PACING_FQ
    pub fn paces(&self, kind: Kind) -> bool {
        kind == Kind::Fq || (kind == Kind::Htb && self.htb.leaf == LeafKind::Fq)
    }
}

impl Qdisc {
    /// Takes the segments of a super-packet that it [splits](Qdisc::splits). [`Verdict::Cn`]: room was made among its flow's.
    /// src: linux@6.12 net/sched/sch_cake.c cake_enqueue
    #[inline(never)] // seldom
    pub fn enqueue_cut(&mut self, now: Time, segments: impl Iterator<Item = Packet>, bin: &mut impl Bin) -> Verdict {
        let mut verdict = Verdict::Ok;
        for s in segments {
            if self.enqueue(now, s, bin) != Verdict::Ok {
                verdict = Verdict::Cn;
            }
        }
        verdict
    }
}

impl Kind {
    /// The names of all disciplines.
    pub fn names() -> &'static [&'static str] {
        <Kind as Value>::names()
    }
}
