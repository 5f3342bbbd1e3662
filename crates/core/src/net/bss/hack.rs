//! TCP/HACK in a BSS: where TCP ACKs leave the ordinary path and come back to it.
//!
//! The stack's ACKs pass [`Hack::sent`] on their way to the netdev. The medium asks at a frame's start ([`Hack::sends`]) and when its
//! response begins ([`Hack::answers`]); reports and arrivals bring the AP's driver what rode.
//!
//! Differs: D1 downloads only: ACKs of the access point's side (uploads) go as ever; D2 the AP's mark and MORE DATA are as of
//! when the frame goes on the air, though a driver writes them when it hands the frame to the hardware; D3 MORE DATA looks at
//! what the AP's driver can tell by station (its queues, mac80211's TXQs): a qdisc above does not say whose packets it has; D4
//! the timer and what it sends belong to the driver, which takes no time; D5 what the AP's driver restores goes up with its received
//! frames (ath9k: at the receive interrupt), not from the transmit interrupt's handler.

use crate::sim::{Bitmap, Kind, NodeId, Packet, Place, Reason, Span, Time};
use crate::wifi::hack::{Access, Client, Flow, Flows, Mark, Params, Policy, Sent};
use crate::wifi::{Ac, Burst, Report, StaIx};

/// What a station's TCP ACKs did, in all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AckOutcome {
    /// What its driver saw.
    pub client: crate::wifi::hack::Seen,
    /// Pure ACKs that were acknowledged on the air as frames of their own or in aggregates, and their bytes.
    pub native: u64,
    /// Bytes of IP packets.
    pub native_bytes: u64,
    /// Transmit units with ACKs that were acknowledged.
    pub accesses: u64,
    /// Time for which those waited with the medium idle.
    pub waited: Span,
    /// How much later than SIFS their responses began.
    pub late: Span,
    /// Airtime of their data PPDUs, every transmission.
    pub airtime: Span,
    /// Airtime by which responses were longer for what rode on them.
    pub riding: Span,
    /// ACKs that the AP restored.
    pub restored: u64,
    /// ACKs that it could not restore.
    pub refused: u64,
    /// Responses that were hit by a station that does not hear this one.
    pub hit: u64,
}

/// All of it.
pub(super) struct Hack {
    policy: Policy,
    flows: Flows,
    clients: Vec<Client>,
    access: Vec<Access>,
    nodes: Vec<NodeId>,
    /// The mark of the AP's frame on the air.
    mark: Mark,
    /// What rides on the response on the air.
    air: Vec<u8>,
    restored: Vec<Packet>,
    counts: Vec<AckOutcome>,
    /// When each station's timer is set to fire; never if it is off.
    pub armed: Vec<Time>,
    /// A bit for each category of each station whose head was on the air.
    pub tried: Vec<u8>,
    /// Flushes made, less those that the AP's driver took in.
    pub flushes: u64,
    /// A bit for each station whose timer a call may have moved, or for whose transmit queue it may have left something.
    pending: [u64; 4],
}

