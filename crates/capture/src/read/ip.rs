//! The bytes of IP packets in captures, whatever link they were taken on.
//!
//! D1 of 802.11 frames those with a bad check sequence, encrypted ones and fragments hold nothing here; D2 a frame with the retry bit whose
//! sender, TID and number are those of that sender's last one is the same frame again.

use super::file::{Failure, FileInfo, Raw, packets};
use super::{dot11, mpdu_len, radiotap};
use crate::frame::{Frame, Mac};
use pcap_parser::Linktype;
use std::collections::HashMap;
use std::io::Read;

/// Link types. src: tcpdump.org/linktypes.html
const ETHERNET: i32 = 1;
const RAW: [i32; 4] = [12, 14, 101, 228];
const COOKED: i32 = 113;
const DOT11: i32 = 105;
const RADIOTAP: i32 = 127;
const COOKED_2: i32 = 276;
static LINKS: [i32; 9] = [ETHERNET, RAW[0], RAW[1], RAW[2], RAW[3], COOKED, DOT11, RADIOTAP, COOKED_2];
/// Senders of which the last frame's number is remembered.
const SENDERS: usize = 4096;

fn wrong_link(l: Linktype) -> Failure {
    Failure(format!(
        "its link type is {}; expected Ethernet (1), raw IP (101), Linux cooked (113, 276) or 802.11 (127 with radiotap, 105 without)",
        l.0
    ))
}

/// An IP packet in a capture.
#[derive(Clone, Copy, Debug)]
pub struct Held<'a> {
    /// From its IP header's first byte on, as many bytes as were kept; what a link pads is still there.
    pub ip: &'a [u8],
    /// The number of the packet that it was in, from 1, as Wireshark counts.
    pub number: u64,
    /// When, ns.
    pub time: u64,
}

/// What is behind an EtherType, VLAN tags taken off.
fn ethertype(mut kind: u16, mut rest: &[u8]) -> Option<&[u8]> {
    // src: 802.1Q-2018 table 9-1
    while matches!(kind, 0x8100 | 0x88a8) {
        kind = u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]);
        rest = &rest[4..];
    }
    matches!(kind, 0x0800 | 0x86dd).then_some(rest)
}

fn at(b: &[u8], kind: usize, header: usize) -> Option<&[u8]> {
    ethertype(u16::from_be_bytes([*b.get(kind)?, *b.get(kind + 1)?]), b.get(header..)?)
}

/// The last number of each sender and TID.
#[derive(Default)]
struct Again(HashMap<(Mac, u8), u16>);

impl Again {
    fn same(&mut self, f: &Frame) -> bool {
        let Some(ta) = f.ta else { return false };
        if self.0.len() >= SENDERS {
            self.0.clear();
        }
        self.0.insert((ta, f.tid.unwrap_or(16)), f.seq) == Some(f.seq) && f.retry
    }
}

fn dot11_packets<'a>(raw: Raw<'a>, again: &mut Again, each: &mut impl FnMut(&'a [u8])) -> Option<()> {
    let mut f = Frame::EMPTY;
    let (mpdu, pad) = if raw.link == RADIOTAP {
        let head = radiotap::header(raw.kept, &mut f)?;
        f.len = mpdu_len(raw.whole, head.len, head.fcs);
        (raw.kept.get(head.len..)?, head.pad)
    } else {
        f.len = mpdu_len(raw.whole, 0, false);
        (raw.kept, false)
    };
    dot11::header(mpdu, &mut f)?;
    if !f.bad && !again.same(&f) {
        dot11::msdus(mpdu, pad, f.len, |msdu| {
            if let Some([0xaa, 0xaa, 3, 0, 0, 0, _, _]) = msdu.get(..8) {
                at(msdu, 6, 8).into_iter().for_each(&mut *each);
            }
        });
    }
    Some(())
}

/// Reads a capture as [`super::read`] does; `each` gets every IP packet in it.
pub fn ip_packets<R: Read + Send>(input: R, mut each: impl FnMut(Held<'_>)) -> Result<FileInfo, Failure> {
    let (mut again, mut number) = (Again::default(), 0);
    packets(input, &LINKS, wrong_link, |raw| {
        number += 1;
        let mut hold = |ip| each(Held { ip, number, time: raw.time.unwrap_or(0) });
        let b = raw.kept;
        match raw.link {
            ETHERNET => at(b, 12, 14).map(hold).map_or(b.len() >= 14, |()| true),
            COOKED => at(b, 14, 16).map(hold).map_or(b.len() >= 16, |()| true),
            COOKED_2 => at(b, 0, 20).map(hold).map_or(b.len() >= 20, |()| true),
            DOT11 | RADIOTAP => dot11_packets(raw, &mut again, &mut hold).is_some(),
            _ => {
                hold(b);
                !b.is_empty()
            }
        }
    })
}
