//! What a Block Ack says of each MPDU. Stands for: 802.11-2020 9.3.1.8 (basic, compressed, extended compressed, Multi-TID), 802.11ax-2021
//! 9.3.1.8.6 (Multi-STA), 802.11be's lengths of 512 and 1024 bits.
//!
//! D1 one for a group (GCR) is not read; D2 of an MSDU in fragments the first one's bit is taken; D3 four TIDs and 1024 bits are kept, more
//! are unknown.

use wavetank_core::wifi::Seq;

const RECORDS: usize = 4;
const WORDS: usize = 16;
/// The AID of who has none. src: 802.11ax-2021 9.3.1.8.6
const NOT_ASSOCIATED: u16 = 2045;

/// Of one MPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Told {
    /// It came.
    Acked,
    /// It did not.
    Lost,
    /// What is there does not say.
    Unknown,
}

/// Why not all of one could be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unread {
    /// The capture did not keep all of it.
    Cut,
    /// It is of a variant that is not read, or damaged.
    Variant,
}

/// What it says of a TID.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Record {
    /// None: of each.
    tid: Option<u8>,
    first: u16,
    /// Bits of the bitmap; none: all came. And how many are there.
    bits: u16,
    kept: u16,
    /// Where the bitmap begins.
    word: u8,
}

/// What a Block Ack says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockAck {
    records: [Record; RECORDS],
    n: u8,
    words: [u64; WORDS],
    used: u8,
    /// It names every TID of which something came.
    every: bool,
    unread: Option<Unread>,
}

/// A little-endian field of a frame; none where the capture ends before.
pub(crate) fn le16(b: &[u8], at: usize) -> Option<u16> {
    b.get(at..at + 2).map(|v| u16::from_le_bytes([v[0], v[1]]))
}

impl BlockAck {
    /// It says nothing.
    pub const EMPTY: BlockAck = BlockAck {
        records: [Record { tid: None, first: 0, bits: 0, kept: 0, word: 0 }; RECORDS],
        n: 0,
        words: [0; WORDS],
        used: 0,
        every: false,
        unread: None,
    };

    /// A compressed one with this bitmap.
    pub fn compressed(tid: u8, first: u16, bitmap: &[u64]) -> BlockAck {
        let (mut x, bits) = (BlockAck::EMPTY, bitmap.len() as u16 * 64);
        x.words[..bitmap.len()].copy_from_slice(bitmap);
        x.records[0] = Record { tid: Some(tid), first, bits, kept: bits, word: 0 };
        (x.n, x.used) = (1, bitmap.len() as u8);
        x
    }

    /// The bitmap, bit 0 for the starting number; of several TIDs one behind another.
    pub const fn words(&self) -> &[u64; WORDS] {
        &self.words
    }

    /// Whether something of it could not be read.
    pub const fn unread(&self) -> Option<Unread> {
        self.unread
    }

    /// Whether it says, or may say, anything of a TID's.
    pub fn concerns(&self, tid: Option<u8>) -> bool {
        let of = |r: &Record| r.tid.is_none() || tid.is_none() || r.tid == tid;
        self.unread.is_some() || self.records[..usize::from(self.n)].iter().any(of)
    }

    /// What it says of a TID's MPDU.
    pub fn told(&self, tid: Option<u8>, seq: u16) -> Told {
        let records = &self.records[..usize::from(self.n)];
        let Some(r) = records.iter().find(|r| r.tid.is_none() || tid.is_none() || r.tid == tid) else {
            return if self.every && self.unread.is_none() { Told::Lost } else { Told::Unknown };
        };
        let ahead = Seq::new(seq).ahead_of(Seq::new(r.first));
        match ahead {
            _ if r.bits == 0 => Told::Acked,
            a if a >= r.bits => Told::Lost,
            a if a >= r.kept => Told::Unknown,
            a => match self.words[usize::from(r.word) + usize::from(a / 64)] >> (a % 64) & 1 {
                0 => Told::Lost,
                _ => Told::Acked,
            },
        }
    }

    /// Reads one from its control field on: what was kept of its `len` bytes without FCS.
    pub(crate) fn read(b: &[u8], len: usize) -> BlockAck {
        let mut x = BlockAck::EMPTY;
        let b = &b[..b.len().min(len)];
        if x.fill(b, len).is_none() {
            x.unread = Some(if b.len() < len { Unread::Cut } else { Unread::Variant });
        }
        x
    }

