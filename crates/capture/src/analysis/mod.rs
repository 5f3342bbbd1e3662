//! What frames show: aggregates, retries, losses, rates, airtime, TCP's goodput and round trips. Constant memory, whatever the
//! length: histograms, series whose step doubles, and bounded tables.
//!
//! [`Media`] tells a file's media from one another; of each, [`Exchanges`] puts MPDUs together to PPDUs with their responses; [`air`] and
//! [`flows`] count. D1 a PPDU without a response is
//! charged the response that its sender waited for, as the model's own account has it; D2 the A-MPDU is told from radiotap's A-MPDU
//! status; where a driver gives none, frames of one transmitter that leave no room for a response between them are one A-MPDU;
//! D3 frames with a bad check sequence count with the transmitter that they name if that one is known by a good frame.

mod air;
mod cut;
mod exchange;
mod flows;
mod media;
mod order;
mod report;
mod series;
mod shared;

use crate::block_ack::Unread;
use crate::frame::{AckPolicy, Frame, Kind, Msdu, Packet};
use air::Stations;
use cut::{Cuts, Hidden};
use exchange::Exchanges;
use flows::Flows;
use order::Order;

pub use media::{Media, Medium, Reports};
pub use report::Report;
pub use shared::Shared;
pub use wavetank_core::sim::quantiles::Quantiles;

/// Frames by what they were.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// All.
    pub all: u64,
    /// Data frames with a body.
    pub data: u64,
    /// ACK, Block Ack, BAR, RTS, CTS.
    pub control: u64,
    /// Of these, ACKs and Block Acks: without any, losses cannot be told.
    pub responses: u64,
    /// Block Acks that the capture cuts, and those of a variant that is not read: what they acknowledge cannot be told.
    pub block_acks_cut: u64,
    /// See `block_acks_cut`.
    pub block_acks_unread: u64,
    /// Data frames that ask for no answer, or for one within another frame.
    pub no_ack: u64,
    /// Management.
    pub management: u64,
    /// Any other, null functions among them.
    pub other: u64,
    /// Whose check sequence did not hold.
    pub bad_fcs: u64,
    /// Data frames that are encrypted.
    pub encrypted: u64,
    /// Data frames of which an IP packet was read.
    pub ip: u64,
    /// Data frames that are A-MSDUs.
    pub amsdus: u64,
    /// MSDUs in these, as far as they can be told.
    pub amsdu_msdus: u64,
    /// A-MSDUs in the clear of which not all MSDUs can be read, and how many bytes of them.
    pub amsdus_cut: u64,
    /// See `amsdus_cut`.
    pub amsdu_bytes_unread: u64,
    /// Data frames that the capture cuts before the end of their TCP header (or UDP's, an echo's): whose they are cannot be told.
    pub headers_cut: u64,
    /// Data frames that it cuts within TCP's options, in front of the time stamps: no round trips.
    pub options_cut: u64,
    /// How often time goes back from one frame to the next, by more than some reordering.
    pub time_goes_back: u64,
    /// Frames of which the capture has no time.
    #[serde(skip_serializing_if = "none")]
    pub untimed: u64,
    /// Data frames with radiotap's A-MPDU status.
    pub ampdu_status: u64,
    /// Frames without a rate: no airtime can be told.
    pub without_rate: u64,
    /// Frames of HE PPDUs for, or from, several users: whose airtime it is cannot be told.
    pub multi_user: u64,
}

/// What hardly any capture has is not there where it is not.
fn none(n: &u64) -> bool {
    *n == 0
}

/// The packets in a frame.
fn packets<'a>(f: &'a Frame, msdus: &'a [Msdu]) -> impl Iterator<Item = &'a Packet> {
    f.packet.iter().chain(msdus.iter().filter_map(|m| m.packet.as_ref()))
}

/// Counts frames of one medium, given in order.
pub struct Analysis {
    window: Option<(u64, u64)>,
    span: Option<(u64, u64)>,
    counts: Counts,
    order: Order,
    cuts: Cuts,
    exchanges: Exchanges,
    stations: Stations,
    flows: Flows,
}

impl Analysis {
    /// Of what begins within `window` (ns); of everything if there is none.
    pub fn new(window: Option<(u64, u64)>) -> Analysis {
        Analysis {
            window,
            span: None,
            counts: Counts::default(),
            order: Order::default(),
            cuts: Cuts::default(),
            exchanges: Exchanges::default(),
            stations: Stations::default(),
            flows: Flows::default(),
        }
    }

