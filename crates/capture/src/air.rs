//! From the medium's exchanges to frames: RTS, CTS, each MPDU, the response; in the order in which they end.
//!
//! Stands for: what an ideal monitor beside the receiver would have got. Differs: D1 a frame that collided is there, with a bad
//! check sequence, though a real monitor would mostly get garbage; D2 a Block Ack's bit for an MPDU of the A-MPDU that it
//! answers is what the model's sender is told; the other bits are those of a recipient's scoreboard (802.11-2020 10.25.6.3);
//! D3 signal and antenna are not modelled; D4 the IPv4 identification of what is not TCP is made of the packet's number and birth, not counted;
//! D5 of an encrypted network the frames are as a card hands them to its own monitor that has the keys and deciphers in hardware (ath9k): the
//! Protected bit and the CCMP header are there, the payload is in the clear, the MIC behind it; packet numbers and MIC are zeros.
//! Where octets were kept (`radio_log`), a data frame is they, and D4 and D5's packet numbers do not hold.

use crate::block_ack::BlockAck;
use crate::frame::{Amsdu, Frame, Kind, Mac, Msdu, Packet, Subframe, Transport, tcp};
use crate::names::Names;
use crate::phy::Phy;
use crate::read;
use crate::scoreboard::Scoreboard;
use std::collections::HashMap;
use wavetank_core::net::Conversation;
use wavetank_core::phy::Mode;
use wavetank_core::sim::{self, NodeId, flags};
use wavetank_core::wifi::beacon::Told;
use wavetank_core::wifi::block_ack::{WIDE_WINDOW, WINDOW};
use wavetank_core::wifi::framing::LLC_SNAP;
use wavetank_core::wifi::{Aired, Beaconed, Burst, Framing, Mpdu, Seq, What, response};

/// What the model knows of a frame and its bytes do not say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Its receiver decoded it.
    Decoded,
    /// Its receiver did not.
    Lost,
    /// It collided.
    Collided,
}

/// Whom a beacon is for.
pub const EVERYBODY: NodeId = NodeId(u16::MAX);

/// A frame of a run.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// The frame.
    pub frame: Frame,
    /// Who sent it.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// What became of it.
    pub fate: Fate,
    /// Where its MSDUs are, if it is an A-MSDU.
    msdus: (usize, usize),
    /// Where its octets are, if they were kept.
    octets: Option<(usize, usize)>,
}

/// What a frame of a run holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Inside<'a> {
    /// Its MSDUs, if it is an A-MSDU.
    pub msdus: &'a [Msdu],
    /// Its octets, if they were kept.
    pub octets: Option<&'a [u8]>,
}

/// What a beacon says.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// The model's: its fields.
    Told(Told),
    /// The first octets of a real one, as its maker handed it to the hardware.
    Kept(&'a [u8]),
}

/// A beacon on the air.
#[derive(Clone, Copy, Debug)]
pub struct Shouted<'a> {
    /// When it began and ended, ns.
    pub start: u64,
    /// See `start`.
    pub end: u64,
    /// How it was modulated.
    pub mode: Mode,
    /// Its length, check sequence included.
    pub bytes: u32,
    /// Others sent at the same time.
    pub collided: bool,
    /// What it says.
    pub body: Body<'a>,
}

impl From<&Beaconed> for Shouted<'_> {
    fn from(b: &Beaconed) -> Self {
        let (start, end) = (b.start.ns(), (b.start + b.airtime).ns());
        Shouted { start, end, mode: b.mode, bytes: b.bytes, collided: b.collided, body: Body::Told(b.told) }
    }
}

/// Makes frames of exchanges.
pub struct Air {
    names: Names,
    mhz: u16,
    reference: u32,
    beacons: u16,
    boards: HashMap<(NodeId, NodeId, u8), Scoreboard>,
    /// Frames that may still be overtaken by those of an exchange which began at the same time; and when the last of them ends.
    pending: Vec<Sent>,
    until: u64,
    /// MSDUs and octets of those.
    msdus: Vec<Msdu>,
    octets: Vec<u8>,
}

/// Of a frame of an exchange that was decoded or not.
fn fate(a: &Aired<'_>, decoded: bool) -> Fate {
    match (a.x.collided, decoded) {
        (true, _) => Fate::Collided,
        (_, true) => Fate::Decoded,
        (_, false) => Fate::Lost,
    }
}

/// A frame's parts that all frames of a sender have.
fn blank(kind: Kind, len: u32, ra: NodeId, ta: Option<NodeId>) -> Frame {
    Frame { kind, len, ra: Names::mac(ra), ta: ta.map(Names::mac), ..Frame::EMPTY }
}

