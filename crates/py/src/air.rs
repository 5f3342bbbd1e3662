//! The air of a run, looked at while it runs; and captures.

use crate::{ScenarioError, outcome, read, state, steps};
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::fs::File;
use std::io::{BufReader, Read};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use wavetank_capture::acks::{AckRun, Acks};
use wavetank_capture::analysis::{Medium, Reports, Shared};
use wavetank_capture::delivery::{Deliveries, Delivery};
use wavetank_capture::read::{self as capture, FileInfo};
use wavetank_capture::write::About;
use wavetank_capture::{Analysis, Frame, Media, Msdu, Names, Only, Origin, Report, Timeline, Views, read_radio_log};
use wavetank_core::net::{Census, World};
use wavetank_core::scenario::Scenario;
use wavetank_core::scenario::keys::BandName;
use wavetank_core::scenario::linux::Own;

create_exception!(wavetank._core, CaptureError, PyValueError, "A capture could not be used; the message says why.");

/// Bytes of each frame that captures keep unless told otherwise: all headers of TCP with its options, and some.
const SNAPLEN: u32 = 256;
const PROGRAM: &str = concat!("wavetank ", env!("CARGO_PKG_VERSION"));

fn ns((from, to): (f64, f64)) -> (u64, u64) {
    ((from * 1e9).round() as u64, (to * 1e9).round() as u64)
}

/// Channel 36, on which the virtual radio always is.
const ON_LINUX_MHZ: u16 = 5180;

/// Channel 36 or 6: the model knows bands, not channels.
fn mhz(s: &Scenario) -> u16 {
    if s.wifi.band == BandName::Ghz2 { 2437 } else { 5180 }
}

fn world(s: &Scenario, path: &str, views: Views) -> PyResult<World<Views>> {
    World::tapped(s, views).map_err(|e| ScenarioError::new_err(format!("{path}: {e}")))
}

/// A scenario of which it matters here who is there, on any water: without what the real kernel alone is given.
fn anywhere(text: &str, path: &str, overrides: &[(String, String)], seed: Option<u64>) -> PyResult<Scenario> {
    Ok(Scenario { linux: Own::default(), ..read(text, path, overrides, seed)? })
}

/// The views that a capture of this scenario can have: "monitor", and each station.
#[pyfunction]
pub(crate) fn air_views(text: &str, path: &str, overrides: Vec<(String, String)>) -> PyResult<Vec<String>> {
    let census = world(&anywhere(text, path, &overrides, None)?, path, Views::default())?.census();
    let all = Only::all(&census);
    Ok(if all.len() == 1 { vec![] } else { all.iter().map(|o| o.name(&census).to_string()).collect() })
}

/// What shall be seen of a run's air: pairs of a view and a file; bytes of each frame that are kept (0: all;
/// none: [`SNAPLEN`], and A-MSDUs whole); the captures' window, s; the
/// timeline's, s (if it has no begin, its length from the judging window's begin on); whether it is analysed.
#[derive(FromPyObject)]
pub(crate) struct Look(Vec<(String, PathBuf)>, Option<u32>, Option<(f64, f64)>, Option<(Option<f64>, f64)>, bool);

/// What was seen: the timeline and the analysis, as JSON, and of how many A-MSDUs the captures do not keep every header.
type Seen = (Option<String>, Option<String>, u64);

/// Whose air it is.
struct Whose {
    census: Census,
    scenario: String,
    seed: u64,
    /// Judging window, s.
    window: (f64, f64),
    /// IPv4 addresses of the nodes; none: the model's.
    ips: Vec<String>,
}

impl Whose {
    fn of(s: &Scenario, world: &World<Views>, ips: Vec<String>) -> Whose {
        let (from, to) = world.window();
        Whose { census: world.census(), scenario: s.name.clone(), seed: s.seed, window: (from.as_s(), to.as_s()), ips }
    }
    fn origin(&self, view: &str) -> Origin {
        Origin {
            wavetank: env!("CARGO_PKG_VERSION").into(),
            scenario: self.scenario.clone(),
            seed: self.seed,
            view: view.into(),
            window_s: self.window,
            nodes: self.census.parties.iter().map(|p| p.name.clone()).collect(),
            addresses: self.ips.clone(),
        }
    }
    /// Makes the views look at what is asked for.
    fn begin(&self, views: &mut Views, names: Names, mhz: u16, look: Look) -> PyResult<()> {
        let Look(captures, snaplen, window, timeline, analysis) = look;
        views.begin(names, mhz, window.map(ns));
        for (view, file) in captures {
            let only = Only::named(&view, &self.census).map_err(|e| ScenarioError::new_err(e.0))?;
            let comment = self.origin(&view).comment();
            let about = About {
                program: PROGRAM,
                comment: &comment,
                interface: &view,
                snaplen: snaplen.unwrap_or(SNAPLEN),
                whole_amsdus: snaplen.is_none(),
            };
            views.capture(only, file.clone(), &about).map_err(|e| unusable(&file, &e))?;
        }
        views.timeline = timeline.map(|(begin, end)| {
            let (a, b) = ns(begin.map_or((self.window.0, self.window.0 + end), |b| (b, end)));
            Timeline::new(a, b)
        });
        views.analysis = analysis.then(|| Analysis::new(Some(ns(self.window))));
        Ok(())
    }
    fn end(&self, views: &mut Views) -> PyResult<Seen> {
        views.end().map_err(|(file, e)| unusable(&file, &e))?;
        let origin = self.origin("monitor");
        let report = views.analysis.take().map(|a| {
            let report = a.report(&|m| origin.name(m));
            Document { origin: Some(&origin), report: Some(&report), ..Document::default() }.json()
        });
        let picture = views.timeline.take().map(|t| t.json(&origin.nodes));
        Ok((picture, report, views.cut_amsdus))
    }
}

