//! A station's driver and NIC: what becomes of each TCP ACK that the stack hands down.
//!
//! ```text
//! TCP ACK --MORE DATA latched?--> compress --> chain --load--> NIC (ready) --next frame--> rides on the response
//!    |                               |           |                             kept until the AP says that it heard
//!    '---- no --> transmit queue <---'-----------'  not ready, or too late: natively (what never rode), or a flush (what did)
//! ```
//!
//! Stands for: thesis sections 3.3.3.1 (driver and NIC), 3.3.4 (retention). The bookkeeping is [`Station`]'s, the bytes are the codec's.
//! Differs: D1 one chain, for there is one AP; D2 a flush is one frame with the whole chain, not the ACKs natively, since the AP
//! must be able to tell what it has; D3 a response has room for [`Rules::bytes`].

use super::station::{Confirmation, Incoming, Station};
use super::{NEVER, Ns};
use alloc::collections::VecDeque;
use alloc::vec::Vec;
use wavetank_rohc::ack::LONGEST;
use wavetank_rohc::{Cid, Compressor, Outcome, Short};

/// ACKs in the chain at most: their numbers go with eight bits.
const CHAIN: usize = 240;
/// Native ACKs that the AP remembers a flow, and so may be on their way when one is built on: a Block Ack window.
pub(super) const NATIVES: usize = 64;
/// A native ACK that was handed down so many before one that is acknowledged has ended, however: Block Ack windows are 64.
const SETTLED: u64 = 128;
/// A flush that was not acknowledged for so many times the guard is taken for lost.
const FLUSH_PATIENCE: u64 = 4;

/// When an ACK waits for a response, where HACK is on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Waits {
    /// Never: it is queued, and may be taken out of the queue again ([`Client::seize`]).
    Never,
    /// For [`Rules::timer`] at most.
    Always,
    /// While the AP promises more data.
    Promised,
}

/// What a driver is told.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// ACKs may ride; else they are counted only.
    pub rides: bool,
    /// When they wait.
    pub waits: Waits,
    /// How long one waits at most, where they always do.
    pub timer: Ns,
    /// How long a promise is believed.
    pub guard: Ns,
    /// From the stack's handing an ACK down until the NIC holds it.
    pub load: Ns,
    /// Bytes that ride on one response at most.
    pub bytes: u16,
}

/// Writes what the codec reads of a packet.
pub trait Headers<P> {
    /// The IPv4 and TCP header of a pure ACK; its length. None: it cannot be written, and the codec shall not hear of it.
    fn write(&self, p: &P, out: &mut [u8; LONGEST]) -> Option<usize>;
}

/// A compressed ACK and what it was.
#[derive(Clone, Copy, Debug)]
struct Entry<P> {
    packet: P,
    bytes: Short,
    cid: Cid,
    epoch: u8,
    msn: u32,
    /// When it was handed down, and when the NIC has it.
    since: Ns,
    loaded: Ns,
}

/// A header that was handed down.
#[derive(Clone, Copy, Debug)]
struct Native {
    number: u64,
    len: u8,
    bytes: [u8; LONGEST],
}

impl Native {
    fn new(number: u64, header: &[u8]) -> Native {
        let mut n = Native { number, len: header.len() as u8, bytes: [0; LONGEST] };
        n.bytes[..header.len()].copy_from_slice(header);
        n
    }
    fn header(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// A frame with the whole chain for the transmit queue; what it holds is asked for when it arrives ([`Client::flush`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flush {
    /// One past its last number.
    pub end: u64,
    /// How many bytes it has at most.
    pub bytes: u32,
}

/// What an AP's frame says to the station, beside its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark {
    /// The response to the frame before it was heard.
    pub heard: bool,
    /// ACKs could not be restored: begin anew, natively.
    pub repair: bool,
    /// More is queued for this station.
    pub more_data: bool,
}

/// What a station's ACKs did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Seen {
    /// Pure ACKs that TCP handed down.
    pub acks: u64,
    /// ACKs that were compressed, and their bytes.
    pub compressed: u64,
    /// Bytes of those.
    pub compressed_bytes: u64,
    /// Bytes that rode, each time they did, and on how many responses.
    pub riding_bytes: u64,
    /// Responses with ACKs on them.
    pub responses: u64,
    /// ACKs that left the chain, for the transmit queue: no frame came that they could have ridden on.
    pub failures: u64,
    /// Frames that came before the NIC held the chain that was waiting.
    pub not_ready: u64,
    /// ACKs that would have waited but that the codec wants natively: they open or mend a context.
    pub repairs: u64,
    /// Flushes.
    pub flushes: u64,
    /// Of the responses, those so long that DIFS would not protect them from who does not hear them.
    pub beyond_difs: u64,
}

