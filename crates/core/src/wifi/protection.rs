//! Protection by RTS/CTS: what it costs in front of a frame.
//!
//! Stands for: 802.11-2020 10.3.2.9 (RTS, CTS), 10.6.6.2 (an RTS goes at a basic rate); ath9k sets the rate of protection
//! frames from the basic rates as well (`setup_frame_info`, `rtscts_rate`).
//! Differs: D1 no CTS-to-self; D2 an RTS that is sent alone always arrives.

use super::response::{self, Kind, Response, Responses};
use crate::phy::{Band, Mode, duration};
use crate::sim::Span;

/// The frames in front of a protected PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Protection {
    /// The RTS on the air.
    pub rts: Span,
    /// The CTS on the air.
    pub cts: Response,
    /// From the start of the RTS to the start of the protected PPDU.
    pub lead: Span,
}

/// What protects a frame of `mode`: the RTS goes at the highest basic rate that is not above the frame's reference rate.
pub(super) fn rts_cts(mode: Mode, r: &Responses, band: Band) -> Protection {
    let rate = r.rate(mode);
    let rts = duration::non_ht(rate, response::RTS, band);
    let cts = r.answer(Kind::Cts, Mode::Ofdm(rate), 0);
    Protection { rts, cts, lead: rts + band.sifs() + cts.duration + band.sifs() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::Ht;

    /// src: thesis table A.1: t_rtscts 27.2 us is the bits alone; with preambles, tails and two SIFS it is 88 us.
    #[test]
    fn at_24_mbit() {
        let r = Responses::new(Band::Ghz5, &[]);
        let p = rts_cts(Mode::Ht(Ht::new(6, true, true).unwrap()), &r, Band::Ghz5);
        assert_eq!((p.rts, p.cts.duration), (Span::from_us(28), Span::from_us(28)));
        assert_eq!(p.lead, Span::from_us(28 + 16 + 28 + 16));
    }
}
