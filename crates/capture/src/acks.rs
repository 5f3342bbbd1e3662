//! What header compression makes of a capture's pure TCP ACKs: each compressed, restored, and compared with what it was.
//!
//! Each IP source is a station with a compressor of its own, its decompressor behind a link that loses nothing and confirms at once: the ratio
//! is what TCP/HACK can reach with these ACKs, its losses aside. Constant memory: [`STATIONS`] of them, [`FLOWS`] flows counted.

use crate::read::Held;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use wavetank_rohc::{Compressor, Decompressor, Native, NotPure, Outcome};

/// Stations whose contexts are held; the one that was silent for longest goes first.
pub const STATIONS: usize = 64;
/// Flows that are told apart for counting.
pub const FLOWS: usize = 65_536;
/// Bytes of IPv4's and TCP's headers at most.
const LONGEST_HEADERS: usize = 120;
/// Failures that are told one by one.
const TOLD: usize = 20;

struct Station {
    compressor: Compressor,
    decompressor: Decompressor,
    heard: u64,
}

/// An ACK that did not come back as it went in.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Failed {
    /// The packet's number in the capture, from 1.
    pub packet: u64,
    /// What happened.
    pub why: String,
}

/// What became of the ACKs.
#[derive(Clone, Default, PartialEq, Debug, Serialize)]
pub struct Acks {
    /// IP packets.
    pub ip: u64,
    /// TCP segments.
    pub tcp: u64,
    /// Pure ACKs: TCP segments without data, SYN, FIN or RST.
    pub acks: u64,
    /// Flows that they belong to (five-tuples in one direction), up to [`FLOWS`].
    pub flows: usize,
    /// Stations (IP sources) that they come from, counted again where one was silent for so long that it was forgotten.
    pub stations: u64,
    /// Captured on the sending host before its card completed the TCP checksum: completed here.
    pub completed: u64,
    /// Compressed and restored.
    pub compressed: u64,
    /// Gone natively, by reason.
    pub native: BTreeMap<&'static str, u64>,
    /// Compressed, but not restored to the same bytes.
    pub failed: u64,
    /// The first of these.
    pub failures: Vec<Failed>,
    /// Bytes of all ACKs: IP and TCP headers.
    pub bytes_before: u64,
    /// Bytes of all: compressed ones as they are, native ones whole.
    pub bytes_after: u64,
    /// Bytes of those that were compressed, before.
    pub ride_bytes_before: u64,
    /// And after.
    pub ride_bytes_after: u64,
    /// Compressed ACKs by their size in bytes.
    pub sizes: BTreeMap<usize, u64>,
    /// ACKs by their size before.
    pub sizes_before: BTreeMap<usize, u64>,
}

/// Counts.
#[derive(Default)]
pub struct AckRun {
    stations: HashMap<[u8; 4], Station>,
    flows: HashSet<[u8; 12]>,
    clock: u64,
    acks: Acks,
}

/// Whether a TCP header carries nothing but an acknowledgement: no data, ACK set, none of SYN, FIN, RST.
fn acknowledges(tcp: &[u8], len: usize) -> Option<bool> {
    let header = usize::from(tcp.get(12)? >> 4) * 4;
    let flags = *tcp.get(13)?;
    Some(header == len && flags & 0x17 == 0x10)
}

/// The ones' complement sum of 16-bit words, folded. src: rfc1071
fn sum(bytes: &[u8], start: u32) -> u16 {
    let words = bytes.chunks(2).map(|w| u32::from(w[0]) << 8 | w.get(1).map_or(0, |&b| u32::from(b)));
    let mut s = words.fold(start, |s, w| s + w);
    while s > 0xffff {
        s = (s & 0xffff) + (s >> 16);
    }
    s as u16
}

/// Completes a TCP checksum that is the pseudo header's sum alone, as Linux hands it to a card that completes it (CHECKSUM_PARTIAL,
/// net/ipv4/tcp_ipv4.c `__tcp_v4_send_check`). False: it is something else.
fn complete(packet: &mut [u8], header: usize) -> bool {
    let pseudo = sum(&packet[12..20], 6 + (packet.len() - header) as u32);
    let field = header + 16..header + 18;
    if packet[field.clone()] != pseudo.to_be_bytes() {
        return false;
    }
    // With the pseudo header's sum in the field, the segment's own sum is that of both.
    let check = !sum(&packet[header..], 0);
    packet[field].copy_from_slice(&check.to_be_bytes());
    true
}

