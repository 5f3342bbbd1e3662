//! Who held the medium when, and what waited: collected from a run for a picture.

use crate::air::{EVERYBODY, Shouted};
use crate::phy::Phy;
use serde::Serialize;
use wavetank_core::sim::{NodeId, Time};
use wavetank_core::wifi::{Aired, What, response};

/// Exchanges that are kept: a picture of more shows nothing.
const MOST: usize = 50_000;

/// An exchange. Times are ns from the window's begin (negative: it began before).
#[derive(Clone, Debug, Serialize)]
struct Entry {
    /// Numbers of sender and receiver.
    from: u16,
    to: u16,
    tid: u8,
    /// "ampdu", "single", "bar" or "beacon".
    kind: &'static str,
    rate: String,
    /// Since when its sender waited in this idle period, its AIFS, and the start.
    idle: i64,
    aifs: i64,
    start: i64,
    /// RTS, CTS: begin and length.
    rts: Option<[i64; 2]>,
    cts: Option<[i64; 2]>,
    /// Begin and length of the data PPDU, and its preamble.
    data: [i64; 2],
    preamble: i64,
    /// Each MPDU: length in bytes, number, sent again, decoded, payload of what it carries, flow.
    mpdus: Vec<(u16, u16, u8, u8, u32, u16)>,
    /// Begin and length of the response, and which; none if there was none.
    response: Option<(i64, i64, &'static str)>,
    answered: bool,
    collided: bool,
}

/// The collection.
#[derive(Clone, Debug)]
pub struct Timeline {
    from: u64,
    to: u64,
    entries: Vec<Entry>,
    /// Time and, by station, packets above its driver and in it: as each exchange begins, and at its end less what it delivered.
    depths: Vec<(i64, Vec<(u64, u64)>)>,
    /// What waited when the last exchange before the window was over: at its begin it still does.
    before: Vec<(u64, u64)>,
    cut: bool,
}

impl Timeline {
    /// Of what happens from `from` to `to` (ns).
    pub fn new(from: u64, to: u64) -> Timeline {
        Timeline { from, to, entries: Vec::new(), depths: Vec::new(), before: Vec::new(), cut: false }
    }

    pub(crate) fn aired(&mut self, a: &Aired<'_>) {
        let x = &a.x;
        let from = self.from as i64;
        let at = |t: Time| t.ns() as i64 - from;
        let end = x.start + x.lead + x.data + x.response.1;
        if end.ns() < self.from {
            self.before.clear();
            self.before.extend_from_slice(a.depths);
            take(a, &mut self.before);
            return;
        }
        if x.idle_since.ns() > self.to {
            return;
        }
        if self.entries.len() == MOST {
            self.cut = true;
            return;
        }
        let phy = Phy::from(x.mode);
        let asked = x.protection.filter(|g| g.cts.is_some());
        let rts = asked.map(|g| [at(x.start), g.first.ns()]);
        let cts = match x.protection {
            Some(g) if g.cts.is_none() => Some([at(x.start), g.first.ns()]),
            Some(g) if !x.collided => g.cts.map(|c| [at(x.start) + g.first.ns() + x.sifs.ns(), c.ns()]),
            _ => None,
        };
        let data_at = at(x.start) + x.lead.ns();
        let answer_at = data_at + x.data.ns() + x.sifs.ns();
        let kind = match a.burst.what {
            What::Ampdu => "ampdu",
            What::Single => "single",
            What::Bar(_) => "bar",
        };
        let mpdu = |(i, m): (usize, &wavetank_core::wifi::Mpdu)| {
            let again = u8::from(m.attempts > 0 || x.again);
            let ok = u8::from(x.decoded.has(i));
            (m.len, m.seq.get(), again, ok, m.packet.payload, m.packet.flow.0)
        };
        let response = match x.response.0 {
            response::Kind::BlockAck | response::Kind::WideBlockAck => "BA",
            _ => "ACK",
        };
        if self.depths.is_empty() && x.start.ns() > self.from {
            let before = if self.before.is_empty() { vec![(0, 0); a.depths.len()] } else { self.before.clone() };
            self.depths.push((0, before));
        }
        self.depths.push((at(x.start), a.depths.to_vec()));
        self.delivered(a, answer_at + x.response.1.ns());
        self.entries.push(Entry {
            from: a.from.0,
            to: if a.to == EVERYBODY { a.from.0 } else { a.to.0 },
            tid: a.burst.tid.get(),
            kind,
            rate: phy.to_string(),
            idle: at(x.idle_since),
            aifs: x.aifs.ns(),
            start: at(x.start),
            rts,
            cts,
            data: [data_at, x.data.ns()],
            preamble: phy.preamble_ns() as i64,
            mpdus: a.burst.mpdus.iter().enumerate().map(mpdu).collect(),
            response: x.heard.then_some((answer_at, x.response.1.ns(), response)),
            answered: x.answered,
            collided: x.collided,
        });
    }

    /// What is acknowledged waits no more: else a queue that ran empty would stand in the picture until anybody sends again.
    fn delivered(&mut self, a: &Aired<'_>, end: i64) {
        let mut depths = a.depths.to_vec();
        if take(a, &mut depths) {
            self.depths.push((end, depths));
        }
    }

    pub(crate) fn beacon(&mut self, from: NodeId, b: &Shouted<'_>) {
        let (start, long) = (b.start as i64 - self.from as i64, (b.end - b.start) as i64);
        if start + long < 0 || b.start > self.to || self.entries.len() == MOST {
            return;
        }
        let phy = Phy::from(b.mode);
        self.entries.push(Entry {
            from: from.0,
            to: from.0,
            tid: 0,
            kind: "beacon",
            rate: phy.to_string(),
            idle: start,
            aifs: 0,
            start,
            rts: None,
            cts: None,
            data: [start, long],
            preamble: phy.preamble_ns() as i64,
            mpdus: Vec::new(),
            response: None,
            answered: true,
            collided: b.collided,
        });
    }

    /// As JSON: `nodes`, `from_s`, `to_s`, `entries`, `depths`, `cut`.
    pub fn json(&self, nodes: &[String]) -> String {
        #[derive(Serialize)]
        struct All<'a> {
            nodes: &'a [String],
            from_s: f64,
            to_s: f64,
            entries: &'a [Entry],
            depths: &'a [(i64, Vec<(u64, u64)>)],
            cut: bool,
        }
        let (from_s, to_s) = (self.from as f64 / 1e9, self.to as f64 / 1e9);
        let all = All { nodes, from_s, to_s, entries: &self.entries, depths: &self.depths, cut: self.cut };
        serde_json::to_string(&all).expect("plain data")
    }
}

/// Takes what is acknowledged off its sender's depth; whether there is any.
fn take(a: &Aired<'_>, depths: &mut [(u64, u64)]) -> bool {
    let all = a.burst.mpdus.iter().enumerate().filter(|&(i, _)| a.x.answered && a.x.decoded.has(i));
    let gone: u64 = all.map(|(_, m)| 1 + u64::from(m.more)).sum();
    let Some(own) = depths.get_mut(usize::from(a.from.0)).filter(|_| gone > 0) else { return false };
    own.1 = own.1.saturating_sub(gone);
    true
}
