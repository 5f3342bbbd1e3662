//! Reads what the virtual radio wrote down of its air, for the same views as the model's.
//!
//! Stands for: `linux/radio/air/capture.c`, whose records these are. Differs: D1 Duration, Retry, a beacon's number, RTS, CTS and answers
//! are made here and in `air` from what the radio did; D2 which flow a frame is of is told by its port.

use crate::air::{Body, EVERYBODY, Shouted};
use crate::frame::{Frame, Msdu};
use crate::phy::Phy;
use crate::read;
use crate::views::Views;
use std::io::{self, Read};
use wavetank_core::phy::{Band, Dsss, Gi, He, Hr, Ht, Mode, Ofdm, Vht, Width};
use wavetank_core::sim::{self, Bitmap, FlowId, NodeId, Span, Time};
use wavetank_core::wifi::amsdu::SUBFRAME_HEADER;
use wavetank_core::wifi::{Ac, Aired, Burst, Exchanged, Guard, Mark, Mpdu, Seq, StaIx, Tid, What, response};

const MAGIC: u32 = 0x7774_6361;
const VERSION: u16 = 3;
const EVERY: u8 = 255;
const SLOT: u64 = 9_000;
const LONG_SLOT: u64 = 20_000;
/// Of a record: 256 MPDUs of 16 KiB, and what is told of them.
const LONGEST: u32 = 5 << 20;
/// MPDUs of an A-MPDU.
const MPDUS: usize = Bitmap::COUNT;
/// The guest's flow `k` listens at this port and `k` more (`linux/guest/src/run.rs`).
const FIRST_PORT: u16 = 30_500;
const FLOWS: u16 = 1_000;

mod flag {
    pub const COLLIDED: u16 = 1;
    pub const HEARD: u16 = 2;
    pub const ANSWERED: u16 = 4;
    pub const AGGREGATE: u16 = 8;
    pub const BAR: u16 = 16;
    pub const BEACON: u16 = 32;
    pub const NO_ACK: u16 = 64;
    pub const BLOCK_ACK: u16 = 128;
    pub const WIDE_BITMAP: u16 = 256;
    pub const GHZ2: u16 = 512;
    pub const LONG_SLOTS: u16 = 1024;
}

/// `phy` of a record; others are no such PPDU.
mod ppdu {
    pub const HT: u8 = 1;
    pub const VHT: u8 = 2;
    pub const HE: u8 = 3;
}

/// Beside a rate: 802.11b's short preamble.
const SHORT_PREAMBLE: u16 = 0x8000;

/// A log that is none, or damaged: at which octet, and what.
#[derive(Debug)]
pub struct BadLog(pub String);

impl From<io::Error> for BadLog {
    fn from(e: io::Error) -> BadLog {
        BadLog(e.to_string())
    }
}

/// Numbers from the front of some octets; zeros behind their end, which `short` tells of.
struct Fields<'a> {
    rest: &'a [u8],
    short: bool,
}

impl<'a> Fields<'a> {
    fn octets(&mut self, n: usize) -> &'a [u8] {
        let Some((a, b)) = self.rest.split_at_checked(n) else {
            self.short = true;
            return &[];
        };
        self.rest = b;
        a
    }
    fn number<const N: usize>(&mut self) -> [u8; N] {
        self.octets(N).try_into().unwrap_or([0; N])
    }
    fn u8(&mut self) -> u8 {
        self.number::<1>()[0]
    }
    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.number())
    }
    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.number())
    }
    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.number())
    }
}

/// One record's numbers, in the order of `struct exchange`.
struct Record {
    start: u64,
    base: u64,
    rts: u32,
    cts: u32,
    data: u32,
    answer: u32,
    psdu: u32,
    flags: u16,
    rate: u16,
    control: u16,
    rts_rate: u16,
    ssn: u16,
    from: u8,
    to: u8,
    tid: u8,
    ac: u8,
    aifsn: u8,
    attempts: u8,
    phy: u8,
    streams: u8,
    mhz: u16,
    gi_ns: u16,
    n: u16,
    decoded: Bitmap,
}

