//! Runs, their captures, and what is read from these again.

use proptest::prelude::*;
use std::sync::OnceLock;
use wavetank_capture::he::{He, Tones};
use wavetank_capture::write::{About, Pcapng, cuts, mpdu, radiotap};
use wavetank_capture::{Air, Analysis, Frame, Inside, Kind, Media, Msdu, Names, Phy, Report, Sent, read};
use wavetank_core::net::{Outcome, World};
use wavetank_core::sim::{BareSeen, NodeId, Probe, Time};
use wavetank_core::wifi::{Aired, Beaconed};
use wavetank_core::workloads;

/// Keeps every frame of a run, and the MSDUs of each.
#[derive(Default)]
struct Keep {
    air: Option<Air>,
    frames: Vec<Sent>,
    msdus: Vec<Vec<Msdu>>,
    bare: Vec<BareSeen>,
}

impl Keep {
    fn with(&mut self, make: impl FnOnce(&mut Air, &mut dyn FnMut(&Sent, Inside<'_>))) {
        let (frames, msdus) = (&mut self.frames, &mut self.msdus);
        make(self.air.as_mut().expect("it was begun"), &mut |s, inside| {
            frames.push(*s);
            msdus.push(inside.msdus.to_vec());
        });
    }
}

impl Probe for Keep {
    const AIR: bool = true;
    fn aired(&mut self, a: &Aired<'_>) {
        self.with(|air, mut out| air.aired(a, &[], &mut out));
    }
    fn bare(&mut self, x: &BareSeen) {
        self.bare.push(*x);
    }
    fn beacon(&mut self, from: NodeId, b: &Beaconed) {
        self.with(|air, mut out| air.beacon(from, &b.into(), &mut out));
    }
}

struct Run {
    out: Outcome,
    window: (Time, Time),
    frames: Vec<Sent>,
    msdus: Vec<Vec<Msdu>>,
    bare: Vec<BareSeen>,
    names: Names,
}

impl Run {
    fn all(&self) -> impl Iterator<Item = (&Sent, &[Msdu])> {
        self.frames.iter().zip(self.msdus.iter().map(|m| &m[..]))
    }
    fn has_amsdus(&self) -> bool {
        self.msdus.iter().any(|m| !m.is_empty())
    }
}

fn run(workload: &str, sets: &[(&str, &str)]) -> Run {
    let mut all =
        vec![("time.lead_in", "0.5 s"), ("time.flows", "3 s"), ("time.tail", "0.5 s"), ("time.warmup", "1 s")];
    all.extend(sets);
    let w = workloads::ALL.iter().find(|w| w.name == workload).unwrap();
    let mut world = World::tapped(&w.scenario(&all), Keep::default()).unwrap();
    let (names, window) = (Names::new(world.census()), world.window());
    let old = sets.iter().any(|&(key, value)| key == "wifi.standard" && matches!(value, "b" | "g"));
    world.tap().air = Some(Air::new(names.clone(), if old { 2437 } else { 5180 }));
    let (out, mut keep) = world.run_tapped();
    keep.with(|air, mut out| air.flush(&mut out));
    Run { out, window, frames: keep.frames, msdus: keep.msdus, bare: keep.bare, names }
}

/// Two stations of 802.11ac with ath10k, which makes A-MSDUs.
const ATH10K: [(&str, &str); 9] = [
    ("wifi.standard", "ac"),
    ("wifi.mcs", "8"),
    ("wifi.streams", "2"),
    ("wifi.width_mhz", "80"),
    ("wifi.stations", "2"),
    ("wifi.error_rate", "0.02"),
    ("ap.driver", "ath10k"),
    ("sta.driver", "ath10k"),
    ("traffic.udp_down", "60 Mbit/s"),
];

/// Losses, RTS, collisions, old standards, four access categories, one station and many, A-MSDUs.
fn runs() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| {
        vec![
            run("ath9k-upload", &[("wifi.error_rate", "0.05"), ("medium.response_error", "0.02")]),
            run("rrul", &[("wifi.error_rate", "0.02")]),
            run("down-14", &[]),
            run("ath9k-upload", &[("wifi.encryption", "ccmp"), ("wifi.error_rate", "0.05")]),
            run("ath9k-upload", &[("ath9k.rts_threshold", "0"), ("wifi.error_rate", "0.1"), ("wifi.stations", "3")]),
            run("rrul", &[("wifi.stations", "2"), ("traffic.udp_down", "30 Mbit/s"), ("traffic.udp_up", "20 Mbit/s")]),
            // A run counts a PPDU as its sender's turn is decided, a capture as it starts: at this window's edges none is between.
            // Datagrams that wait for a lost one are counted when they are let go, 100 ms later: what a few seconds hardly show.
            run("rrul", &[&ATH10K[..], &[("time.warmup", "1020 ms"), ("time.flows", "8 s")]].concat()),
            run("rrul", &[&ATH10K[..], &[("wifi.encryption", "ccmp")]].concat()),
            // 802.11b with short preambles, and beside 802.11g.
            run("ath9k-upload", &[("wifi.band", "2.4 GHz"), ("wifi.standard", "b"), ("wifi.rate", "11 Mbit/s")]),
            run(
                "ath9k-upload",
                &[
                    ("wifi.band", "2.4 GHz"),
                    ("wifi.standard", "g"),
                    ("wifi.stations", "2"),
                    ("stations.rate", "54 Mbit/s, 5.5 Mbit/s"),
                ],
            ),
        ]
    })
}

