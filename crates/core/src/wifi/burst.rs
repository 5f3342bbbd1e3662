//! What a driver hands to the MAC, and what the MAC says of it: the seam between `driver` and `wifi`.
//!
//! A [`Burst`] is one transmit unit of the hardware: an A-MPDU, a single frame or a Block Ack request, with its rate chain.
//! The MAC pulls the burst at the head of an access category's hardware queue, contends for it, sends it (again by the
//! rate chain while no response comes), and hands back one [`Report`] when it is done with it. A Block Ack with holes ends a
//! burst: what to do about the holes is the driver's business, as in ath9k.
//!
//! Stands for: the transmit descriptor and status of Atheros MACs (drivers/net/wireless/ath/ath9k/mac.h ath_tx_info,
//! ath_tx_status), in no chip's layout.

use super::ac::{Ac, Tid};
use super::block_ack::WINDOW;
use super::seq::Seq;
use crate::phy::{Mode, Ofdm};
use crate::sim::{Bitmap, Packet, Span};

/// A station of a BSS; 0 is the access point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct StaIx(pub u8);

impl StaIx {
    /// The access point.
    pub const AP: StaIx = StaIx(0);
    /// As an index.
    pub const fn ix(self) -> usize {
        self.0 as usize
    }
}

/// MPDUs that a burst has room for from the start: what a Block Ack of 64 bits can answer for.
pub const BURST_MPDUS: usize = WINDOW as usize;

/// One MPDU of a burst.
#[derive(Clone, Copy, Debug)]
pub struct Mpdu {
    /// What it carries.
    pub packet: Packet,
    /// Its sequence number within (peer, TID).
    pub seq: Seq,
    /// Bytes from the first of the MAC header to the last of the FCS (ath9k's `framelen`). See [`Framing`](super::Framing).
    pub len: u16,
    /// Transmissions so far, of any sort; the driver counts (ath9k's `retries`).
    pub attempts: u8,
    /// The receiver has it (see [`Report::received`]).
    pub received: bool,
    /// Further MSDUs in it, behind `packet` (A-MSDU): they stand in [`Burst::more`].
    pub more: u8,
    /// What rate control wrote on it when it left mac80211's queues; it stays on it when the frame is sent again.
    pub mark: Mark,
}

/// A rate that a frame is to try out, as rate control numbers rates; 0: none (`tx_info->control.rates` and the flag
/// IEEE80211_TX_CTL_RATE_CTRL_PROBE).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mark(pub u16);

impl Mark {
    /// The frame is no probe.
    pub const NONE: Mark = Mark(0);
    /// Whether the frame is a probe.
    pub const fn probes(self) -> bool {
        self.0 != 0
    }
}

/// One link of a rate chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Attempt {
    /// How to modulate.
    pub mode: Mode,
    /// How often at most; 0: the chain ended before this link.
    pub tries: u8,
}

impl Attempt {
    /// No further link.
    pub const NONE: Attempt = Attempt { mode: Mode::Ofdm(Ofdm::R6), tries: 0 };
}

/// The rate chain: up to four links, each tried in turn.
pub type Chain = [Attempt; 4];

/// What a burst is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum What {
    /// One data frame, answered by an ACK.
    #[default]
    Single,
    /// An A-MPDU, answered by a Block Ack.
    Ampdu,
    /// A Block Ack request that moves the receiver's window to this number, answered by a Block Ack; it has no MPDUs.
    Bar(Seq),
}

/// Why a unit has no more frames: the thesis's categories (section 4.6.0.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u8)]
pub enum End {
    /// The driver does not say.
    #[default]
    Unsaid,
    /// The Block Ack window was closed (`baw`).
    Window,
    /// It has the most frames or bytes that it may have (`good`).
    Full,
    /// Nothing more was queued (`tidqe`).
    Dry,
    /// It is one frame, for whatever reason.
    Single,
}

impl End {
    /// How many there are.
    pub const COUNT: usize = 5;
    /// Of a unit of `n` frames: `full`, if the last would have been the last anyway; `closed`: the window was.
    pub const fn of(n: usize, full: bool, closed: bool) -> End {
        match (n, full, closed) {
            (0 | 1, ..) => End::Single,
            (_, true, _) => End::Full,
            (_, _, true) => End::Window,
            _ => End::Dry,
        }
    }
}

/// One transmit unit. Its vector is allocated once and recycled.
#[derive(Clone, Debug)]
pub struct Burst {
    /// The next hop.
    pub to: StaIx,
    /// Traffic identifier.
    pub tid: Tid,
    /// The hardware queue it stands in.
    pub ac: Ac,
    /// A-MPDU, single frame, or BAR.
    pub what: What,
    /// Sent under a Block Ack agreement, though it may be a single frame: the receiver reorders it.
    pub agreement: bool,
    /// The agreement is of more than 64 MPDUs: a Block Ack has a bitmap of 256 bits.
    pub wide: bool,
    /// Rates and tries.
    pub chain: Chain,
    /// Its first MPDU is a probe.
    pub probe: bool,
    /// Sent after RTS/CTS, whichever link of the chain it is at.
    pub rts: bool,
    /// Sent after RTS/CTS from the second link of the chain on, as minstrel_ht does.
    pub rts_fallback: bool,
    /// An RTS of it goes at the band's lowest rate, not at a basic rate near the frame's.
    pub rts_lowest: bool,
    /// PSDU bytes: all MPDUs with delimiters and padding (see [`Burst::psdu_of`]), or the single frame's `len`.
    pub psdu: u32,
    /// Why it has no more frames.
    pub end: End,
    /// The MPDUs, in the order of the air. An A-MPDU's sequence numbers lie within one Block Ack window.
    pub mpdus: Vec<Mpdu>,
    /// The further MSDUs of its A-MSDUs, in the order of the MPDUs.
    pub more: Vec<Packet>,
}