impl Record {
    fn read(f: &mut Fields<'_>) -> Record {
        let (start, base, rts, cts) = (f.u64(), f.u64(), f.u32(), f.u32());
        let (data, answer, psdu, flags, rate, control) = (f.u32(), f.u32(), f.u32(), f.u16(), f.u16(), f.u16());
        let (rts_rate, ssn, from, to) = (f.u16(), f.u16(), f.u8(), f.u8());
        let (tid, ac, aifsn, attempts, phy, streams) = (f.u8(), f.u8(), f.u8(), f.u8(), f.u8(), f.u8());
        let (mhz, gi_ns, n, decoded) = (f.u16(), f.u16(), f.u16(), [f.u64(), f.u64(), f.u64(), f.u64()].into());
        Record {
            start,
            base,
            rts,
            cts,
            data,
            answer,
            psdu,
            flags,
            rate,
            control,
            rts_rate,
            ssn,
            from,
            to,
            tid,
            ac,
            aifsn,
            attempts,
            phy,
            streams,
            mhz,
            gi_ns,
            n,
            decoded,
        } // as they stand there
    }
    /// Whether its times can be added.
    fn sound(&self) -> bool {
        self.start.max(self.base) < 1 << 62
    }
    fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
    fn band(&self) -> Band {
        if self.is(flag::GHZ2) { Band::Ghz2 } else { Band::Ghz5 }
    }
    fn mode(&self) -> Option<Mode> {
        let (mcs, width) = (u8::try_from(self.rate), Width::from_mhz(u8::try_from(self.mhz).ok()?));
        let short = self.gi_ns == 400;
        match self.phy {
            ppdu::HT => Ht::new(mcs.ok()?, self.mhz == 40, short).map(Mode::Ht),
            ppdu::VHT => Vht::new(mcs.ok()?, self.streams, width?, short).map(Mode::Vht),
            ppdu::HE => {
                let gi = Gi::ALL.iter().copied().find(|g| g.span().ns() == i64::from(self.gi_ns))?;
                He::new(mcs.ok()?, self.streams, width?, gi).map(Mode::He)
            }
            _ => legacy(self.rate),
        }
    }
    fn what(&self) -> What {
        match () {
            () if self.is(flag::BAR) => What::Bar(Seq::new(self.ssn)),
            () if self.is(flag::AGGREGATE) => What::Ampdu,
            () => What::Single,
        }
    }
    /// Times and outcome.
    fn exchanged(&self, data: Mode, control: Mode, rts: Mode) -> Exchanged {
        let span = |ns: u32| Span::from_ns(i64::from(ns));
        // Nobody answers a CTS to self.
        let cts = (self.cts > 0).then(|| span(self.cts));
        let guard = (self.rts > 0).then(|| Guard { mode: rts, first: span(self.rts), cts });
        let sifs = self.band().sifs().ns() as u64;
        let spaces = u64::from(self.rts > 0) + u64::from(self.cts > 0);
        let lead = u64::from(self.rts) + u64::from(self.cts) + spaces * sifs;
        // In a TXOP it goes on without a backoff.
        let slots = if self.is(flag::LONG_SLOTS) { LONG_SLOT } else { SLOT } * u64::from(self.aifsn);
        let counted = self.base >= sifs && self.start >= self.base + slots;
        let (idle, aifs) = if counted { (self.base - sifs, sifs + slots) } else { (self.start, 0) };
        let bar = self.is(flag::BAR);
        Exchanged {
            from: StaIx(self.from),
            ac: Ac::ALL[usize::from(self.ac) % Ac::ALL.len()],
            mode: if bar { control } else { data },
            again: self.attempts > 1,
            idle_since: Time::from_ns(idle),
            aifs: Span::from_ns(aifs as i64),
            start: Time::from_ns(self.start),
            protection: guard,
            data: span(self.data),
            lead: Span::from_ns(lead as i64),
            sifs: self.band().sifs(),
            response: (
                match self.is(flag::BLOCK_ACK) || bar {
                    true if self.is(flag::WIDE_BITMAP) => response::Kind::WideBlockAck,
                    true => response::Kind::BlockAck,
                    false => response::Kind::Ack,
                },
                span(self.answer),
            ),
            control,
            // What is for everybody is not acknowledged, and lost by collisions only.
            decoded: if self.is(flag::NO_ACK) && !self.is(flag::COLLIDED) {
                Bitmap::first(MPDUS)
            } else {
                self.decoded
            },
            heard: self.is(flag::HEARD),
            answered: self.is(flag::ANSWERED),
            collided: self.is(flag::COLLIDED),
        }
    }
}