    /// What has no time is in no window.
    fn within(&self, f: &Frame) -> bool {
        self.window.is_none_or(|(a, b)| !f.untimed && f.time >= a && f.time < b)
    }

    /// The next frame, and its MSDUs if it is an A-MSDU.
    pub fn frame(&mut self, f: &Frame, msdus: &[Msdu]) {
        let counted = self.within(f);
        // Of the whole file: where frames of the window stand elsewhere in it, none of these may tell.
        if f.untimed {
            self.counts.untimed += 1;
        } else {
            self.span = Some(self.span.map_or((f.time, f.time), |(a, b)| (a.min(f.time), b.max(f.time))));
            self.counts.time_goes_back += u64::from(self.order.goes_back(f.time));
        }
        if counted {
            self.count(f, msdus);
        }
        let station = self.stations.transmitter(f);
        let stations = &mut self.stations;
        let window = self.window;
        let mut close = |x: &exchange::Ppdu| {
            if window.is_none_or(|(a, b)| !x.untimed && x.begin >= a && x.begin < b) {
                stations.ppdu(x);
            }
        };
        self.exchanges.frame(f, station, &mut close);
        let read = f.kind == Kind::Data
            && !f.bad
            && !f.protected // nobody reads what is inside
            && (f.packet.is_some() || !msdus.is_empty());
        if let Some(s) = station.filter(|&s| read && !self.stations.is_copy(s, f)) {
            for p in packets(f, msdus) {
                self.flows.packet(p, f, s, counted);
            }
        }
    }

    fn count(&mut self, f: &Frame, msdus: &[Msdu]) {
        let c = &mut self.counts;
        c.all += 1;
        c.bad_fcs += u64::from(f.bad);
        c.without_rate += u64::from(f.phy.is_none());
        c.multi_user += u64::from(f.phy.is_some_and(crate::Phy::is_multi_user));
        match f.kind {
            Kind::Data => {
                c.data += 1;
                c.encrypted += u64::from(f.protected);
                let readable = !f.bad && !f.protected;
                c.ip += u64::from(readable && packets(f, msdus).next().is_some());
                if let Some(a) = f.amsdu {
                    c.amsdus += u64::from(!f.bad);
                    if readable {
                        c.amsdu_msdus += u64::from(a.msdus);
                        c.amsdus_cut += u64::from(a.unread > 0);
                        c.amsdu_bytes_unread += u64::from(a.unread);
                    }
                }
                if f.cut {
                    match self.cuts.frame(packets(f, msdus).next()) {
                        Hidden::RoundTrips => c.options_cut += 1,
                        _ => c.headers_cut += 1,
                    }
                }
                c.no_ack += u64::from(!f.bad && matches!(f.policy, AckPolicy::Never | AckPolicy::Within));
                c.ampdu_status += u64::from(f.subframe.is_some());
            }
            Kind::Ack | Kind::BlockAck => {
                c.control += 1;
                c.responses += 1;
                match f.block_ack.unread().filter(|_| !f.bad) {
                    Some(Unread::Cut) => c.block_acks_cut += 1,
                    Some(Unread::Variant) => c.block_acks_unread += 1,
                    None => {}
                }
            }
            Kind::Cts | Kind::Rts | Kind::Bar => c.control += 1,
            Kind::Beacon | Kind::Management => c.management += 1,
            Kind::Null | Kind::Other => c.other += 1,
        }
    }

    /// What it all shows. `name` gives stations their names.
    pub fn report(self, name: &dyn Fn(crate::Mac) -> Option<String>) -> Report {
        self.report_of(None, name)
    }

    /// The same; `listened`: of its time somebody listened for so many seconds only.
    fn report_of(mut self, listened: Option<f64>, name: &dyn Fn(crate::Mac) -> Option<String>) -> Report {
        let stations = &mut self.stations;
        let window = self.window;
        self.exchanges.end(&mut |x: &exchange::Ppdu| {
            if window.is_none_or(|(a, b)| !x.untimed && x.begin >= a && x.begin < b) {
                stations.ppdu(x);
            }
        });
        report::make(self, listened, name)
    }
}