/// Bytes of an MPDU delimiter.
pub const DELIMITER: u32 = 4;

impl Burst {
    /// An empty one, with room for 64 MPDUs.
    pub fn new() -> Burst {
        Burst {
            to: StaIx::AP,
            tid: Tid::new(0),
            ac: Ac::Be,
            what: What::Single,
            agreement: false,
            wide: false,
            chain: [Attempt::NONE; 4],
            probe: false,
            rts: false,
            rts_fallback: false,
            rts_lowest: false,
            psdu: 0,
            end: End::Unsaid,
            mpdus: Vec::with_capacity(BURST_MPDUS),
            more: Vec::new(),
        }
    }
    /// Each MPDU with its further MSDUs.
    pub fn msdus(&self) -> impl Iterator<Item = (&Mpdu, &[Packet])> {
        let mut rest = &self.more[..];
        self.mpdus.iter().map(move |m| {
            let (mine, others) = rest.split_at(usize::from(m.more));
            rest = others;
            (m, mine)
        })
    }
    /// Packets in the MPDUs of these places.
    pub fn packets(&self, which: Bitmap) -> u64 {
        self.mpdus.iter().enumerate().filter(|&(i, _)| which.has(i)).map(|(_, m)| 1 + u64::from(m.more)).sum()
    }
    /// Whether it is longer than this RTS threshold, in bytes: at 0 everything with an MPDU is, without one nothing.
    /// src: 802.11-2020 10.3.1 (dot11RTSThreshold)
    pub fn exceeds(&self, rts_threshold: Option<u32>) -> bool {
        !self.mpdus.is_empty() && rts_threshold.is_some_and(|t| self.psdu > t || t == 0)
    }
    /// Bytes that an A-MPDU has after a subframe of `len` bytes with `extra` empty delimiters behind it was added to
    /// `so_far`: the subframe before is padded to a multiple of four, the last one of all is not.
    /// src: 802.11-2020 9.7.1; linux@6.12 drivers/net/wireless/ath/ath9k/xmit.c ath_tx_form_aggr (`al`, `bpad`)
    pub const fn psdu_of(so_far: u32, len: u16) -> u32 {
        so_far.next_multiple_of(4) + DELIMITER + len as u32
    }
}

impl Default for Burst {
    fn default() -> Self {
        Burst::new()
    }
}

/// What became of a burst.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// A response (ACK or Block Ack) came to the last transmission.
    pub answered: bool,
    /// The places of the MPDUs that are acknowledged. Of a single frame: place 0, the same as `answered`.
    pub acked: Bitmap,
    /// The link of the chain that the last transmission used (`ts_rateindex`).
    pub link: u8,
    /// Transmissions on that link, the last included (`ts_longretry + 1`); every link before it used all its tries.
    pub tries: u8,
    /// Airtime of every transmission of it, data PPDUs alone: what `ath_tx_count_airtime` charges.
    pub airtime: Span,
    /// Bytes of opaque payload that came with the response (see `wifi::response`).
    pub payload: u16,
    /// Time that it waited while the medium was idle (interframe spaces and backoff), for all its transmissions.
    pub waited: Span,
    /// How much later than SIFS the response began.
    pub late: Span,
    /// What answered was the response to another frame (SoRa without numbers), though nothing tells.
    pub mistaken: bool,
    /// The places of the MPDUs that the receiver has, whether or not their acknowledgement came. For accounting only, no algorithm may
    /// read it: a driver keeps it in [`Mpdu::received`], and an abandoned MPDU that was received is freed, not dropped.
    pub received: Bitmap,
}

impl Report {
    /// Transmissions in all, as `ath_tx_complete_aggr` counts them for the software retry limit.
    pub fn attempts(&self, chain: &Chain) -> u8 {
        chain[..self.link as usize].iter().fold(self.tries, |n, a| n.saturating_add(a.tries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wifi::framing::mpdu_len;

    #[test]
    fn an_ampdu_of_three() {
        // 1538 = 1500 + 8 + 26 + 4; delimiters 4; two pads of 2; the last unpadded: 1542 + 2 + 1542 + 2 + 1542.
        let len = mpdu_len(1500, true);
        assert_eq!(len, 1538);
        let mut b = 0;
        for _ in 0..3 {
            b = Burst::psdu_of(b, len);
        }
        assert_eq!(b, 4630);
    }

    #[test]
    fn attempts_count_the_links_before() {
        let mut chain = [Attempt::NONE; 4];
        chain[0].tries = 2;
        chain[1].tries = 3;
        let r = Report { link: 1, tries: 1, ..Report::default() };
        assert_eq!(r.attempts(&chain), 3);
    }
}