fn legacy(rate_100k: u16) -> Option<Mode> {
    let short = rate_100k & SHORT_PREAMBLE != 0;
    let cck = |rate| Some(Mode::Dsss(Hr { rate, short }));
    match rate_100k & !SHORT_PREAMBLE {
        10 => cck(Dsss::R1),
        20 => cck(Dsss::R2),
        55 => cck(Dsss::R5_5),
        110 => cck(Dsss::R11),
        ofdm => Ofdm::from_mbit(u64::from(ofdm) / 10).map(Mode::Ofdm),
    }
}

fn node(radio: u8) -> NodeId {
    if radio == EVERY { EVERYBODY } else { NodeId(radio.into()) }
}

/// QoS data's header, and the octets of CCMP's behind it. src: 802.11-2020 9.2.4.1, 12.5.3.2
const HEADER: usize = 26;
const CCMP: usize = 8;
/// Octets of the longest MPDU. src: 802.11-2020 table 9-34
const LONGEST_MPDU: usize = 11_454;

/// The octets of an MPDU of `n` MSDUs, into `out`: of several an A-MSDU, as it was on the air, with zeros for what was not kept. False: there is no
/// such one. src: 802.11-2020 9.3.2.2.2, table 9-30
fn mpdu(f: &mut Fields<'_>, n: u8, out: &mut Vec<u8>) -> bool {
    let mut sound = n > 0;
    for k in 0..n {
        let (len, kept) = (f.u16(), f.u16());
        let frame = f.octets(kept.into());
        if n == 1 {
            out.extend(frame);
            return kept <= len;
        }
        let protected = frame.get(1).is_some_and(|b| b & 0x40 != 0);
        let head = HEADER + if protected { CCMP } else { 0 };
        let begun = k == 0 || out.len() >= head;
        let fits =
            begun && usize::from(len) >= head && kept <= len && out.len() + usize::from(len) <= LONGEST_MPDU + head;
        let (Some(header), true) = (frame.get(..head), fits) else {
            sound = false;
            continue;
        };
        if k == 0 {
            out.extend(header);
            out[24] |= 0x80; // an A-MSDU is in it
            let bssid = if header[1] & 1 != 0 { 4 } else { 10 };
            out.copy_within(bssid..bssid + 6, 16);
        }
        out.resize(head + (out.len() - head).next_multiple_of(4), 0);
        let start = out.len();
        let [da, sa] = if header[1] & 1 != 0 { [16, 10] } else { [4, 16] };
        [da, sa].iter().for_each(|&at| out.extend(&header[at..at + 6]));
        out.extend((len - head as u16).to_be_bytes());
        out.extend(&frame[head..]);
        out.resize(start + SUBFRAME_HEADER as usize + usize::from(len) - head, 0);
    }
    sound
}

/// As much of a packet as a picture shows: which flow's, and how much it carries; of an A-MSDU its first.
fn shown(octets: &[u8], len: u16, msdus: &mut Vec<Msdu>) -> sim::Packet {
    let mut f = Frame { len: len.into(), ..Frame::EMPTY };
    msdus.clear();
    read::mpdu(octets, &mut f, msdus);
    let packet = f.packet.or_else(|| msdus.first()?.packet);
    let (ports, payload) = packet.map_or(((0, 0), 0), |p| (p.ports, p.payload));
    let flow = [ports.0, ports.1].into_iter().find_map(|p| p.checked_sub(FIRST_PORT).filter(|k| *k < FLOWS));
    let blank = sim::Packet::blank(sim::Kind::Udp, FlowId(flow.unwrap_or(u16::MAX)), NodeId(0), NodeId(0));
    sim::Packet { payload, ..blank }
}

