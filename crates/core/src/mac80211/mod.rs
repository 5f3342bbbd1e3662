//! mac80211's transmit queues: one (a TXQ) for each station and TID, with fair queueing and CoDel inside, airtime
//! fairness between stations, and airtime queue limits where the driver asks for them.
//!
//! Packets enter by [`Txqs::enqueue`] (which also schedules the TXQ) and wait until a driver pulls them: it asks
//! [`Txqs::schedule_start`], then [`Txqs::next_txq`] for whose turn it is, pulls by [`Txqs::dequeue`], and gives the TXQ
//! back by [`Txqs::return_txq`]. Airtime goes in by [`Txqs::register_airtime`]. A full queue drops from the fattest flow
//! and still reports success.
//!
//! Stands for: Linux 6.12 net/mac80211/tx.c (`ieee80211_txq_enqueue`, `ieee80211_tx_dequeue`), include/net/fq_impl.h
//! ([`fq`]), [`airtime`]. What builds aggregates is `driver`'s, what contends for the medium is `wifi`'s.
//! Differs: D1 a packet counts as its IP packet and 34 bytes (QoS header 26, LLC 8); keys add nothing. D2 data TIDs
//! 0..=7 only; no multicast, management or fragment queues. D3 A-MSDUs for iwlwifi alone ([`Txqs::join`]). D4 what older kernels did
//! differently: [`profile`].

pub mod airtime;
mod category;
pub mod estimate;
pub mod fq;
mod own;
pub mod profile;
pub mod tao;
mod vtime;

use crate::qdisc::codel;
use crate::qdisc::skb::{hash, reciprocal_scale, set_ce};
use crate::sim::{Auto, Bin, Bytes, Packet, Place, Reason, Span, Time};
pub use airtime::Account;
use airtime::{Aql, Config, Scheduler};
pub use category::{Ac, ac_of};
use fq::{Fq, Full};
use own::Own;
use profile::{Profile, Turns};

crate::params! {
    /// What a user sets of mac80211's queues.
    pub struct Params {
        /// Flows that the hash tells apart.
        flows: u32 = 4096, in 1 => 65_536, src "linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows";
        /// Bytes that a flow sends in its turn.
        quantum: u32 = 300, in 1 => 65_536, unit "bytes", src "linux@6.12 include/net/fq_impl.h fq_init";
        /// Packets that all queues hold at most.
        limit: u32 = 8192, in 1 => 10_000_000, src "linux@6.12 include/net/fq_impl.h fq_init";
        /// Memory (truesize) that the packets take at most: 4 MiB, or 16 MiB if the device does VHT.
        memory_limit: Auto<Bytes> = Auto::Auto, in Auto::Set(Bytes::new(1)) => Auto::Set(Bytes::from_mib(1024)), src "linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows";
        /// Sojourn that CoDel tolerates.
        target: Span = Span::from_ms(20), in Span::from_us(1) => Span::from_s(10), src "linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows";
        /// How long it must be exceeded before the first drop.
        interval: Span = Span::from_ms(100), in Span::from_us(1) => Span::from_s(100), src "linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows";
        /// Marks packets that can be marked, instead of dropping them.
        ecn: bool = true, src "linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows";
        /// Whether a slow station gets CoDel parameters of its own, without ECN.
        slow_stations: Auto<bool> = Auto::Auto, src "linux@5.4 net/mac80211/sta_info.c sta_update_codel_params: 4.12 to 6.x; by kernel profile";
        /// Their target.
        slow_target: Span = Span::from_ms(50), in Span::from_us(1) => Span::from_s(10), src "linux@5.4 net/mac80211/sta_info.c sta_update_codel_params";
        /// Their interval.
        slow_interval: Span = Span::from_ms(300), in Span::from_us(1) => Span::from_s(100), src "linux@5.4 net/mac80211/sta_info.c sta_update_codel_params";
        /// A station is slow below this throughput times the number of stations, kbit/s.
        slow_threshold: u32 = 6000, in 1 => 1_000_000, unit "kbit/s", src "linux@5.4 net/mac80211/sta_info.h STA_SLOW_THRESHOLD";
        /// Whether airtime that the driver reports counts, so that stations get equal airtime. Without, ath9k's first TXQ keeps its turn as long as it has packets.
        airtime_fairness: bool = true, src "linux@6.12 net/mac80211/debugfs.c airtime_flags; drivers/net/wireless/ath/ath9k/xmit.c ath_txq_schedule";
        /// A station's weight for airtime.
        weight: u16 = 256, in 1 => 65_535, src "linux@6.12 include/net/cfg80211.h IEEE80211_DEFAULT_AIRTIME_WEIGHT";
        /// Airtime queue limits of drivers that ask for them: ath10k (from 5.5 on) and mt76; ath9k does not. Off: they hold nobody back, but what stands in the device counts.
        aql: Auto<bool> = Auto::Auto, src "linux@6.12 drivers/net/wireless/ath/ath10k/mac.c: NL80211_EXT_FEATURE_AQL; net/mac80211/debugfs.c aql_enable";
        /// AQL: airtime that a station and category may have in the device in any case.
        aql_low: Span = Span::from_us(5000), in Span::from_us(0) => Span::from_s(1), src "linux@6.12 include/net/cfg80211.h IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L";
        /// AQL: airtime that it may have while all together stay below the threshold.
        aql_high: Span = Span::from_us(12_000), in Span::from_us(0) => Span::from_s(1), src "linux@6.12 include/net/cfg80211.h IEEE80211_DEFAULT_AQL_TXQ_LIMIT_H";
        /// AQL: airtime of all stations together from which the low limit holds.
        aql_threshold: Span = Span::from_us(24_000), in Span::from_us(0) => Span::from_s(1), src "linux@6.12 include/net/cfg80211.h IEEE80211_AQL_THRESHOLD";
    }
}

