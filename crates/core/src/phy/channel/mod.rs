//! The channel between the access point and each station: how likely an MPDU is to arrive at each mode, and what a receiver can tell of it.
//!
//! ```text
//! place or given SNR --path loss, shadowing--> mean SNR --drift, power walk, interference--> SNR now
//! taps --Doppler--> gain of each sub-carrier now --Table 5.2, mean over sub-carriers--> a coded bit --code--> loss an octet
//!                                            '--noise, quantised--> CSI --> effective SNR (feedback)
//! ```
//!
//! A link's sub-carriers are computed once a coherence step, when somebody asks; a mode's loss once a step and direction. Everything but the
//! steps of the power walk and of interference is a function of time, so that asking more often changes nothing.
//!
//! Stands for: thesis Table 5.2 (and equation 5.7, if decisions are hard), [`coding`] (what the code leaves), [`fading`] (multipath), [`process`] (what changes), [`floor`] (places),
//! section 5.6.1 and 5.6.2 (what the hardware reports); [`dsss`] (802.11b's rates).
//! Differs: D1 the channel is the same both ways, but for transmit power; D2 the state at a PPDU's start holds for all of it; D3 streams
//! are independent paths with an equal part of the power, and do not disturb each other; D4 preambles are heard whenever an MPDU is;
//! D5 sub-carriers of pilots and data are alike; D6 a mode narrower than the channel uses its lower part, with all of the power; 802.11a's
//! rates go as non-HT duplicates over all of it (802.11-2020 19.3.11.12), and their copies are not combined; D7 HE's sub-carriers, four times as close
//! (78.125 kHz), are sampled at 312.5 kHz as the others' are: only their mean counts, and at 50 ns of delay spread even the last tap turns by no more than
//! a twentieth from one sample to the next. They fill 3 to 8 % more of the width than HT's and VHT's; their SNR is not lowered for it (0.1 to 0.3 dB);
//! D8 no echo disturbs the symbol after its own, however much of it comes after the guard interval (0.4 or 0.8 us): at 50 ns the last tap is 175 ns late.

mod coding;
mod dsss;
mod fading;
pub mod floor;
mod measure;
mod process;
mod trace;

pub use measure::Feedback;
pub use trace::{LinkModes, Trace};

use super::{Band, Dsss, Mode};
use crate::sim::{Bitmap, Span, Stream, Streams, Time};
pub use coding::Decisions;
use coding::{CodeRate, hard};
use fading::{Fading, Rician, Shape};
use floor::Floor;
use measure::Receiver;
use process::{Bursts, Drift, PowerWalk};
use wavetank_csi::{Modulation, linear, ln_bhattacharyya, ln_effective_ber};