/// Shows a log to the views. The second at which it ends since there was no more room for it; none: it is whole.
pub fn read_radio_log(mut from: impl Read, views: &mut Views) -> Result<Option<f64>, BadLog> {
    let mut head = [0; 24];
    from.read_exact(&mut head).map_err(|_| BadLog("it is shorter than its head".into()))?;
    let mut f = Fields { rest: &head, short: false };
    let (magic, version, radios, used, cut) = (f.u32(), f.u16(), f.u16(), f.u64(), f.u64());
    if (magic, version) != (MAGIC, VERSION) {
        return Err(BadLog(format!("no log of the radio's, or another version of it ({magic:#x}, {version})")));
    }
    let (mut at, mut octets, mut depths, mut msdus) = (head.len() as u64, Vec::new(), Vec::new(), Vec::new());
    let (mut burst, mut kept) = (Burst::new(), vec![Vec::new(); MPDUS]);
    while at < used {
        let bad = |what: &str| BadLog(format!("octet {at}: {what}"));
        let mut size = [0; 4];
        from.read_exact(&mut size).map_err(|_| bad("it ends in the midst of a record"))?;
        let size = u32::from_le_bytes(size);
        if size > LONGEST {
            return Err(bad("a record longer than any"));
        }
        octets.resize((size as usize).saturating_sub(4), 0);
        from.read_exact(&mut octets).map_err(|_| bad("it ends in the midst of a record"))?;
        let mut f = Fields { rest: &octets, short: false };
        let r = Record::read(&mut f);
        depths.clear();
        depths.extend((0..radios).map(|_| (u64::from(f.u32()), u64::from(f.u32()))));
        burst.mpdus.clear();
        kept.iter_mut().for_each(Vec::clear);
        let mut whole = r.sound();
        for k in kept.iter_mut().take(r.n.into()) {
            let (len, attempts, n) = (f.u16(), f.u8(), f.u8());
            whole &= mpdu(&mut f, n, k) && k.len() + 4 <= usize::from(len);
            let seq = k.get(22..24).map_or(0, |s| u16::from_le_bytes([s[0], s[1]]) >> 4);
            let (packet, seq) = (shown(k, len, &mut msdus), Seq::new(seq));
            burst.mpdus.push(Mpdu { packet, seq, len, attempts, received: false, more: 0, mark: Mark(0) });
        }
        if !whole {
            return Err(bad("a frame longer than it was, or times that cannot be"));
        }
        if f.short || !f.rest.is_empty() || usize::from(r.n) > kept.len() {
            return Err(bad("a record is not as long as it says"));
        }
        let rts = if r.rts > 0 { legacy(r.rts_rate) } else { legacy(r.control) };
        let (Some(mode), Some(control), Some(rts)) = (r.mode(), legacy(r.control), rts) else {
            return Err(bad("a rate that no standard has"));
        };
        // Of an RTS that collided nothing else was sent.
        let sent = !(r.cts > 0 && r.is(flag::COLLIDED));
        if sent && u64::from(r.data) < Phy::from(if r.is(flag::BAR) { control } else { mode }).preamble_ns() {
            return Err(bad("a PPDU shorter than its preamble"));
        }
        let octets: Vec<&[u8]> = kept[..r.n.into()].iter().map(Vec::as_slice).collect();
        show(&r, (mode, control, rts), &mut burst, &octets, &depths, views);
        at += u64::from(size);
    }
    Ok((cut != u64::MAX).then_some(cut as f64 / 1e9))
}

