//! The medium's seams: what it is told of each station, what it asks of them, what it tells observers.

use super::ac::Ac;
use super::beacon::Beaconed;
use super::burst::{Burst, End, Report, StaIx};
use super::edca::Access;
use super::response;
use crate::phy::Mode;
use crate::phy::channel::Feedback;
use crate::sim::{Bitmap, Lane, NodeId, Span, Time};

/// The MAC of one station.
#[derive(Clone, Debug)]
pub struct StaMac {
    /// Its name, for its random streams.
    pub name: String,
    /// What it contends with, by access category.
    pub access: [Access; Ac::COUNT],
    /// EDCA; otherwise a station without QoS, which contends by DCF with its best effort queue alone.
    pub qos: bool,
    /// Failures in a row after which its contention window starts over (802.11: dot11ShortRetryLimit; ath9k: INIT_SSH_RETRY).
    pub window_limit: u8,
    /// The window also starts over when its hardware is done with a frame that it gave up (Atheros). src: linux@6.12
    /// ath9k/mac.c ath9k_hw_resettxqueue leaves off AR_D_MISC_CW_RESET_EN and AR_D_MISC_RETRY_CNT_RESET_EN, which would reset at
    /// the end of each link of a rate chain; the end of the frame is the standard's (802.11-2020 10.23.2.2)
    pub resets_window: bool,
    /// RTSs without CTS after which a frame is given back (802.11: dot11ShortRetryLimit; ath9k: INIT_SH_RETRY).
    pub rts_limit: u8,
    /// How late its responses are.
    pub late: Option<crate::driver::sora::Late>,
    /// How much longer than usual it waits for a response.
    pub patience: Span,
    /// Probability that an MPDU it sends is not decoded.
    pub error_up: f64,
    /// Probability that an MPDU that the access point sends to it is not decoded.
    pub error_down: f64,
    /// MPDUs in a row that are not, in the mean; none: each by itself.
    pub error_run: Option<f64>,
}

/// What the medium wants to be called for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MediumEvent {
    /// The earliest access; stale if the generation is not the present one.
    Access(u32),
    /// The RTS of a station ends, which the access point answers: asked for where stations are hidden.
    Asked,
    /// The data PPDU on the air ends; stale if it was spoilt.
    Arrive,
    /// The exchange on the air ends.
    Done,
    /// A contender knows that its last try failed.
    GiveUp(u16),
    /// The access point's beacon is due.
    Tbtt,
}

/// What a PPDU was, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Who sent it.
    pub from: StaIx,
    /// To whom.
    pub to: StaIx,
    /// Traffic identifier.
    pub tid: u8,
    /// MPDUs in it.
    pub mpdus: u16,
    /// Of these, MPDUs that were not decoded.
    pub bad: u16,
    /// PSDU bytes.
    pub bytes: u32,
    /// How it was modulated.
    pub mode: Mode,
    /// Why it has no more MPDUs.
    pub end: End,
    /// When it began (its RTS, if it had one).
    pub start: Time,
    /// Protection, data, response.
    pub airtime: Span,
    /// Whether the response came.
    pub answered: bool,
    /// It collided (its RTS, if it had one): nobody decoded anything of it.
    pub collided: bool,
}

/// An exchange without MPDUs, for observers: a BAR, or an RTS that collided.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bare {
    /// Who sent it.
    pub from: StaIx,
    /// To whom.
    pub to: StaIx,
    /// When it began.
    pub start: Time,
    /// With its response, if it was alone on the air.
    pub airtime: Span,
}

impl Seen {
    /// Tells observers; `rts`: its RTS alone was on the air, which collided.
    pub(super) fn tell<S: Stations>(&self, rts: bool, stations: &mut S) {
        if rts || self.mpdus == 0 {
            let &Seen { from, to, start, airtime, .. } = self;
            stations.bare(&Bare { from, to, start, airtime });
        } else {
            stations.seen(self);
        }
    }
}

/// RTS and CTS, or a CTS to oneself, on the air.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// How they are sent.
    pub mode: Mode,
    /// What the sender sends.
    pub first: Span,
    /// The CTS that answers; none: the first was a CTS to its sender.
    pub cts: Option<Span>,
}

