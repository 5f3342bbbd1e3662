//! A file's media. Who listens where makes one: each channel of each interface is analysed by itself, for neither what another channel
//! carries nor what a second monitor hears of the same frames is a part of the same exchange.
//!
//! D1 a frame without a channel (what the host itself sent) is of the channel on which its interface is; D2 an interface that hops is
//! taken to have left a channel in the middle between its last frame there and the next one elsewhere; D3 frames that several interfaces
//! heard on one channel are counted as such, and stay in each interface's analysis: nothing is merged, nothing is added up.

use super::shared::{Channel, Shared};
use super::{Analysis, Report};
use crate::frame::{Frame, Mac, Msdu};
use serde::Serialize;

/// Media that are kept; frames of more are not counted.
const MOST: usize = 64;

/// What was heard on one channel by one interface.
#[derive(Clone, Debug, Serialize)]
pub struct Medium {
    /// Its number in the file, and its name.
    pub interface: u32,
    /// See `interface`.
    pub interface_name: Option<String>,
    /// The channel's centre frequency (of wide ones the primary channel's); none: no frame tells.
    pub mhz: Option<u16>,
    /// The interface was on other channels, too.
    pub hops: bool,
    /// How long it listened there, of what is counted: what shares of the time are of, s. None: frames have no times.
    pub listened_s: Option<f64>,
    /// What is to be told of it.
    pub report: Report,
}

/// All of a file.
#[derive(Clone, Debug)]
pub struct Reports {
    /// At least one: those with most frames first, none without a frame beside another.
    pub media: Vec<Medium>,
    /// Channels of several interfaces.
    pub shared: Vec<Shared>,
    /// Frames of more media than are kept.
    pub beyond: u64,
}

/// One that is being counted.
struct Open {
    interface: u32,
    /// 0: unknown.
    mhz: u16,
    listened: u64,
    analysis: Analysis,
}

/// Where an interface is, and when it last heard something.
struct Tuned {
    interface: u32,
    medium: usize,
    heard: Option<u64>,
}

/// Analyses of a file's frames, given in order.
pub struct Media {
    window: Option<(u64, u64)>,
    all: Vec<Open>,
    last: usize,
    tuned: Vec<Tuned>,
    channels: Vec<Channel>,
    beyond: u64,
}

impl Media {
    /// Of what begins within `window` (ns); of everything if there is none.
    pub fn new(window: Option<(u64, u64)>) -> Media {
        Media { window, all: Vec::new(), last: 0, tuned: Vec::new(), channels: Vec::new(), beyond: 0 }
    }

    /// The next frame, and its MSDUs if it is an A-MSDU.
    pub fn frame(&mut self, f: &Frame, msdus: &[Msdu]) {
        let channels = self.channels.len();
        let Some(i) = self.medium(f) else {
            self.beyond += 1;
            return;
        };
        self.last = i;
        self.listen(i, f);
        let mhz = self.all[i].mhz;
        // Whether the others had heard the first one before, nobody has kept.
        if channels == self.channels.len() && self.window.is_none_or(|(a, b)| !f.untimed && f.time >= a && f.time < b) {
            if let Some(c) = self.channels.iter_mut().find(|c| c.shared.mhz == mhz) {
                c.frame(f);
            }
        }
        self.all[i].analysis.frame(f, msdus);
    }

    /// Whose frame it is; none: there is no room for another medium.
    fn medium(&mut self, f: &Frame) -> Option<usize> {
        let of = |m: &Open| m.interface == f.interface && (m.mhz == f.mhz || f.mhz == 0);
        if self.all.get(self.last).is_some_and(of) {
            return Some(self.last);
        }
        // src: linux@6.12 net/mac80211/status.c, ieee80211_add_tx_radiotap_header has no channel
        let tuned = if f.mhz == 0 { self.tuned.iter().find(|t| t.interface == f.interface) } else { None };
        if let Some(t) = tuned {
            return Some(t.medium);
        }
        if let Some(i) = self.all.iter().position(of) {
            return Some(i);
        }
        let i = match self.all.iter().position(|m| m.interface == f.interface && m.mhz == 0) {
            Some(i) => {
                self.all[i].mhz = f.mhz;
                i
            }
            None if self.all.len() == MOST => return None,
            None => {
                let analysis = Analysis::new(self.window);
                self.all.push(Open { interface: f.interface, mhz: f.mhz, listened: 0, analysis });
                self.all.len() - 1
            }
        };
        if f.mhz != 0 {
            self.share(f.mhz);
        }
        Some(i)
    }

    /// A channel of which another interface's medium has become known.
    fn share(&mut self, mhz: u16) {
        let mut interfaces: Vec<u32> = self.all.iter().filter(|m| m.mhz == mhz).map(|m| m.interface).collect();
        interfaces.sort_unstable();
        if interfaces.len() < 2 {
            return;
        }
        match self.channels.iter_mut().find(|c| c.shared.mhz == mhz) {
            Some(c) => c.shared.interfaces = interfaces,
            None => self.channels.push(Channel::new(mhz, interfaces)),
        }
    }

