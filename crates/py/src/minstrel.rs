//! A recording of the kernel's Minstrel-HT (linux/radio/minstrel.c says how it is laid out), held against the model call by call.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use wavetank_core::rate::minstrel_ht::{Hardware, MinstrelHt, Overhead, Rate, Status, Supports, Table, groups};

/// Differences that are told in words.
const TOLD: usize = 10;

/// The recording ends in the middle of an event, or is none.
struct Broken(String);

struct Reader<'a> {
    rest: &'a [u8],
    size: usize,
}

macro_rules! numbers {
    ($($name:ident: $t:ty),*) => { $(
        fn $name(&mut self) -> Result<$t, Broken> {
            let (head, rest) = self.rest.split_first_chunk().ok_or_else(|| self.broken("ends in the middle of an event"))?;
            self.rest = rest;
            Ok(<$t>::from_le_bytes(*head))
        }
    )* };
}

impl Reader<'_> {
    numbers!(u8: u8, i8: i8, u16: u16, u32: u32, u64: u64);
    fn broken(&self, why: &str) -> Broken {
        Broken(format!("at octet {}: {why}", self.size - self.rest.len()))
    }
}

/// Of a frame that may have a short preamble; mac80211's flags of a rate end below it.
const SHORT: u16 = 1 << 15;
/// Bitrates of 802.11b, which stand before the others in mac80211's band at 2.4 GHz.
const CCK_RATES: u8 = 4;

/// A rate as mac80211 has it (`struct ieee80211_tx_rate`): index and flags.
fn rate(r: &Reader<'_>, ghz2: bool, idx: i8, flags: u16) -> Result<Rate, Broken> {
    const SHORT_PREAMBLE: u16 = 1 << 2;
    const MCS: u16 = 1 << 3;
    const MHZ40: u16 = 1 << 5;
    const SHORT_GI: u16 = 1 << 7;
    const VHT: u16 = 1 << 8;
    const MHZ80: u16 = 1 << 9;
    let bit = |f: u16| u8::from(flags & f != 0);
    match u8::try_from(idx) {
        Ok(i) if flags & MCS != 0 && i < 32 => Ok(Rate::new(bit(MHZ40) * 8 + bit(SHORT_GI) * 4 + i / 8, i % 8)),
        Ok(i) if flags & VHT != 0 && i >> 4 < 4 && i & 15 < 10 => {
            let group = (bit(MHZ40) + 2 * bit(MHZ80)) * 8 + bit(SHORT_GI) * 4 + (i >> 4);
            Ok(Rate::new(groups::VHT + group, i & 15))
        }
        Ok(i) if flags & (MCS | VHT) == 0 && ghz2 && i < CCK_RATES => {
            Ok(Rate::new(groups::CCK, i + CCK_RATES * bit(SHORT_PREAMBLE)))
        }
        Ok(i) if flags & (MCS | VHT) == 0 => match i.checked_sub(if ghz2 { CCK_RATES } else { 0 }) {
            Some(i) if i < 8 => Ok(Rate::new(groups::OFDM, i)),
            _ => Err(r.broken(&format!("a rate {idx} with flags {flags:#x}"))),
        },
        _ => Err(r.broken(&format!("a rate {idx} with flags {flags:#x}"))),
    }
}

/// What a station supports, from the kernel's bits by group.
fn supports(masks: &[u16], ht: bool) -> Supports {
    let vht = usize::from(groups::VHT);
    // Four streams without and with the short guard interval, by width; VHT's groups stand apart.
    let of = |first: usize| {
        (first..first + 4).chain(vht + first..vht + first + 4).any(|g| masks.get(g).is_some_and(|&m| m != 0))
    };
    let wide = |w: usize| of(8 * w) || of(8 * w + 4);
    let top = |stream: usize| {
        (vht..masks.len()).filter(|g| (g - vht) % 4 == stream).map(|g| masks[g]).fold(0, |a, m| a | m).checked_ilog2()
    };
    let tops: [Option<u8>; 4] = std::array::from_fn(|i| top(i).map(|t| t as u8));
    Supports {
        ht: ht.then(|| std::array::from_fn(|i| masks[i] as u8)),
        vht: tops.iter().any(Option::is_some).then_some(tops),
        width_mhz: if masks[vht + 16..].iter().any(|&m| m != 0) {
            80
        } else if wide(1) {
            40
        } else {
            20
        },
        short_gi: [of(4), of(12), masks[vht + 20..].iter().any(|&m| m != 0)],
        cck: masks[usize::from(groups::CCK)],
        ofdm: masks[usize::from(groups::OFDM)],
    }
}

#[derive(Default)]
struct Tally {
    stations: u64,
    statuses: u64,
    updates: u64,
    decisions: u64,
    probes: u64,
    no_probes: u64,
    /// Of updates, decisions and probes those that differ; what the model does and the kernel does not counts too.
    wrong_updates: u64,
    wrong_decisions: u64,
    wrong_probes: u64,
    differences: u64,
    told: Vec<String>,
}

