//! What looks at a run's air: captures, an analysis, a timeline; any of them, by one subscription.

use crate::air::{Air, EVERYBODY, Fate, Inside, Sent, Shouted};
use crate::analysis::Analysis;
use crate::frame::Frame;
use crate::names::Names;
use crate::timeline::Timeline;
use crate::write::{About, Pcapng};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;
use wavetank_core::net::Census;
use wavetank_core::sim::{NodeId, Probe};
use wavetank_core::wifi::{Aired, Beaconed};

/// Whose view a capture has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Only {
    /// A monitor's: everything.
    Monitor,
    /// A station's: what it sends, and what it decodes of what is sent to it.
    Node(NodeId),
}

/// A view that there is none of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadView(pub String);

impl Only {
    /// "monitor", or a node's name.
    pub fn named(name: &str, census: &Census) -> Result<Only, BadView> {
        if name == "monitor" {
            return Ok(Only::Monitor);
        }
        let known: Vec<_> = census.parties.iter().filter(|p| p.on_air).map(|p| p.name.as_str()).collect();
        if known.is_empty() {
            return Err(BadView("the scenario has no Wi-Fi: there is nothing to capture on the air".into()));
        }
        match census.parties.iter().position(|p| p.name == name) {
            Some(i) if census.parties[i].on_air => Ok(Only::Node(NodeId(i as u16))),
            Some(_) => {
                Err(BadView(format!("\"{name}\" has no radio; expected monitor, all or one of {}", known.join(", "))))
            }
            None => Err(BadView(format!(
                "there is no node \"{name}\"; expected monitor, all or one of {}",
                known.join(", ")
            ))),
        }
    }
    /// All there are: the monitor and every station.
    pub fn all(census: &Census) -> Vec<Only> {
        let nodes = census.parties.iter().enumerate().filter(|(_, p)| p.on_air);
        std::iter::once(Only::Monitor).chain(nodes.map(|(i, _)| Only::Node(NodeId(i as u16)))).collect()
    }
    /// Its name.
    pub fn name(self, census: &Census) -> &str {
        match self {
            Only::Monitor => "monitor",
            Only::Node(n) => &census.parties[usize::from(n.0)].name,
        }
    }
    fn sees(self, s: &Sent) -> bool {
        match self {
            Only::Monitor => true,
            Only::Node(n) => s.from == n || ((s.to == n || s.to == EVERYBODY) && s.fate == Fate::Decoded),
        }
    }
}

struct Capture {
    only: Only,
    file: Pcapng<BufWriter<File>>,
    path: PathBuf,
}

/// The subscription. Without [`Views::begin`] it sees nothing.
#[derive(Default)]
pub struct Views {
    air: Option<Air>,
    captures: Vec<Capture>,
    /// Times (ns) within which captures are written.
    window: Option<(u64, u64)>,
    failed: Option<(PathBuf, io::Error)>,
    /// A-MSDUs of which captures do not keep every header.
    pub cut_amsdus: u64,
    /// Counts frames.
    pub analysis: Option<Analysis>,
    /// Collects a picture.
    pub timeline: Option<Timeline>,
}

impl Views {
    /// Who is there, and on which channel (MHz); captures are written of `window` (ns) alone, if there is one.
    pub fn begin(&mut self, names: Names, mhz: u16, window: Option<(u64, u64)>) {
        self.air = Some(Air::new(names, mhz));
        self.window = window;
    }
    /// A capture into a file.
    pub fn capture(&mut self, only: Only, path: PathBuf, about: &About<'_>) -> io::Result<()> {
        let names = self.air.as_ref().map(Air::names);
        let file = Pcapng::new(BufWriter::with_capacity(1 << 18, File::create(&path)?), about, names)?;
        self.captures.push(Capture { only, file, path });
        Ok(())
    }
    /// Ends everything; the files' names. Errors: a file could not be written.
    pub fn end(&mut self) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
        if let Some(mut air) = self.air.take() {
            air.flush(&mut |s, inside| self.sent(s, inside));
        }
        let mut paths = Vec::new();
        for c in self.captures.drain(..) {
            if let Err(e) = c.file.finish() {
                self.failed.get_or_insert((c.path.clone(), e));
            }
            paths.push(c.path);
        }
        self.failed.take().map_or(Ok(paths), Err)
    }

    fn sent(&mut self, s: &Sent, inside: Inside<'_>) {
        if let Some(a) = &mut self.analysis {
            a.frame(&s.frame, inside.msdus);
        }
        if self.failed.is_some() || self.window.is_some_and(|(a, b)| s.frame.time < a || s.frame.time >= b) {
            return;
        }
        let cuts = |c: &Capture| c.only.sees(s) && c.file.cuts(&s.frame, inside);
        self.cut_amsdus += u64::from(s.frame.amsdu.is_some() && self.captures.iter().any(cuts));
        for c in self.captures.iter_mut().filter(|c| c.only.sees(s)) {
            let comment = match s.fate {
                Fate::Decoded => "",
                Fate::Lost => "not decoded by its receiver",
                Fate::Collided => "collided",
            };
            let direction = match c.only {
                Only::Monitor => None,
                Only::Node(n) => Some((s.from == n).then_some(s.fate == Fate::Decoded)),
            };
            // What a station sends is whole where it is sent.
            let own = direction.flatten().is_some();
            let frame = Frame { bad: s.frame.bad && !own, ..s.frame };
            if let Err(e) = c.file.frame(&frame, inside, direction, comment) {
                self.failed = Some((c.path.clone(), e));
                return;
            }
        }
    }

    /// An exchange, and the first octets of its MPDUs where they were kept.
    pub(crate) fn exchange(&mut self, a: &Aired<'_>, kept: &[&[u8]]) {
        if let Some(t) = &mut self.timeline {
            t.aired(a);
        }
        self.frames(|air, views| air.aired(a, kept, &mut |s, inside| views.sent(s, inside)));
    }
    /// A beacon.
    pub(crate) fn shouted(&mut self, from: NodeId, b: &Shouted<'_>) {
        if let Some(t) = &mut self.timeline {
            t.beacon(from, b);
        }
        self.frames(|air, views| air.beacon(from, b, &mut |s, inside| views.sent(s, inside)));
    }
    fn frames(&mut self, make: impl FnOnce(&mut Air, &mut Views)) {
        if self.captures.is_empty() && self.analysis.is_none() {
            return;
        }
        if let Some(mut air) = self.air.take() {
            make(&mut air, self);
            self.air = Some(air);
        }
    }
}

impl Probe for Views {
    const AIR: bool = true;
    fn aired(&mut self, a: &Aired<'_>) {
        self.exchange(a, &[]);
    }
    fn beacon(&mut self, from: NodeId, b: &Beaconed) {
        self.shouted(from, &b.into());
    }
}
