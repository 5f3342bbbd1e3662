//! Fast Open's sysctls, and the cookies that a host gives: SipHash of both addresses by its key.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp_fastopen.c `tcp_fastopen_reset_cipher`, `__tcp_fastopen_cookie_gen_cipher`; net/ipv4/sysctl_net_ipv4.c
//! `proc_tcp_fastopen_key`. Differs: D1 a host whose key nobody set has a key of zeros, not a random one.

use siphasher::sip::SipHasher;
use std::hash::Hasher;
use wavetank_core::tcp::Cookie;

/// Bytes of a key. src: linux@6.12 include/net/tcp.h TCP_FASTOPEN_KEY_LENGTH
const KEY: usize = 16;

/// A host's sysctls.
#[derive(Clone, Copy, Debug)]
pub struct Fastopen {
    /// `tcp_fastopen`.
    pub bits: u32,
    /// `tcp_fastopen_key`.
    pub keys: Keys,
    /// `tcp_fastopen_blackhole_timeout_sec`, seconds.
    pub blackhole_s: u32,
    /// What is known of servers is to be forgotten (`ip tcp_metrics flush`).
    pub forgets: bool,
}

impl Default for Fastopen {
    /// As the kernel boots. src: linux@6.12 net/ipv4/tcp_ipv4.c tcp_sk_init
    fn default() -> Fastopen {
        Fastopen { bits: 1, keys: Keys::default(), blackhole_s: 0, forgets: false }
    }
}

impl Fastopen {
    /// `TFO_CLIENT_ENABLE`.
    pub fn client(&self) -> bool {
        self.bits & 1 != 0
    }
    /// `TFO_SERVER_ENABLE`.
    pub fn server(&self) -> bool {
        self.bits & 2 != 0
    }
    /// `TFO_CLIENT_NO_COOKIE`.
    pub fn client_needs_none(&self) -> bool {
        self.bits & 4 != 0
    }
    /// `TFO_SERVER_COOKIE_NOT_REQD`.
    pub fn server_needs_none(&self) -> bool {
        self.bits & 0x200 != 0
    }
    /// `TFO_SERVER_WO_SOCKOPT1`: every listener has it.
    pub fn every_listener(&self) -> bool {
        self.bits & 0x400 != 0 && self.server()
    }
}

/// The key that cookies are made by, and perhaps an older one by which they still hold.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Keys {
    primary: [u8; KEY],
    backup: Option<[u8; KEY]>,
}

impl Keys {
    /// `TCP_FASTOPEN_KEY`: 16 bytes, or 32.
    pub fn from_bytes(b: &[u8]) -> Option<Keys> {
        let (first, rest) = b.split_first_chunk::<KEY>()?;
        let backup = if rest.is_empty() { None } else { Some(<[u8; KEY]>::try_from(rest).ok()?) };
        Some(Keys { primary: *first, backup })
    }
    /// `01234567-89abcdef-01234567-89abcdef`, or two of them with a comma: words, lowest byte first.
    pub fn from_sysctl(text: &str) -> Option<Keys> {
        let mut bytes = Vec::new();
        for key in text.split(',') {
            let words: Vec<u32> = key.split('-').map(|w| u32::from_str_radix(w, 16).ok()).collect::<Option<_>>()?;
            if words.len() != 4 {
                return None;
            }
            bytes.extend(words.iter().flat_map(|w| w.to_le_bytes()));
        }
        Keys::from_bytes(&bytes)
    }
    /// The cookies by which `client` may open a connection to `server`, the newest key's first.
    pub fn cookies(&self, client: [u8; 4], server: [u8; 4]) -> Vec<Cookie> {
        let cookie = |key: &[u8; KEY]| {
            let mut h = SipHasher::new_with_key(key);
            h.write(&client);
            h.write(&server);
            Cookie::new(&h.finish().to_le_bytes(), false).expect("eight bytes are a cookie")
        };
        std::iter::once(&self.primary).chain(&self.backup).map(cookie).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Linux 6.18 answered to a request by this key and these addresses.
    #[test]
    fn cookies_are_the_kernels() {
        let k = Keys::from_sysctl("a0bf63f7-ed803d81-cd641d30-cebc4a90").unwrap();
        let c = k.cookies([10, 248, 0, 2], [192, 168, 0, 2]);
        assert_eq!(c[0].bytes(), [0x00, 0xab, 0xaa, 0xab, 0xe8, 0xe9, 0x54, 0xc2]);
        let c = k.cookies([192, 0, 2, 1], [192, 168, 0, 1]);
        assert_eq!(c[0].bytes(), [0xf4, 0x9b, 0x0e, 0xf9, 0x89, 0xd9, 0xf6, 0x24]);
    }

    #[test]
    fn keys_come_as_words_or_as_bytes_and_perhaps_two() {
        let one = Keys::from_sysctl("a0bf63f7-ed803d81-cd641d30-cebc4a90");
        let bytes = b"\xf7\x63\xbf\xa0\x81\x3d\x80\xed\x30\x1d\x64\xcd\x90\x4a\xbc\xce";
        assert_eq!(one, Keys::from_bytes(bytes));
        let two = Keys::from_sysctl("1-2-3-4,a0bf63f7-ed803d81-cd641d30-cebc4a90").unwrap();
        let (c, d) = ([1, 2, 3, 4], [5, 6, 7, 8]);
        assert_eq!(two.cookies(c, d)[1], one.unwrap().cookies(c, d)[0]);
        assert!([&bytes[..3], &[]].iter().all(|b| Keys::from_bytes(b).is_none()));
        assert!(Keys::from_sysctl("1-2-3").is_none() && Keys::from_sysctl("x-0-0-0").is_none());
    }
}