fn reason(why: Native) -> &'static str {
    match why {
        Native::NotPure(NotPure::Length) => "lengths that do not agree",
        Native::NotPure(NotPure::Ip) => "IP options",
        Native::NotPure(NotPure::Fragment) => "a fragment",
        Native::NotPure(NotPure::Protocol | NotPure::Payload) => "no pure ACK",
        Native::NotPure(NotPure::Flags) => "other flags, or an urgent pointer",
        Native::NotPure(NotPure::Options) => "other TCP options",
        Native::NotPure(NotPure::Checksum) => "wrong checksum",
        Native::Collision => "its CID belongs to another flow",
        Native::NoContext => "opens its context",
        Native::Unconfirmed => "too many unconfirmed",
        Native::Changed => "a static field changed",
    }
}

impl AckRun {
    /// An IP packet of the capture, in order.
    pub fn packet(&mut self, held: Held<'_>) {
        let ip = held.ip;
        match ip.first().map(|b| b >> 4) {
            Some(4) => self.v4(ip, held.number),
            Some(6) => self.v6(ip),
            _ => {}
        }
    }
    /// What became of them.
    pub fn done(mut self) -> Acks {
        self.acks.flows = self.flows.len();
        self.acks
    }

    fn v4(&mut self, ip: &[u8], number: u64) {
        if ip.len() < 20 {
            return;
        }
        self.acks.ip += 1;
        let (header, total) = (usize::from(ip[0] & 15) * 4, usize::from(u16::from_be_bytes([ip[2], ip[3]])));
        // TCP, and not a later fragment of it
        if ip[9] != 6 || header < 20 || total < header + 20 || u16::from_be_bytes([ip[6], ip[7]]) & 0x1fff != 0 {
            return;
        }
        self.acks.tcp += 1;
        let Some(tcp) = ip.get(header..) else { return };
        if acknowledges(tcp, total - header) != Some(true) {
            return;
        }
        self.acks.acks += 1;
        self.count(total);
        let Some(packet) = ip.get(..total) else { return self.native("cut by the capture", total) };
        if self.flows.len() < FLOWS {
            let mut flow = [0; 12];
            flow[..8].copy_from_slice(&ip[12..20]);
            flow[8..].copy_from_slice(&tcp[..4]);
            self.flows.insert(flow);
        }
        let source = [ip[12], ip[13], ip[14], ip[15]];
        let mut own = [0; LONGEST_HEADERS];
        match own.get_mut(..total) {
            Some(own) => {
                own.copy_from_slice(packet);
                self.acks.completed += u64::from(complete(own, header));
                self.through(own, source, number);
            }
            None => self.native(reason(Native::NotPure(NotPure::Length)), total),
        }
    }

    fn v6(&mut self, ip: &[u8]) {
        if ip.len() < 40 {
            return;
        }
        self.acks.ip += 1;
        if ip[6] != 6 {
            return;
        }
        self.acks.tcp += 1;
        let len = usize::from(u16::from_be_bytes([ip[4], ip[5]]));
        if acknowledges(&ip[40..], len) == Some(true) {
            self.acks.acks += 1;
            self.count(40 + len);
            self.native("IPv6", 40 + len);
        }
    }

    fn count(&mut self, len: usize) {
        self.acks.bytes_before += len as u64;
        *self.acks.sizes_before.entry(len).or_default() += 1;
    }

    fn native(&mut self, why: &'static str, len: usize) {
        *self.acks.native.entry(why).or_default() += 1;
        self.acks.bytes_after += len as u64;
    }

    fn station(&mut self, source: [u8; 4]) -> &mut Station {
        self.clock += 1;
        if !self.stations.contains_key(&source) {
            if self.stations.len() == STATIONS {
                let oldest = self.stations.iter().min_by_key(|(_, s)| s.heard).map(|(k, _)| *k);
                oldest.and_then(|k| self.stations.remove(&k));
            }
            self.acks.stations += 1;
        }
        let s = self.stations.entry(source).or_insert_with(|| Station {
            compressor: Compressor::new(),
            decompressor: Decompressor::new(),
            heard: 0,
        });
        s.heard = self.clock;
        s
    }

