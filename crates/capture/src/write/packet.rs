//! A packet as bytes: LLC/SNAP, RFC 791, 768, 792, 9293, 7323, 2018.

use crate::frame::{Packet, Transport, tcp};

const MSS: u16 = 1460;

/// The one's complement sum of 16-bit words. src: rfc1071
fn sum(bytes: &[u8], mut so_far: u32) -> u32 {
    for w in bytes.chunks(2) {
        so_far += u32::from(u16::from_be_bytes([w[0], *w.get(1).unwrap_or(&0)]));
    }
    so_far
}

fn fold(mut s: u32) -> u16 {
    while s > 0xffff {
        s = (s & 0xffff) + (s >> 16);
    }
    !(s as u16)
}

/// LLC, SNAP and headers of a packet.
pub(super) fn llc(p: &Packet, out: &mut Vec<u8>) {
    out.extend([0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00]);
    ip(p, out);
}

fn ip(p: &Packet, out: &mut Vec<u8>) {
    let at = out.len();
    let (src, dst) = ((p.src as u32).to_be_bytes(), (p.dst as u32).to_be_bytes());
    let protocol = match p.transport {
        Transport::Tcp { .. } => 6,
        Transport::Udp => 17,
        Transport::Echo(..) => 1,
        Transport::Other(n) => n,
    };
    out.extend([0x45, p.tos, 0, 0]);
    out.extend(p.id.to_be_bytes());
    out.extend([0x40, 0, 64, protocol, 0, 0]); // do not fragment; TTL 64
    out.extend(src);
    out.extend(dst);
    let l4 = out.len();
    transport(p, out);
    let len = (out.len() - at) as u32 + p.payload;
    out[at + 2..at + 4].copy_from_slice(&(len as u16).to_be_bytes());
    let check = fold(sum(&out[at..l4], 0));
    out[at + 10..at + 12].copy_from_slice(&check.to_be_bytes());
    let segment = len - (l4 - at) as u32;
    let pseudo = sum(&src, sum(&dst, u32::from(protocol) + segment));
    let (offset, pseudo) = match p.transport {
        Transport::Tcp { .. } => (16, pseudo),
        Transport::Udp => (6, pseudo),
        Transport::Echo(..) => (2, 0),
        Transport::Other(_) => return,
    };
    let check = match (fold(sum(&out[l4..], pseudo)), p.transport) {
        (0, Transport::Udp) => 0xffff, // src: rfc768: none is zero
        (c, _) => c,
    };
    out[l4 + offset..l4 + offset + 2].copy_from_slice(&check.to_be_bytes());
}

fn transport(p: &Packet, out: &mut Vec<u8>) {
    match p.transport {
        Transport::Tcp { seq, ack, flags, window, ts, sack, sacks, scale } => {
            let at = out.len();
            out.extend(p.ports.0.to_be_bytes());
            out.extend(p.ports.1.to_be_bytes());
            out.extend(seq.to_be_bytes());
            out.extend(ack.to_be_bytes());
            out.extend([0, flags]);
            out.extend(window.to_be_bytes());
            out.extend([0; 4]);
            // The order is Linux's. src: linux@6.12 net/ipv4/tcp_output.c tcp_options_write
            if flags & tcp::SYN != 0 {
                out.extend([2, 4]);
                out.extend(MSS.to_be_bytes());
                out.extend([4, 2]);
            } else {
                out.extend([1, 1]);
            }
            let (val, ecr) = ts.unwrap_or_default();
            out.extend([8, 10]);
            out.extend(val.to_be_bytes());
            out.extend(ecr.to_be_bytes());
            if let Some(s) = scale {
                out.extend([1, 3, 3, s]);
            }
            let blocks = &sack[..usize::from(sacks.min(3))];
            if !blocks.is_empty() {
                out.extend([1, 1, 5, 2 + 8 * blocks.len() as u8]);
                for (left, right) in blocks {
                    out.extend(left.to_be_bytes());
                    out.extend(right.to_be_bytes());
                }
            }
            out[at + 12] = (((out.len() - at) / 4) as u8) << 4;
        }
        Transport::Udp => {
            out.extend(p.ports.0.to_be_bytes());
            out.extend(p.ports.1.to_be_bytes());
            out.extend(((8 + p.payload) as u16).to_be_bytes());
            out.extend([0, 0]);
        }
        Transport::Echo(request, id, number) => {
            out.extend([if request { 8 } else { 0 }, 0, 0, 0]);
            out.extend(id.to_be_bytes());
            out.extend(number.to_be_bytes());
        }
        Transport::Other(_) => {}
    }
}