impl Air {
    /// For a run on the channel at `mhz`.
    pub fn new(names: Names, mhz: u16) -> Air {
        Air {
            names,
            mhz,
            reference: 0,
            beacons: 0,
            boards: HashMap::new(),
            pending: Vec::with_capacity(256),
            until: 0,
            msdus: Vec::new(),
            octets: Vec::new(),
        }
    }
    /// Whose addresses these are.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// An exchange began. `out` gets the frames of those before it, in order. `kept`: the first octets of each of its MPDUs, as its sender
    /// handed them to the hardware; without them (none at all) the frames are what the packets of the burst say.
    pub fn aired(&mut self, a: &Aired<'_>, kept: &[&[u8]], out: &mut impl FnMut(&Sent, Inside<'_>)) {
        let start = a.x.start.ns();
        if start >= self.until {
            self.flush(out);
        }
        self.lay_out(a, kept);
        self.until = self.pending.iter().map(|s| s.frame.time).max().unwrap_or(0).max(self.until);
    }

    /// A beacon of `from` went on the air, of which the model tells this, or these octets were kept.
    pub fn beacon(&mut self, from: NodeId, b: &Shouted<'_>, out: &mut impl FnMut(&Sent, Inside<'_>)) {
        if b.start >= self.until {
            self.flush(out);
        }
        let number = self.beacons & 0xfff;
        self.beacons = self.beacons.wrapping_add(1);
        let mut f = blank(Kind::Beacon, b.bytes, EVERYBODY, Some(from));
        let octets = match b.body {
            Body::Told(told) => {
                (f.ra, f.far, f.told) = (Mac([0xff; 6]), Names::mac(from), Some(told));
                None
            }
            Body::Kept(kept) => {
                let octets = self.take(kept, &mut f);
                // mac80211 leaves a beacon's number to the driver.
                if let Some(own) = self.octets[octets.0..].get_mut(22..24) {
                    own.copy_from_slice(&(number << 4).to_le_bytes());
                }
                Some(octets)
            }
        };
        f.seq = number;
        let fate = if b.collided { Fate::Collided } else { Fate::Decoded };
        self.push((from, EVERYBODY), fate, f, b.mode, (b.start, b.end));
        self.last().octets = octets;
        self.until = self.until.max(b.end);
    }

    /// The run is over.
    pub fn flush(&mut self, out: &mut impl FnMut(&Sent, Inside<'_>)) {
        self.pending.sort_by_key(|s| s.frame.time);
        let (msdus, octets) = (&self.msdus, &self.octets);
        self.pending.drain(..).for_each(|s| {
            let msdus = &msdus[s.msdus.0..s.msdus.1];
            out(&s, Inside { msdus, octets: s.octets.map(|(a, b)| &octets[a..b]) });
        });
        self.msdus.clear();
        self.octets.clear();
    }

    /// Keeps a frame's octets with what the hardware writes into them, and reads the frame from them; where they are.
    fn take(&mut self, kept: &[u8], f: &mut Frame) -> (usize, usize) {
        let begin = self.octets.len();
        self.octets.extend(kept);
        let own = &mut self.octets[begin..];
        if let Some(d) = own.get_mut(2..4) {
            d.copy_from_slice(&f.nav.to_le_bytes());
        }
        if let (true, Some(control)) = (f.retry, own.get_mut(1)) {
            *control |= 0x08;
        }
        read::mpdu(own, f, &mut self.msdus);
        (begin, self.octets.len())
    }

    fn last(&mut self) -> &mut Sent {
        self.pending.last_mut().expect("it was just put there")
    }

    fn push(&mut self, (from, to): (NodeId, NodeId), fate: Fate, mut f: Frame, mode: Mode, (start, end): (u64, u64)) {
        f.bad = fate != Fate::Decoded;
        f.phy = Some(Phy::from(mode));
        f.mhz = self.mhz;
        f.tsft = Some((start + Phy::from(mode).preamble_ns()) / 1_000);
        f.time = end;
        self.pending.push(Sent { frame: f, from, to, fate, msdus: (0, 0), octets: None });
    }

    fn lay_out(&mut self, a: &Aired<'_>, kept: &[&[u8]]) {
        let x = &a.x;
        let sifs = x.sifs.ns() as u64;
        let (there, back) = ((a.from, a.to), (a.to, a.from));
        let us = |ns: u64| ns.div_ceil(1_000) as u16;
        let (start, data, lead, answer) =
            (x.start.ns(), x.data.ns() as u64, x.lead.ns() as u64, x.response.1.ns() as u64);
        if let Some(g) = x.protection {
            let first = g.first.ns() as u64;
            let fate = if x.collided { Fate::Collided } else { Fate::Decoded };
            let nav = us(lead - first + data + sifs + answer);
            if let Some(cts) = g.cts {
                let mut f = blank(Kind::Rts, response::RTS, a.to, Some(a.from));
                f.nav = nav;
                self.push(there, fate, f, g.mode, (start, start + first));
                if x.collided {
                    return;
                }
                let mut f = blank(Kind::Cts, response::CTS, a.from, None);
                f.nav = us(data + 2 * sifs + answer);
                let at = start + first + sifs;
                self.push(back, Fate::Decoded, f, g.mode, (at, at + cts.ns() as u64));
            } else {
                let mut f = blank(Kind::Cts, response::CTS, a.from, None);
                f.nav = nav;
                self.push(there, fate, f, g.mode, (start, start + first));
            }
        }
        let begin = start + lead;
        let nav = us(sifs + answer);
        match a.burst.what {
            What::Bar(ssn) => {
                let mut f = blank(Kind::Bar, response::BAR, a.to, Some(a.from));
                (f.seq, f.tid, f.nav) = (ssn.get(), Some(a.burst.tid.get()), nav);
                self.push(there, fate(a, x.heard), f, x.mode, (begin, begin + data));
            }
            What::Single | What::Ampdu => self.mpdus(a, kept, begin, nav),
        }
        if !x.heard {
            return;
        }
        let at = begin + data + sifs;
        let f = match x.response.0 {
            response::Kind::BlockAck | response::Kind::WideBlockAck => self.block_ack(a),
            response::Kind::Ack | response::Kind::Cts => blank(Kind::Ack, response::ACK, a.from, None),
        };
        self.push(back, fate(a, x.answered), f, x.control, (at, at + answer));
    }

    fn mpdus(&mut self, a: &Aired<'_>, kept: &[&[u8]], begin: u64, nav: u16) {
        let ampdu = a.burst.what == What::Ampdu;
        self.reference += u32::from(ampdu);
        let (preamble, n) = (Phy::from(a.x.mode).preamble_ns(), a.burst.mpdus.len());
        let span = a.x.data.ns() as u64 - preamble;
        let psdu = u64::from(a.burst.psdu).max(1);
        // What the PSDU has beyond its subframes are empty delimiters: between the MPDUs, in equal parts.
        let subframes =
            a.burst.mpdus.iter().fold(0, |b, m| if ampdu { Burst::psdu_of(b, m.len) } else { m.len.into() });
        let gaps = u64::from(a.burst.psdu.saturating_sub(subframes));
        let mut bytes = 0;
        for (i, (m, more)) in a.burst.msdus().enumerate() {
            bytes = if ampdu { Burst::psdu_of(bytes, m.len) } else { m.len.into() };
            let stop = (u64::from(bytes) + gaps * i as u64 / (n.max(2) - 1) as u64).max(m.len.into());
            let first = preamble + span * (stop - u64::from(m.len)) / psdu;
            let end = if i + 1 == n { a.x.data.ns() as u64 } else { preamble + span * stop / psdu };
            let mut f = blank(Kind::Data, m.len.into(), a.to, Some(a.from));
            (f.seq, f.nav) = (m.seq.get(), nav);
            f.retry = m.attempts > 0 || a.x.again;
            f.subframe = ampdu.then_some(Subframe { reference: self.reference, last: i + 1 == n });
            let msdus = self.msdus.len();
            let octets = kept.get(i).map(|k| self.take(k, &mut f));
            if octets.is_none() {
                self.fill(a, m, more, &mut f);
            }
            let fate = fate(a, a.x.decoded.has(i));
            self.push((a.from, a.to), fate, f, a.x.mode, (begin, begin + end));
            let msdus = (msdus, self.msdus.len());
            let last = self.last();
            (last.frame.tsft, last.msdus, last.octets) = (Some((begin + first) / 1_000), msdus, octets);
        }
    }

    /// What is in a data frame, by its packets.
    fn fill(&mut self, a: &Aired<'_>, m: &Mpdu, more: &[sim::Packet], f: &mut Frame) {
        let (up, p) = (a.to == NodeId(0), &m.packet);
        let far = |p: &sim::Packet| Names::mac(if up { p.dst } else { p.src });
        let encryption = self.names.encryption();
        f.from_ds = Some(!up);
        f.protected = encryption.is_on();
        let least = Framing { qos: true, encryption }.mpdu_len(0);
        let qos = u32::from(m.len) - p.ip_len() >= u32::from(least);
        f.tid = qos.then_some(a.burst.tid.get());
        if more.is_empty() {
            (f.far, f.packet) = (far(p), self.packet(p));
            return;
        }
        // src: 802.11-2020 table 9-30: the third address of an A-MSDU is the BSSID
        f.far = Names::mac(NodeId(0));
        f.amsdu = Some(Amsdu { msdus: 1 + more.len() as u16, unread: 0 });
        for p in core::iter::once(p).chain(more) {
            let (da, sa) = if up { (far(p), Names::mac(a.from)) } else { (Names::mac(a.to), far(p)) };
            let (len, packet) = ((p.ip_len() as u16) + LLC_SNAP, self.packet(p));
            self.msdus.push(Msdu { da, sa, len, packet });
        }
    }

    fn block_ack(&mut self, a: &Aired<'_>) -> Frame {
        let b = a.burst;
        // A session that began before anyone looked: its recipient's window is no earlier than what comes now.
        let first = b.mpdus.first().map_or(Seq::new(0), |m| m.seq);
        let board = self
            .boards
            .entry((a.from, a.to, b.tid.get()))
            .or_insert(Scoreboard::new(first, if b.wide { WIDE_WINDOW } else { WINDOW }));
        let mut f = blank(Kind::BlockAck, a.x.response.0.bytes().into(), a.from, Some(a.to));
        f.tid = Some(b.tid.get());
        if let What::Bar(ssn) = b.what {
            board.move_to(ssn);
        }
        let acked = |i: usize| a.x.decoded.has(i);
        b.mpdus.iter().enumerate().filter(|(i, _)| acked(*i)).for_each(|(_, m)| board.put(m.seq));
        f.seq = board.start().get();
        let words = board.answer(b.mpdus.iter().enumerate().map(|(i, m)| (m.seq, acked(i)))).words();
        let n = if f.len >= response::WIDE_BLOCK_ACK { 4 } else { 1 };
        f.block_ack = BlockAck::compressed(b.tid.get(), f.seq, &words[..n]);
        f
    }

    /// A packet of the model as on the wire.
    fn packet(&self, p: &sim::Packet) -> Option<Packet> {
        let conversation = self.names.conversation(p.flow.0)?;
        let (opener, other) = Names::ports(p.flow.0);
        let hashed = (p.seq.wrapping_mul(0x9e37_79b1) ^ (p.born.ns() / 1_000) as u32).wrapping_mul(0x85eb_ca6b) >> 16;
        let mut packet = Packet {
            src: Names::ip(p.src),
            dst: Names::ip(p.dst),
            ports: (0, 0),
            tos: p.dscp << 2 | p.ecn as u8,
            id: if p.kind == sim::Kind::Tcp { p.ident } else { hashed as u16 },
            payload: p.payload,
            transport: Transport::Udp,
        };
        match *conversation {
            Conversation::Tcp { client, client_scale, server_scale, .. } => {
                let opens = p.src == client;
                packet.ports = if opens { (opener, other) } else { (other, opener) };
                packet.transport = segment(p, if opens { client_scale } else { server_scale });
            }
            Conversation::Ping => {
                let request = p.kind == sim::Kind::EchoRequest;
                packet.transport = Transport::Echo(request, p.flow.0 + 1, p.seq as u16);
            }
            Conversation::UdpEcho => {
                let opens = p.kind == sim::Kind::EchoRequest;
                packet.ports = if opens { (opener, other) } else { (other, opener) };
            }
            Conversation::Udp => packet.ports = (opener, other),
        }
        Some(packet)
    }
}

fn segment(p: &sim::Packet, scale: u8) -> Transport {
    let syn = p.flags & flags::SYN != 0;
    let map = [
        (flags::SYN, tcp::SYN),
        (flags::FIN, tcp::FIN),
        (flags::ACK, tcp::ACK),
        (flags::PSH, tcp::PSH),
        (flags::ECE, tcp::ECE),
        (flags::CWR, tcp::CWR),
    ];
    let bits = map.iter().filter(|(ours, _)| p.flags & ours != 0).fold(0, |b, (_, wire)| b | wire);
    // Of a segment that carries data the model's sender acknowledges always, flag or not, as TCP must.
    let bits = if syn { bits } else { bits | tcp::ACK };
    Transport::Tcp {
        seq: p.seq,
        ack: if bits & tcp::ACK != 0 { p.ack } else { 0 },
        flags: bits,
        window: if syn { p.wnd.min(65_535) } else { p.wnd >> scale }.min(65_535) as u16,
        ts: Some((p.tsval, p.tsecr)),
        sack: p.sack,
        sacks: p.n_sack,
        scale: syn.then_some(scale),
    }
}
