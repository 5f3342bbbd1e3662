//! The subframes of an A-MSDU: addresses, length, MSDU, up to three bytes of padding. src: 802.11-2020 9.3.2.2.2
//!
//! D1 the basic format alone, which all but DMG and S1G stations send; D2 a length of zero is padding: the A-MSDU ends there.

use crate::frame::Mac;

/// Addresses and length.
const HEADER: usize = 14;

/// One subframe.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Subframe<'a> {
    pub da: Mac,
    pub sa: Mac,
    /// Bytes of its MSDU.
    pub len: u16,
    /// As many of them as were kept, from LLC on.
    pub kept: &'a [u8],
}

/// Goes from one to the next. No length is believed that leads out of the A-MSDU.
#[derive(Clone, Debug)]
pub(super) struct Subframes<'a> {
    kept: &'a [u8],
    left: usize,
}

impl<'a> Subframes<'a> {
    /// Of an A-MSDU of `len` bytes on the air.
    pub fn new(kept: &'a [u8], len: usize) -> Self {
        Subframes { kept: &kept[..kept.len().min(len)], left: len }
    }
    /// Bytes that are left: the capture did not keep them, or a length among them cannot be true.
    pub const fn left(&self) -> usize {
        self.left
    }
}

impl<'a> Iterator for Subframes<'a> {
    type Item = Subframe<'a>;

    fn next(&mut self) -> Option<Subframe<'a>> {
        if self.left < HEADER {
            self.left = 0; // padding
            return None;
        }
        let (da, sa) = (Mac::at(self.kept, 0)?, Mac::at(self.kept, 6)?);
        let len = u16::from_be_bytes([*self.kept.get(12)?, *self.kept.get(13)?]);
        let end = HEADER + usize::from(len);
        if len == 0 {
            self.left = 0;
            return None;
        }
        if end > self.left {
            return None;
        }
        let kept = &self.kept[HEADER..end.min(self.kept.len())];
        let next = end.next_multiple_of(4);
        self.kept = self.kept.get(next..).unwrap_or_default();
        self.left = self.left.saturating_sub(next);
        Some(Subframe { da, sa, len, kept })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Three MSDUs of 9, 6 and 4 bytes, laid out by hand: 23 and a byte of padding, 20, 18.
    const THREE: [u8; 62] = [
        2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, // padded
        2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 0, 6, 1, 2, 3, 4, 5, 6, //
        2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 4, 0, 4, 1, 2, 3, 4, // the last is not padded
    ];

    /// Lengths, how many bytes of each were kept, and what is left.
    fn read(kept: &[u8], len: usize) -> (Vec<(u16, usize)>, usize) {
        let mut s = Subframes::new(kept, len);
        let all = s.by_ref().map(|x| (x.len, x.kept.len())).collect();
        (all, s.left())
    }

    #[test]
    fn three_by_hand() {
        let all: Vec<_> = Subframes::new(&THREE, 62).collect();
        assert_eq!(all.iter().map(|s| s.sa.0[5]).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(all.iter().all(|s| s.da == Mac([2, 0, 0, 0, 0, 1])));
        assert_eq!(all.iter().map(|s| s.kept).collect::<Vec<_>>(), [&THREE[14..23], &THREE[38..44], &THREE[58..]]);
        assert_eq!(read(&THREE, 62), (vec![(9, 9), (6, 6), (4, 4)], 0));
    }

    #[test]
    fn what_a_capture_cuts_is_left() {
        assert_eq!(read(&THREE[..57], 62), (vec![(9, 9), (6, 6)], 18), "within the last one's header");
        assert_eq!(read(&THREE[..40], 62), (vec![(9, 9), (6, 2)], 18), "within the second MSDU");
        assert_eq!(read(&THREE[..13], 62), (vec![], 62));
        assert_eq!(read(&THREE[..60], 62), (vec![(9, 9), (6, 6), (4, 2)], 0), "every header is there");
    }

    #[test]
    fn lengths_that_cannot_be_are_not_followed() {
        let mut damaged = THREE;
        damaged[36] = 0xff;
        assert_eq!(read(&damaged, 62), (vec![(9, 9)], 38));
        damaged[36..38].copy_from_slice(&[0, 0]);
        assert_eq!(read(&damaged, 62), (vec![(9, 9)], 0), "zeros are padding");
    }

    proptest! {
        /// Every byte belongs to a subframe or is left, whatever stands there.
        #[test]
        fn noise_ends(kept in prop::collection::vec(any::<u8>(), 0..300), short in any::<bool>(), len in 0_usize..400) {
            let mut kept = kept;
            if short {
                kept.iter_mut().skip(12).step_by(4).for_each(|b| *b = 0);
            }
            let mut s = Subframes::new(&kept, len);
            let read: usize = s.by_ref().map(|x| HEADER + usize::from(x.len)).sum();
            prop_assert!(read + s.left() <= len);
        }
    }
}
