//! Between a script's packets, whose numbers begin at the script's initial sequence numbers and whose timestamps are the script's own, and
//! the model's.

use crate::script::{Direction, PacketSpec, TcpOption};
use std::collections::BTreeMap;
use wavetank_core::sim::{Ecn, FlowId, Kind, NodeId, Packet, flags};
use wavetank_core::tcp::{Cookie, Offer};

/// Letters and bits of the flags, in an order that packetdrill's parser takes: there nothing follows the ACK's.
const LETTERS: [(char, u8); 7] = [
    ('S', flags::SYN),
    ('E', flags::ECE),
    ('W', flags::CWR),
    ('F', flags::FIN),
    ('P', flags::PSH),
    ('R', flags::RST),
    ('.', flags::ACK),
];

/// The numbers of both sides.
#[derive(Clone, Debug)]
pub struct Wire {
    /// First sequence number of the model's socket, in the model and in the script's SYN; elsewhere a script counts from it.
    pub local: (u32, u32),
    /// The peer's; the script's is not known before its SYN.
    pub remote: (u32, Option<u32>),
    /// What the peer's SYN offered: its window scale, if any.
    pub peer_scale: u8,
    /// Timestamps that went out: the script's and the model's.
    stamps: BTreeMap<u32, u32>,
    first_stamp: Option<(u32, u32)>,
    /// An echo may be between those (`--tcp_ts_ecr_scaled`).
    pub scaled_echo: bool,
    /// Large packets come merged, from segments of this size (`--mss`).
    pub super_mss: Option<u32>,
}

impl Wire {
    /// A connection whose two ends begin at these numbers.
    pub fn new(local: u32, remote: u32) -> Wire {
        Wire {
            local: (local, 0),
            remote: (remote, None),
            peer_scale: 0,
            stamps: BTreeMap::new(),
            first_stamp: None,
            scaled_echo: false,
            super_mss: None,
        }
    }

