//! MPDUs and responses put together to exchanges.

use crate::block_ack::Told;
use crate::frame::{AckPolicy, Frame, Kind, Mac, Subframe};
use crate::phy::Phy;
use wavetank_core::wifi::Burst;

/// PPDUs that can be open at once: what collides. Stations whose pings have one rhythm collide all together.
const OPEN: usize = 64;
/// Time stamps are whole microseconds, and differ by what drivers make of them: no more than this, ns.
const SLACK: u64 = 2_000;
/// RTS and CTS at 1 Mbit/s take no longer, ns.
const PROTECTION_MOST: u64 = 1_500_000;
/// What is protected begins no later after its CTS, ns.
const SEND_NEXT: u64 = 60_000;
/// The longest minimum MPDU start spacing, ns. src: 802.11-2020 table 9-186
const DENSITY_MOST: u64 = 16_000;
/// ath9k fills every MPDU of an A-MPDU up to so many bytes with empty delimiters, at any rate, and if it is encrypted adds ten of four bytes; in front
/// of the second it may put sixty. src: linux@6.12 ath9k/xmit.c, ath_compute_num_delims; ath9k.h, ATH_AGGR_MINPLEN, ATH_AGGR_ENCRYPTDELIM,
/// FIRST_DESC_NDELIMS
const FILLED: u32 = 256;
/// See `FILLED`.
const ENCRYPTED: u64 = 10 * 4;
/// See `FILLED`.
const FIRST: u64 = 60 * 4;
/// No PPDU takes longer, ns. src: 802.11-2020 table 21-28, aPPDUMaxTime
const PPDU_LONGEST: u64 = 5_484_000;
/// A Block Ack that is asked for later comes within that, ns: a sender asks at once, and again if nothing comes.
const LATER: u64 = 1_000_000_000;
/// The most MPDUs that one PPDU can have: more of one reference is another's, or damage.
const PPDU_MOST: usize = 1024;

/// A data PPDU with what answered it.
#[derive(Clone, Debug)]
pub(super) struct Ppdu {
    /// Its transmitter's number, and its receiver.
    pub station: usize,
    pub ra: Mac,
    pub phy: Option<Phy>,
    /// When its exchange began, ns.
    pub begin: u64,
    /// Nobody knows when.
    pub untimed: bool,
    pub mpdus: usize,
    /// Of these: bad check sequence; sent again; not acknowledged.
    pub bad: usize,
    pub retries: usize,
    pub unacked: usize,
    /// Whether they were acknowledged cannot be told.
    pub unknown: usize,
    /// Bytes of all MPDUs with their headers.
    pub bytes: u64,
    pub answered: bool,
    pub collided: bool,
    /// Protection, data, response; ns. None: the rate is not known, or whose of several users' it is.
    pub airtime: Option<u64>,
}

/// One that may get more MPDUs, or its response.
struct Open {
    p: Ppdu,
    ta: Mac,
    tid: Option<u8>,
    policy: AckPolicy,
    mhz: u16,
    l_sig_us: Option<u16>,
    subframe: Option<Subframe>,
    /// PSDU bytes so far, and how many its MPDUs are short of `FILLED`.
    psdu: u32,
    short: u32,
    /// Protection in front of it, ns.
    lead: u64,
    /// When the first and the last MPDU began, us, and the length of the last.
    first: Option<u64>,
    last: (Option<u64>, u32),
    /// When the last MPDU came, as the capture has it, ns.
    heard: u64,
    seqs: Vec<(u16, bool)>,
}