const ABOUT: About<'_> =
    About { program: "test", comment: "a comment", interface: "monitor", snaplen: 256, whole_amsdus: false };

fn bytes(r: &Run, snaplen: u32, most: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut f = Pcapng::new(&mut out, &About { snaplen, ..ABOUT }, Some(&r.names)).unwrap();
    r.all().take(most).for_each(|(s, msdus)| {
        f.frame(&s.frame, Inside { msdus, octets: None }, None, if s.frame.bad { "bad" } else { "" }).unwrap();
    });
    f.finish().unwrap();
    out
}

fn report(frames: impl FnOnce(&mut Analysis), r: &Run) -> serde_json::Value {
    let mut a = Analysis::new(Some((r.window.0.ns(), r.window.1.ns())));
    frames(&mut a);
    let report: Report = a.report(&|_| None);
    serde_json::to_value(&report).unwrap()
}

#[test]
fn what_is_written_is_read() {
    for r in runs() {
        for snaplen in [0, 200] {
            let most = if snaplen == 0 { 20_000 } else { usize::MAX };
            let data = bytes(r, snaplen, most);
            let mut want = r.all().take(most);
            let info = read::read(&data[..], |got, msdus| {
                let (sent, all) = want.next().expect("no more frames than were written");
                let mut want = sent.frame;
                if want.bad || want.protected {
                    want.packet = None; // damaged and enciphered bytes are not read
                }
                want.told = None; // nor is a beacon's body
                let told = want.amsdu.filter(|_| !want.bad);
                want.amsdu = told.and(got.amsdu);
                assert_eq!(*got, want);
                let Some(told) = told.filter(|_| !want.protected) else { return assert_eq!(msdus, &[]) };
                let got = got.amsdu.unwrap();
                assert_eq!(usize::from(got.msdus), msdus.len());
                if snaplen == 0 {
                    assert_eq!((got, msdus), (told, all));
                    return;
                }
                // Each subframe header within what was kept was read, and the packet behind it, or it is counted as missing.
                let starts = all.iter().scan(26, |at, m| {
                    let this = *at;
                    *at += u32::from(14 + m.len).next_multiple_of(4);
                    Some(this)
                });
                assert_eq!(msdus.len(), starts.take_while(|at| at + 14 <= snaplen).count());
                let same = msdus.iter().zip(all).take_while(|(m, want)| m == want).count();
                assert!(same + 1 >= msdus.len(), "the last may be cut in its own headers");
                assert!(msdus.iter().zip(all).all(|(m, want)| (m.da, m.sa, m.len) == (want.da, want.sa, want.len)));
                assert!(got.unread > 0 || msdus.len() == all.len());
                assert!(got.unread == 0 || same < all.len());
            })
            .unwrap();
            assert!(want.next().is_none());
            assert_eq!((info.bytes, info.unreadable), (data.len() as u64, 0));
            assert_eq!((info.damage, info.comment.as_deref()), (None, Some("a comment")));
            assert_eq!(info.snapped > 0, snaplen > 0);
        }
    }
}