/// A frame exchange laid out in time: what a listener could tell of it and what only its sender knows.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// Who sends.
    pub from: StaIx,
    /// From which hardware queue: the burst is the head of it.
    pub ac: Ac,
    /// How the data are modulated.
    pub mode: Mode,
    /// The burst was on the air before.
    pub again: bool,
    /// Since when its sender counts this idle period; the start itself for a further exchange of a TXOP.
    pub idle_since: Time,
    /// Its AIFS.
    pub aifs: Span,
    /// The first bit on the air (of the RTS, if it has one).
    pub start: Time,
    /// What protects it, if anything does.
    pub protection: Option<Guard>,
    /// The data PPDU on the air; zero if it was not sent, since the RTS collided.
    pub data: Span,
    /// From the start to the first bit of the data.
    pub lead: Span,
    /// The space before CTS, data and response.
    pub sifs: Span,
    /// What answers it, and for how long.
    pub response: (response::Kind, Span),
    /// How the response is sent.
    pub control: Mode,
    /// The places of the MPDUs that their receiver decodes.
    pub decoded: Bitmap,
    /// The receiver answers.
    pub heard: bool,
    /// The sender decodes the answer.
    pub answered: bool,
    /// Others sent at the same time.
    pub collided: bool,
}

/// An [`Exchanged`] with whose it is and what is in it, for observers.
#[derive(Clone, Copy, Debug)]
pub struct Aired<'a> {
    /// Times and outcome.
    pub x: Exchanged,
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// What is sent.
    pub burst: &'a Burst,
    /// Packets that wait in each station now, in the order of their numbers: in the queues above the driver, and in driver and
    /// hardware.
    pub depths: &'a [(u64, u64)],
}

/// A PPDU at its receiver, when its last bit is there.
#[derive(Clone, Copy, Debug)]
pub struct Arrival {
    /// Who sent it.
    pub from: StaIx,
    /// From which of its hardware queues: it is the head of that.
    pub ac: Ac,
    /// The places of the MPDUs that were decoded.
    pub decoded: Bitmap,
    /// Of these, what earlier transmissions of the same head had brought already.
    pub before: Bitmap,
    /// Time on the air of the data PPDU.
    pub airtime: Span,
    /// How it was modulated.
    pub mode: Mode,
}

/// The stations as the medium sees them.
pub trait Stations {
    /// What the hardware queue `ac` of `s` would send next.
    fn head(&self, s: StaIx, ac: Ac) -> Option<&Burst>;
    /// A PPDU to `to` is on the air: its first decoded MPDU is there at `first`, its last bit at `until`.
    #[inline]
    fn lands(&mut self, _to: StaIx, _first: Time, _until: Time) {}
    /// The receiver decoded these MPDUs of the head of (`from`, `ac`), or the BAR that the head is. Answers which of them it
    /// had not received before.
    fn arrived(&mut self, now: Time, a: &Arrival) -> Bitmap;
    /// The receiver of a PPDU from `from` tells of it; `answered`: its response came.
    fn feedback(&mut self, _now: Time, _from: StaIx, _to: StaIx, _mode: Mode, _answered: bool, _f: &Feedback) {}
    /// `best` would be the ideal mode for the PPDU from `from` to `to` that goes on the air, where `from` wants to know.
    fn learn(&mut self, _from: StaIx, _to: StaIx, _best: Mode) {}
    /// So much is left of the opportunity in which (`s`, `ac`) goes on: who puts PPDUs together by it does so now. Linux's cards have theirs by then.
    #[inline]
    fn left(&mut self, _s: StaIx, _ac: Ac, _left: Span) {}
    /// The hardware is done with the head.
    fn done(&mut self, now: Time, s: StaIx, ac: Ac, report: &Report);
    /// The medium wants to be called.
    fn schedule(&mut self, at: Time, lane: Lane, ev: MediumEvent);
    /// An exchange went on the air, collided or not.
    #[inline]
    fn aired(&mut self, _x: &Exchanged) {}
    /// A beacon is due now, the one after it at `next`.
    #[inline]
    fn tbtt(&mut self, _now: Time, _next: Time) {}
    /// The access point's beacon went on the air.
    #[inline]
    fn beacon(&mut self, _b: &Beaconed) {}
    /// A PPDU with MPDUs went on the air.
    fn seen(&mut self, seen: &Seen);
    /// Something without MPDUs did.
    #[inline]
    fn bare(&mut self, _x: &Bare) {}
    /// The head of (`s`, `ac`) goes on the air. Whether something may ride on the response.
    #[inline]
    fn sends(&mut self, _s: StaIx, _ac: Ac) -> bool {
        false
    }
    /// The response of `s`, which the access point was about to have, is hit by a station that does not hear it.
    fn hit(&mut self, _s: StaIx) {}
    /// How many opaque bytes `s` lets ride on its response to `a`, which it has just received and answers now (HACK). They come with
    /// [`Report::payload`]. `longer`: by how much so many bytes lengthen the response, and how much of that DIFS covers. Only asked where [`Stations::sends`] said that something may.
    #[inline]
    fn riding(&mut self, _now: Time, _s: StaIx, _a: &Arrival, _longer: &dyn Fn(u16) -> (Span, Span)) -> u16 {
        0
    }
}
