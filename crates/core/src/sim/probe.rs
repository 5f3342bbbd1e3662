//! Observation: an algorithm that has something to tell is handed a publisher; the default compiles away.
//!
//! Nothing that an algorithm publishes is ever read back by it.

use super::packet::{FlowId, NodeId, Packet};
use super::time::{Span, Time};
use crate::phy::Mode;
use crate::wifi::{Aired, Beaconed};

/// What a data PPDU was.
#[derive(Clone, Copy, Debug)]
pub struct PpduSeen {
    /// Who sent it.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// Traffic identifier.
    pub tid: u8,
    /// MPDUs in it.
    pub mpdus: u16,
    /// Of these, MPDUs that the receiver did not decode.
    pub bad: u16,
    /// PSDU bytes.
    pub bytes: u32,
    /// How it was modulated.
    pub mode: Mode,
    /// Why it has no more MPDUs: the number of a [`wifi::End`](crate::wifi::End).
    pub end: u8,
    /// When its preamble began.
    pub start: Time,
    /// Airtime of the whole exchange (protection, data, response and the SIFS between).
    pub airtime: Span,
    /// Whether its response came back (false: collision, or nothing decoded).
    pub answered: bool,
    /// It collided (its RTS, if it had one): nobody decoded anything of it.
    pub collided: bool,
}

/// An exchange without data: a BAR, or an RTS that collided.
#[derive(Clone, Copy, Debug)]
pub struct BareSeen {
    /// Who sent it.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// When its preamble began.
    pub start: Time,
    /// With its response, if it was alone on the air.
    pub airtime: Span,
}

/// A subscriber. Every method does nothing unless overridden.
pub trait Probe {
    /// Whether it wants [`Probe::aired`]: what that tells is not even put together for one that does not.
    const AIR: bool = false;
    /// A frame exchange went on the air, collided or not; told when it begins.
    #[inline]
    fn aired(&mut self, _a: &Aired<'_>) {}
    /// The beacon of the access point `from` went on the air; told when it begins, to those who want [`Probe::aired`].
    #[inline]
    fn beacon(&mut self, _from: NodeId, _b: &Beaconed) {}
    /// A data PPDU left a station.
    #[inline]
    fn ppdu(&mut self, _p: &PpduSeen) {}
    /// Something else of a station's held the medium.
    #[inline]
    fn bare(&mut self, _x: &BareSeen) {}
    /// A packet reached the application or socket it was for.
    #[inline]
    fn delivered(&mut self, _now: Time, _at: NodeId, _p: &Packet) {}
    /// A flow's smoothed RTT estimate after an ACK.
    #[inline]
    fn rtt(&mut self, _now: Time, _flow: FlowId, _srtt: Span) {}
}

/// Looks at nothing.
#[derive(Clone, Copy, Default, Debug)]
pub struct Blind;
impl Probe for Blind {}