impl Open {
    fn data_ns(&self) -> u64 {
        if let Some(us) = self.l_sig_us {
            return u64::from(us) * 1_000;
        }
        self.p.phy.map_or(0, |p| p.duration_ns(self.psdu, self.mhz))
    }
    /// As long as the time stamps say, where the capture has one an MPDU: an A-MPDU of short frames is longer than they are, by the
    /// empty delimiters that the receiver asked for, or that the sender's hardware needs. They are believed only within what those can be.
    fn data_by_clock_ns(&self, response: Option<&Frame>) -> u64 {
        let by_length = self.data_ns();
        let (None, Some(first), Some(last), Some(phy)) = (self.l_sig_us, self.first, self.last.0, self.p.phy) else {
            return by_length;
        };
        if last <= first && self.p.mpdus > 1 {
            return by_length;
        }
        let from_first = |us: u64| us.saturating_sub(first).saturating_mul(1_000);
        let clock = match response.and_then(|r| r.tsft.zip(r.phy)) {
            Some((t, p)) => {
                from_first(t).saturating_add(phy.preamble_ns()).saturating_sub(p.preamble_ns() + Phy::sifs_ns(self.mhz))
            }
            None => {
                let bits = u64::from(self.last.1) * 8_000_000_000;
                from_first(last).saturating_add(phy.preamble_ns() + bits / phy.rate_bps().max(1))
            }
        };
        let mpdus = self.p.mpdus as u64;
        let filled = (u64::from(self.short) + mpdus * ENCRYPTED + FIRST) * 8_000_000_000 / phy.rate_bps().max(1);
        let most = by_length + filled.max(mpdus * DENSITY_MOST);
        if clock > by_length + SLACK && clock <= most { clock } else { by_length }
    }
    /// From the last MPDU to this one, us: by the card's clock, or where it tells no time, by when the host took them. None: only one has a time.
    fn gap_us(&self, f: &Frame) -> Option<u64> {
        match (f.tsft, self.last.0) {
            (Some(now), Some(then)) => Some(now.abs_diff(then)),
            (None, None) if !f.untimed => Some(f.time.abs_diff(self.heard) / 1_000),
            _ => None,
        }
    }
    /// Of its MPDUs those that a Block Ack does not acknowledge, and those of which it does not tell.
    fn judged(&self, r: &Frame) -> (usize, usize) {
        self.seqs.iter().fold((0, 0), |(lost, unknown), &(seq, bad)| match r.block_ack.told(self.tid, seq) {
            _ if bad => (lost + 1, unknown),
            // The capture cuts its number: what has no TID is no frame that Block Acks are for.
            _ if self.tid.is_none() => (lost, unknown + 1),
            Told::Acked => (lost, unknown),
            Told::Lost => (lost + 1, unknown),
            Told::Unknown => (lost, unknown + 1),
        })
    }
    fn multi_user(&self) -> bool {
        self.p.phy.is_some_and(Phy::is_multi_user)
    }
    /// How long it is cannot be told: it is over when its transmitter sends another, or gets its response.
    fn endless(&self) -> bool {
        self.p.phy.is_none() && self.subframe.is_some()
    }
    /// By when it is over, if nothing else says so.
    fn over(&self) -> u64 {
        if self.endless() { self.p.begin.saturating_add(PPDU_LONGEST) } else { self.end() }
    }
    fn end(&self) -> u64 {
        self.p.begin.saturating_add(self.lead + self.data_ns())
    }
}

/// Puts frames together.
#[derive(Default)]
pub(super) struct Exchanges {
    open: Vec<Open>,
    /// Over, and to be acknowledged by a Block Ack that comes later.
    owed: Vec<Open>,
    spare: Vec<Vec<(u16, bool)>>,
    /// The last RTS: transmitter, begin, end; and when its CTS ended.
    rts: Option<(Mac, u64, u64, Option<u64>)>,
    /// The last CTS that answer no RTS: whom they name, begin, end. Several where they collided.
    cts: Vec<(Mac, u64, u64)>,
}

/// When a frame's PPDU began, ns (for the first MPDU of it).
fn begin(f: &Frame) -> u64 {
    let preamble = f.phy.map_or(0, Phy::preamble_ns);
    match f.tsft {
        // Time stamps count the same clock only in our own captures; elsewhere the difference is what matters.
        Some(us) if us.saturating_mul(1_000).abs_diff(f.time) < 1_000_000_000 => {
            us.saturating_mul(1_000).saturating_sub(preamble)
        }
        _ => f.time.saturating_sub(f.phy.map_or(0, |p| p.duration_ns(f.len, f.mhz))),
    }
}