/// Runs a scenario as `run` does, and looks at its air meanwhile. Returns what `run` does, and [`Seen`].
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed, look, states=vec![]))]
pub(crate) fn run_watched<'py>(
    py: Python<'py>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    look: Look,
    states: Vec<u64>,
) -> PyResult<(Bound<'py, PyDict>, Seen)> {
    let s = read(text, path, &overrides, seed)?;
    let mut world = world(&s, path, Views::default())?;
    let whose = Whose::of(&s, &world, Vec::new());
    whose.begin(world.tap(), Names::new(whose.census.clone()), mhz(&s), look)?;
    let seen = steps::run(py, &mut world, &states)?;
    let (out, mut views) = py.detach(|| world.run_tapped());
    let air = whose.end(&mut views)?;
    let d = outcome::to_dict(py, &s, &out)?;
    d.set_item("states", state::to_list(py, &seen)?)?;
    Ok((d, air))
}

/// Shows what the virtual radio wrote down of this scenario's air (`log`, a file) as `run_watched` shows the model's.
///
/// `ips`: IPv4 addresses of the nodes, in their order. Returns [`Seen`], and the second at which the log ends for want of room,
/// or None. Raises `CaptureError` and `OSError`.
#[pyfunction]
#[pyo3(signature = (text, path, overrides, seed, look, log, ips))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn watch_log(
    py: Python<'_>,
    text: &str,
    path: &str,
    overrides: Vec<(String, String)>,
    seed: Option<u64>,
    look: Look,
    log: PathBuf,
    ips: Vec<String>,
) -> PyResult<(Seen, Option<f64>)> {
    let s = anywhere(text, path, &overrides, seed)?;
    let whose = Whose::of(&s, &world(&s, path, Views::default())?, ips);
    let known: Result<Vec<u32>, _> = whose.ips.iter().map(|t| t.parse::<Ipv4Addr>().map(u32::from)).collect();
    let names = Names::new(whose.census.clone()).with_ips(known?);
    let mut views = Views::default();
    whose.begin(&mut views, names, ON_LINUX_MHZ, look)?;
    let input = BufReader::with_capacity(1 << 20, File::open(&log).map_err(|e| unusable(&log, &e))?);
    let cut = py
        .detach(|| read_radio_log(input, &mut views))
        .map_err(|e| CaptureError::new_err(format!("{}: {}", log.display(), e.0)))?;
    Ok((whose.end(&mut views)?, cut))
}

/// A capture, compressed or not.
fn opened(file: &Path) -> PyResult<Box<dyn Read + Send>> {
    File::open(file).and_then(capture::plain).map_err(|e| unusable(file, &e))
}

fn unusable(file: &Path, e: &std::io::Error) -> PyErr {
    // "No such file or directory (os error 2)": Python has the number beside it
    let said = e.to_string();
    let why = said.split(" (os error").next().unwrap_or_default().to_string();
    PyOSError::new_err((e.raw_os_error().unwrap_or(5), why, file.display().to_string()))
}

/// A document: of a file of one medium `report` is all; of several, that of the medium with most frames, and `media` has all of them.
#[derive(Default, serde::Serialize)]
struct Document<'a> {
    file: Option<&'a FileInfo>,
    origin: Option<&'a Origin>,
    report: Option<&'a Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    medium: Option<Which<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<&'a [Medium]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shared_channels: Option<&'a [Shared]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames_of_media_beyond: Option<u64>,
}

/// Which medium it is.
#[derive(serde::Serialize)]
struct Which<'a> {
    interface: u32,
    interface_name: Option<&'a str>,
    mhz: Option<u16>,
    hops: bool,
    listened_s: Option<f64>,
}

impl Document<'_> {
    fn json(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }
}

/// `asked`: for one interface alone, so that it is said which.
fn of_media(file: &FileInfo, origin: Option<&Origin>, found: &Reports, asked: bool) -> String {
    let media = &found.media[..];
    let first = &media[0];
    let several = media.len() > 1;
    let which = Which {
        interface: first.interface,
        interface_name: first.interface_name.as_deref(),
        mhz: first.mhz,
        hops: first.hops,
        listened_s: first.listened_s,
    };
    Document {
        file: Some(file),
        origin,
        report: Some(&first.report),
        medium: (several || asked).then_some(which),
        media: several.then_some(media),
        shared_channels: several.then_some(&found.shared),
        frames_of_media_beyond: several.then_some(found.beyond),
    }
    .json()
}