crate::params! {
    /// `[channel]`: the air between the access point and each station, where frames are lost by what it does to their sub-carriers.
    pub struct Params {
        /// There is one; else frames are lost by `wifi.error_rate` and `wifi.mcs_error` alone.
        on: bool = false, src "this project";
        /// Mean SNR at full power over the whole width, dB, of stations that neither `stations.snr` nor `floor.topology` gives another.
        snr: f64 = 30.0, in -20.0 => 80.0, unit "dB", src "this project";
        /// Delay over which the multipath's power falls to 1/e (eight taps, half of it apart); 0: flat. The r.m.s. delay spread is less: of 50 ns 41 ns, with a
        /// constant part of the whole channel of 3 dB 29 ns.
        delay_spread: Span = Span::from_ns(50), in Span::ZERO => Span::from_us(1), src "IEEE 802.11-03/940r4 TGn channel models B to D: 15 to 50 ns";
        /// Rician factor of the whole channel, dB: the constant part over the scattered one. -40: Rayleigh. On the floor: `floor.k_db`.
        k_db: f64 = 3.0, in -40.0 => 60.0, unit "dB", src "this project: between TGn model D in sight of the access point, about -5 dB over the whole channel, and a flat one";
        /// Share of the scattered power that moves: all of it about a station that is carried, little where only people pass.
        moving: f64 = 1.0, in 0.0 => 1.0, src "Clarke's model; links that stand still have temporal Rician factors of 10 dB and more";
        /// Doppler frequency, Hz: walking speed is about 23 at 5.8 GHz, moving people about 1; 0: nothing moves.
        doppler: f64 = 0.0, in 0.0 => 1000.0, unit "Hz", src "speed / wavelength";
        /// Deviation of a slow drift of the SNR, dB: people who walk through the way.
        drift_db: f64 = 0.0, in 0.0 => 20.0, unit "dB", src "this project";
        /// Time over which that drifts.
        drift_time: Span = Span::from_s(5), in Span::from_ms(1) => Span::from_s(3600), src "this project";
        /// Time between steps of the random walk of the access point's transmit power (-2 to 2 dB a step); 0: full power.
        power_step: Span = Span::ZERO, in Span::ZERO => Span::from_s(60), src "thesis 5.5.1, channel delay";
        /// The walk stays between full power and so many dB below.
        power_range: u8 = 14, in 1 => 60, unit "dB", src "this project: 0 to the thesis's 14 dBm";
        /// Mean time between bursts of interference; 0: none.
        burst_every: Span = Span::ZERO, in Span::ZERO => Span::from_s(60), src "this project";
        /// Their mean length.
        burst_length: Span = Span::from_ms(2), in Span::from_us(1) => Span::from_s(10), src "this project";
        /// How much they raise the noise, dB.
        burst_db: f64 = 10.0, in 0.0 => 60.0, unit "dB", src "this project";
        /// What receivers' decoders are given.
        decisions: Decisions = Decisions::Soft, src "Viterbi decoders weigh bits by their sub-carriers (coding.rs)";
        /// Time over which the channel is taken as standing still.
        step: Span = Span::from_ms(2), in Span::from_us(50) => Span::from_s(1), src "this project: a tenth of walking speed's coherence time";
        /// Spread of the reported SNR around the true one, dB, from end to end.
        snr_jitter: f64 = 1.0, in 0.0 => 10.0, unit "dB", src "thesis 5.8.4: 1 dB on stable channels";
        /// Spread of the unknown reference of reported CSI, dB, from end to end.
        reference_spread: f64 = 3.0, in 0.0 => 20.0, unit "dB", src "thesis figure 5.7a: a band of 3 dB";
    }
}

/// Streams that a channel has paths for.
const STREAMS: usize = 4;
/// Bytes of a full MPDU.
const MPDU: f64 = 1538.0;
/// Modes of a direction's table: by width, streams and MCS, then 802.11a's, then 802.11b's.
const BY_MCS: usize = 4 * STREAMS * MCS.len();
const BY_RATE: usize = BY_MCS + OFDM.len();
const MODES: usize = BY_RATE + Dsss::ALL.len();

/// Bits a sub-carrier and code rate of HT's (to MCS 7), VHT's (to 9) and HE's MCSs of one stream. src: 802.11-2020 19.5, 21.5; 802.11ax-2021 27.5
const MCS: [(Modulation, CodeRate); 12] = {
    use CodeRate::*;
    use Modulation::*;
    [
        (Bpsk, Half),
        (Qpsk, Half),
        (Qpsk, ThreeQuarters),
        (Qam16, Half),
        (Qam16, ThreeQuarters),
        (Qam64, TwoThirds),
        (Qam64, ThreeQuarters),
        (Qam64, FiveSixths),
        (Qam256, ThreeQuarters),
        (Qam256, FiveSixths),
        (Qam1024, ThreeQuarters),
        (Qam1024, FiveSixths),
    ]
};
/// The same of 802.11a's rates.
const OFDM: [(Modulation, CodeRate); 8] = {
    use CodeRate::*;
    use Modulation::*;
    [
        (Bpsk, Half),
        (Bpsk, ThreeQuarters),
        (Qpsk, Half),
        (Qpsk, ThreeQuarters),
        (Qam16, Half),
        (Qam16, ThreeQuarters),
        (Qam64, TwoThirds),
        (Qam64, ThreeQuarters),
    ]
};