/// Modulations that the model does not send (yet): radiotap carries them there and back.
#[test]
fn every_modulation_is_read_as_written() {
    let legacy = [2, 4, 11, 22, 12, 18, 24, 36, 48, 72, 96, 108].map(|r| Phy::legacy(r, false));
    let short = [4, 11, 22].map(|r| Phy::legacy(r, true));
    let flags = [(false, false), (false, true), (true, false), (true, true)];
    let ht = (0..32).flat_map(|m| flags.map(|(w, s)| Phy::Ht(m, w, s)));
    let vht = (0..10).flat_map(|m| (1..=8).map(move |n| (m, n)));
    // Not every MCS is defined with every width and number of streams.
    let vht = vht.flat_map(|(m, n)| [20, 40, 80, 160].map(|w| Phy::vht(m, n, w, m % 2 == 0))).flatten();
    let he = (0..12).flat_map(|mcs| (1..=8).map(move |streams| (mcs, streams)));
    let channels = [20, 40, 80, 160].map(Tones::Channel);
    let units = [26, 52, 106, 242, 484, 996, 1992].map(Tones::Unit);
    let he = he.flat_map(|(mcs, streams)| {
        let (multi_user, extended, dcm) = (mcs % 3 == 0, mcs % 3 == 1, mcs % 2 == 0);
        let of = move |tones, gi, ltf| He {
            mcs,
            streams,
            tones,
            gi,
            ltf,
            dcm: false,
            multi_user: false,
            triggered: false,
            extended: false,
        };
        let single = [(1, 2), (2, 2), (4, 4), (1, 4)].map(|(gi, ltf)| channels.map(|t| of(t, gi, ltf)));
        let others =
            units.map(|t| He { multi_user, triggered: multi_user && mcs % 2 == 0, extended, dcm, ..of(t, 2, 1) });
        single.into_iter().flatten().chain(others)
    });
    let sample = runs()[0].frames.iter().map(|s| s.frame).find(|f| f.subframe.is_some() && !f.bad).unwrap();
    for phy in legacy.into_iter().chain(short).chain(ht).chain(vht).chain(he.map(Phy::He)) {
        let f = Frame { phy: Some(phy), signal: Some(-61), mhz: 2437, ..sample };
        let mut out = Vec::new();
        radiotap(&f, Some(true), &mut out);
        mpdu(&f, &[], usize::MAX, &mut out);
        assert_eq!(read::frame(&out, out.len() as u32, f.time, &mut Vec::new()), Some(f));
    }
}

#[test]
fn frames_are_in_order_and_none_overlaps_but_collisions() {
    for r in runs() {
        assert!(r.frames.windows(2).all(|w| w[0].frame.time <= w[1].frame.time));
        let good: Vec<_> = r.frames.iter().map(|s| &s.frame).filter(|f| !f.bad && f.subframe.is_none()).collect();
        for w in good.windows(2) {
            assert!(w[1].tsft.unwrap() * 1_000 + 999 >= w[0].time, "{:?} within {:?}", w[1], w[0]);
        }
    }
}

