//! Transmitters, links and what was sent over them.

use super::exchange::Ppdu;
use super::series::Series;
use crate::frame::{Frame, Kind, Mac};
use crate::phy::Phy;
use std::collections::{BTreeMap, HashMap};
use wavetank_core::sim::Span;
use wavetank_core::wifi::AirAccount;

/// The most MPDUs of an A-MPDU that are told apart (802.11ax has 256).
pub(super) const MPDUS: usize = 256;
/// Transmitters and links that are kept; frames of more are not counted.
const MOST: usize = 4096;
/// Runs of back-to-back aggregates that are told apart.
const RUNS: usize = 64;

/// What went at one rate.
#[derive(Clone, Copy, Default)]
pub(super) struct Use {
    pub ppdus: u64,
    pub mpdus: u64,
    pub unacked: u64,
    pub unknown: u64,
    pub airtime: u64,
    /// PPDUs whose airtime is known.
    pub timed: u64,
}

/// From one transmitter to one receiver.
pub(super) struct Link {
    pub from: usize,
    pub to: Mac,
    pub account: AirAccount,
    pub collided: u64,
    pub mpdus: u64,
    pub bad: u64,
    pub retries: u64,
    pub unacked: u64,
    pub unknown: u64,
    pub bytes: u64,
    pub rates: BTreeMap<Option<Phy>, Use>,
    seen: [Option<Seen>; 17],
}

/// By TID, numbers of MPDUs that came, for the duplicates among them: a bit each, the half ahead forgotten.
type Seen = Box<[u64; 64]>;

/// A transmitter.
pub(super) struct Station {
    pub mac: Mac,
    /// Runs of PPDUs in a row, nobody else's between, by length.
    pub runs: Vec<u64>,
    pub airtime: Series,
}

/// All.
#[derive(Default)]
pub(super) struct Stations {
    pub all: Vec<Station>,
    pub links: Vec<Link>,
    index: HashMap<Mac, usize>,
    by_ends: HashMap<(usize, Mac), usize>,
    last: Option<(Mac, usize)>,
    last_link: Option<(usize, Mac, usize)>,
    /// Who sent the last PPDUs, and how many in a row.
    run: Option<(usize, usize)>,
    /// Data frames of transmitters that are not kept.
    pub beyond: u64,
}

impl Stations {
    /// Whose data frame this is. Good frames make a transmitter known.
    pub fn transmitter(&mut self, f: &Frame) -> Option<usize> {
        let ta = f.ta.filter(|_| f.kind == Kind::Data)?;
        if let Some((_, i)) = self.last.filter(|last| last.0 == ta) {
            return Some(i);
        }
        let i = match self.index.get(&ta) {
            Some(&i) => i,
            None if f.bad => return None,
            None if self.all.len() == MOST => {
                self.beyond += 1;
                return None;
            }
            None => {
                let i = self.all.len();
                self.index.insert(ta, i);
                self.all.push(Station { mac: ta, runs: vec![0; RUNS + 1], airtime: Series::default() });
                i
            }
        };
        self.last = Some((ta, i));
        Some(i)
    }

    /// Whether a good data frame of transmitter `i` is a copy of one that came before. It is remembered.
    pub fn is_copy(&mut self, i: usize, f: &Frame) -> bool {
        let tid = usize::from(f.tid.unwrap_or(16).min(16));
        let Some(link) = self.link(i, f.ra) else { return false };
        let seen = link.seen[tid].get_or_insert_with(|| Box::new([0; 64]));
        let (word, bit) = (usize::from(f.seq / 64) % 64, 1 << (f.seq % 64));
        let copy = f.retry && seen[word] & bit != 0;
        seen[(word + 32) % 64] = 0;
        seen[word] |= bit;
        copy
    }

    fn link(&mut self, from: usize, to: Mac) -> Option<&mut Link> {
        let i = match self.last_link {
            Some((f, t, i)) if f == from && t == to => i,
            _ => match self.by_ends.get(&(from, to)) {
                Some(&i) => i,
                None if self.links.len() == MOST => return None,
                None => {
                    let account = AirAccount::new(MPDUS);
                    let link = Link {
                        from,
                        to,
                        account,
                        collided: 0,
                        mpdus: 0,
                        bad: 0,
                        retries: 0,
                        unacked: 0,
                        unknown: 0,
                        bytes: 0,
                        rates: BTreeMap::new(),
                        seen: [const { None }; 17],
                    };
                    self.links.push(link);
                    self.by_ends.insert((from, to), self.links.len() - 1);
                    self.links.len() - 1
                }
            },
        };
        self.last_link = Some((from, to, i));
        Some(&mut self.links[i])
    }

    /// A PPDU is complete.
    pub fn ppdu(&mut self, p: &Ppdu) {
        let airtime = Span::from_ns(p.airtime.unwrap_or(0) as i64);
        let Some(l) = self.link(p.station, p.ra) else { return };
        l.account.ppdu(p.mpdus, p.answered, airtime);
        l.collided += u64::from(p.collided);
        l.mpdus += p.mpdus as u64;
        l.bad += p.bad as u64;
        l.retries += p.retries as u64;
        l.unacked += p.unacked as u64;
        l.unknown += p.unknown as u64;
        l.bytes += p.bytes;
        let u = l.rates.entry(p.phy).or_default();
        u.ppdus += 1;
        u.mpdus += p.mpdus as u64;
        u.unacked += p.unacked as u64;
        u.unknown += p.unknown as u64;
        if let Some(airtime) = p.airtime {
            u.airtime += airtime;
            u.timed += 1;
            if !p.untimed {
                self.all[p.station].airtime.add(p.begin, airtime);
            }
        }
        match &mut self.run {
            Some((who, n)) if *who == p.station => *n += 1,
            run => {
                if let Some((who, n)) = run.replace((p.station, 1)) {
                    self.all[who].runs[n.min(RUNS)] += 1;
                }
            }
        }
    }

    /// The last run ends.
    pub fn end(&mut self) {
        if let Some((who, n)) = self.run.take() {
            self.all[who].runs[n.min(RUNS)] += 1;
        }
    }
}