impl Exchanges {
    /// The next frame; `station` is its transmitter, if known. `close` gets what is complete.
    pub fn frame(&mut self, f: &Frame, station: Option<usize>, close: &mut impl FnMut(&Ppdu)) {
        match f.kind {
            Kind::Data => self.data(f, station, close),
            Kind::Ack | Kind::BlockAck => self.response(f, close),
            Kind::Rts => {
                let b = begin(f);
                self.settle(f, b, close);
                self.another(f.ta, close);
                let overlaps = self.open.iter_mut().filter(|o| o.end() > b.saturating_add(SLACK) && !o.multi_user());
                overlaps.for_each(|o| o.p.collided = true);
                self.rts =
                    f.ta.map(|ta| (ta, b, b.saturating_add(f.phy.map_or(0, |p| p.duration_ns(f.len, f.mhz))), None));
            }
            Kind::Cts => {
                let b = begin(f);
                let end = b.saturating_add(f.phy.map_or(0, |p| p.duration_ns(f.len, f.mhz)));
                match &mut self.rts {
                    Some(r) if r.0 == f.ra => r.3 = Some(end),
                    // To itself (802.11-2020 10.27.2), or its RTS was not heard: either way whom it names sends next.
                    _ => {
                        self.cts.retain(|c| c.2.saturating_add(SEND_NEXT) > b);
                        if self.cts.len() < OPEN {
                            self.cts.push((f.ra, b, end));
                        }
                    }
                }
            }
            Kind::Bar => {
                self.settle(f, begin(f), close);
                self.another(f.ta, close);
            }
            _ => {}
        }
    }

    /// The capture ends.
    pub fn end(&mut self, close: &mut impl FnMut(&Ppdu)) {
        while !self.open.is_empty() {
            self.close(0, None, close);
        }
        while !self.owed.is_empty() {
            self.untold(close);
        }
    }

    /// What ended before `now`, when `f` begins, and got no response gets none. Without times all that came before has ended: whether two
    /// collided cannot be told.
    fn settle(&mut self, f: &Frame, now: u64, close: &mut impl FnMut(&Ppdu)) {
        while let Some(i) = self.open.iter().position(|o| f.untimed || o.over() <= now.saturating_add(SLACK)) {
            self.close(i, None, close);
        }
        while let Some(i) = self.owed.iter().position(|o| o.heard.saturating_add(LATER) < now) {
            let o = self.owed.remove(i);
            self.count(o, None, close);
        }
    }

    /// Nobody saw the Block Ack of what has waited longest for one.
    fn untold(&mut self, close: &mut impl FnMut(&Ppdu)) {
        let o = Open { policy: AckPolicy::Within, ..self.owed.remove(0) };
        self.count(o, None, close);
    }

    /// `ta` sends something else: what it sent before is over.
    fn another(&mut self, ta: Option<Mac>, close: &mut impl FnMut(&Ppdu)) {
        while let Some(i) = self.open.iter().position(|o| o.endless() && Some(o.ta) == ta) {
            self.close(i, None, close);
        }
    }