/// One path counts runs and captures: the run's own summary, the frames as they were made, and the capture's bytes agree.
#[test]
fn a_capture_tells_what_its_run_tells() {
    for r in runs() {
        let made = report(|a| r.all().for_each(|(s, msdus)| a.frame(&s.frame, msdus)), r);
        let data = bytes(r, if r.has_amsdus() { 0 } else { 160 }, usize::MAX);
        let captured = report(|a| drop(read::read(&data[..], |f, msdus| a.frame(f, msdus)).unwrap()), r);
        assert_eq!(made, captured, "frames and bytes");
        let span = (r.window.1 - r.window.0).as_s();
        for (i, n) in r.out.nodes.iter().enumerate() {
            let mac = Names::mac(wavetank_core::sim::NodeId(i as u16)).to_string();
            let Some(s) = captured["stations"].as_array().unwrap().iter().find(|s| s["mac"] == mac.as_str()) else {
                assert_eq!(n.ampdu_hist.iter().sum::<u64>(), 0, "{} was seen", n.name);
                continue;
            };
            let hist: Vec<u64> = serde_json::from_value(s["ampdu_hist"].clone()).unwrap();
            let last = n.ampdu_hist.iter().rposition(|&k| k > 0).map_or(0, |i| i + 1);
            assert_eq!(hist[..last], n.ampdu_hist[..last], "{}: in the capture, in the run", n.name);
            assert!(hist[last..].iter().all(|&k| k == 0), "{}: {hist:?}", n.name);
            assert_eq!(s["unanswered"].as_u64().unwrap(), n.unanswered, "{}", n.name);
            // A run counts what has no data, too: BARs, and RTSs that collided.
            let its = |x: &&BareSeen| x.from.0 as usize == i && r.window.0 <= x.start && x.start < r.window.1;
            let bare: f64 = r.bare.iter().filter(its).map(|x| x.airtime.as_s()).sum();
            // Stations that hardly send: one exchange at the window's edge weighs much. Times are whole us in a capture.
            let (a, b) = (s["airtime_fraction"].as_f64().unwrap() + bare / span, n.airtime_fraction);
            assert!((a - b).abs() < 1e-4 + b * 1e-3, "{}: airtime {a} in the capture, {b} in the run", n.name);
        }
        if r.names.encryption().is_on() {
            let c = &captured["frames"];
            assert_eq!(
                (&c["encrypted"], &c["ip"], captured["flows"].as_array().unwrap().len()),
                (&c["data"], &0.into(), 0)
            );
            assert!(c["data"].as_u64().unwrap() > 1_000);
            continue;
        }
        for (protocol, tcp) in [("tcp", true), ("udp", false)] {
            let told: f64 = r.out.flows.iter().filter(|f| f.is_tcp() == tcp).map(|f| f.goodput_mbit(r.window)).sum();
            let flows = captured["flows"].as_array().unwrap().iter().filter(|f| f["protocol"] == protocol);
            // Echoes by UDP are no flow of the run's.
            let seen: f64 = flows.map(|f| f["goodput_mbit"].as_f64().unwrap()).filter(|&g| g > 0.1).sum();
            assert!(
                (seen - told).abs() <= 0.02 * told,
                "{protocol}: {seen} Mbit/s in the capture, {told} in the run, {span} s"
            );
        }
    }
}

/// What is cut of A-MSDUs is counted, and nothing is made up for it.
#[test]
fn a_capture_that_cuts_amsdus_says_so() {
    let r = runs().iter().find(|r| r.has_amsdus() && !r.names.encryption().is_on()).unwrap();
    let told = |snaplen| {
        let data = bytes(r, snaplen, usize::MAX);
        report(|a| drop(read::read(&data[..], |f, msdus| a.frame(f, msdus)).unwrap()), r)
    };
    let (whole, cut) = (told(0), told(256));
    let of = |report: &serde_json::Value, key: &str| report["frames"][key].as_u64().unwrap();
    let n = of(&whole, "amsdus");
    assert!(n > 1_000 && of(&whole, "amsdu_msdus") > 2 * n);
    assert_eq!((of(&whole, "amsdus_cut"), of(&whole, "amsdu_bytes_unread")), (0, 0));
    assert_eq!((of(&cut, "amsdus"), of(&cut, "ip")), (n, of(&whole, "ip")));
    // TCP ACKs of 66 bytes and less are short enough for two and more.
    assert!(of(&cut, "amsdus_cut") > n / 2 && of(&cut, "amsdu_msdus") > n);
    let udp = |report: &serde_json::Value| {
        let flows = report["flows"].as_array().unwrap().iter().filter(|f| f["protocol"] == "udp");
        flows.map(|f| f["bytes"].as_u64().unwrap()).sum::<u64>()
    };
    let cuts = |most| {
        let counted = |s: &Sent| s.frame.time >= r.window.0.ns() && s.frame.time < r.window.1.ns() && !s.frame.bad;
        r.all().filter(|(s, msdus)| counted(s) && cuts(&s.frame, msdus, most)).count() as u64
    };
    assert_eq!((cuts(256), cuts(usize::MAX)), (of(&cut, "amsdus_cut"), 0), "whoever writes knows");
    let hidden = udp(&whole) - udp(&cut);
    assert!(hidden > udp(&cut) && hidden < of(&cut, "amsdu_bytes_unread"));
}