/// One of our captures' origin: the comment on the whole file stands in its first block.
fn origin_of(path: &Path) -> PyResult<Option<Origin>> {
    let head = capture::read(opened(path)?.take(1 << 16), |_, _| {}).ok();
    Ok(head.and_then(|h| h.comment).and_then(|c| Origin::parse(&c)))
}

/// Interfaces of which frames were read, for one that was asked for.
#[derive(Default)]
struct Interfaces {
    only: Option<u32>,
    seen: Vec<u32>,
}

impl Interfaces {
    /// Whether a frame of that interface is asked for.
    fn wants(&mut self, interface: u32) -> bool {
        let only = self.only.is_none_or(|n| n == interface);
        if self.only.is_some() && self.seen.last() != Some(&interface) && !self.seen.contains(&interface) {
            self.seen.push(interface);
        }
        only
    }
    /// Raises `CaptureError` where there was none of it.
    fn check(mut self, path: &Path, info: &FileInfo) -> PyResult<()> {
        let Some(n) = self.only.filter(|n| !self.seen.contains(n)) else { return Ok(()) };
        self.seen.sort_unstable();
        let called = |&i: &u32| match info.interfaces.get(i as usize).and_then(Option::as_ref) {
            Some(name) => format!("{i} ({name})"),
            None => i.to_string(),
        };
        let known: Vec<String> = self.seen.iter().map(called).collect();
        let expected =
            if known.is_empty() { "there are none at all".into() } else { format!("expected {}", known.join(" or ")) };
        Err(CaptureError::new_err(format!("{}: has no frames of interface {n}; {expected}", path.display())))
    }
}

/// Analyses a capture; `window` in s of the capture's own clock, none: a run's judging window if it is one of ours, else all; `interface`:
/// of that interface's frames alone. Returns JSON. Raises `CaptureError` and `OSError`.
#[pyfunction]
#[pyo3(signature = (path, window, whole, interface=None))]
pub(crate) fn analyze(
    py: Python<'_>,
    path: PathBuf,
    window: Option<(f64, f64)>,
    whole: bool,
    interface: Option<u32>,
) -> PyResult<String> {
    let failed = |e: capture::Failure| CaptureError::new_err(format!("{}: {e}", path.display()));
    let origin = origin_of(&path)?;
    let judged = origin.as_ref().filter(|_| !whole).map(|o| o.window_s);
    let mut media = Media::new(window.or(judged).map(ns));
    let mut interfaces = Interfaces { only: interface, ..Interfaces::default() };
    let input = opened(&path)?;
    let take = |f: &Frame, msdus: &[Msdu]| {
        if interfaces.wants(f.interface) {
            media.frame(f, msdus);
        }
    };
    let info = py.detach(|| capture::read(input, take)).map_err(failed)?;
    interfaces.check(&path, &info)?;
    let name = |m| origin.as_ref().and_then(|o| o.name(m));
    Ok(of_media(&info, origin.as_ref(), &media.report(&info.interfaces, &name), interface.is_some()))
}

/// A link of a capture: names or MAC addresses of its ends, whether it is from an access point, and its packets.
type Carried = (String, String, bool, Vec<Delivery>);

/// When each link of a capture handed a packet up (ns of the capture's clock), and its bytes from IP's header on.
/// `interface`: of that interface's frames alone. Raises `CaptureError` and `OSError`.
#[pyfunction]
#[pyo3(signature = (path, interface=None))]
pub(crate) fn deliveries(py: Python<'_>, path: PathBuf, interface: Option<u32>) -> PyResult<Vec<Carried>> {
    let origin = origin_of(&path)?;
    let mut links = Deliveries::default();
    let input = opened(&path)?;
    let mut interfaces = Interfaces { only: interface, ..Interfaces::default() };
    let take = |f: &Frame, msdus: &[Msdu]| {
        if interfaces.wants(f.interface) {
            links.frame(f, msdus);
        }
    };
    py.detach(|| capture::read(input, take)).map_err(|e| CaptureError::new_err(format!("{}: {e}", path.display())))?;
    let name = |m| origin.as_ref().and_then(|o| o.name(m)).unwrap_or_else(|| m.to_string());
    Ok(links.end().into_iter().map(|l| (name(l.from), name(l.to), l.down, l.packets)).collect())
}

/// Runs TCP/HACK's codec over the pure TCP ACKs of a capture. Returns JSON: `file` and `acks`. Raises `CaptureError` and `OSError`.
#[pyfunction]
pub(crate) fn compress_acks(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    #[derive(serde::Serialize)]
    struct All {
        file: FileInfo,
        acks: Acks,
    }
    let input = opened(&path)?;
    let mut run = AckRun::default();
    let file = py
        .detach(|| capture::ip_packets(input, |p| run.packet(p)))
        .map_err(|e| CaptureError::new_err(format!("{}: {e}", path.display())))?;
    Ok(serde_json::to_string(&All { file, acks: run.done() }).expect("plain data"))
}