/// Memory of the queues of a device without VHT, and of one with it. src: linux@6.12 net/mac80211/tx.c ieee80211_txq_setup_flows
pub const MEMORY_HT: Bytes = Bytes::from_mib(4);
/// See [`MEMORY_HT`].
pub const MEMORY_VHT: Bytes = Bytes::from_mib(16);

/// All transmit queues of one device.
#[derive(Clone, Debug)]
pub struct Txqs {
    seed: u32,
    fq: Fq,
    /// CoDel's state of each flow (`local->cvars`): beside the flows, so that it is changed where it is while CoDel takes packets from them.
    vars: Vec<codel::Vars>,
    sched: Scheduler,
    /// ath9k's own turns, where the kernel is of that time.
    own: Option<Own>,
    codel: codel::Config,
    slow_codel: codel::Config,
    slow_below: Option<u32>,
    slow: Vec<bool>,
    dropped: u64,
}

struct FlowHead<'a, B> {
    fq: &'a mut Fq,
    flow: u32,
    bin: &'a mut B,
    tin: u32,
    dropped: &'a mut u64,
}

/// Packets go through CoDel by their place in the pool: they are large, and it looks at one field.
impl<B: Bin> codel::Head for FlowHead<'_, B> {
    type Item = u32;
    #[inline(always)] // of its callers one is not seldom
    fn pop(&mut self) -> Option<u32> {
        self.fq.pop(self.flow)
    }
    #[inline]
    fn enqueued(&self, p: &u32) -> Time {
        self.fq.pool.get(*p).enqueued
    }
    fn set_ce(&mut self, p: &mut u32) -> bool {
        set_ce(self.fq.pool.get_mut(*p))
    }
    #[inline]
    fn backlog(&self) -> u32 {
        self.fq.flows[self.flow as usize].backlog
    }
    fn drop(&mut self, p: u32) {
        *self.dropped += 1;
        self.fq.tins[self.tin as usize].drops += 1;
        while let Some(further) = self.fq.next_joined(p) {
            self.bin.drop(further, Place::Mac80211, Reason::Codel);
        }
        let p = self.fq.pool.take(p);
        self.bin.drop(p, Place::Mac80211, Reason::Codel);
    }
    fn marked(&mut self) {
        self.fq.tins[self.tin as usize].marks += 1;
    }
}

