//! The option: a cookie, or, empty, the request of one; by the number that it was given (34) or the experimental one (254 and a magic number).
//!
//! Stands for: RFC 7413, 4.1; Linux 6.12 include/net/tcp.h `struct tcp_fastopen_cookie`, net/ipv4/tcp_input.c `tcp_parse_fastopen_option`,
//! net/ipv4/tcp_output.c `tcp_options_write`. Differs: D1 a simulated SYN has no bytes: its option stands where other packets have their
//! SACK blocks, which no SYN carries.

use crate::sim::{Packet, flags};

/// Most bytes of a cookie. src: linux@6.12 include/linux/tcp.h TCP_FASTOPEN_COOKIE_MAX
const MOST: usize = 16;
/// Fewest. src: linux@6.12 include/linux/tcp.h TCP_FASTOPEN_COOKIE_MIN
const FEWEST: usize = 4;

/// A cookie, or the request of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cookie {
    bytes: [u8; MOST],
    len: u8,
    /// By the experimental number.
    pub experimental: bool,
}

impl Cookie {
    /// The request of a cookie.
    pub const fn request(experimental: bool) -> Cookie {
        Cookie { bytes: [0; MOST], len: 0, experimental }
    }
    /// What an option of these bytes is; none: it has no valid length.
    pub fn new(bytes: &[u8], experimental: bool) -> Option<Cookie> {
        let n = bytes.len();
        if n != 0 && (n % 2 == 1 || !(FEWEST..=MOST).contains(&n)) {
            return None;
        }
        let mut c = Cookie::request(experimental);
        c.bytes[..n].copy_from_slice(bytes);
        c.len = n as u8;
        Some(c)
    }
    /// Its bytes; none of them: it asks for a cookie.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
    /// Whether it asks for a cookie.
    pub const fn is_request(&self) -> bool {
        self.len == 0
    }
    /// Bytes of the option with the `nop`s that fill its last word.
    pub fn option_len(&self) -> u32 {
        // src: linux@6.12 include/net/tcp.h TCPOLEN_FASTOPEN_BASE, TCPOLEN_EXP_FASTOPEN_BASE
        let base = if self.experimental { 4 } else { 2 };
        (base + u32::from(self.len)).next_multiple_of(4)
    }

    /// Puts it into a SYN.
    pub fn put(&self, p: &mut Packet) {
        debug_assert!(p.flags & flags::SYN != 0 && p.n_sack == 0, "it is a SYN's");
        let word = |i: usize| {
            let mut w = [0; 4];
            w.copy_from_slice(&self.bytes[4 * i..4 * i + 4]);
            u32::from_le_bytes(w)
        };
        p.sack[0] = (word(0), word(1));
        p.sack[1] = (word(2), word(3));
        p.sack[2] = (u32::from(self.len) + 1, u32::from(self.experimental));
    }
    /// The one that a packet carries.
    pub fn of(p: &Packet) -> Option<Cookie> {
        let (len, experimental) = p.sack[2];
        if p.flags & flags::SYN == 0 || len == 0 {
            return None;
        }
        let mut c = Cookie::request(experimental != 0);
        c.len = (len - 1) as u8;
        let words = [p.sack[0].0, p.sack[0].1, p.sack[1].0, p.sack[1].1];
        for (to, w) in c.bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&w.to_le_bytes());
        }
        Some(c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{FlowId, Kind, NodeId};

    #[test]
    fn lengths_that_are_valid() {
        for (n, valid) in [(0, true), (2, false), (3, false), (4, true), (5, false), (6, true), (16, true), (18, false)]
        {
            assert_eq!(Cookie::new(&vec![7; n], false).is_some(), valid, "{n} bytes");
        }
    }

    #[test]
    fn options_fill_whole_words() {
        // FO (2), FO and 8 bytes (10), FOEXP (4), FOEXP and 8 (12): RFC 7413, 4.1.1.
        let len = |n: usize, e| Cookie::new(&vec![1; n], e).unwrap().option_len();
        assert_eq!([len(0, false), len(8, false), len(0, true), len(8, true)], [4, 12, 4, 12]);
        assert_eq!([len(6, false), len(16, false), len(16, true)], [8, 20, 20]);
    }

    #[test]
    fn a_syn_carries_it_and_no_other_packet() {
        let mut p = Packet::blank(Kind::Tcp, FlowId(0), NodeId(0), NodeId(1));
        p.flags = flags::SYN;
        assert_eq!(Cookie::of(&p), None);
        for bytes in [&[][..], &[0, 0, 0, 0], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]] {
            for experimental in [false, true] {
                let c = Cookie::new(bytes, experimental).unwrap();
                c.put(&mut p);
                assert_eq!(Cookie::of(&p), Some(c));
            }
        }
        p.flags = flags::ACK;
        assert_eq!(Cookie::of(&p), None);
    }
}