    /// The model's packet for one that a script injects. `agreed`: what holds for the connection. The error says what is not supported.
    pub fn inject(&mut self, s: &PacketSpec, agreed: Option<Offer>) -> Result<Packet, String> {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(1), NodeId(0));
        for c in s.flags.chars() {
            let Some((_, bit)) = LETTERS.iter().find(|l| l.0 == c) else {
                return Err(format!("the flag {c}"));
            };
            p.flags |= bit;
        }
        let syn = p.flags & flags::SYN != 0;
        if syn {
            if p.flags & flags::RST != 0 {
                return Err("a SYN that resets".into());
            }
            self.remote.1.get_or_insert(s.seq);
        }
        p.seq = s.seq.wrapping_sub(self.remote(syn)).wrapping_add(self.remote.0);
        let from = if syn { self.local.1 } else { 0 };
        let local = |n: u32| n.wrapping_sub(from).wrapping_add(self.local.0);
        p.ack = local(s.ack.unwrap_or(0));
        p.payload = s.len;
        p.ecn = match s.ecn.as_deref() {
            None | Some("noecn") => Ecn::NotEct,
            Some("ce") => Ecn::Ce,
            _ => Ecn::Ect0,
        };
        let (mut sack_ok, mut scale, mut fast) = (false, None, None);
        for o in s.options.as_deref().ok_or("<...> in an injected packet")? {
            match o {
                TcpOption::Nop | TcpOption::Eol => {}
                TcpOption::Mss(n) => p.mss = *n,
                TcpOption::SackOk => sack_ok = true,
                TcpOption::WindowScale(n) => scale = Some((*n).min(14)),
                TcpOption::Sack(b) if b.len() <= p.sack.len() => {
                    for (i, &(l, r)) in b.iter().enumerate() {
                        p.sack[i] = (local(l), local(r));
                    }
                    p.n_sack = b.len() as u8;
                }
                TcpOption::Sack(_) => return Err("more than four SACK blocks".into()),
                TcpOption::Timestamps(v, e) => {
                    p.tsval = *v;
                    // Without ACK it echoes nothing, whatever it says.
                    p.tsecr = if *e == 0 || s.ack.is_none() { 0 } else { self.echo(*e)? };
                }
                // One of an odd length is not looked at, a later one counts.
                TcpOption::FastOpen(cookie, _) if cookie.len() % 2 == 1 => {}
                TcpOption::FastOpen(cookie, experimental) => fast = Cookie::new(cookie, *experimental),
                TcpOption::Other(name) => return Err(format!("the option {name}")),
            }
        }
        let mut shift = 0;
        if syn {
            p.flags |= if sack_ok { 0 } else { flags::NO_SACK } | if scale.is_some() { 0 } else { flags::NO_WSCALE };
            self.peer_scale = scale.unwrap_or(0);
            if let Some(c) = fast {
                c.put(&mut p);
            }
        } else if agreed.is_some_and(|a| a.window_scaling) {
            shift = self.peer_scale;
        }
        p.wnd = u32::from(s.win.unwrap_or(0)) << shift;
        if agreed.is_some_and(|a| !a.sack) {
            p.n_sack = 0;
        }
        if let Some(mss) = self.super_mss.filter(|m| s.len > *m) {
            (p.mss, p.segs) = (mss as u16, s.len.div_ceil(mss) as u16);
        }
        let options: u32 = s.options.iter().flatten().map(option_len).sum();
        p.headers = (40 + options.div_ceil(4) * 4) as u16;
        Ok(p)
    }

    /// What a script counts the peer's numbers from.
    fn remote(&self, syn: bool) -> u32 {
        self.remote.1.filter(|_| syn).unwrap_or(0)
    }

    /// The model's timestamp that an injected echo stands for.
    fn echo(&self, script: u32) -> Result<u32, String> {
        if let Some(v) = self.stamps.get(&script) {
            return Ok(*v);
        }
        match self.first_stamp {
            Some((s, m)) if self.scaled_echo => Ok(script.wrapping_sub(s).wrapping_add(m)),
            _ => Err(format!("the echo of {script}, which no packet carried")),
        }
    }

    /// A script expects this timestamp, and that is the model's.
    pub fn note_stamp(&mut self, script: u32, model: u32) {
        self.stamps.insert(script, model);
        self.first_stamp.get_or_insert((script, model));
    }

    /// The model's timestamp on the script's clock, of milliseconds.
    pub fn stamp(&self, model: u32) -> u32 {
        self.first_stamp.map_or(model, |(s, m)| model.wrapping_sub(m).wrapping_add(s))
    }

    /// What the model sent, as a script writes it. `scale`: its window scale.
    pub fn show(&self, p: &Packet, agreed: Offer, scale: u32) -> PacketSpec {
        let syn = p.flags & flags::SYN != 0;
        let (ours, theirs) = (if syn { self.local.1 } else { 0 }, self.remote(syn));
        let remote = |n: u32| n.wrapping_sub(self.remote.0).wrapping_add(theirs);
        let mut options = Vec::new();
        let stamps = TcpOption::Timestamps(self.stamp(p.tsval), p.tsecr);
        if syn {
            options.push(TcpOption::Mss(p.mss));
            let sack = p.flags & flags::NO_SACK == 0;
            match (p.tsval != 0, sack) {
                (true, true) => options.extend([TcpOption::SackOk, stamps]),
                (true, false) => options.extend([TcpOption::Nop, TcpOption::Nop, stamps]),
                (false, true) => options.extend([TcpOption::Nop, TcpOption::Nop, TcpOption::SackOk]),
                (false, false) => {}
            }
            if p.flags & flags::NO_WSCALE == 0 {
                options.extend([TcpOption::Nop, TcpOption::WindowScale(scale as u8)]);
            }
            if let Some(c) = Cookie::of(p) {
                let o = TcpOption::FastOpen(c.bytes().to_vec(), c.experimental);
                let odd = option_len(&o) % 4 == 2;
                options.push(o);
                if odd {
                    options.extend([TcpOption::Nop, TcpOption::Nop]);
                }
            }
        } else {
            if p.tsval != 0 {
                options.extend([TcpOption::Nop, TcpOption::Nop, stamps]);
            }
            if p.n_sack > 0 {
                let b = p.sack[..usize::from(p.n_sack)].iter().map(|&(l, r)| (remote(l), remote(r))).collect();
                options.extend([TcpOption::Nop, TcpOption::Nop, TcpOption::Sack(b)]);
            }
        }
        let letters = if syn { p.flags & !(flags::NO_SACK | flags::NO_WSCALE) } else { p.flags };
        let shift = if !syn && agreed.window_scaling { scale } else { 0 };
        PacketSpec {
            direction: Direction::Out,
            ecn: Some(["noecn", "ect1", "ect0", "ce"][p.ecn as usize].into()),
            flags: LETTERS.iter().filter(|l| letters & l.1 != 0).map(|l| l.0).collect(),
            seq: p.seq.wrapping_sub(self.local.0).wrapping_add(ours),
            len: p.payload,
            ack: (p.flags & flags::ACK != 0).then(|| remote(p.ack)),
            win: Some((p.wnd >> shift).min(65_535) as u16),
            options: Some(options),
        }
    }
}

fn option_len(o: &TcpOption) -> u32 {
    match o {
        TcpOption::Nop | TcpOption::Eol => 1,
        TcpOption::SackOk => 2,
        TcpOption::WindowScale(_) => 3,
        TcpOption::Mss(_) => 4,
        TcpOption::Timestamps(..) => 10,
        TcpOption::Sack(b) => 2 + 8 * b.len() as u32,
        TcpOption::FastOpen(cookie, experimental) => (if *experimental { 4 } else { 2 }) + cookie.len() as u32,
        TcpOption::Other(_) => 0,
    }
}

/// Letters of flags in one order, to compare.
pub fn sorted(flags: &str) -> String {
    let mut c: Vec<char> = flags.chars().collect();
    c.sort_unstable();
    c.into_iter().collect()
}