    /// None: something is missing.
    fn fill(&mut self, b: &[u8], len: usize) -> Option<()> {
        let control = le16(b, 0)?;
        let tid = (control >> 12) as u8;
        // src: 802.11-2020 table 9-33
        match control >> 1 & 0x0f {
            // A bit for each of 16 fragments of 64 MSDUs.
            0 => self.bitmap(Some(tid), b, 2, 128, 16).map(drop),
            1 => self.bitmap(Some(tid), b, 2, 8, 1).map(drop),
            // The fragment number says how long it is: 802.11ax-2021 table 9-30a, the longer ones 802.11be.
            2 => {
                let octets = match le16(b, 2)? >> 1 & 7 {
                    0 => 8,
                    2 => 32,
                    4 => 64,
                    5 => 128,
                    _ => return None,
                };
                self.by_fragment(tid, b, 2, octets).map(drop)
            }
            3 => {
                self.every = true;
                (0..=usize::from(tid)).try_for_each(|k| {
                    let at = 2 + 12 * k;
                    self.bitmap(Some((le16(b, at)? >> 12) as u8), b, at + 2, 8, 1).map(drop)
                })
            }
            11 => self.stations(b, len),
            _ => None,
        }
    }

    /// A record for each AID and TID: they are one station's, as the frame is. src: 802.11ax-2021 9.3.1.8.6
    fn stations(&mut self, b: &[u8], len: usize) -> Option<()> {
        self.every = true;
        let mut at = 2;
        while at + 2 <= len {
            let info = le16(b, at)?;
            at += 2;
            let (whole, tid) = (info & 0x0800 != 0, (info >> 12) as u8);
            match tid {
                _ if info & 0x07ff == NOT_ASSOCIATED => at += 10,
                14 if whole => self.put(Record { tid: None, ..BlockAck::EMPTY.records[0] })?,
                0..=7 if whole => self.put(Record { tid: Some(tid), ..BlockAck::EMPTY.records[0] })?,
                15 if whole => {} // of a management frame
                0..=7 => {
                    let code = usize::from(le16(b, at)? >> 1 & 7);
                    let octets = *[8, 16, 32, 4, 64, 128].get(code)?;
                    at = self.by_fragment(tid, b, at, octets)?;
                }
                _ => return None,
            }
        }
        Some(())
    }

    /// A bitmap that has a bit an MSDU, or four if the fragment number is odd; where what follows begins.
    fn by_fragment(&mut self, tid: u8, b: &[u8], at: usize, octets: usize) -> Option<usize> {
        let each = if le16(b, at)? & 1 == 0 { 1 } else { 4 };
        self.bitmap(Some(tid), b, at, octets, each)
    }

    /// A starting number and so many octets of bitmap, `each` bits an MSDU; where what follows begins.
    fn bitmap(&mut self, tid: Option<u8>, b: &[u8], at: usize, octets: usize, each: usize) -> Option<usize> {
        let (first, begin) = (le16(b, at)? >> 4, at + 2);
        let end = begin + octets;
        let kept = b.get(begin..end.min(b.len())).unwrap_or_default();
        let (bits, word) = (octets * 8 / each, usize::from(self.used));
        let words = self.words.get_mut(word..word + bits.div_ceil(64))?;
        for i in 0..kept.len() * 8 / each {
            let bit = i * each;
            words[i / 64] |= u64::from(kept[bit / 8] >> (bit % 8) & 1) << (i % 64);
        }
        let there = (kept.len() * 8 / each) as u16;
        self.put(Record { tid, first, bits: bits as u16, kept: there, word: word as u8 })?;
        self.used += bits.div_ceil(64) as u8;
        (kept.len() == octets).then_some(end)
    }

