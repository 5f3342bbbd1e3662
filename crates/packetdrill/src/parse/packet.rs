//! Packets: `< S 0:0(0) win 65535 <mss 1000>`, and what a router says of one.

use super::super::known;
use super::super::scan::Scan;
use super::super::script::{Direction, IcmpSpec, PacketSpec, TcpOption};
use super::{Expected, number, word};

/// Letters of TCP flags: FIN, SYN, RST, PSH, ACK, URG, ECE, CWR, AE.
const FLAGS: &[u8] = b"FSRP.UEWA";

/// What scripts are run with (`-D`): the cookie that the shared file's key gives the default addresses, and a reason why a host is not reached.
/// src: google/packetdrill gtests/net/packetdrill/run_all.py
const DEFINED: [(&str, &str); 2] = [("TFO_COOKIE", "3021b9d889017eeb"), ("CODE", "host_unreachable")];

pub(super) fn packet(s: &mut Scan<'_>) -> Result<PacketSpec, Expected> {
    const RANGE: &str =
        "a range of sequence numbers, FIRST:END(LENGTH) with END = FIRST + LENGTH, such as 1:1001(1000)";
    let direction = if s.next() == b'<' { Direction::In } else { Direction::Out };
    s.space(false);
    let mut ecn = None;
    if s.eat("[") {
        let inside = s.until("]").unwrap_or_default();
        let inside = inside.trim();
        if !["noecn", "ect0", "ect1", "ect01", "ce"].contains(&inside) {
            return Err("[noecn], [ect0], [ect1], [ect01] or [ce]".into());
        }
        ecn = Some(inside.to_string());
        s.space(false);
    }
    let mut flags = s.take_while(|b| FLAGS.contains(&b));
    let none = flags.is_empty() && !s.eat("-");
    if none || !matches!(s.peek(), b' ' | b'\t') {
        return Err("TCP flags (of F S R P . U E W A, or - for none), such as S or P.".into());
    }
    flags.shrink_to_fit();
    s.space(false);
    let seq = number(s, RANGE)?;
    let range = |there: bool| if there { Ok(()) } else { Err(RANGE.to_string()) };
    range(s.eat(":"))?;
    let end: u32 = number(s, RANGE)?;
    range(s.eat("("))?;
    let len = number(s, RANGE)?;
    range(s.eat(")") && u32::wrapping_add(seq, len) == end)?;
    let mut p = PacketSpec { direction, ecn, flags, seq, len, ack: None, win: None, options: Some(Vec::new()) };
    loop {
        s.space(false);
        match s.peek() {
            b'\n' | 0 => return Ok(p),
            b'<' => {
                s.next();
                p.options = options(s)?;
                padded(p.options.as_deref().unwrap_or_default())?;
            }
            _ => match word(s).as_str() {
                "ack" => {
                    s.space(false);
                    p.ack = Some(number(s, "ack NUMBER")?);
                }
                "win" => {
                    s.space(false);
                    p.win = Some(number(s, "win NUMBER, up to 65535")?);
                }
                _ => return Err("ack NUMBER, win NUMBER or <TCP options>".into()),
            },
        }
    }
}

pub(super) fn icmp(text: &str) -> Option<IcmpSpec> {
    let mut words = text.strip_prefix('<')?.split_whitespace();
    if (words.next()?, words.next()?) != ("icmp", "unreachable") {
        return None;
    }
    let mut spec = IcmpSpec { text: text.to_string(), code: "net_unreachable".into(), mtu: None, seq: 0 };
    while let Some(w) = words.next() {
        if w == "mtu" {
            spec.mtu = Some(words.next()?.parse().ok()?);
        } else if let Some(inside) = w.strip_prefix('[') {
            spec.seq = inside.split(':').next()?.parse().ok()?;
        } else {
            spec.code = DEFINED.iter().find(|d| d.0 == w).map_or(w, |d| d.1).into();
        }
    }
    Some(spec)
}

/// After `<`. None: anything goes.
fn options(s: &mut Scan<'_>) -> Result<Option<Vec<TcpOption>>, Expected> {
    let inside = s.until(">").ok_or("TCP options with their >")?;
    if inside.trim() == "..." {
        return Ok(None);
    }
    let one = |o: &str| {
        let o = o.trim();
        let left_open = known::defined(o).then(|| TcpOption::Other(o.to_string()));
        option(o).or(left_open).ok_or_else(|| {
            let all = "mss N, wscale N, sackOK, sack A:B, TS val N ecr N, FO COOKIE, FOEXP COOKIE, nop, eol";
            format!("TCP options ({all}) in place of \"{o}\"")
        })
    };
    inside.split(',').map(one).collect::<Result<Vec<_>, _>>().map(Some)
}

/// TCP's header is of whole words. What is not understood may have any length. src: google/packetdrill gtests/net/packetdrill/tcp_packet.c
/// new_tcp_packet
fn padded(options: &[TcpOption]) -> Result<(), Expected> {
    let bytes = |o: &TcpOption| match o {
        TcpOption::Nop | TcpOption::Eol => Some(1),
        TcpOption::SackOk => Some(2),
        TcpOption::WindowScale(_) => Some(3),
        TcpOption::Mss(_) => Some(4),
        TcpOption::Timestamps(..) => Some(10),
        TcpOption::Sack(blocks) => Some(2 + 8 * blocks.len()),
        TcpOption::FastOpen(cookie, experimental) => Some(2 + 2 * usize::from(*experimental) + cookie.len()),
        TcpOption::Other(_) => None,
    };
    match options.iter().map(bytes).sum::<Option<usize>>().map(|n| n % 4) {
        Some(excess) if excess > 0 => {
            Err(format!("TCP options of a multiple of 4 bytes (nop or eol fill them up; {excess} bytes too many)"))
        }
        _ => Ok(()),
    }
}

fn option(text: &str) -> Option<TcpOption> {
    let mut w = text.split_whitespace();
    let o = match w.next()? {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::Eol,
        "sackOK" => TcpOption::SackOk,
        "mss" => TcpOption::Mss(w.next()?.parse().ok()?),
        "wscale" => TcpOption::WindowScale(w.next()?.parse().ok()?),
        "TS" => match (w.next()?, w.next()?, w.next()?, w.next()?) {
            ("val", v, "ecr", e) => TcpOption::Timestamps(v.parse().ok()?, e.parse().ok()?),
            _ => return None,
        },
        "sack" => {
            let blocks = w.by_ref().map(|b| {
                let (l, r) = b.split_once(':')?;
                Some((l.parse().ok()?, r.parse().ok()?))
            });
            TcpOption::Sack(blocks.collect::<Option<Vec<_>>>()?)
        }
        name @ ("FO" | "FOEXP") => TcpOption::FastOpen(w.next().map_or(Some(Vec::new()), bytes)?, name == "FOEXP"),
        name => return known::tcp_option(name).then(|| TcpOption::Other(text.to_string())),
    };
    w.next().is_none().then_some(o)
}

/// `abcd1234`, or a name that packetdrill's own test runner defines.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let hex = DEFINED.iter().find(|d| d.0 == text).map_or(text, |d| d.1);
    if hex.len() % 2 == 1 || !hex.is_ascii() {
        return None;
    }
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).ok()).collect()
}