impl Hack {
    pub fn new(p: &Params, nodes: Vec<NodeId>) -> Option<Box<Hack>> {
        let n = nodes.len();
        (p.policy != Policy::Off).then(|| {
            Box::new(Hack {
                policy: p.policy,
                flows: Flows::default(),
                clients: (0..n).map(|_| Client::new(p)).collect(),
                access: (0..n).map(|_| Access::default()).collect(),
                nodes,
                mark: Mark::default(),
                air: Vec::with_capacity(usize::from(p.bytes) + 1),
                restored: Vec::with_capacity(256),
                counts: vec![AckOutcome::default(); n],
                armed: vec![Time::NEVER; n],
                tried: vec![0; n],
                flushes: 0,
                pending: [0; 4],
            })
        })
    }
    fn touch(&mut self, s: StaIx) {
        debug_assert!(s != StaIx::AP, "the access point has no client of its own");
        self.pending[s.ix() / 64] |= 1 << (s.ix() % 64);
    }
    /// Whether a call may have left something to do.
    #[inline]
    pub fn is_pending(&self) -> bool {
        self.pending != [0; 4]
    }
    /// The first station from `s` on that a call has touched since it was asked for.
    pub fn next_pending(&mut self, s: u16) -> Option<StaIx> {
        let first = usize::from(s) / 64;
        let found = (first..4).find_map(|w| {
            let all = self.pending[w] & if w == first { u64::MAX << (s % 64) } else { u64::MAX };
            (all != 0).then(|| 64 * w as u32 + all.trailing_zeros())
        })?;
        self.pending[found as usize / 64] &= !(1 << (found % 64));
        Some(StaIx(found as u8))
    }
    pub fn add(&mut self, f: Flow) {
        self.flows.add(f);
    }
    /// The stack of `s` hands `p` down.
    pub fn sent(&mut self, now: Time, s: StaIx, p: &Packet) -> Sent {
        self.touch(s);
        self.clients[s.ix()].sent(now, p, &self.flows)
    }
    /// The head of the AP goes on the air to `to`. Whether something may ride on the response.
    pub fn sends(&mut self, to: StaIx, more_data: bool) -> bool {
        self.air.clear();
        if !self.policy.rides() || to == StaIx::AP {
            return false;
        }
        self.mark = self.access[to.ix()].mark(more_data);
        true
    }
    /// Whether ACKs that wait in the transmit queue may still ride.
    pub fn opportunistic(&self) -> bool {
        self.policy == Policy::Opportunistic
    }
    /// `p` waits in the transmit queue of `s`, never sent. True: it rides.
    pub fn seize(&mut self, now: Time, s: StaIx, p: &Packet) -> bool {
        self.clients[s.ix()].seize(now, p, &self.flows)
    }
    /// `s` answers the AP's frame. How many bytes ride; `longer` tells by how much so many make the response longer.
    pub fn answers(&mut self, now: Time, s: StaIx, repeats: bool, longer: impl FnOnce(u16) -> (Span, Span)) -> u16 {
        self.touch(s);
        self.clients[s.ix()].answer(now, self.mark, repeats, &mut self.air, &self.flows);
        let n = self.air.len() as u16;
        if n > 0 {
            let (by, difs) = longer(n);
            self.counts[s.ix()].riding += by;
            self.clients[s.ix()].beyond_difs += u64::from(by > difs);
        }
        n
    }
    /// The AP's frame to `s` was answered: what rode goes up.
    pub fn answered(&mut self, now: Time, s: StaIx) {
        let (restored, access) = (&mut self.restored, &mut self.access[s.ix()]);
        restored.clear();
        if self.policy.rides() {
            access.chain(now, &self.air, true, &self.flows, |p| restored.push(*p));
        }
    }
    /// A PPDU of `s` came to the AP: what its chains bring goes up.
    pub fn came(&mut self, now: Time, s: StaIx, b: &Burst, fresh: Bitmap) {
        self.restored.clear();
        if !self.policy.rides() {
            return;
        }
        let Hack { access, clients, flows, air, restored, .. } = self;
        let access = &mut access[s.ix()];
        for (i, (m, more)) in b.msdus().enumerate() {
            if !fresh.has(i) || m.received {
                continue;
            }
            for p in core::iter::once(&m.packet).chain(more) {
                if p.is_pure_ack() {
                    access.native(p, flows);
                } else if p.kind == Kind::Chain {
                    air.clear();
                    clients[s.ix()].flush(p, air);
                    access.chain(now, air, false, flows, |p| restored.push(*p));
                }
            }
        }
    }
    /// What the last of these calls restored.
    pub fn restored(&self) -> &[Packet] {
        &self.restored
    }
    /// The response of `s` is hit.
    pub fn hit(&mut self, s: StaIx) {
        self.counts[s.ix()].hit += 1;
    }
    /// The hardware of `s` is done with `b`.
    pub fn done(&mut self, s: StaIx, ac: Ac, b: &Burst, r: &Report) {
        self.touch(s);
        self.tried[s.ix()] &= !(1 << ac.ix());
        let (count, client) = (&mut self.counts[s.ix()], &mut self.clients[s.ix()]);
        let mut acks = false;
        for (i, (m, more)) in b.msdus().enumerate() {
            if !r.acked.has(i) {
                continue;
            }
            for p in core::iter::once(&m.packet).chain(more) {
                if p.is_pure_ack() {
                    acks = true;
                    count.native += 1;
                    count.native_bytes += u64::from(p.ip_len());
                }
                client.ended(p, true, &self.flows);
            }
        }
        if acks {
            count.accesses += 1;
            count.waited += r.waited;
            count.late += r.late;
            count.airtime += r.airtime;
        }
    }
    /// Packets that were dropped meanwhile.
    pub fn dropped(&mut self, all: &[(Packet, Place, Reason)]) {
        for (p, ..) in all {
            if let Some(i) = self.nodes.iter().position(|n| *n == p.src).filter(|&i| i > 0) {
                self.clients[i].ended(p, false, &self.flows);
                self.touch(StaIx(i as u8));
            }
        }
    }
    /// The timer of `s` fires.
    pub fn timer(&mut self, now: Time, s: StaIx) {
        self.touch(s);
        self.armed[s.ix()] = Time::NEVER;
        let before = self.clients[s.ix()].seen().flushes;
        self.clients[s.ix()].timer(now, self.nodes[s.ix()], self.nodes[0], &self.flows);
        self.flushes += self.clients[s.ix()].seen().flushes - before;
    }
    /// When the timer of `s` has to fire, if it is not set for that or earlier.
    pub fn wants(&mut self, s: StaIx) -> Option<Time> {
        let at = self.clients[s.ix()].deadline();
        if at >= self.armed[s.ix()] {
            return None;
        }
        self.armed[s.ix()] = at;
        Some(at)
    }
    /// What `s` has for its transmit queue.
    pub fn back(&mut self, s: StaIx) -> &mut Vec<Packet> {
        &mut self.clients[s.ix()].back
    }
    /// ACKs in chains that the AP has not got.
    pub fn held(&self) -> u64 {
        let of = |(c, a): (&Client, &Access)| {
            let (first, end) = c.kept();
            end - first.max(a.taken()).min(end) + c.back.len() as u64
        };
        self.clients.iter().zip(&self.access).map(of).sum()
    }
    /// ACKs that were lost because they could not be restored.
    pub fn refused(&self) -> u64 {
        self.access.iter().map(Access::refused).sum()
    }
    /// What happened to the ACKs of station `s`.
    pub fn outcome(&self, s: StaIx) -> AckOutcome {
        let a = &self.access[s.ix()];
        AckOutcome {
            client: self.clients[s.ix()].seen(),
            restored: a.restored(),
            refused: a.refused(),
            ..self.counts[s.ix()]
        }
    }
}
