//! One frame exchange laid out in time: protection, data, response, and what is known when nothing answers.
//!
//! Stands for: 802.11-2020 10.23.2.8 (what a TXOP holder sends), Annex G:
//! `txop = [ RTS CTS ] ( A-MPDU BlockAck | Data Ack | BlockAckReq BlockAck )`.

use super::burst::{Burst, What};
use super::protection::{self, Protection};
use super::response::{Kind, Response, Responses};
use crate::phy::{Band, Mode, ppdu};
use crate::sim::Span;

/// An exchange, every span counted from its start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Exchange {
    /// RTS and CTS, or a CTS-to-self, if it is protected.
    pub protection: Option<Protection>,
    /// The data PPDU on the air.
    pub data: Span,
    /// When the data PPDU ends.
    pub data_end: Span,
    /// What answers it.
    pub response: Response,
    /// When the response ends: also what the Duration fields reserve.
    pub end: Span,
    /// When its sender gives the response up.
    pub timeout: Span,
}

impl Exchange {
    /// The exchange that sends `b` at this link of its chain, with `payload` bytes riding on the response.
    pub fn plan(b: &Burst, link: u8, payload: u16, r: &Responses, band: Band) -> Exchange {
        let mode = b.chain[link as usize].mode;
        let protection = guard(b, mode, b.rts || (b.rts_fallback && link > 0), r, band);
        let data = ppdu(mode, b.psdu, band);
        let kind = match b.what {
            What::Single => Kind::Ack,
            _ => block_ack(b),
        };
        let response = r.answer(kind, mode, payload);
        let data_end = protection.map_or(Span::ZERO, |p| p.lead) + data;
        Exchange {
            protection,
            data,
            data_end,
            response,
            end: data_end + band.sifs() + response.duration,
            timeout: data_end + r.timeout(mode),
        }
    }
    /// What its sender puts on the air.
    pub fn sent(&self) -> Span {
        self.data + self.protection.map_or(Span::ZERO, |p| p.first)
    }
    /// What its receiver puts on the air.
    pub fn answered(&self) -> Span {
        self.response.duration + self.protection.and_then(|p| p.cts).map_or(Span::ZERO, |c| c.duration)
    }
    /// Whether an RTS opens it, whose collision its sender notices.
    pub fn asks(&self) -> bool {
        self.protection.is_some_and(|p| p.cts.is_some())
    }
    /// What of it collides: what is on the air if it collides, and when its sender knows.
    pub fn collides(&self, r: &Responses) -> (Span, Span) {
        match self.protection {
            Some(p) if p.cts.is_some() => (p.first, p.first + r.timeout(p.mode)),
            // Nobody answers a CTS-to-self, so its sender goes on.
            Some(_) => (self.data_end, self.timeout),
            None => (self.data, self.timeout),
        }
    }
}

/// What stands in front of `b` at `mode`; `rts`: an RTS does.
fn guard(b: &Burst, mode: Mode, rts: bool, r: &Responses, band: Band) -> Option<Protection> {
    let rts = rts.then(|| if b.rts_lowest { r.lowest() } else { r.rts_rate(mode) });
    protection::of(mode, rts, r, band)
}

/// What answers it as an A-MPDU.
const fn block_ack(b: &Burst) -> Kind {
    if b.wide { Kind::WideBlockAck } else { Kind::BlockAck }
}

/// What an exchange of `b`, an A-MPDU, takes at `mode` beside its PPDU: what protects it and what answers it.
pub(super) fn around(b: &Burst, mode: Mode, rts: bool, r: &Responses, band: Band) -> Span {
    let lead = guard(b, mode, rts, r, band).map_or(Span::ZERO, |p| p.lead);
    lead + band.sifs() + r.answer(block_ack(b), mode, 0).duration
}

#[cfg(test)]
mod tests {
    use super::super::burst::Burst;
    use super::*;
    use crate::phy::Ht;

    #[test]
    fn single_frame_by_hand() {
        let r = Responses::new(Band::Ghz5, &[]);
        let mut b = Burst { psdu: 1538, ..Burst::new() };
        b.chain[0].mode = Mode::Ht(Ht::new(7, true, true).unwrap());
        let x = Exchange::plan(&b, 0, 0, &r, Band::Ghz5);
        assert_eq!((x.data_end, x.end, x.timeout), (Span::from_us(120), Span::from_us(164), Span::from_us(165)));
        b.rts = true;
        let x = Exchange::plan(&b, 0, 0, &r, Band::Ghz5);
        assert_eq!((x.data_end, x.end), (Span::from_us(208), Span::from_us(252)));
        assert_eq!(x.collides(&r), (Span::from_us(28), Span::from_us(73)));
        assert_eq!((x.sent(), x.answered()), (Span::from_us(148), Span::from_us(56)));
    }
}