impl Txqs {
    /// Empty queues as `kernel` has them to `stations` peers (an AP's stations; 1, the AP, at a station). `seed` perturbs the hash;
    /// a frame has `header` bytes in front of the IP packet while it waits.
    pub fn new(p: &Params, kernel: &Profile, stations: u16, seed: u32, header: u32) -> Txqs {
        let us = |s: Span| s.us() as i32;
        let limits =
            |enabled| Aql { low: us(p.aql_low), high: us(p.aql_high), threshold: us(p.aql_threshold), enabled };
        let aql = if let Auto::Set(enabled) = p.aql { Some(limits(enabled)) } else { None };
        let tins = u32::from(stations) * 8;
        let memory_limit = p.memory_limit.or(MEMORY_HT).get();
        let fq = Fq::new(p.flows, tins, p.quantum, p.limit, memory_limit, kernel.pays, header);
        Txqs {
            seed,
            vars: vec![codel::Vars::default(); fq.flows.len()],
            fq,
            sched: Scheduler::new(
                Config { fairness: p.airtime_fairness, aql, turns: kernel.turns },
                stations,
                p.weight,
            ),
            own: (kernel.turns == Turns::Driver).then(|| Own::new(stations, p.airtime_fairness)),
            codel: codel::Config::new(p.target, p.interval, 0, p.ecn).keeping(kernel.codel_keeps_above),
            slow_codel: codel::Config::new(p.slow_target, p.slow_interval, 0, false).keeping(kernel.codel_keeps_above),
            slow_below: p.slow_stations.or(kernel.slow_stations).then_some(p.slow_threshold),
            slow: vec![false; usize::from(stations)],
            dropped: 0,
        }
    }

    /// `skb->len` of a packet in a TXQ.
    #[inline]
    pub const fn frame_len(&self, p: &Packet) -> u32 {
        self.fq.len_of(p)
    }

    /// Takes a packet to `sta` and schedules its TXQ. It always succeeds; if all is full, the fattest flow pays.
    /// src: `ieee80211_queue_skb`; waking the driver is the caller's
    #[inline(always)] // of its callers one calls often
    pub fn enqueue(&mut self, now: Time, sta: u16, tid: u8, p: &Packet, bin: &mut impl Bin) {
        let flow = reciprocal_scale(hash(self.seed, p), self.fq.table());
        let dropped = &mut self.dropped;
        self.fq.enqueue(tin(sta, tid), flow, p, now, |p, full| {
            *dropped += 1;
            let reason = if full == Full::Memory { Reason::Memory } else { Reason::Overlimit };
            bin.drop(p, Place::Mac80211, reason);
        });
        match &mut self.own {
            Some(o) => o.wake(sta, tid),
            None => self.sched.put_back(now, sta, tid, true),
        }
    }

    /// Puts a packet to `sta` to the last one of its flow that waits, as one A-MSDU. False: it does not fit there, or nothing waits, and it is to be
    /// enqueued. src: linux@6.12 net/mac80211/tx.c `ieee80211_amsdu_aggregate`, which wakes no driver
    pub fn join(&mut self, sta: u16, tid: u8, p: &Packet, most: fq::Most) -> bool {
        let flow = reciprocal_scale(hash(self.seed, p), self.fq.table());
        self.fq.join(tin(sta, tid), flow, p, most)
    }
    /// The next of those that go with a packet that was pulled, until it is released. All are to be taken.
    pub fn next_joined(&mut self, i: u32) -> Option<Packet> {
        self.fq.next_joined(i)
    }