/// One station's side. `P` stands for a packet of the caller's; who hands one over gets it back by `back` or by `done`.
pub struct Client<P> {
    rules: Rules,
    chain: Station<Entry<P>>,
    rohc: Compressor,
    /// Native ACKs on their way.
    natives: VecDeque<Native>,
    handed: u64,
    /// When the chain's oldest has waited too long.
    pub deadline: Ns,
    /// The flush on its way: up to where, since when.
    flushing: Option<(u64, Ns)>,
    /// What happened.
    pub seen: Seen,
}

impl<P: Copy> Client<P> {
    /// Of a station that has just associated.
    pub fn new(rules: Rules) -> Client<P> {
        Client {
            rules,
            chain: Station::new(Confirmation::Marked),
            rohc: Compressor::in_order(CHAIN as u32, NATIVES),
            natives: VecDeque::with_capacity(256),
            handed: 0,
            deadline: NEVER,
            flushing: None,
            seen: Seen::default(),
        }
    }
    /// Whether ACKs may ride.
    pub fn rides(&self) -> bool {
        self.rules.rides
    }
    /// The stack hands a pure ACK down; `header`: what [`Headers`] writes of it (not asked for where nothing rides). True: it is held.
    pub fn sent(&mut self, now: Ns, p: P, header: Option<&[u8]>) -> bool {
        self.seen.acks += 1;
        let hold = match self.rules.waits {
            Waits::Never => false,
            Waits::Always => true,
            Waits::Promised => self.chain.more_data(),
        };
        let Some(header) = header.filter(|_| self.rules.rides) else { return false };
        if hold && self.chain.len() < CHAIN {
            return self.hold(now, p, header);
        }
        self.rohc.native(header);
        self.note_native(header);
        false
    }
    fn note_native(&mut self, header: &[u8]) {
        self.handed += 1;
        self.natives.push_back(Native::new(self.handed, header));
    }
    fn hold(&mut self, now: Ns, p: P, header: &[u8]) -> bool {
        match self.rohc.compress(header) {
            Outcome::Native(_) => {
                self.seen.repairs += 1;
                self.note_native(header);
                false
            }
            Outcome::Ride(r) => {
                self.seen.compressed += 1;
                self.seen.compressed_bytes += r.bytes.len() as u64;
                let loaded = now + self.rules.load;
                let (bytes, cid, epoch, msn) = (r.bytes, r.cid, r.epoch, r.msn);
                self.chain.hold(Entry { packet: p, bytes, cid, epoch, msn, since: now, loaded });
                self.deadline = self.deadline.min(now + self.patience());
                true
            }
        }
    }
    /// A frame of the AP is answered now. What rides is put behind `air`: the low byte of the first one's number, then all of them.
    /// What is confirmed goes to `done`, what is taken back to `back`, for the transmit queue.
    #[allow(clippy::too_many_arguments)]
    pub fn answer(
        &mut self,
        now: Ns,
        mark: Mark,
        repeats: bool,
        air: &mut Vec<u8>,
        headers: &impl Headers<P>,
        back: impl FnMut(P),
        mut done: impl FnMut(P),
    ) {
        // What the driver has loaded by now.
        let ready = self.chain.unconfirmed().1.skip(self.chain.in_nic()).take_while(|e| e.loaded <= now).count();
        let end = self.chain.confirmed() + (self.chain.in_nic() + ready) as u64;
        self.chain.loaded(end);
        let waiting = self.chain.end() > self.chain.confirmed() + self.chain.in_nic() as u64;
        self.seen.not_ready += u64::from(waiting);
        let mut left = usize::from(self.rules.bytes) - 1;
        let (rohc, incoming) = (&mut self.rohc, Incoming { heard: mark.heard, repeats, more_data: mark.more_data });
        let fits = |e: &Entry<P>| {
            let fits = e.bytes.len() <= left;
            left -= if fits { e.bytes.len() } else { 0 };
            fits
        };
        let riding = self.chain.ppdu(incoming, fits, |e| {
            rohc.confirm(e.cid, e.epoch, e.msn);
            done(e.packet);
        });
        if riding.end > riding.first {
            air.push(riding.first as u8);
            let n = (riding.end - riding.first) as usize;
            self.chain.unconfirmed().1.take(n).for_each(|e| air.extend_from_slice(&e.bytes));
            self.seen.riding_bytes += air.len() as u64;
            self.seen.responses += 1;
        }
        if mark.repair {
            self.rohc.abandon_all();
        }
        if mark.repair || self.rules.waits == Waits::Promised && !mark.more_data {
            self.take_back(headers, back);
        }
        self.deadline = self.due(now);
    }
    fn patience(&self) -> Ns {
        let timed = self.rules.waits == Waits::Always && self.chain.fresh().is_some();
        if timed { self.rules.timer } else { self.rules.guard }
    }
    /// When the chain has waited too long: what has not ridden since it came, what has since the last response.
    fn due(&self, now: Ns) -> Ns {
        match self.chain.fresh() {
            Some(e) => (e.since + self.patience()).min(now + self.rules.guard),
            None if self.chain.is_empty() => NEVER,
            None => now + self.rules.guard,
        }
    }
    /// What has not ridden goes natively.
    fn take_back(&mut self, headers: &impl Headers<P>, mut back: impl FnMut(P)) {
        let Client { chain, rohc, seen, natives, handed, .. } = self;
        chain.take_back(|e| {
            // The other side will not see it: what comes after cannot build on it.
            rohc.take_back(e.cid, e.epoch, e.msn);
            let mut bytes = [0; LONGEST];
            *handed += 1;
            if let Some(n) = headers.write(&e.packet, &mut bytes) {
                rohc.native(&bytes[..n]);
                natives.push_back(Native::new(*handed, &bytes[..n]));
            }
            back(e.packet);
            seen.failures += 1;
        });
    }
    /// Nothing came for too long: what has not ridden goes to `back`, and the rest into a flush, which is to be queued.
    pub fn timer(&mut self, now: Ns, headers: &impl Headers<P>, back: impl FnMut(P)) -> Option<Flush> {
        if now < self.deadline {
            return None;
        }
        let fresh = self.chain.fresh().is_some();
        self.take_back(headers, back);
        self.deadline = if self.chain.is_empty() { NEVER } else { now + self.rules.guard };
        let waits = self.flushing.is_some_and(|(_, since)| now < since + self.rules.guard * FLUSH_PATIENCE);
        if self.chain.is_empty() || waits || fresh && self.rules.waits == Waits::Always {
            return None; // the explicit timer is for what has not ridden
        }
        let end = self.chain.flush();
        let bytes = 1 + self.chain.unconfirmed().1.map(|e| e.bytes.len() as u32).sum::<u32>();
        self.flushing = Some((end, now));
        self.seen.flushes += 1;
        Some(Flush { end, bytes })
    }
    /// The chain's oldest.
    pub fn oldest(&self) -> Option<P> {
        self.chain.unconfirmed().1.next().map(|e| e.packet)
    }
    /// What a flush up to `end` (its low bits) that arrives now holds, behind `air`. Empty: all of it is confirmed meanwhile.
    pub fn flush(&self, end: u32, air: &mut Vec<u8>) {
        let (first, entries) = self.chain.unconfirmed();
        let n = (end.wrapping_sub(first as u32) as i32).max(0) as usize;
        if n > 0 {
            air.push(first as u8);
            entries.take(n).for_each(|e| air.extend_from_slice(&e.bytes));
        }
    }
    /// The flush up to `end` (its low bits) was acknowledged on the air, or (`!arrived`) came to an end otherwise.
    pub fn flushed(&mut self, end: u32, arrived: bool, mut done: impl FnMut(P)) {
        let Some((all, _)) = self.flushing.filter(|(e, _)| *e as u32 == end) else { return };
        self.flushing = None;
        if arrived {
            let rohc = &mut self.rohc;
            self.chain.flushed(all, |e| {
                rohc.confirm(e.cid, e.epoch, e.msn);
                done(e.packet);
            });
            if self.chain.is_empty() {
                self.deadline = NEVER;
            }
        }
    }
    /// A native ACK was acknowledged on the air, or (`!arrived`) came to an end otherwise.
    pub fn ended(&mut self, header: &[u8], arrived: bool) {
        let Some(i) = self.natives.iter().position(|n| n.header() == header) else { return };
        let Some(this) = self.natives.remove(i) else { return };
        self.rohc.native_done(this.header(), arrived);
        while arrived && self.natives.front().is_some_and(|n| n.number + SETTLED < this.number) {
            let Some(old) = self.natives.pop_front() else { break };
            self.rohc.native_done(old.header(), false);
        }
    }
    /// The number of the chain's first, and one past its last.
    pub fn kept(&self) -> (u64, u64) {
        (self.chain.confirmed(), self.chain.end())
    }
    /// Opportunistic: a native ACK that waits in the transmit queue. True: it is in the chain now, at once in the NIC.
    pub fn seize(&mut self, now: Ns, p: P, header: &[u8]) -> bool {
        if self.chain.len() >= CHAIN {
            return false;
        }
        let Some(i) = self.natives.iter().position(|n| n.header() == header) else { return false };
        // It is not on its way any more; unless the codec wants it to be, and then counts it again.
        self.rohc.native_done(header, false);
        let Outcome::Ride(r) = self.rohc.compress(header) else { return false };
        self.natives.remove(i);
        self.seen.compressed += 1;
        self.seen.compressed_bytes += r.bytes.len() as u64;
        let (bytes, cid, epoch, msn) = (r.bytes, r.cid, r.epoch, r.msn);
        let loaded = now;
        self.chain.hold(Entry {
            packet: p,
            bytes,
            cid,
            epoch,
            msn,
            since: now.saturating_sub(self.rules.load),
            loaded,
        });
        true
    }
    /// The station goes away: whatever is in the chain.
    pub fn each(&self, mut f: impl FnMut(P)) {
        self.chain.unconfirmed().1.for_each(|e| f(e.packet));
    }
}
