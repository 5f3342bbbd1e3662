//! The body of an A-MSDU: 802.11-2020 9.3.2.2.2 (DA, SA, length, MSDU; padding of all but the last).

use super::packet;
use crate::frame::{Msdu, Transport};

const HEADER: usize = 14;
const LLC_IPV4: usize = 8 + 20;

/// Appends what begins within `most` bytes.
pub(super) fn body(msdus: &[Msdu], most: usize, out: &mut Vec<u8>) {
    let begin = out.len();
    for m in msdus {
        out.resize(begin + (out.len() - begin).next_multiple_of(4), 0);
        if out.len() - begin >= most {
            return;
        }
        out.extend(m.da.0);
        out.extend(m.sa.0);
        out.extend(m.len.to_be_bytes());
        let at = out.len();
        if let Some(p) = &m.packet {
            packet::llc(p, out);
        }
        out.resize(at + usize::from(m.len), 0);
    }
}

/// Bytes of an MSDU without which it cannot be told whose it is: TCP without options, UDP's ports, an echo's number.
fn least(m: &Msdu) -> usize {
    match m.packet.map(|p| p.transport) {
        Some(Transport::Tcp { .. }) => LLC_IPV4 + 20,
        Some(Transport::Udp) => LLC_IPV4 + 4,
        Some(Transport::Echo(..)) => LLC_IPV4 + 8,
        Some(Transport::Other(_)) | None => m.len.into(),
    }
}

/// Bytes of the body up to what must be known of its last MSDU.
pub(super) fn headers(msdus: &[Msdu]) -> usize {
    let Some((last, others)) = msdus.split_last() else { return 0 };
    let before: usize = others.iter().map(|m| (HEADER + usize::from(m.len)).next_multiple_of(4)).sum();
    before + HEADER + least(last)
}