    /// The TXQ's next packet: nothing if it is empty, or if AQL holds it back. src: `ieee80211_tx_dequeue`
    #[inline]
    pub fn dequeue(&mut self, now: Time, sta: u16, tid: u8, bin: &mut impl Bin) -> Option<Packet> {
        let i = self.pull(now, sta, tid, bin)?;
        Some(self.fq.pool.take(i))
    }
    /// A packet that was pulled, until it is released.
    #[inline]
    pub fn pulled(&self, i: u32) -> &Packet {
        self.fq.pool.get(i)
    }
    /// Ends the stay of a packet that was pulled.
    #[inline]
    pub fn release(&mut self, i: u32) {
        self.fq.pool.release(i);
    }
    /// As [`Txqs::dequeue`], but the packet stays where it is: for who copies it to where it will be.
    #[inline]
    pub fn pull(&mut self, now: Time, sta: u16, tid: u8, bin: &mut impl Bin) -> Option<u32> {
        if !self.sched.aql_allows(sta, ac_of(tid)) {
            return None;
        }
        let Txqs { fq, vars, codel, slow, slow_codel, dropped, .. } = self;
        let config = if slow[usize::from(sta)] { slow_codel } else { codel };
        let tin = tin(sta, tid);
        let pulled = fq.dequeue(tin, |fq, flow| {
            let mut head = FlowHead { fq, flow, bin: &mut *bin, tin, dropped: &mut *dropped };
            vars[flow as usize].dequeue(config, now, &mut head)
        });
        if let (None, Some(o)) = (pulled, &mut self.own) {
            o.ran_empty(sta, tid);
        }
        pulled
    }

    /// Whether the TXQ holds packets. src: `txq_has_queue`
    #[inline]
    pub fn has_frames(&self, sta: u16, tid: u8) -> bool {
        self.fq.tins[tin(sta, tid) as usize].packets > 0
    }
    /// Packets that the TXQ holds.
    pub fn frames(&self, sta: u16, tid: u8) -> u32 {
        self.fq.tins[tin(sta, tid) as usize].packets
    }
    /// Bytes that the TXQ holds, with their 802.11 headers.
    pub fn frame_bytes(&self, sta: u16, tid: u8) -> u64 {
        self.fq.tins[tin(sta, tid) as usize].bytes
    }

    /// Begins a round of [`Txqs::next_txq`]. src: `ieee80211_txq_schedule_start`
    pub fn schedule_start(&mut self, ac: Ac) {
        self.sched.start(ac);
    }
    /// Whose turn it is, (station, TID), at most once a round; to be given back. src: `ieee80211_next_txq`
    pub fn next_txq(&mut self, ac: Ac) -> Option<(u16, u8)> {
        self.sched.next(ac)
    }
    /// Whose turn it would be, if a turn in which nothing is sent changed nothing but the time.
    #[inline]
    pub fn leader(&self, ac: Ac) -> Option<(u16, u8)> {
        self.sched.leader(ac)
    }
    /// A whole round in which the [`Txqs::leader`] sends nothing while the driver holds packets of it.
    #[inline]
    pub fn pass(&mut self, now: Time, ac: Ac) {
        self.sched.pass(now, ac);
    }
    /// Gives a TXQ back; `force`: the driver itself holds packets of it. src: `ieee80211_return_txq`
    pub fn return_txq(&mut self, now: Time, sta: u16, tid: u8, force: bool) {
        self.sched.give_back(now, sta, tid, force || self.has_frames(sta, tid));
    }
    /// Schedules a TXQ of which the driver holds packets. src: `ieee80211_schedule_txq`
    pub fn schedule_txq(&mut self, now: Time, sta: u16, tid: u8) {
        match &mut self.own {
            Some(o) => o.queue(sta, tid),
            None => self.sched.put_back(now, sta, tid, true),
        }
    }