#[test]
fn block_acks_name_what_was_decoded() {
    let r = &runs()[0];
    let (mut mpdus, mut checked) = (Vec::new(), 0);
    for s in &r.frames {
        let f = &s.frame;
        match f.kind {
            Kind::Data => mpdus.push((f.seq, f.bad, f.subframe.map(|s| s.reference))),
            Kind::BlockAck => {
                let last = mpdus.last().and_then(|m: &(u16, bool, Option<u32>)| m.2);
                for (seq, bad, _) in mpdus.iter().filter(|m| last.is_some() && m.2 == last) {
                    let ahead = (seq + 4096 - f.seq) % 4096;
                    // What lies beyond the highest that came is not in the bitmap.
                    assert!(ahead < 64 || *bad, "{seq} beyond the window from {}", f.seq);
                    assert_eq!(ahead >= 64 || f.block_ack.words()[0] >> ahead & 1 == 0, *bad);
                    checked += 1;
                }
                mpdus.clear();
            }
            _ => {}
        }
    }
    assert!(checked > 1_000, "{checked}");
}

/// The same capture as pcap: time stamps in us or ns, either byte order.
fn as_pcap(data: &[u8], big: bool, nanos: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let put = |out: &mut Vec<u8>, x: u32| out.extend(if big { x.to_be_bytes() } else { x.to_le_bytes() });
    put(&mut out, if nanos { 0xa1b2_3c4d } else { 0xa1b2_c3d4 });
    let version = if big { [0, 2, 0, 4] } else { [2, 0, 4, 0] };
    out.extend(version);
    [0, 0, 65_535, 127].iter().for_each(|&x| put(&mut out, x));
    let mut at = 0;
    while at + 12 <= data.len() {
        let word = |i: usize| u32::from_le_bytes(data[at + i..at + i + 4].try_into().unwrap());
        if word(0) == 6 {
            let (t, kept) = (u64::from(word(12)) << 32 | u64::from(word(16)), word(20));
            put(&mut out, (t / 1_000_000_000) as u32);
            put(&mut out, (t % 1_000_000_000) as u32 / if nanos { 1 } else { 1_000 });
            put(&mut out, kept);
            put(&mut out, word(24));
            out.extend(&data[at + 28..at + 28 + kept as usize]);
        }
        at += word(4) as usize;
    }
    out
}

/// The same with every field of the blocks in the other byte order; the interface counts 2^-20 s and has an offset.
fn as_big_endian(frames: &[Sent], offset_s: i64) -> Vec<u8> {
    let mut out = Vec::new();
    let block = |out: &mut Vec<u8>, kind: u32, body: &[u8]| {
        let len = (body.len().next_multiple_of(4) + 12) as u32;
        out.extend(kind.to_be_bytes());
        out.extend(len.to_be_bytes());
        out.extend(body);
        out.resize(out.len() + body.len().next_multiple_of(4) - body.len(), 0);
        out.extend(len.to_be_bytes());
    };
    block(&mut out, 0x0a0d_0d0a, &[&[0x1a, 0x2b, 0x3c, 0x4d, 0, 1, 0, 0][..], &[0xff; 8]].concat());
    // Two interfaces: Ethernet, whose packets are passed over, and radiotap.
    block(&mut out, 1, &[0, 1, 0, 0, 0, 0, 0, 0]);
    let mut idb = vec![0, 127, 0, 0, 0, 0, 0, 0, 0, 9, 0, 1, 0x80 | 20, 0, 0, 0, 0, 14, 0, 8];
    idb.extend(offset_s.to_be_bytes());
    idb.extend([0; 4]);
    block(&mut out, 1, &idb);
    for (i, s) in frames.iter().enumerate() {
        let mut packet = Vec::new();
        radiotap(&s.frame, None, &mut packet);
        let head = packet.len();
        let whole = mpdu(&s.frame, &[], 256, &mut packet) + head;
        let ns = i128::from(s.frame.time) - i128::from(offset_s) * 1_000_000_000;
        let t = ((ns << 20) / 1_000_000_000 + 1) as u64;
        let mut epb = Vec::new();
        let interface = if i % 50 == 49 { 0u32 } else { 1 };
        let words = [interface, (t >> 32) as u32, t as u32, packet.len() as u32, whole as u32];
        words.iter().for_each(|x| epb.extend(x.to_be_bytes()));
        epb.extend(&packet);
        block(&mut out, 6, &epb);
    }
    out
}

