//! Reading LLC/SNAP, IPv4, IPv6, TCP, UDP, ICMP echo: as much as was kept. src: rfc791, rfc8200, rfc9293, rfc7323, rfc2018

use crate::frame::{Packet, Transport, tcp};

fn be16(b: &[u8], at: usize) -> Option<u16> {
    b.get(at..at + 2).map(|v| u16::from_be_bytes([v[0], v[1]]))
}
fn be32(b: &[u8], at: usize) -> Option<u32> {
    b.get(at..at + 4).map(|v| u32::from_be_bytes(v.try_into().expect("four bytes")))
}

pub(super) fn llc(b: &[u8]) -> Option<Packet> {
    match b.get(..8)? {
        [0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00] => v4(&b[8..]),
        [0xaa, 0xaa, 0x03, 0, 0, 0, 0x86, 0xdd] => v6(&b[8..]),
        _ => None,
    }
}

fn v4(b: &[u8]) -> Option<Packet> {
    let head = b.get(..20)?;
    let ihl = usize::from(head[0] & 0x0f) * 4;
    if head[0] >> 4 != 4 || ihl < 20 {
        return None;
    }
    let mapped = |at| Some(0xffff_0000_0000 | u128::from(be32(head, at)?));
    let len = usize::from(be16(head, 2)?).checked_sub(ihl)? as u32;
    let p = Packet {
        src: mapped(12)?,
        dst: mapped(16)?,
        ports: (0, 0),
        tos: head[1],
        id: be16(head, 4)?,
        payload: len,
        transport: Transport::Other(head[9]),
    };
    if be16(head, 6)? & 0x3fff != 0 {
        return Some(p); // a fragment
    }
    Some(above(p, head[9], b.get(ihl..).unwrap_or_default(), len))
}

fn v6(b: &[u8]) -> Option<Packet> {
    let head = b.get(..40)?;
    if head[0] >> 4 != 6 {
        return None;
    }
    let address = |at: usize| u128::from_be_bytes(head[at..at + 16].try_into().expect("sixteen bytes"));
    let len = u32::from(be16(head, 4)?);
    let p = Packet {
        src: address(8),
        dst: address(24),
        ports: (0, 0),
        tos: head[0] << 4 | head[1] >> 4,
        id: 0,
        payload: len,
        transport: Transport::Other(head[6]),
    };
    Some(above(p, head[6], &b[40..], len))
}

/// The transport header in `b`, of a packet with `len` bytes above IP.
fn above(mut p: Packet, protocol: u8, b: &[u8], len: u32) -> Packet {
    let read = |p: &mut Packet| -> Option<()> {
        let (header, transport) = match protocol {
            6 => segment(b)?,
            17 => (8, Transport::Udp),
            1 if matches!(b.first()?, 0 | 8) => (8, Transport::Echo(b[0] == 8, be16(b, 4)?, be16(b, 6)?)),
            58 if matches!(b.first()?, 128 | 129) => (8, Transport::Echo(b[0] == 128, be16(b, 4)?, be16(b, 6)?)),
            _ => return None,
        };
        if matches!(transport, Transport::Tcp { .. } | Transport::Udp) {
            p.ports = (be16(b, 0)?, be16(b, 2)?);
        }
        p.payload = len.checked_sub(header)?;
        p.transport = transport;
        Some(())
    };
    // What cannot be read leaves the packet as it is: something above IP.
    let _ = read(&mut p);
    p
}

fn segment(b: &[u8]) -> Option<(u32, Transport)> {
    let head = b.get(..20)?;
    let len = usize::from(head[12] >> 4) * 4;
    if len < 20 {
        return None;
    }
    let (mut ts, mut sack, mut sacks, mut scale) = (None, [(0, 0); 4], 0u8, None);
    let options = &b[20..len.min(b.len())];
    let mut at = 0;
    while let Some(&kind) = options.get(at) {
        if kind < 2 {
            if kind == 0 {
                break;
            }
            at += 1;
            continue;
        }
        let Some(&n) = options.get(at + 1) else { break };
        let Some(value) = options.get(at..at + usize::from(n)).filter(|v| v.len() >= 2) else { break };
        match (kind, value.len()) {
            (8, 10) => ts = be32(value, 2).zip(be32(value, 6)),
            (3, 3) => scale = Some(value[2].min(14)),
            (5, _) => {
                for pair in value[2..].chunks_exact(8).take(4 - usize::from(sacks)) {
                    sack[usize::from(sacks)] = (be32(pair, 0)?, be32(pair, 4)?);
                    sacks += 1;
                }
            }
            _ => {}
        }
        at += value.len();
    }
    let flags = head[13];
    let transport = Transport::Tcp {
        seq: be32(head, 4)?,
        ack: be32(head, 8)?,
        flags,
        window: be16(head, 14)?,
        ts,
        sack,
        sacks,
        scale: scale.filter(|_| flags & tcp::SYN != 0),
    };
    Some((len as u32, transport))
}