fn show(
    r: &Record,
    (mode, control, rts): (Mode, Mode, Mode),
    burst: &mut Burst,
    kept: &[&[u8]],
    depths: &[(u64, u64)],
    views: &mut Views,
) {
    let from = node(r.from);
    if r.is(flag::BEACON) {
        views.shouted(
            from,
            &Shouted {
                start: r.start,
                end: r.start + u64::from(r.data),
                mode,
                bytes: burst.mpdus.first().map_or(0, |m| m.len.into()),
                collided: r.is(flag::COLLIDED),
                body: Body::Kept(kept.first().copied().unwrap_or_default()),
            },
        );
        return;
    }
    (burst.what, burst.tid, burst.psdu, burst.wide) = (r.what(), Tid::new(r.tid), r.psdu, r.is(flag::WIDE_BITMAP));
    let x = r.exchanged(mode, control, rts);
    if !matches!(burst.what, What::Bar(_)) {
        views.exchange(&Aired { x, from, to: node(r.to), burst, depths }, kept);
        return;
    }
    // What stands in its place, or is one itself: its own number says all.
    burst.mpdus.clear();
    views.exchange(&Aired { x, from, to: node(r.to), burst, depths }, &[]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Names, Only};
    use wavetank_core::net::{Census, Party};
    use wavetank_core::wifi::Encryption;

    const STA: [u8; 6] = [2, 0x77, 0x74, 0, 0, 1];
    const AP: [u8; 6] = [2, 0x77, 0x74, 0, 0, 0];
    /// At 5 GHz, ns.
    const SIFS: u64 = 16_000;

    /// A data frame from the station, as mac80211 leaves it: no duration; LLC, IPv4, UDP to port 30503, four bytes.
    fn data(seq: u16) -> Vec<u8> {
        let mut b = vec![0x88, 1, 0, 0];
        b.extend([AP, STA, AP].concat());
        b.extend((seq << 4).to_le_bytes());
        b.extend([0, 0, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0]);
        b.extend([0x45, 0, 0, 32, 0, 1, 0, 0, 64, 17, 0, 0, 10, 1, 0, 10, 10, 1, 0, 1]);
        b.extend([0x90, 0, 0x77, 0x27, 0, 12, 0, 0, 1, 2, 3, 4]);
        b
    }

    /// An exchange of the station's at MCS 7 behind an RTS, by hand after `struct exchange`; 3 ms into the run.
    fn exchange(flags: u16, decoded: u64, mpdus: &[(Vec<u8>, u8)]) -> Vec<u8> {
        let alone = |(octets, attempts): &(Vec<u8>, u8)| (octets.len() as u16 + 4, *attempts, vec![octets.clone()]);
        exchange_at((ppdu::HT, 0, 40, 400), flags, decoded, &mpdus.iter().map(alone).collect::<Vec<_>>())
    }

    /// The same at MCS 7 of another standard, streams, width and guard interval; of MPDUs each of its length, attempts and MSDUs.
    fn exchange_at(
        (phy, streams, mhz, gi): (u8, u8, u16, u16),
        flags: u16,
        decoded: u64,
        mpdus: &[(u16, u8, Vec<Vec<u8>>)],
    ) -> Vec<u8> {
        let mut b = Vec::new();
        b.extend(3_000_000_u64.to_le_bytes());
        b.extend((3_000_000 - 3 * SLOT - 18_000).to_le_bytes());
        for n in [28_000_u32, 28_000, 100_000, 32_000, 132] {
            b.extend(n.to_le_bytes());
        }
        for n in [flags, 7, 240, 240, 0] {
            b.extend(n.to_le_bytes());
        }
        b.extend([1, 0, 0, 2, 3, 1, phy, streams]);
        for n in [mhz, gi, mpdus.len() as u16] {
            b.extend(n.to_le_bytes());
        }
        for word in [decoded, 0, 0, 0] {
            b.extend(word.to_le_bytes());
        }
        b.extend([9, 0, 0, 0, 2, 0, 0, 0, 40, 0, 0, 0, 30, 0, 0, 0]); // what waits at the access point, at the station
        for (len, attempts, msdus) in mpdus {
            b.extend(len.to_le_bytes());
            b.extend([*attempts, msdus.len() as u8]);
            for octets in msdus {
                b.extend((octets.len() as u16).to_le_bytes());
                b.extend((octets.len() as u16).to_le_bytes());
                b.extend(octets);
            }
        }
        [&(b.len() as u32 + 4).to_le_bytes()[..], &b].concat()
    }

    fn log(records: &[Vec<u8>], cut: u64) -> Vec<u8> {
        let all = records.concat();
        let mut b = MAGIC.to_le_bytes().to_vec();
        b.extend(VERSION.to_le_bytes());
        b.extend(2_u16.to_le_bytes());
        b.extend((24 + all.len() as u64).to_le_bytes());
        b.extend(cut.to_le_bytes());
        [b, all].concat()
    }

    /// Views of which a monitor's capture is written there.
    fn watching(path: &std::path::Path) -> Views {
        let party = |name: &str| Party { name: name.into(), on_air: true };
        let census = Census {
            parties: vec![party("ap"), party("sta1")],
            conversations: Vec::new(),
            encryption: Encryption::None,
        };
        let mut views = Views::default();
        views.begin(Names::new(census).with_ips(vec![0x0a01_0001, 0x0a01_000a]), 5180, None);
        let about = crate::write::About { program: "t", comment: "t", interface: "t", snaplen: 0, whole_amsdus: false };
        views.capture(Only::Monitor, path.into(), &about).unwrap();
        views
    }

    /// The frames of a log, as its monitor's capture has them.
    fn frames(log: &[u8]) -> Vec<Frame> {
        static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let of = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("wavetank-log-{}-{of}.pcapng", std::process::id()));
        let mut views = watching(&path);
        read_radio_log(log, &mut views).unwrap();
        views.end().unwrap();
        let mut all = Vec::new();
        read::read(std::fs::File::open(&path).unwrap(), |f, _| all.push(*f)).unwrap();
        std::fs::remove_file(path).unwrap();
        all
    }

    #[test]
    fn an_exchange_as_frames() {
        let flags = flag::AGGREGATE | flag::BLOCK_ACK | flag::HEARD | flag::ANSWERED;
        let all = frames(&log(&[exchange(flags, 0b10, &[(data(7), 1), (data(8), 0)])], u64::MAX));
        let kinds: Vec<_> = all.iter().map(|f| f.kind).collect();
        assert_eq!(kinds, [Kind::Rts, Kind::Cts, Kind::Data, Kind::Data, Kind::BlockAck]);
        assert_eq!(all[0].time, 3_028_000);
        assert_eq!(all[3].time, 3_000_000 + 2 * (28_000 + SIFS) + 100_000);
        assert_eq!((all[2].bad, all[3].bad), (true, false), "the first was lost");
        assert_eq!((all[2].retry, all[3].retry), (true, false), "and had been sent before");
        assert_eq!((all[2].seq, all[3].seq, all[4].seq, all[4].block_ack.words()[0]), (7, 8, 7, 0b10));
        assert_eq!(all[3].nav, 48, "SIFS and the answer");
        let p = all[3].packet.unwrap();
        assert_eq!((p.ports, p.payload, all[3].len), ((0x9000, 30503), 4, 26 + 40 + 4));
        assert_eq!(all[3].phy, Some(crate::Phy::Ht(7, true, true)));
    }

    /// At 2.4 GHz a SIFS is 10 us; 11 Mbit/s has its preamble beside it.
    #[test]
    fn a_frame_of_802_11b() {
        let flags = flag::HEARD | flag::ANSWERED | flag::GHZ2;
        let mut record = exchange_at((0, 0, 0, 0), flags, 1, &[(78, 0, vec![data(7)])]);
        let at = |word: u16| 4 + 16 + 20 + 2 * usize::from(word);
        record[at(1)..at(3)].copy_from_slice(&[110_u16 | SHORT_PREAMBLE, 110].map(u16::to_le_bytes).concat());
        let all = frames(&log(&[record], u64::MAX));
        assert_eq!(all.iter().map(|f| f.kind).collect::<Vec<_>>(), [Kind::Rts, Kind::Cts, Kind::Data, Kind::Ack]);
        assert_eq!(all[2].time, 3_000_000 + 2 * (28_000 + 10_000) + 100_000);
        assert_eq!(all[2].phy, Some(Mode::Dsss(Hr { rate: Dsss::R11, short: true }).into()));
        assert_eq!(all[3].phy, Some(Mode::Dsss(Hr { rate: Dsss::R11, short: false }).into()));
    }

    /// By hand: 26 of header, subframes of 14 + 40 octets, the first padded by two, and the FCS.
    #[test]
    fn several_msdus_are_an_amsdu() {
        let flags = flag::AGGREGATE | flag::BLOCK_ACK | flag::HEARD | flag::ANSWERED | flag::WIDE_BITMAP;
        let mpdus = [(26 + 56 + 54 + 4, 0, vec![data(7), data(7)]), (26 + 40 + 4, 0, vec![data(8)])];
        let all = frames(&log(&[exchange_at((ppdu::HE, 2, 80, 1_600), flags, 0b11, &mpdus)], u64::MAX));
        let mut data: Vec<_> = all.iter().filter(|f| f.kind == Kind::Data).collect();
        data.sort_by_key(|f| f.seq);
        assert_eq!(data.iter().map(|f| f.amsdu.map(|a| (a.msdus, a.unread))).collect::<Vec<_>>(), [Some((2, 0)), None]);
        assert_eq!(data.iter().map(|f| (f.seq, f.len)).collect::<Vec<_>>(), [(7, 140), (8, 70)]);
        let he = He::new(7, 2, Width::Mhz80, Gi::Us1_6).unwrap();
        assert_eq!(data[0].phy, Some(Mode::He(he).into()));
    }

    /// Beside stations of 802.11b: nobody answers a CTS to self, and it is followed by the data whatever becomes of it; slots are of 20 us.
    #[test]
    fn a_frame_behind_a_cts_to_self() {
        for (more, base) in [(flag::HEARD, LONG_SLOT), (flag::COLLIDED, SLOT)] {
            let flags = more | flag::GHZ2 | if base == LONG_SLOT { flag::LONG_SLOTS } else { 0 };
            let mut record = exchange_at((0, 0, 0, 0), flags, 1, &[(78, 0, vec![data(7)])]);
            record[12..20].copy_from_slice(&(3_000_000 - 3 * base).to_le_bytes());
            record[20..28].copy_from_slice(&[107_000_u32, 0].map(u32::to_le_bytes).concat());
            let at = |word: u16| 4 + 16 + 20 + 2 * usize::from(word);
            record[at(1)..at(4)].copy_from_slice(&[540_u16, 240, 110 | SHORT_PREAMBLE].map(u16::to_le_bytes).concat());
            let all = frames(&log(&[record], u64::MAX));
            assert_eq!(all.iter().map(|f| f.kind).collect::<Vec<_>>()[..2], [Kind::Cts, Kind::Data]);
            assert_eq!(all[0].phy, Some(Mode::Dsss(Hr { rate: Dsss::R11, short: true }).into()));
            assert_eq!(all[1].time, 3_000_000 + 107_000 + 10_000 + 100_000);
        }
    }

    #[test]
    fn of_an_rts_that_collided_nothing_else_is_there() {
        let all = frames(&log(&[exchange(flag::COLLIDED, 0, &[(data(7), 0)])], u64::MAX));
        assert_eq!(all.iter().map(|f| (f.kind, f.bad)).collect::<Vec<_>>(), [(Kind::Rts, true)]);
    }

    #[test]
    fn damage_is_told_and_never_trusted() {
        let amsdu = [(26 + 56 + 54 + 4, 0, vec![data(8), data(8)])];
        let vht = exchange_at((ppdu::VHT, 2, 80, 400), flag::HEARD, 1, &amsdu);
        let whole = log(&[exchange(flag::HEARD, 1, &[(data(7), 0)]), vht], 5_000_000_000);
        let path = std::env::temp_dir().join(format!("wavetank-log-{}-damage.pcapng", std::process::id()));
        let show = |b: &[u8]| {
            let mut views = watching(&path);
            views.analysis = Some(crate::Analysis::new(None));
            views.timeline = Some(crate::Timeline::new(0, 10_000_000));
            let shown = read_radio_log(b, &mut views);
            views.end().unwrap();
            shown
        };
        assert_eq!(show(&whole).unwrap(), Some(5.0), "its room ended");
        for n in 0..whole.len() {
            assert!(show(&whole[..n]).is_err(), "{n} octets");
        }
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut b = whole.clone();
                b[at] ^= 1 << bit;
                let _ = show(&b); // an error or another log, but no panic, and no more memory than a record may have
            }
        }
        std::fs::remove_file(&path).unwrap();
    }
}