#[test]
fn both_byte_orders_and_resolutions() {
    let r = &runs()[1];
    let data = bytes(r, 256, 3_000);
    for (big, nanos) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut want = r.frames.iter().take(3_000);
        let info = read::read(&as_pcap(&data, big, nanos)[..], |f, _| {
            let time = want.next().unwrap().frame.time;
            assert_eq!(f.time, if nanos { time } else { time / 1_000 * 1_000 });
        })
        .unwrap();
        assert_eq!((info.format, info.packets, info.damage), ("pcap", 3_000, None));
    }
    let mut got = Vec::new();
    let info = read::read(&as_big_endian(&r.frames[..1_000], -7)[..], |f, _| got.push(*f)).unwrap();
    assert_eq!(
        (info.packets, got.len(), info.damage),
        (980, 980, None),
        "those of the other interface are passed over"
    );
    assert_eq!((info.other_links, info.unreadable), (20, 0), "and counted");
    let want: Vec<&Frame> =
        r.frames[..1_000].iter().enumerate().filter(|(i, _)| i % 50 != 49).map(|(_, s)| &s.frame).collect();
    for (g, w) in got.iter().zip(want) {
        assert!(g.time.abs_diff(w.time) < 1_000, "{} for {}", g.time, w.time);
    }
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let refused = |data: &[u8]| read::read(data, |_, _| {}).unwrap_err().0;
    assert!(refused(b"").contains("empty"));
    assert!(refused(b"[wifi]\nstations = 2 and some more text\n").contains("neither pcap nor pcapng"));
    let pcapng = bytes(&runs()[0], 256, 10);
    assert!((1..4).all(|n| refused(&pcapng[..n]).contains("ends within its own header")));
    assert!((4..28).all(|n| refused(&pcapng[..n]).contains("is pcapng, but its first block")));
    let mut ethernet = as_pcap(&bytes(&runs()[0], 256, 10), false, true);
    ethernet[20] = 1;
    assert!(refused(&ethernet).contains("Ethernet"));
    ethernet[20] = 105;
    assert!(refused(&ethernet).contains("expected 127"));
}

#[test]
fn a_file_that_is_cut_off_is_read_until_then() {
    let data = bytes(&runs()[0], 256, 500);
    let whole = read::read(&data[..], |_, _| {}).unwrap();
    for cut in [data.len() - 1, data.len() - 30, data.len() / 2 + 1, 300] {
        let mut n = 0;
        let info = read::read(&data[..cut], |_, _| n += 1).unwrap();
        assert_eq!(info.packets, n);
        assert!(n < whole.packets);
        let damage = info.damage.expect("it is cut off in the middle of a block");
        assert!(damage.starts_with(&format!("at byte {}: it ends in the middle", info.bytes)), "{damage}");
    }
}

/// pcapng 4.3: a packet's interface is described before it.
#[test]
fn a_packet_of_no_interface_is_damage() {
    let data = bytes(&runs()[0], 256, 5);
    let len = |at: usize| u32::from_le_bytes(data[at + 4..at + 8].try_into().unwrap()) as usize;
    let description = len(0);
    let without = [&data[..description], &data[description + len(description)..]].concat();
    let info = read::read(&without[..], |_, _| {}).unwrap();
    let damage = info.damage.unwrap();
    assert!(damage.contains("a packet of interface 0, of which the section has 0 before it"), "{damage}");
    assert_eq!((info.packets, info.unreadable), (0, 0));
}