    fn listen(&mut self, medium: usize, f: &Frame) {
        let clip = |t: u64| self.window.map_or(t, |(a, b)| t.clamp(a, b.max(a)));
        let Some(t) = self.tuned.iter_mut().find(|t| t.interface == f.interface) else {
            let heard = (!f.untimed).then_some(f.time);
            self.tuned.push(Tuned { interface: f.interface, medium, heard });
            return;
        };
        if let Some(then) = t.heard.filter(|_| !f.untimed) {
            let middle = then + f.time.saturating_sub(then) / 2;
            // A damaged capture's times may leap to and fro, each time over all that there is.
            let mut listens = |to: usize, ns: u64| self.all[to].listened = self.all[to].listened.saturating_add(ns);
            listens(t.medium, clip(middle) - clip(then));
            listens(medium, clip(f.time.max(middle)) - clip(middle));
        }
        t.medium = medium;
        t.heard = if f.untimed { t.heard } else { Some(f.time) };
    }

    /// What it all shows. `interfaces` have these names; `name` gives stations theirs.
    pub fn report(mut self, interfaces: &[Option<String>], name: &dyn Fn(Mac) -> Option<String>) -> Reports {
        if self.all.is_empty() {
            self.all.push(Open { interface: 0, mhz: 0, listened: 0, analysis: Analysis::new(self.window) });
        }
        let hops: Vec<bool> =
            self.all.iter().map(|m| self.all.iter().filter(|x| x.interface == m.interface).count() > 1).collect();
        let any = self.all.iter().any(|m| m.analysis.counts.all > 0);
        let mut media = Vec::new();
        for (m, hops) in self.all.into_iter().zip(hops) {
            let frames = m.analysis.counts.all;
            if any && frames == 0 {
                continue;
            }
            let listened = hops.then_some(m.listened as f64 / 1e9);
            let report = m.analysis.report_of(listened, name);
            let interface_name = interfaces.get(m.interface as usize).cloned().flatten();
            let listened_s = match report.frames.untimed {
                0 => listened.or(report.window_s.map(|(a, b)| b - a)),
                _ => None,
            };
            let mhz = (m.mhz != 0).then_some(m.mhz);
            media.push((frames, Medium { interface: m.interface, interface_name, mhz, hops, listened_s, report }));
            if media.len() == 1 && !any {
                break;
            }
        }
        media.sort_by_key(|(frames, m)| (core::cmp::Reverse(*frames), m.interface, m.mhz));
        let heard = |s: &Shared, i: u32| media.iter().any(|(_, m)| (m.interface, m.mhz) == (i, Some(s.mhz)));
        let mut shared: Vec<Shared> = self.channels.into_iter().map(|c| c.shared).collect();
        shared.iter_mut().for_each(|s| s.interfaces = s.interfaces.iter().copied().filter(|&i| heard(s, i)).collect());
        shared.retain(|s| s.interfaces.len() > 1);
        Reports { media: media.into_iter().map(|(_, m)| m).collect(), shared, beyond: self.beyond }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;
    use crate::phy::Phy;

    const MS: u64 = 1_000_000;
    const MHZ: u16 = 5180;

    /// Station `who` sends number `seq`, alone.
    fn data(interface: u32, mhz: u16, time: u64, who: u8, seq: u16) -> Frame {
        let (ta, ra) = (Some(Mac([2, 0, 0, 0, 0, who])), Mac([2, 0, 0, 0, 0, 9]));
        let what = Frame { kind: Kind::Data, phy: Some(Phy::Ofdm(108)), len: 1504, tid: Some(0), ..Frame::EMPTY };
        Frame { interface, mhz, time, ta, ra, seq, ..what }
    }
    fn ack(interface: u32, mhz: u16, time: u64, who: u8) -> Frame {
        let what = Frame { kind: Kind::Ack, phy: Some(Phy::Ofdm(48)), len: 14, ..Frame::EMPTY };
        Frame { interface, mhz, time, ra: Mac([2, 0, 0, 0, 0, who]), ..what }
    }
    /// `n` frames that are acknowledged, one a ms from `begin` on; with times at which they end.
    fn exchanges(interface: u32, mhz: u16, begin: u64, who: u8, n: u16) -> Vec<Frame> {
        let one = |k: u16| {
            let t = begin + u64::from(k) * MS;
            [data(interface, mhz, t, who, k), ack(interface, mhz, t + 44_000, who)]
        };
        (0..n).flat_map(one).collect()
    }
    fn reports(mut frames: Vec<Frame>, window: Option<(u64, u64)>) -> Reports {
        frames.sort_by_key(|f| f.time);
        let mut m = Media::new(window);
        frames.iter().for_each(|f| m.frame(f, &[]));
        m.report(&[Some("mon0".into()), None], &|_| None)
    }
    fn json(r: &Report) -> serde_json::Value {
        serde_json::to_value(r).unwrap()
    }
    fn alone(frames: &[Frame]) -> serde_json::Value {
        let mut a = Analysis::new(None);
        frames.iter().for_each(|f| a.frame(f, &[]));
        json(&a.report(&|_| None))
    }

    #[test]
    fn one_medium_is_what_it_was() {
        let frames = exchanges(0, MHZ, MS, 1, 20);
        let found = reports(frames.clone(), None);
        assert_eq!((found.media.len(), found.shared.len(), found.beyond), (1, 0, 0));
        assert_eq!(json(&found.media[0].report), alone(&frames));
        assert_eq!(found.media[0].interface_name.as_deref(), Some("mon0"));
        let none = reports(vec![], None);
        assert_eq!((none.media.len(), json(&none.media[0].report)), (1, alone(&[])));
    }

    #[test]
    fn two_channels_at_the_same_time_are_no_collisions() {
        let (a, b) = (exchanges(0, MHZ, MS, 1, 20), exchanges(1, 5745, MS + 100_000, 1, 10));
        let found = reports([&a[..], &b].concat(), None);
        let told: Vec<_> = found.media.iter().map(|m| (m.interface, m.mhz, m.hops, json(&m.report))).collect();
        assert_eq!(told, [(0, Some(MHZ), false, alone(&a)), (1, Some(5745), false, alone(&b))]);
        assert!(found.shared.is_empty());
        assert_eq!(told[0].3["stations"][0]["loss_rate"], 0.0);
        assert_eq!(told[0].3["stations"][0]["collided"], 0);
    }

    /// Even where an interface's second channel has the same station with the same numbers.
    #[test]
    fn two_monitors_on_one_channel_are_each_by_itself_and_what_both_heard_is_told() {
        let a = exchanges(0, MHZ, MS, 1, 20);
        let missed = |f: &Frame| f.time < 5 * MS;
        let b: Vec<Frame> = exchanges(1, MHZ, MS + 3_000, 1, 20).into_iter().filter(missed).collect();
        let found = reports([&a[..], &b].concat(), None);
        assert_eq!(found.media.iter().map(|m| json(&m.report)).collect::<Vec<_>>(), [alone(&a), alone(&b)]);
        let one = Shared { mhz: MHZ, interfaces: vec![0, 1], frames: 19, by_several: 3 };
        assert_eq!(found.shared, [one], "but for the first, of which nobody knew");
        // Another station's on the same channel are not theirs.
        let found = reports([&a[..], &exchanges(1, MHZ, MS + 3_000, 2, 20)].concat(), None);
        assert_eq!((found.shared[0].frames, found.shared[0].by_several), (38, 0));
    }

    #[test]
    fn what_the_host_sends_has_no_channel_and_is_of_the_one_it_is_on() {
        let mut frames = exchanges(0, MHZ, MS, 1, 10);
        let found = |frames: &[Frame]| reports(frames.to_vec(), None).media.iter().map(|m| m.mhz).collect::<Vec<_>>();
        frames[0].mhz = 0;
        frames[6].mhz = 0;
        assert_eq!(found(&frames), [Some(MHZ)]);
        frames.iter_mut().for_each(|f| f.mhz = 0);
        assert_eq!(found(&frames), [None]);
    }

    #[test]
    fn an_interface_that_hops_listens_to_each_channel_for_a_part_of_the_time() {
        // 10 ms here, 10 ms there, 10 ms here; between them it is on its way.
        let visit = |mhz, begin: u64| exchanges(0, mhz, begin * MS, 1, 10);
        let frames = [visit(MHZ, 0), visit(5200, 20), visit(MHZ, 40)].concat();
        let found = reports(frames.clone(), None);
        let told: Vec<_> = found.media.iter().map(|m| (m.mhz, m.hops, (m.listened_s.unwrap() * 1e3).round())).collect();
        assert_eq!(told, [(Some(MHZ), true, 29.0), (Some(5200), true, 20.0)]);
        let busy: Vec<f64> = found.media.iter().map(|m| json(&m.report)["busy_fraction"].as_f64().unwrap()).collect();
        assert!((busy[0] / busy[1] - 2.0 / (29.0 / 20.0)).abs() < 0.01, "{busy:?}");
        // Within a window, its time alone.
        let found = reports(frames, Some((0, 25 * MS)));
        let told: Vec<_> = found.media.iter().map(|m| (m.mhz, (m.listened_s.unwrap() * 1e3).round())).collect();
        assert_eq!(told, [(Some(MHZ), 15.0), (Some(5200), 10.0)]);
    }

    #[test]
    fn what_has_no_frame_in_the_window_is_no_medium() {
        let frames = [exchanges(0, MHZ, MS, 1, 5), exchanges(1, MHZ, 100 * MS, 1, 5)].concat();
        let found = reports(frames.clone(), Some((100 * MS, 200 * MS)));
        assert_eq!((found.media.len(), found.media[0].interface, found.shared.len()), (1, 1, 0));
        assert_eq!(reports(frames, Some((300 * MS, 400 * MS))).media.len(), 1);
    }

    #[test]
    fn there_is_an_end_to_media() {
        let frames = (0..100).map(|k| data(k, MHZ, u64::from(k) * MS, 1, 1)).collect();
        let found = reports(frames, None);
        assert_eq!((found.media.len(), found.beyond), (MOST, 36));
    }
}