    fn through(&mut self, packet: &[u8], source: [u8; 4], number: u64) {
        let s = self.station(source);
        let ride = match s.compressor.compress(packet) {
            Outcome::Ride(ride) => ride,
            Outcome::Native(why) => {
                s.decompressor.native(packet);
                s.compressor.native_done(packet, true);
                return self.native(reason(why), packet.len());
            }
        };
        let (restored, rest) = s.decompressor.next(&ride.bytes);
        let failed = match &restored {
            Ok(r) if *r.header != *packet => Some("restored to other bytes".into()),
            Ok(_) if !rest.is_empty() => Some("bytes left over".into()),
            Ok(r) => {
                s.compressor.confirm(r.cid, r.epoch, r.msn);
                None
            }
            Err(e) => Some(format!("refused: {e:?}")),
        };
        let size = ride.bytes.len();
        let a = &mut self.acks;
        a.bytes_after += size as u64;
        a.ride_bytes_before += packet.len() as u64;
        a.ride_bytes_after += size as u64;
        *a.sizes.entry(size).or_default() += 1;
        match failed {
            None => a.compressed += 1,
            Some(why) => {
                a.failed += 1;
                if a.failures.len() < TOLD {
                    a.failures.push(Failed { packet: number, why });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavetank_rohc::ack::LONGEST;
    use wavetank_rohc::{FiveTuple, PureAck, Sack};

    fn ack(i: u32, host: u8) -> PureAck {
        let flow = FiveTuple { src: [10, 0, 0, host], dst: [10, 0, 1, 1], sport: 5000, dport: 80 };
        let ts = Some((100 + i / 4, 90 + i / 4));
        let sack = Sack::default();
        let (seq, ack) = (7, 1000 + 2896 * i);
        PureAck {
            flow,
            ttl: 64,
            tos: 0,
            df: true,
            ip_id: i as u16,
            seq,
            ack,
            ece: false,
            cwr: false,
            window: 501,
            ts,
            sack,
        }
    }

    fn bytes(a: &PureAck) -> Vec<u8> {
        let mut b = [0; LONGEST];
        let n = a.write(&mut b);
        b[..n].to_vec()
    }

    fn run(packets: impl IntoIterator<Item = Vec<u8>>) -> Acks {
        let mut r = AckRun::default();
        for (i, p) in packets.into_iter().enumerate() {
            r.packet(Held { ip: &p, number: i as u64 + 1, time: 0 });
        }
        r.done()
    }

    #[test]
    fn a_bulk_download() {
        let a = run((0..1000).map(|i| bytes(&ack(i, 2))));
        assert_eq!((a.acks, a.compressed, a.failed, a.flows, a.stations), (1000, 999, 0, 1, 1));
        assert_eq!(a.native, BTreeMap::from([("opens its context", 1)]));
        assert_eq!(a.bytes_before, 52_000);
        assert_eq!(a.bytes_after, 52 + a.ride_bytes_after);
        // thesis 3.3.3.2: 3 to 5 bytes
        assert!(a.sizes.get(&4).copied().unwrap_or(0) > 900, "{:?}", a.sizes);
    }

    #[test]
    fn what_goes_natively_and_why() {
        let sound = bytes(&ack(0, 2));
        let mut push = sound.clone();
        push[33] |= 8;
        let mut odd = sound.clone();
        odd[8] = 63;
        let mut cut = sound.clone();
        cut.truncate(45);
        let mut syn = sound.clone();
        syn[33] = 0x12;
        let mut data = sound.clone();
        data.push(1);
        data[3] += 1;
        let mut v6 = vec![0x60, 0, 0, 0, 0, 32, 6, 64];
        v6.extend([0; 32]);
        v6.extend(&sound[20..]);
        let a = run([sound, push, odd, cut, syn, data, v6, vec![], vec![0x45; 30]]);
        assert_eq!((a.ip, a.tcp, a.acks, a.compressed), (8, 7, 5, 0));
        let why =
            ["IPv6", "cut by the capture", "opens its context", "other flags, or an urgent pointer", "wrong checksum"];
        assert_eq!(a.native, why.map(|w| (w, 1)).into());
        assert_eq!((a.bytes_before, a.bytes_after), (4 * 52 + 72, 4 * 52 + 72));
    }

    #[test]
    fn a_checksum_that_the_card_was_to_complete() {
        let sound = bytes(&ack(0, 2));
        let mut partial = sound.clone();
        // 10.0.0.2, 10.0.1.1, protocol 6, 32 bytes: 0a00 + 0002 + 0a00 + 0101 + 0006 + 0020
        partial[36..38].copy_from_slice(&[0x15, 0x29]);
        assert!(complete(&mut partial, 20));
        assert_eq!(partial, sound);
        assert!(!complete(&mut partial, 20));
    }

    #[test]
    fn many_stations_take_turns_in_constant_memory() {
        let mut r = AckRun::default();
        for i in 0..20 {
            for host in 0..=STATIONS as u8 {
                r.packet(Held { ip: &bytes(&ack(i, host)), number: 0, time: 0 });
            }
        }
        assert_eq!(r.stations.len(), STATIONS);
        let a = r.done();
        assert_eq!((a.failed, a.compressed), (0, 0), "each comes when it has just been forgotten");
    }

    fn file(link: u32, packets: &[Vec<u8>]) -> Vec<u8> {
        let mut file = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65535, link].map(u32::to_le_bytes).concat();
        for p in packets {
            let n = p.len() as u32;
            file.extend([0, 0, n, n].map(u32::to_le_bytes).concat());
            file.extend(p);
        }
        file
    }

    fn dot11(flags: u8, number: u16, tid: u8, body: &[u8]) -> Vec<u8> {
        let [a, b] = (number << 4).to_le_bytes();
        [&[0x88, flags, 0, 0][..], &[2; 18], &[a, b, tid, 0], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0], body].concat()
    }

    #[test]
    fn the_same_frame_again_is_one() {
        let ip = bytes(&ack(0, 2));
        let (up, retry, protected, more) = (1, 9, 0x41, 5);
        let packets = [
            dot11(up, 7, 0, &ip),
            dot11(retry, 7, 0, &ip), // again
            dot11(retry, 7, 5, &ip), // another TID
            dot11(retry, 8, 0, &ip), // the first try was not captured
            dot11(up, 8, 0, &ip),    // a number that came round
            dot11(protected, 9, 0, &ip),
            dot11(more, 10, 0, &ip), // a fragment
            dot11(up, 11, 0, &[0x86, 0xdd]),
        ];
        let mut got = vec![];
        let info = crate::read::ip_packets(&file(105, &packets)[..], |p| got.push(p.number)).unwrap();
        assert_eq!((info.packets, info.unreadable), (8, 0));
        assert_eq!(got, [1, 3, 4, 5, 8]);
    }

    /// The same subframes that an analysis reads.
    #[test]
    fn every_ack_of_an_amsdu() {
        let mut body = Vec::new();
        for i in 0..3 {
            body.resize(body.len().next_multiple_of(4), 0);
            body.extend([&[2; 12][..], &[0, 60], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0], &bytes(&ack(i, 2))].concat());
        }
        let mut frame = [&[0x88, 1, 0, 0][..], &[2; 18], &[0x10, 0, 0x80, 0], &body].concat();
        let count = |frame: &Vec<u8>| {
            let mut got = vec![];
            crate::read::ip_packets(&file(105, core::slice::from_ref(frame))[..], |p| got.push(p.ip.to_vec())).unwrap();
            got
        };
        assert_eq!(count(&frame), [0, 1, 2].map(|i| bytes(&ack(i, 2))));
        frame[26 + 76 + 12] = 0xff; // the second one's length
        assert_eq!(count(&frame), [bytes(&ack(0, 2))]);
    }

    proptest::proptest! {
        #[test]
        fn noise_does_no_harm(packets in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 0..90), 0..40)) {
            let a = run(packets.into_iter().map(|mut p| { if let Some(b) = p.first_mut() { *b = 0x45; } p }));
            proptest::prop_assert_eq!(a.failed, 0);
            proptest::prop_assert_eq!(a.acks, a.compressed + a.native.values().sum::<u64>());
        }
        /// Each link's form of the same packet holds the same bytes, and every cut of it does no harm.
        #[test]
        fn cut_anywhere(link in 0_usize..5, cut in 0_usize..140) {
            let ip = bytes(&ack(3, 2));
            let (number, head): (u32, Vec<u8>) = match link {
                0 => (1, [&[2; 12][..], &[0x81, 0, 0, 5, 8, 0]].concat()),
                1 => (101, vec![]),
                2 => (113, [&[0; 14][..], &[8, 0]].concat()),
                3 => (276, [&[8, 0][..], &[0; 18]].concat()),
                // QoS data to the AP; A-MSDU of one
                _ => (105, [&[0x88, 1, 0, 0][..], &[2; 18], &[0x10, 0, 0x85, 0], &[2; 12], &[0, 60], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat()),
            };
            let mut packet = [head, ip.clone()].concat();
            packet.truncate(cut);
            let mut got = vec![];
            let info = crate::read::ip_packets(&file(number, &[packet])[..], |p| got.push(p.ip.to_vec())).unwrap();
            proptest::prop_assert_eq!(info.damage, None);
            for g in &got {
                proptest::prop_assert!(ip.starts_with(g));
            }
            if cut >= 120 {
                proptest::prop_assert_eq!(got, vec![ip]);
            }
        }
    }
}