/// Without A-MPDU status aggregates are told by the cards' clocks, and without these by the hosts'.
#[test]
fn aggregates_are_told_by_time_stamps() {
    let r = &runs()[0];
    let of = |change: fn(&mut Frame)| {
        let said = report(
            |a| {
                for s in &r.frames {
                    let mut f = s.frame;
                    change(&mut f);
                    a.frame(&f, &[]);
                }
            },
            r,
        );
        said["stations"].as_array().unwrap().iter().map(|s| s["ampdu_hist"].clone()).collect::<Vec<_>>()
    };
    let told = of(|_| ());
    assert_eq!(of(|f| f.subframe = None), told);
    assert_eq!(of(|f| (f.subframe, f.tsft) = (None, None)), told);
}

/// Frames to a group are not answered, and a capture without responses tells no losses.
#[test]
fn no_response_is_no_loss_where_none_is_due_or_captured() {
    let r = &runs()[1];
    let kept = |f: &Frame| !matches!(f.kind, Kind::Ack | Kind::BlockAck);
    let without = report(|a| r.frames.iter().filter(|s| kept(&s.frame)).for_each(|s| a.frame(&s.frame, &[])), r);
    let with = report(|a| r.frames.iter().for_each(|s| a.frame(&s.frame, &[])), r);
    for (a, b) in without["stations"].as_array().unwrap().iter().zip(with["stations"].as_array().unwrap()) {
        assert!(a["loss_rate"].is_null() && b["loss_rate"].as_f64().unwrap() > 0.0);
        assert_eq!(a["ampdu_hist"], b["ampdu_hist"]);
    }
    let mut a = Analysis::new(None);
    let f = r.frames.iter().map(|s| s.frame).find(|f| f.kind == Kind::Data && !f.bad).unwrap();
    let group = wavetank_capture::Mac([0xff; 6]);
    let again = |k: u64| Frame { ra: group, time: f.time + k * 10_000_000, subframe: None, tsft: None, ..f };
    (0..10).for_each(|k| a.frame(&again(k), &[]));
    let said = serde_json::to_value(a.report(&|_| None)).unwrap();
    assert_eq!((&said["stations"][0]["ppdus"], &said["stations"][0]["unanswered"]), (&10.into(), &0.into()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Damaged captures: bytes changed, cut out, doubled. Reading and counting ends, says so or not, and never panics.
    #[test]
    fn damage_never_panics(
        which in 0usize..6,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40),
        cut in any::<prop::sample::Index>(),
        by in 0usize..64,
        double in any::<bool>(),
    ) {
        static GOOD: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
        let good = GOOD.get_or_init(|| {
            let ng = bytes(&runs()[1], 200, 150);
            vec![
                as_pcap(&ng, false, true),
                as_pcap(&ng, true, false),
                as_big_endian(&runs()[1].frames[..150], -3),
                bytes(&runs()[2], 0, 60),
                bytes(&runs()[6], 0, 60),
                ng,
            ]
        });
        let mut data = good[which].clone();
        for (i, b) in changes {
            let i = i.index(data.len());
            data[i] = b;
        }
        let at = cut.index(data.len());
        let end = (at + by).min(data.len());
        if double {
            let piece = data[at..end].to_vec();
            data.splice(at..at, piece);
        } else {
            data.drain(at..end);
        }
        let mut a = Media::new(None);
        if let Ok(info) = read::read(&data[..], |f, msdus| a.frame(f, msdus)) {
            prop_assert!(info.bytes <= data.len() as u64);
            let found = a.report(&info.interfaces, &|_| None);
            prop_assert!(!found.media.is_empty());
            let text = serde_json::to_string(&(found.media, found.shared)).unwrap();
            prop_assert!(!text.contains("NaN"));
        }
    }

    /// Any bytes behind the start of a radiotap header.
    #[test]
    fn frames_of_anything(data in prop::collection::vec(any::<u8>(), 0..400), len in 8u8..120, present in any::<u32>(), whole in any::<u32>()) {
        let mut data = data;
        if data.len() > 8 {
            data[..8].copy_from_slice(&[0, 0, len, 0, 0, 0, 0, 0]);
            data[4..8].copy_from_slice(&present.to_le_bytes());
        }
        let mut a = Analysis::new(None);
        for t in 0..3 {
            let mut msdus = Vec::new();
            if let Some(f) = read::frame(&data, whole, t, &mut msdus) {
                a.frame(&f, &msdus);
            }
        }
        let _ = a.report(&|_| None);
    }
}
