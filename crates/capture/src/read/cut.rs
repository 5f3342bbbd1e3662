//! Whether a capture kept an MSDU's headers: LLC, IP, and of TCP, UDP or an echo what is read of them.

use crate::frame::{Packet, Transport};

const LLC: usize = 8;
/// IPv4's without options, IPv6's.
const V4: usize = 20;
const V6: usize = 40;
/// TCP's without options.
const TCP: usize = 20;
const UDP: usize = 8;
const ECHO: usize = 8;

/// Whether `kept`, of which the end is missing, ends before the headers do. `packet` is what was read of it: with TCP's time stamps nothing
/// is missing that is looked at.
pub(super) fn within_headers(kept: &[u8], packet: Option<&Packet>) -> bool {
    if packet.is_some_and(|p| matches!(p.transport, Transport::Tcp { ts: Some(_), .. } | Transport::Udp)) {
        return false;
    }
    let Some((llc, ip)) = kept.split_at_checked(LLC) else { return true };
    let (protocol, at) = match *llc {
        [0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00] => match ip.get(..V4) {
            Some(h) if (u16::from(h[6]) << 8 | u16::from(h[7])) & 0x3fff != 0 => return false, // a fragment
            Some(h) => (h[9], usize::from(h[0] & 0x0f) * 4),
            None => return true,
        },
        [0xaa, 0xaa, 0x03, 0, 0, 0, 0x86, 0xdd] => match ip.get(..V6) {
            Some(h) => (h[6], V6),
            None => return true,
        },
        _ => return false,
    };
    let above = ip.get(at..).unwrap_or_default();
    let header = match (protocol, above) {
        (6, _) => above.get(12).map_or(TCP, |b| usize::from(b >> 4) * 4),
        (17, _) => UDP,
        (1, [] | [0 | 8, ..]) | (58, [] | [128 | 129, ..]) => ECHO,
        _ => 0,
    };
    above.len() < header
}