impl Tally {
    fn differs(&mut self, sta: usize, jiffies: u32, what: impl FnOnce() -> String) {
        self.differences += 1;
        if self.told.len() < TOLD {
            self.told.push(format!("station {sta}, jiffy {jiffies}: {}", what()));
        }
    }
}

/// The model's side of a recording. `never_probes`: a model that never probes, which must not pass.
struct Replay {
    /// And whether it is at 2.4 GHz.
    stations: Vec<(MinstrelHt, bool)>,
    never_probes: bool,
    tally: Tally,
}

impl Replay {
    fn decision(&mut self, r: &mut Reader<'_>, sta: usize, jiffies: u32) -> Result<(), Broken> {
        let Replay { stations, tally, .. } = self;
        let (m, ghz2) = &stations[sta];
        let mut compare = |what: &str, kernel: u64, model: u64| {
            if kernel != model {
                tally.differs(sta, jiffies, || format!("{what}: the kernel has {kernel}, the model {model}"));
            }
        };
        let best = m.station().best;
        for (i, b) in best.iter().enumerate() {
            compare(&format!("best rate {i}"), r.u16()?.into(), b.number().into());
        }
        compare("robust rate", r.u16()?.into(), m.station().robust.number().into());
        compare("mean A-MPDU", r.u32()?.into(), m.station().avg_ampdu_len().into());
        for (i, link) in m.chain().iter().enumerate() {
            let (idx, flags, plain, rts) = (r.i8()?, r.u16()?, r.u8()?, r.u8()?);
            let Some((model, tries)) = link else { continue };
            let kernel = rate(r, *ghz2, idx, flags)?;
            compare(&format!("link {i}"), kernel.number().into(), model.number().into());
            // A link after the first has those of RTS/CTS in both.
            let ours = if i == 0 { tries.plain } else { tries.rts };
            compare(&format!("tries of link {i}"), plain.into(), ours.into());
            compare(&format!("tries of link {i} behind RTS"), rts.into(), tries.rts.into());
        }
        for _ in 0..r.u16()? {
            let (which, prob) = (Rate::from_number(r.u16()?), r.u16()?);
            compare(&format!("probability of {which:?}"), prob.into(), m.station().stats(which).prob.into());
        }
        compare("the sum of the state", r.u64()?, m.sum());
        Ok(())
    }
    fn begins(&mut self, r: &mut Reader<'_>, table: Table, hz: u32, jiffies: u32) -> Result<(), Broken> {
        let sta = self.stations.len();
        let (max_rates, max_rate_tries) = (r.u8()?, r.u8()?);
        let overhead = Overhead { ht: [r.u16()?.into(), r.u16()?.into()], legacy: [r.u16()?.into(), r.u16()?.into()] };
        let flags = r.u8()?;
        let (ht, tells_length, ghz2) = (flags & 1 != 0, flags & 2 == 0, flags & 4 != 0);
        let hardware = Hardware { max_rates, max_rate_tries, tells_length };
        let masks: Vec<u16> = (0..r.u8()?).map(|_| r.u16()).collect::<Result<_, _>>()?;
        if masks.len() != groups::GROUPS {
            return Err(r.broken("another number of groups than 6.12 has"));
        }
        let supports = supports(&masks, ht);
        if supports.masks()[..] != masks[..] {
            self.tally.differs(sta, jiffies, || "another set of rates".into());
        }
        let model = if ghz2 { Overhead::new(10, false) } else { Overhead::new(60, true) };
        if overhead != model {
            self.tally.differs(sta, jiffies, || format!("overheads: {overhead:?}, the model {model:?}"));
        }
        self.stations.push((MinstrelHt::new(&supports, overhead, hardware, table, hz, jiffies), ghz2));
        self.tally.stations += 1;
        self.decision(r, sta, jiffies)
    }
    /// A status; answers whether a decision must follow, and whether with new statistics.
    fn status(&mut self, r: &mut Reader<'_>, sta: usize, jiffies: u32) -> Result<Option<bool>, Broken> {
        let (flags, len, ack_len, n) = (r.u8()?, r.u8()?, r.u8()?, r.u8()?);
        let [of_ampdu, told, acked, no_ack] = [1, 2, 4, 8].map(|bit| flags & bit != 0);
        let mut tried = Vec::with_capacity(4);
        let mut over = false;
        for _ in 0..n {
            let (idx, count, flags) = (r.i8()?, r.u8()?, r.u16()?);
            over |= count == 0;
            if !over {
                tried.push((rate(r, self.stations[sta].1, idx, flags)?, count));
            }
        }
        if no_ack || (of_ampdu && !told) {
            return Ok(None); // src: minstrel_ht_tx_status
        }
        let (frames, acked) = if told { (len, ack_len) } else { (1, u8::from(acked)) };
        let (m, _) = &mut self.stations[sta];
        let before = m.updated();
        self.tally.statuses += 1;
        let changed = m.status(jiffies, &Status { tried: &tried, frames: frames.into(), acked: acked.into() });
        Ok(changed.then(|| m.updated() != before))
    }
    /// The rate that a frame probes, as it stands on the frame: its preamble is the frame's affair.
    fn probe(&mut self, sta: usize, jiffies: u32, short: bool) -> Option<Rate> {
        let due = self.stations[sta].0.probe(jiffies, short);
        due.filter(|_| !self.never_probes).map(Rate::long)
    }
    fn run(&mut self, data: &[u8]) -> Result<(), Broken> {
        let mut r = Reader { rest: data, size: data.len() };
        if data.len() < 108 || &data[..6] != b"WTMR\x01\0" {
            return Err(r.broken("no recording of Minstrel-HT, version 1"));
        }
        r.rest = &data[6..];
        let hz = u32::from(r.u16()?);
        let mut table = Table([[0; groups::RATES]; 10]);
        for place in table.0.iter_mut().flatten() {
            *place = r.u8()?;
        }
        let mut expected = None;
        while !r.rest.is_empty() {
            let (kind, sta, jiffies) = (r.u8()?, usize::from(r.u8()?), r.u32()?);
            if kind != 1 && sta >= self.stations.len() {
                return Err(r.broken(&format!("a station {sta} that has not begun")));
            }
            if let Some((sta, jiffies, _)) = expected.take_if(|_| kind != 3) {
                self.tally.differs(sta, jiffies, || "the model decides, the kernel does not".into());
                self.tally.wrong_decisions += 1;
            }
            let (before, updates) = (self.tally.differences, self.tally.updates);
            match kind {
                1 => self.begins(&mut r, table, hz, jiffies)?,
                2 => expected = self.status(&mut r, sta, jiffies)?.map(|s| (sta, jiffies, s)),
                3 => {
                    let statistics = r.u8()? != 0;
                    self.tally.decisions += 1;
                    self.tally.updates += u64::from(statistics);
                    if expected.take() != Some((sta, jiffies, statistics)) {
                        self.tally.differs(sta, jiffies, || "the kernel decides, the model does not".into());
                    }
                    self.decision(&mut r, sta, jiffies)?;
                }
                4 => {
                    let n = r.u16()?;
                    self.tally.no_probes += u64::from(n);
                    for _ in 0..n {
                        if let Some(p) = self.probe(sta, jiffies, false) {
                            self.tally.differs(sta, jiffies, || format!("the model probes {p:?} before it is time"));
                        }
                    }
                }
                5 => {
                    let (idx, flags) = (r.i8()?, r.u16()?);
                    let ghz2 = self.stations[sta].1;
                    let kernel = if idx < 0 { None } else { Some(rate(&r, ghz2, idx, flags & !SHORT)?) };
                    let model = self.probe(sta, jiffies, flags & SHORT != 0);
                    self.tally.probes += u64::from(kernel.is_some());
                    if kernel != model {
                        self.tally
                            .differs(sta, jiffies, || format!("the kernel probes {kernel:?}, the model {model:?}"));
                    }
                }
                _ => return Err(r.broken(&format!("an event of kind {kind}"))),
            }
            let t = &mut self.tally;
            if t.differences > before {
                t.wrong_probes += u64::from(kind >= 4);
                t.wrong_decisions += u64::from(kind < 4);
                t.wrong_updates += t.updates - updates;
            }
        }
        Ok(())
    }
}