    /// Charges airtime sent to and received from a station. src: `ieee80211_sta_register_airtime`
    pub fn register_airtime(&mut self, now: Time, sta: u16, tid: u8, tx: Span, rx: Span) {
        self.sched.register(now, sta, tid, tx, rx);
        if let Some(o) = &mut self.own {
            o.charge(sta, tid, tx + rx);
        }
    }
    /// Whether ath9k chooses whose turn it is (4.11 to 4.20), by [`Txqs::own_head`].
    pub fn has_own_turns(&self) -> bool {
        self.own.is_some()
    }
    /// Whose turn it is in ath9k's own lists; `held`: whether the driver itself holds packets of (station, TID).
    pub fn own_head(&mut self, ac: Ac, held: impl Fn(u16, u8) -> bool) -> Option<(u16, u8)> {
        self.own.as_mut()?.head(ac, held)
    }
    /// The same, if that is known from before.
    #[inline]
    pub fn own_known(&self, ac: Ac) -> Option<(u16, u8)> {
        self.own.as_ref()?.known(ac)
    }
    /// The own head has sent a unit.
    pub fn own_served(&mut self, ac: Ac) {
        if let Some(o) = &mut self.own {
            o.served(ac);
        }
    }
    /// Whether the driver asked for AQL.
    pub fn has_aql(&self) -> bool {
        self.sched.has_aql()
    }
    /// AQL: a dequeued packet of this estimated airtime goes to the device. Gives what [`Txqs::aql_done`] must be handed.
    pub fn aql_charge(&mut self, sta: u16, tid: u8, airtime: Span) -> Span {
        self.sched.aql_charge(sta, tid, airtime)
    }
    /// AQL: the device is done with it.
    pub fn aql_done(&mut self, sta: u16, tid: u8, charged: Span) {
        self.sched.aql_done(sta, tid, charged);
    }
    /// Sets a station's weight for airtime.
    pub fn set_weight(&mut self, sta: u16, weight: u16) {
        self.sched.set_weight(sta, weight);
    }
    /// A station's airtime account.
    pub fn account(&self, sta: u16, ac: Ac) -> &Account {
        self.sched.account(sta, ac)
    }
    /// Whether it matters what rate control expects.
    pub fn has_slow_stations(&self) -> bool {
        self.slow_below.is_some()
    }
    /// Rate control expects this throughput (kbit/s) to a station; old kernels choose its CoDel parameters by it.
    /// src: linux@5.4 net/mac80211/sta_info.c `sta_update_codel_params`
    pub fn set_expected_throughput(&mut self, sta: u16, kbit: u32) {
        // src: `local->num_sta`; an access point is none of its own
        let stations = (self.slow.len() as u32 - 1).max(1);
        self.slow[usize::from(sta)] = self.slow_below.is_some_and(|t| kbit != 0 && kbit < t * stations);
    }

    /// Packets held by all TXQs, those that stand with another (an A-MSDU) among them.
    pub fn packets(&self) -> u32 {
        self.fq.packets + self.fq.joined()
    }
    /// Bytes held by all TXQs, with their 802.11 headers.
    pub fn bytes(&self) -> u64 {
        self.fq.tins.iter().map(|t| t.bytes).sum()
    }
    /// Packets dropped so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
    /// Packets marked so far.
    pub fn marked(&self) -> u64 {
        self.fq.tins.iter().map(|t| t.marks).sum()
    }
    /// The fair queue below all TXQs.
    pub fn fair_queue(&self) -> &Fq {
        &self.fq
    }
    /// What a TXQ holds and has counted.
    pub fn tin(&self, sta: u16, tid: u8) -> &fq::Tin {
        &self.fq.tins[tin(sta, tid) as usize]
    }
    /// Weights, limits and what is in the device.
    pub fn scheduler(&self) -> &Scheduler {
        &self.sched
    }
}

#[inline]
const fn tin(sta: u16, tid: u8) -> u32 {
    sta as u32 * 8 + (tid & 7) as u32
}

#[cfg(test)]
mod tests;