    fn put(&mut self, r: Record) -> Option<()> {
        *self.records.get_mut(usize::from(self.n))? = r;
        self.n += 1;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::Told::{Acked, Lost, Unknown};
    use super::*;

    /// Control (type, TID), then 16-bit words, then octets.
    fn of(kind: u16, tid: u16, words: &[u16], octets: &[u8]) -> Vec<u8> {
        let head = [tid << 12 | kind << 1].into_iter().chain(words.iter().copied());
        head.flat_map(u16::to_le_bytes).chain(octets.iter().copied()).collect()
    }
    fn bits(octets: usize, set: &[usize]) -> Vec<u8> {
        let mut b = vec![0; octets];
        set.iter().for_each(|i| b[i / 8] |= 1 << (i % 8));
        b
    }
    fn read(b: &[u8]) -> BlockAck {
        BlockAck::read(b, b.len())
    }
    /// What is said of TID 5's MPDUs 100, 101 and so on.
    fn told<const N: usize>(x: &BlockAck, seqs: [u16; N]) -> [Told; N] {
        seqs.map(|s| x.told(Some(5), s))
    }
    /// The starting number 100, with a fragment number.
    const fn from_100(fragment: u16) -> u16 {
        100 << 4 | fragment
    }

    #[test]
    fn compressed_of_every_length() {
        for (fragment, octets) in [(0, 8), (4, 32), (8, 64), (10, 128)] {
            let last = octets * 8 - 1;
            let x = read(&of(2, 5, &[from_100(fragment)], &bits(octets, &[0, 2, last])));
            let (last, unread) = (100 + last as u16, x.unread());
            assert_eq!(told(&x, [100, 101, 102, last, last + 1]), [Acked, Lost, Acked, Acked, Lost], "{octets}");
            assert_eq!((unread, x.told(Some(4), 100)), (None, Unknown), "another TID's");
        }
        // Four bits an MSDU. src: 802.11ax-2021 table 9-30a
        let x = read(&of(2, 5, &[from_100(1)], &bits(8, &[0, 8])));
        assert_eq!(told(&x, [100, 101, 102, 116]), [Acked, Lost, Acked, Lost]);
        assert_eq!(read(&of(2, 5, &[from_100(6)], &[0xff; 8])).unread(), Some(Unread::Variant));
    }

    #[test]
    fn basic_extended_and_multi_tid() {
        let x = read(&of(0, 5, &[from_100(0)], &bits(128, &[0, 32, 63 * 16])));
        assert_eq!(told(&x, [100, 101, 102, 163, 164]), [Acked, Lost, Acked, Acked, Lost]);
        let x = read(&of(1, 5, &[from_100(0)], &[bits(8, &[1]), vec![9]].concat()));
        assert_eq!(told(&x, [100, 101]), [Lost, Acked]);
        // TIDs 3 and 5: their number less one stands in the control field.
        let second = [&(5u16 << 12).to_le_bytes()[..], &from_100(0).to_le_bytes(), &bits(8, &[2])].concat();
        let x = read(&of(3, 1, &[3 << 12, from_100(0)], &[bits(8, &[0]), second].concat()));
        assert_eq!(told(&x, [100, 102]), [Lost, Acked]);
        assert_eq!([3, 6].map(|tid| x.told(Some(tid), 100)), [Acked, Lost]);
    }

    /// AID 1 with TIDs 3 (an Ack) and 5 (32, 64, 128 or 256 bits).
    #[test]
    fn multi_station() {
        for (fragment, octets) in [(6, 4), (0, 8), (2, 16), (4, 32)] {
            let x =
                read(&of(11, 0, &[1 | 1 << 11 | 3 << 12, 1 | 5 << 12, from_100(fragment)], &bits(octets, &[0, 31])));
            assert_eq!(told(&x, [100, 101, 131, 100 + octets as u16 * 8]), [Acked, Lost, Acked, Lost]);
            assert_eq!([3, 4].map(|tid| x.told(Some(tid), 7)), [Acked, Lost], "no word of TID 4: none of it came");
        }
        let all = read(&of(11, 0, &[1 | 1 << 11 | 14 << 12], &[]));
        assert_eq!((told(&all, [7, 4000]), all.unread()), ([Acked; 2], None));
        // One that has no AID stands between.
        let other = [&(2045u16).to_le_bytes()[..], &[0; 10], &(1u16 | 1 << 11 | 5 << 12).to_le_bytes()].concat();
        assert_eq!(told(&read(&of(11, 0, &[], &other)), [7]), [Acked]);
        // A record of a form that there is none of.
        let x = read(&of(11, 0, &[1 | 1 << 11 | 5 << 12, 1 | 9 << 12], &[]));
        assert_eq!((told(&x, [7]), x.told(Some(3), 7), x.unread()), ([Acked], Unknown, Some(Unread::Variant)));
    }

    #[test]
    fn what_is_cut_or_of_another_kind_is_unknown() {
        let whole = of(2, 5, &[from_100(4)], &bits(32, &[0, 2, 63, 64]));
        for kept in 0..whole.len() {
            let x = BlockAck::read(&whole[..kept], whole.len());
            assert_eq!(x.unread(), Some(Unread::Cut), "{kept} bytes");
            let first = if kept > 4 { [Acked, Lost] } else { [Unknown; 2] };
            assert_eq!(told(&x, [100, 101]), first, "{kept} bytes");
            assert_eq!(told(&x, [164]), [if kept > 12 { Acked } else { Unknown }], "{kept} bytes");
        }
        let x = BlockAck::read(&of(11, 0, &[1 | 5 << 12], &[]), 14);
        assert_eq!((told(&x, [100]), x.unread()), ([Unknown], Some(Unread::Cut)));
        // For a group, and one that ends too early.
        let gcr = read(&of(6, 0, &[from_100(0)], &[0xff; 14]));
        assert_eq!((told(&gcr, [100]), gcr.unread()), ([Unknown], Some(Unread::Variant)));
        assert_eq!(read(&of(2, 5, &[from_100(4)], &[0xff; 8])).unread(), Some(Unread::Variant));
        let many = of(3, 7, &[], &[0; 12 * 8]);
        assert_eq!(read(&many).unread(), Some(Unread::Variant), "more TIDs than are kept");
    }
}