/// Holds a recording against the model: stations, statuses, updates (of statistics), decisions (on a rate chain), probes, no_probes
/// (frames that came before it was time for one), how many of these are wrong, differences, and the first of them in words. Raises `ValueError` for what is no whole
/// recording.
#[pyfunction]
#[pyo3(signature = (recording, never_probes=false))]
pub(crate) fn minstrel_replay<'py>(
    py: Python<'py>,
    recording: &[u8],
    never_probes: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let mut replay = Replay { stations: Vec::new(), never_probes, tally: Tally::default() };
    py.detach(|| replay.run(recording)).map_err(|Broken(why)| PyValueError::new_err(why))?;
    let t = replay.tally;
    let d = PyDict::new(py);
    d.set_item("stations", t.stations)?;
    d.set_item("statuses", t.statuses)?;
    d.set_item("updates", t.updates)?;
    d.set_item("decisions", t.decisions)?;
    d.set_item("probes", t.probes)?;
    d.set_item("no_probes", t.no_probes)?;
    d.set_item("wrong_updates", t.wrong_updates)?;
    d.set_item("wrong_decisions", t.wrong_decisions)?;
    d.set_item("wrong_probes", t.wrong_probes)?;
    d.set_item("differences", t.differences)?;
    d.set_item("told", t.told)?;
    Ok(d)
}