    fn data(&mut self, f: &Frame, station: Option<usize>, close: &mut impl FnMut(&Ppdu)) {
        let same = self.open.iter().position(|o| match (o.subframe, f.subframe) {
            // What came damaged may name anybody.
            (Some(a), Some(b)) => a.reference == b.reference && (f.bad || Some(o.ta) == f.ta) && o.p.mpdus < PPDU_MOST,
            (None, None) if o.p.mpdus < PPDU_MOST => {
                let took = o.p.phy.map_or(0, |p| p.duration_ns(o.last.1, o.mhz) / 1_000);
                Some(o.ta) == f.ta
                    && o.p.ra == f.ra
                    && o.tid == f.tid
                    && f.tid.is_some()
                    && o.p.phy == f.phy
                    && matches!(f.phy, Some(Phy::Ht(..) | Phy::Vht(..) | Phy::He(..)))
                    && o.gap_us(f).is_some_and(|g| g <= took)
            }
            _ => false,
        });
        let i = match same {
            Some(i) => i,
            None => {
                let b = begin(f);
                self.settle(f, b, close);
                if !f.phy.is_some_and(Phy::is_multi_user) {
                    self.another(f.ta, close);
                }
                let (Some(station), Some(ta)) = (station, f.ta) else { return };
                if self.open.len() == OPEN {
                    self.close(0, None, close);
                }
                let mut lead = 0;
                let mut collided = false;
                if let Some((who, from, until, cts)) = self.rts.filter(|_| !f.untimed) {
                    match cts {
                        Some(end)
                            if who == ta && b.abs_diff(end) < SEND_NEXT && b.saturating_sub(from) < PROTECTION_MOST =>
                        {
                            lead = b.saturating_sub(from);
                        }
                        _ => collided = who != ta && until > b.saturating_add(SLACK) && from < b.saturating_add(SLACK),
                    }
                    self.rts = None;
                }
                if let Some(k) = self.cts.iter().position(|c| c.0 == ta && b.abs_diff(c.2) < SEND_NEXT) {
                    lead = b.saturating_sub(self.cts.swap_remove(k).1);
                }
                // Several users' parts of one PPDU are no collision.
                let alone = !f.phy.is_some_and(Phy::is_multi_user);
                let overlaps = self.open.iter_mut().filter(|o| o.end() > b.saturating_add(SLACK));
                for o in overlaps.filter(|o| alone && !o.multi_user()) {
                    o.p.collided = true;
                    collided = true;
                }
                let mut seqs = self.spare.pop().unwrap_or_else(|| Vec::with_capacity(64));
                seqs.clear();
                let p = Ppdu {
                    station,
                    ra: f.ra,
                    phy: f.phy,
                    begin: b - lead,
                    untimed: f.untimed,
                    mpdus: 0,
                    bad: 0,
                    retries: 0,
                    unacked: 0,
                    unknown: 0,
                    bytes: 0,
                    answered: false,
                    collided,
                    airtime: None,
                };
                let (tid, policy, mhz, l_sig_us, subframe) = (f.tid, f.policy, f.mhz, f.l_sig_us, f.subframe);
                let (psdu, short, first, last, heard) = (0, 0, f.tsft, (None, 0), f.time);
                self.open.push(Open {
                    p,
                    ta,
                    tid,
                    policy,
                    mhz,
                    l_sig_us,
                    subframe,
                    psdu,
                    short,
                    lead,
                    first,
                    last,
                    heard,
                    seqs,
                });
                self.open.len() - 1
            }
        };
        // Another began while this one of unknown length went on.
        if self.open[i].endless() {
            for k in i + 1..self.open.len() {
                self.open[k].p.collided = true;
                self.open[i].p.collided = true;
            }
        }
        let o = &mut self.open[i];
        o.heard = f.time;
        o.p.mpdus += 1;
        o.p.bad += usize::from(f.bad);
        o.policy = if f.bad { o.policy } else { f.policy };
        o.p.retries += usize::from(f.retry);
        o.p.bytes += u64::from(f.len);
        let len = f.len.min(u32::from(u16::MAX)) as u16;
        o.psdu = if o.subframe.is_some() || o.p.mpdus > 1 { Burst::psdu_of(o.psdu, len) } else { f.len };
        o.short += FILLED.saturating_sub(f.len);
        o.last = (f.tsft, f.len);
        o.seqs.push((f.seq, f.bad));
    }

    fn response(&mut self, f: &Frame, close: &mut impl FnMut(&Ppdu)) {
        if f.kind == Kind::BlockAck && !f.bad {
            let of = |o: &Open| o.ta == f.ra && Some(o.p.ra) == f.ta && f.block_ack.concerns(o.tid);
            while let Some(i) = self.owed.iter().position(of) {
                let o = self.owed.remove(i);
                self.count(o, Some(f), close);
            }
        }
        if let Some(mut i) = self.open.iter().rposition(|o| o.ta == f.ra && o.policy != AckPolicy::Never) {
            // In the order in which they were sent: what was silent since this one began is over.
            let began = self.open[i].p.begin;
            while let Some(k) = self.open[..i].iter().position(|o| o.endless() && o.heard <= began) {
                self.close(k, None, close);
                i -= 1;
            }
            self.close(i, Some(f), close);
        }
    }