/// The modulation and code rate of a mode of OFDM.
pub fn modulation(mode: Mode) -> Modulation {
    coding_of(mode).0
}

fn coding_of(mode: Mode) -> (Modulation, CodeRate) {
    match mode {
        Mode::Dsss(_) => unreachable!("DSSS has a receiver of its own (dsss.rs)"),
        Mode::Ofdm(r) => OFDM[r as usize],
        Mode::Ht(h) => MCS[usize::from(h.mcs() % 8)],
        Mode::Vht(v) => MCS[usize::from(v.mcs())],
        Mode::He(h) => MCS[usize::from(h.mcs())],
    }
}

/// Sub-carriers of a channel that wide.
pub const fn subcarriers(mhz: u8) -> usize {
    match mhz {
        20 => 56,
        40 => 114,
        80 => 242,
        _ => 484,
    }
}

/// Which way a PPDU goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From the access point.
    Down,
    /// To it.
    Up,
}

/// The SNR of a direction, and how each mode fares there.
#[derive(Clone, Debug)]
struct Fares {
    snr_db: f64,
    /// Loss exponent of an octet, by mode; NaN: not computed yet.
    per_octet: [f32; MODES],
}

/// The channel to one station.
#[derive(Clone, Debug)]
struct Link {
    given_db: f64,
    /// Whether nothing stands in the way.
    in_sight: bool,
    walker: Option<Floor>,
    paths: Vec<Fading>,
    drift: Drift,
    bursts: Bursts,
    /// The step that what follows is of.
    step: i64,
    mean_db: f64,
    /// Of each path: power by sub-carrier.
    power: Vec<Vec<f32>>,
    /// Of the first: complex gain.
    gain: Vec<(f32, f32)>,
    ways: [Fares; 2],
    receivers: [Receiver; 2],
    luck: [Stream; 2],
}

/// The channel of a BSS.
#[derive(Clone, Debug)]
pub struct Channel {
    par: Params,
    mhz: u8,
    walk: PowerWalk,
    links: Vec<Link>,
    scratch: Vec<(f32, f32)>,
}

/// A station, as its channel sees it.
#[derive(Clone, Debug)]
pub struct End {
    /// Its name, for its random streams.
    pub name: String,
    /// Mean SNR at full power, if given.
    pub snr: Option<f64>,
}

