//! Protection by RTS/CTS or CTS-to-self: what it costs in front of a frame.
//!
//! Stands for: 802.11-2020 10.3.2.9 (RTS, CTS), 10.6.6.2 (an RTS goes at a basic rate), 10.27 (ERP protection: what 802.11b stations
//! cannot decode goes behind a CTS, or an RTS, that they can).
//! Differs: D1 an RTS that is sent alone always arrives.

use super::response::{self, Kind, Response, Responses};
use super::stations::Guard;
use crate::phy::{Band, Mode, duration};
use crate::sim::Span;

/// The frames in front of a protected PPDU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Protection {
    /// How they are sent.
    pub mode: Mode,
    /// What its sender puts on the air: an RTS, or a CTS to itself.
    pub first: Span,
    /// The CTS that answers an RTS; a CTS to itself nobody answers.
    pub cts: Option<Response>,
    /// From the start of the first to the start of the protected PPDU.
    pub lead: Span,
}

impl Protection {
    /// As observers see it.
    pub fn aired(&self) -> Guard {
        Guard { mode: self.mode, first: self.first, cts: self.cts.map(|c| c.duration) }
    }
}

/// An RTS of `mode` and what answers it.
fn rts_cts(mode: Mode, r: &Responses, band: Band) -> Protection {
    let rts = duration::ppdu(mode, response::RTS, band);
    let cts = r.answer(Kind::Cts, mode, 0);
    Protection { mode, first: rts, cts: Some(cts), lead: rts + band.sifs() + cts.duration + band.sifs() }
}

/// What stands in front of a frame of `mode`; `rts`: it is to have RTS/CTS, whatever others understand, and the RTS this mode.
pub(super) fn of(mode: Mode, rts: Option<Mode>, r: &Responses, band: Band) -> Option<Protection> {
    if let Some(rts) = rts {
        return Some(rts_cts(rts, r, band));
    }
    let e = r.erp().filter(|e| e.protects && !matches!(mode, Mode::Dsss(_)))?;
    let cts = duration::ppdu(e.mode(), response::CTS, band);
    Some(Protection { mode: e.mode(), first: cts, cts: None, lead: cts + band.sifs() })
}

#[cfg(test)]
mod tests {
    use super::super::response::Erp;
    use super::*;
    use crate::phy::{Dsss, Hr, Ht, Ofdm};

    /// src: thesis table A.1: t_rtscts 27.2 us is the bits alone; with preambles, tails and two SIFS it is 88 us.
    #[test]
    fn at_24_mbit() {
        let r = Responses::new(Band::Ghz5, &[]);
        let data = Mode::Ht(Ht::new(6, true, true).unwrap());
        let p = of(data, Some(r.rts_rate(data)), &r, Band::Ghz5).unwrap();
        assert_eq!((p.first, p.cts.unwrap().duration), (Span::from_us(28), Span::from_us(28)));
        assert_eq!(p.lead, Span::from_us(28 + 16 + 28 + 16));
        assert_eq!(of(Mode::Ofdm(Ofdm::R54), None, &r, Band::Ghz5), None);
    }

    /// By hand: 20 and 14 bytes are 160 and 112 us at 1 Mbit/s, behind 192 us; at 6 Mbit/s eight and six symbols of 4 us, behind 20.
    #[test]
    fn at_the_lowest_rate() {
        for (band, lead) in [(Band::Ghz2, 352 + 10 + 304 + 10), (Band::Ghz5, 52 + 16 + 44 + 16)] {
            let r = Responses::new(band, &[]);
            let p = of(Mode::Ht(Ht::new(6, true, true).unwrap()), Some(r.lowest()), &r, band).unwrap();
            assert_eq!(p.lead, Span::from_us(lead));
        }
    }

    /// By hand: a CTS of 14 bytes at 11 Mbit/s is 112 / 11 = 10.2, so 11 us, behind 96 us; an RTS of 20 bytes 160 / 11, so 15.
    #[test]
    fn beside_802_11b_stations() {
        let erp = Erp::default();
        let r = Responses::beside(Band::Ghz2, &[], Some(erp));
        let p = of(Mode::Ofdm(Ofdm::R54), None, &r, Band::Ghz2).unwrap();
        assert_eq!((p.first, p.cts, p.lead), (Span::from_us(107), None, Span::from_us(117)));
        let p = of(Mode::Ofdm(Ofdm::R54), Some(r.rts_rate(Mode::Ofdm(Ofdm::R54))), &r, Band::Ghz2).unwrap();
        assert_eq!(p.lead, Span::from_us(96 + 15 + 10 + 107 + 10));
        let b = Mode::Dsss(Hr { rate: Dsss::R11, short: true });
        assert_eq!(of(b, None, &r, Band::Ghz2), None, "its own kind needs none");
    }
}