    fn close(&mut self, i: usize, response: Option<&Frame>, close: &mut impl FnMut(&Ppdu)) {
        let o = self.open.remove(i);
        if o.policy != AckPolicy::Later || response.is_some() {
            return self.count(o, response, close);
        }
        if self.owed.len() == OPEN {
            self.untold(close);
        }
        self.owed.push(o);
    }

    fn count(&mut self, mut o: Open, response: Option<&Frame>, close: &mut impl FnMut(&Ppdu)) {
        // What does not come SIFS behind it tells nothing of its end, and is none of its airtime.
        let at_once = matches!(o.policy, AckPolicy::Now | AckPolicy::Within);
        let data = o.data_by_clock_ns(response.filter(|_| at_once));
        // What goes to a group is not answered.
        let group = o.p.ra.0[0] & 1 != 0;
        let elsewhere = o.multi_user() || matches!(o.policy, AckPolicy::Never | AckPolicy::Within);
        o.p.answered = group || elsewhere || response.is_some_and(|r| !r.bad);
        (o.p.unacked, o.p.unknown) = match response {
            Some(r) if !r.bad && r.kind == Kind::BlockAck => o.judged(r),
            Some(r) if !r.bad => (o.p.bad, 0),
            None if group => (o.p.bad, 0),
            // Nobody answers, or several users are answered by one frame, or at the same time: what was not heard tells nothing.
            None if elsewhere => (o.p.bad, o.p.mpdus - o.p.bad),
            _ => (o.p.mpdus, 0),
        };
        let ampdu = o.subframe.is_some() || o.p.mpdus > 1;
        let answer = match response {
            Some(r) => r.phy.map_or(0, |p| p.duration_ns(r.len, r.mhz)),
            None => o.p.phy.map_or(0, |p| p.answered_at().duration_ns(if ampdu { 32 } else { 14 }, o.mhz)),
        };
        let alone = group || !at_once || (o.policy == AckPolicy::Within && response.is_none());
        o.p.airtime = match o.p.collided || alone {
            // Whose it is of all its users' cannot be told.
            _ if o.multi_user() || o.p.phy.is_none() => None,
            true => Some(o.lead + data),
            false => Some(o.lead + data + Phy::sifs_ns(o.mhz) + answer),
        };
        close(&o.p);
        self.spare.push(o.seqs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_ack::BlockAck;
    use crate::frame::Frame;

    const STATION: Mac = Mac([2, 0, 0, 0, 0, 1]);
    const AP: Mac = Mac([2, 0, 0, 0, 0, 2]);

    /// MPDUs of `len` bytes of one A-MPDU, each `step` us after the one before, and a Block Ack that comes SIFS after `us` of it.
    fn ampdu(phy: Phy, n: u16, len: u32, step: u64, us: u64, block_ack: BlockAck) -> Ppdu {
        let (mut x, mut closed) = (Exchanges::default(), Vec::new());
        let data = |k: u16| Frame {
            kind: Kind::Data,
            ta: Some(STATION),
            ra: AP,
            phy: Some(phy),
            mhz: 5180,
            len,
            seq: k,
            tid: Some(0),
            subframe: Some(Subframe { reference: 1, last: false }),
            tsft: Some(1_000 + phy.preamble_ns() / 1_000 + step * u64::from(k)),
            time: (1_000 + us) * 1_000,
            ..Frame::EMPTY
        };
        let answer = Phy::Ofdm(48);
        let ack = Frame {
            kind: Kind::BlockAck,
            ra: STATION,
            ta: Some(AP),
            phy: Some(answer),
            mhz: 5180,
            len: 32,
            tsft: Some(1_000 + us + 16 + answer.preamble_ns() / 1_000),
            time: (1_000 + us + 16 + 32) * 1_000,
            block_ack,
            ..Frame::EMPTY
        };
        (0..n).for_each(|k| x.frame(&data(k), Some(0), &mut |p| closed.push(p.clone())));
        x.frame(&ack, None, &mut |p| closed.push(p.clone()));
        assert_eq!(closed.len(), 1);
        closed.remove(0)
    }

    /// Its data's, us.
    fn airtime(phy: Phy, n: u16, len: u32, step: u64, us: u64) -> u64 {
        let closed = ampdu(phy, n, len, step, us, BlockAck::EMPTY);
        closed.airtime.unwrap() / 1_000 - 16 - 32
    }

    #[test]
    fn what_a_block_ack_does_not_tell_is_neither_there_nor_lost() {
        let of = |block_ack| {
            let p = ampdu(Phy::Ofdm(48), 10, 1500, 500, 5_000, block_ack);
            (p.answered, p.unacked, p.unknown)
        };
        assert_eq!(of(BlockAck::compressed(0, 0, &[0x3fb])), (true, 1, 0));
        assert_eq!(of(BlockAck::EMPTY), (true, 0, 10), "of a variant that is not read");
        // A bitmap of which a byte was kept, which has one zero.
        let cut = BlockAck::read(&[4, 0, 0, 0, 0xfb], 12);
        assert_eq!(of(cut), (true, 1, 2));
    }

    /// A frame of 1500 bytes at 24 Mbit/s, with a policy, number `k`; and a Block Ack of the first four numbers but number 2, at `us`.
    fn data(k: u16, policy: AckPolicy, us: u64) -> Frame {
        let (phy, ta) = (Some(Phy::Ofdm(48)), Some(STATION));
        let of = Frame { kind: Kind::Data, ra: AP, ta, phy, mhz: 5180, len: 1500, tid: Some(0), ..Frame::EMPTY };
        Frame { seq: k, policy, time: us * 1_000, ..of }
    }
    fn block_ack(us: u64) -> Frame {
        let (kind, block_ack) = (Kind::BlockAck, BlockAck::compressed(0, 0, &[0b1011]));
        Frame { kind, ra: STATION, ta: Some(AP), time: us * 1_000, len: 32, block_ack, ..Frame::EMPTY }
    }
    /// Answered, not acknowledged, unknown, airtime in us: of each.
    fn told(frames: &[Frame]) -> Vec<(bool, usize, usize, u64)> {
        let (mut x, mut closed) = (Exchanges::default(), Vec::new());
        let mut close = |p: &Ppdu| closed.push((p.answered, p.unacked, p.unknown, p.airtime.unwrap() / 1_000));
        frames.iter().for_each(|f| x.frame(f, Some(0), &mut close));
        x.end(&mut close);
        closed
    }
    /// Of 1500 bytes at 24 Mbit/s, us: 12,022 bits are 126 symbols behind 20 us.
    const ALONE: u64 = 20 + 126 * 4;

    #[test]
    fn a_frame_whose_number_is_cut_is_not_looked_up() {
        let cut = Frame { tid: None, ..data(0, AckPolicy::Now, 10_000) };
        assert_eq!(told(&[cut, block_ack(10_050)])[0].2, 1);
    }

    /// What asks for no answer gets none, and none is charged.
    #[test]
    fn no_ack() {
        let of = |policy| told(&[data(0, policy, 10_000), data(1, policy, 20_000)]);
        assert_eq!(of(AckPolicy::Never), [(true, 0, 1, ALONE); 2]);
        assert_eq!(of(AckPolicy::Within), [(true, 0, 1, ALONE); 2]);
        assert_eq!(of(AckPolicy::Now), [(false, 1, 0, ALONE + 16 + 28); 2]);
        // An ACK is not of what asks for none.
        let ack =
            Frame { kind: Kind::Ack, ra: STATION, len: 14, phy: Some(Phy::Ofdm(48)), time: 10_050_000, ..Frame::EMPTY };
        let both = told(&[data(0, AckPolicy::Now, 10_000), ack, data(1, AckPolicy::Never, 20_000), ack]);
        assert_eq!(both.iter().map(|p| p.2).collect::<Vec<_>>(), [0, 1]);
    }

    /// Four frames, then a request, then the Block Ack of them all.
    #[test]
    fn a_block_ack_that_is_asked_for_later() {
        let frames = [0, 1, 2, 3].map(|k| data(k, AckPolicy::Later, 10_000 + 1_000 * u64::from(k)));
        let bar = Frame { kind: Kind::Bar, ta: Some(STATION), ra: AP, time: 14_000_000, ..Frame::EMPTY };
        let all = [&frames[..], &[bar, block_ack(14_100)]].concat();
        let lost = |n| (true, n, 0, ALONE);
        assert_eq!(told(&all), [lost(0), lost(0), lost(1), lost(0)]);
        let never = [&frames[..], &[bar, data(9, AckPolicy::Now, 2_000_000)]].concat();
        assert_eq!(told(&never)[..4], [(false, 1, 0, ALONE); 4], "it did not come");
        assert_eq!(told(&[&frames[..], &[bar]].concat()), [(true, 0, 1, ALONE); 4], "the capture ends before");
    }

    /// TCP ACKs of 94 bytes that ath9k fills up to 256, at 30 Mbit/s: 260 bytes with the delimiter are 69 us each, not the 26 us of their length.
    #[test]
    fn what_the_hardware_fills_up_is_airtime() {
        let phy = Phy::Ht(1, true, true);
        assert_eq!(phy.rate_bps(), 30_000_000);
        let us = 36 + 70 * 10;
        assert_eq!(airtime(phy, 10, 94, 70, us), us);
        // At 6.5 Mbit/s each of 300 bytes, with ten delimiters for encryption, which are 50 us.
        let us = 36 + 430 * 10;
        assert_eq!(airtime(Phy::Ht(0, false, false), 10, 300, 430, us), us);
    }

    /// PPDUs of two stations in turns, without times: nobody answers, and they are no collisions. Nor does the clock's absence make aggregates.
    #[test]
    fn without_times_the_order_tells() {
        let data = |who: u8, seq| Frame {
            kind: Kind::Data,
            ta: Some(Mac([2, 0, 0, 0, 0, who])),
            ra: AP,
            phy: Some(Phy::Ht(7, false, false)),
            mhz: 5180,
            len: 1500,
            seq,
            tid: Some(0),
            ..Frame::EMPTY
        };
        let rts = |who: u8| Frame {
            kind: Kind::Rts,
            ta: Some(Mac([2, 0, 0, 0, 0, who])),
            len: 20,
            phy: Some(Phy::Ofdm(48)),
            ..Frame::EMPTY
        };
        let told = |untimed| {
            let (mut x, mut closed) = (Exchanges::default(), Vec::new());
            for f in [data(3, 1), data(4, 1), data(4, 2), rts(3), data(3, 2), data(4, 3)] {
                let f = Frame { untimed, ..f };
                x.frame(&f, f.ta.map(|ta| usize::from(ta.0[5])), &mut |p| {
                    closed.push((p.station, p.mpdus, p.collided))
                });
            }
            x.end(&mut |p| closed.push((p.station, p.mpdus, p.collided)));
            closed
        };
        assert_eq!(told(true), [3, 4, 4, 3, 4].map(|who| (who, 1, false)));
        assert!(told(false).iter().any(|p| p.2), "all at one time are");
    }

    /// No delimiters make a clock that goes four times too fast.
    #[test]
    fn a_clock_that_lies_is_not_believed() {
        let phy = Phy::Ht(1, true, true);
        let by_length = phy.duration_ns((0..10).fold(0, |b, _| Burst::psdu_of(b, 94)), 5180) / 1_000;
        assert_eq!(airtime(phy, 10, 94, 280, 36 + 280 * 10), by_length);
        let by_length = phy.duration_ns((0..10).fold(0, |b, _| Burst::psdu_of(b, 1500)), 5180) / 1_000;
        assert_eq!(airtime(phy, 10, 1500, 700, 36 + 700 * 10), by_length);
    }
}