impl Channel {
    /// A channel so many MHz wide, in that band, with so many streams, from the access point to each of `ends`.
    pub fn new(
        par: &Params,
        floor: &floor::Params,
        ends: &[End],
        (mhz, band): (u8, Band),
        streams: u32,
        random: &Streams,
    ) -> Channel {
        let plan = Floor::new(floor, mhz, band);
        let on_floor = floor.topology > 0 || plan.walks();
        let shape = Shape {
            subcarriers: subcarriers(mhz),
            delay_ns: par.delay_spread.ns() as f64,
            k: if on_floor { Rician::FirstTap(linear(floor.k_db)) } else { Rician::Whole(linear(par.k_db)) },
            moving: par.moving,
            doppler: par.doppler,
        };
        let link = |(i, e): (usize, &End)| {
            // Another place has another multipath.
            let here = match floor.topology {
                0 => e.name.clone(),
                t => format!("{} of topology {t}", e.name),
            };
            let mut rng: Stream = random.get(&here, "channel/fading");
            // What stands still belongs to the place, as its shadowing does: it is the same in every run.
            let mut still = plan.multipath(i);
            let mut path = |_| match &mut still {
                Some(still) => Fading::new(&shape, still).moved_by(&shape, &mut rng),
                None => Fading::new(&shape, &mut rng),
            };
            let place = (floor.topology > 0).then(|| plan.place(i));
            Link {
                given_db: e.snr.or(place.map(|p| plan.snr_db(p))).unwrap_or(par.snr),
                in_sight: place.is_none_or(|p| plan.in_sight(p)),
                walker: (plan.walks() && e.snr.is_none()).then(|| plan.clone()),
                paths: (0..streams.clamp(1, STREAMS as u32)).map(&mut path).collect(),
                drift: Drift::new(par.drift_db, par.drift_time, &mut random.get(&here, "channel/drift")),
                bursts: Bursts::new(par.burst_every, par.burst_length, random.get(&e.name, "channel/bursts")),
                step: -1,
                mean_db: 0.0,
                power: vec![Vec::with_capacity(shape.subcarriers); streams.clamp(1, STREAMS as u32) as usize],
                gain: Vec::with_capacity(shape.subcarriers),
                ways: [(); 2].map(|()| Fares { snr_db: f64::NAN, per_octet: [f32::NAN; MODES] }),
                receivers: ["channel/csi at station", "channel/csi at ap"]
                    .map(|purpose| Receiver::new(random.get(&e.name, purpose))),
                luck: ["channel/loss down", "channel/loss up"].map(|purpose| random.get(&e.name, purpose)),
            }
        };
        Channel {
            par: *par,
            mhz,
            walk: PowerWalk::new(par.power_step, par.power_range.into(), random.get("ap", "channel/power")),
            links: ends.iter().enumerate().map(link).collect(),
            scratch: Vec::with_capacity(shape.subcarriers),
        }
    }
    /// Brings the link to `station` to `now`, and the SNR of its direction.
    fn refresh(&mut self, now: Time, station: usize, way: Way) {
        let power_db = f64::from(self.walk.at(now));
        let l = &mut self.links[station];
        let step = now.ns() as i64 / self.par.step.ns();
        if l.step != step {
            l.step = step;
            let t = Time::ZERO + self.par.step * step;
            if let Some(floor) = &l.walker {
                let place = floor.walker(t.ns() as f64 * 1e-9);
                (l.given_db, l.in_sight) = (floor.snr_db(place), floor.in_sight(place));
            }
            l.mean_db = l.given_db + l.drift.at(t);
            for (i, (path, power)) in l.paths.iter().zip(&mut l.power).enumerate() {
                let gain = if i == 0 { &mut l.gain } else { &mut self.scratch };
                gain.clear();
                path.at(t, l.in_sight, gain);
                power.clear();
                power.extend(gain.iter().map(|(a, b)| a * a + b * b));
            }
            for w in &mut l.ways {
                w.snr_db = f64::NAN;
            }
        }
        let noise = if l.bursts.on(now) { self.par.burst_db } else { 0.0 };
        let snr = l.mean_db - noise + if way == Way::Down { power_db } else { 0.0 };
        let w = &mut l.ways[way as usize];
        if w.snr_db != snr {
            w.snr_db = snr;
            w.per_octet = [f32::NAN; MODES];
        }
    }
    /// How an octet fares at `mode`: an MPDU of `n` octets arrives with probability `exp(-n x)`.
    pub fn per_octet(&mut self, now: Time, station: usize, way: Way, mode: Mode) -> f64 {
        self.refresh(now, station, way);
        let (mhz, l) = (self.mhz, &mut self.links[station]);
        if let Mode::Dsss(h) = mode {
            // In the primary channel, by the power that comes there from one antenna.
            let (fares, power) = (&mut l.ways[way as usize], &l.power[0]);
            let known = &mut fares.per_octet[BY_RATE + h.rate as usize];
            if known.is_nan() {
                let power = &power[..subcarriers(20).min(power.len())];
                let mean = f64::from(power.iter().sum::<f32>()) / power.len() as f64;
                *known = dsss::per_octet(h.rate, linear(fares.snr_db) * f64::from(mhz) / dsss::MHZ * mean) as f32;
            }
            return (*known).into();
        }
        let width = if matches!(mode, Mode::Ofdm(_)) { mhz } else { mode.mhz().min(mhz) };
        let streams = (mode.streams() as usize).min(l.paths.len());
        let (modulation, rate) = coding_of(mode);
        let at = match mode {
            Mode::Ofdm(r) => BY_MCS + r as usize,
            _ => {
                let mcs = match mode {
                    Mode::Ht(h) => h.mcs() % 8,
                    m => m.mcs(),
                };
                (usize::from(width / 40).min(3) * STREAMS + streams - 1) * MCS.len() + usize::from(mcs)
            }
        };
        let known = l.ways[way as usize].per_octet[at];
        if !known.is_nan() {
            return known.into();
        }
        let snr = linear(l.ways[way as usize].snr_db) * f64::from(mhz) / f64::from(width) / streams as f64;
        let n = subcarriers(width).min(l.gain.len());
        let mean = |ln_of: fn(Modulation, &[f32], f32) -> Option<f64>| {
            let paths = l.power[..streams].iter().filter_map(|p| ln_of(modulation, &p[..n], snr as f32));
            paths.map(libm::exp).sum::<f64>() / streams as f64
        };
        let bit = match self.par.decisions {
            Decisions::Soft => mean(ln_bhattacharyya),
            Decisions::Hard => hard(mean(ln_effective_ber)),
        };
        let x = rate.per_octet(bit) as f32;
        l.ways[way as usize].per_octet[at] = x;
        x.into()
    }
    /// Of the modes up to `most` ([`Mode::up_to`]) the one whose data rate times the probability that an MPDU of [`MPDU`] bytes arrives is largest; of
    /// equal ones the first.
    pub fn best(&mut self, now: Time, station: usize, way: Way, most: Mode) -> Mode {
        let (mut best, mut carries) = (most, -1.0);
        for m in most.up_to() {
            let x = self.per_octet(now, station, way, m);
            let of = m.rate().bps() as f64 * libm::exp(-MPDU * x);
            if of > carries {
                (best, carries) = (m, of);
            }
        }
        best
    }
    /// The places of those MPDUs of these lengths that survive.
    pub fn survivors(
        &mut self,
        now: Time,
        station: usize,
        way: Way,
        mode: Mode,
        lengths: impl IntoIterator<Item = u16>,
    ) -> Bitmap {
        let x = self.per_octet(now, station, way, mode);
        let rng = &mut self.links[station].luck[way as usize];
        let (mut last, mut p, mut got) = (0, 0.0, Bitmap::NONE);
        for (i, len) in lengths.into_iter().enumerate() {
            if len != last {
                (last, p) = (len, 1.0 - libm::exp(-x * f64::from(len)));
            }
            if !rng.chance(p) {
                got.put(i);
            }
        }
        got
    }
    /// What the receiver of a PPDU tells of it.
    pub fn feedback(&mut self, now: Time, station: usize, way: Way) -> Feedback {
        self.refresh(now, station, way);
        let l = &mut self.links[station];
        l.receivers[way as usize].take(&self.par, self.mhz, l.ways[way as usize].snr_db, &l.gain)
    }
    /// The last report of that receiver, as the hardware has it: SNR of the control and the extension half in dB, and pairs (real, imaginary).
    pub fn last_report(&self, station: usize, way: Way) -> ([f64; 2], &[i16]) {
        self.links[station].receivers[way as usize].last()
    }
    /// SNR at full power now, dB: for people and tables.
    pub fn snr_db(&mut self, now: Time, station: usize, way: Way) -> f64 {
        self.refresh(now, station, way);
        self.links[station].ways[way as usize].snr_db
    }
}

#[cfg(test)]
mod tests;
