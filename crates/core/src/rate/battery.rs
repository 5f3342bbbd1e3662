//! What every rate control must do, whatever its idea: chains that the link has, probes of rates that it has, whatever becomes of them.

use super::{Choice, Control, Name, Rates, Setup, Went, minstrel_ht};
use crate::phy::{Ht, Mode};
use crate::sim::params::{Raw, Value};
use crate::sim::{Auto, Bitmap, Span, Stream, Streams, Time};
use crate::wifi::{Mark, Report, StaIx};
use proptest::prelude::*;

/// Two peers: two streams at 40 MHz with the short guard interval, and one stream at 20 MHz without.
fn fastest() -> Vec<Mode> {
    vec![Mode::Ht(Ht::new(15, true, true).unwrap()), Mode::Ht(Ht::new(7, false, false).unwrap())]
}

/// Every rate control, and Minstrel-HT in both versions.
fn all() -> Vec<Setup> {
    let control = |name: &&str| Name::read(&Raw::Text((*name).into())).unwrap();
    let mut all: Vec<Setup> =
        super::names().iter().map(|n| Setup { control: control(n), ..Setup::default() }).collect();
    let old = minstrel_ht::Params { version: Auto::Set(minstrel_ht::Version::V3_18), ..minstrel_ht::Params::default() };
    all.push(Setup { control: Name::MinstrelHt, minstrel_ht: old, ..Setup::default() });
    all
}

fn control(setup: &Setup, random: &mut Stream) -> Rates {
    Rates::new(setup, fastest(), random)
}

/// The chain is one that the peer takes: a first link, no link behind the end, nothing that it cannot receive.
fn check(choice: &Choice, fastest: Mode) -> Result<(), TestCaseError> {
    prop_assert!(choice.chain[0].tries > 0, "{choice:?}");
    let end = choice.chain.iter().position(|a| a.tries == 0).unwrap_or(choice.chain.len());
    prop_assert!(choice.chain[end..].iter().all(|a| a.tries == 0), "{choice:?}");
    for a in &choice.chain[..end] {
        let within = a.mode.streams() <= fastest.streams() && a.mode.mhz() <= fastest.mhz();
        prop_assert!(within && (fastest.short_gi() || !a.mode.short_gi()), "{a:?} for {fastest:?}");
    }
    Ok(())
}

/// One unit: its first frame is seen, it is sent with what is chosen, and reported as `how` says.
fn unit(c: &mut Rates, now: Time, to: StaIx, how: &Unit) -> Result<Choice, TestCaseError> {
    let mut mark = Mark::NONE;
    for _ in 0..how.frames {
        mark = c.frame(now, to);
        if mark.probes() {
            break;
        }
    }
    let choice = c.choose(now, to, mark);
    check(&choice, fastest()[to.ix()])?;
    prop_assert_eq!(choice.probe, mark.probes());
    let links = choice.chain.iter().take_while(|a| a.tries > 0).count();
    let link = usize::from(how.link) % links;
    let frames = if choice.probe { 1 } else { how.frames };
    let bad = how.bad.min(frames);
    let report = Report {
        answered: bad < frames,
        acked: Bitmap::first(usize::from(frames - bad)),
        link: link as u8,
        tries: choice.chain[link].tries.min(how.link + 1),
        airtime: Span::from_us(200),
        ..Report::default()
    };
    c.report(now, to, &Went { chain: &choice.chain, report: &report, frames, bad });
    Ok(choice)
}

/// How a unit goes: frames, those that fail, the link it ends at, and how long after the one before.
#[derive(Clone, Debug)]
struct Unit {
    to: u8,
    frames: u16,
    bad: u16,
    link: u8,
    after_us: i64,
}

fn units() -> impl Strategy<Value = Vec<Unit>> {
    let one = (0u8..2, 1u16..=64, 0u16..=64, 0u8..4, prop_oneof![0i64..3_000, Just(60_000), Just(2_000_000)]);
    let unit = |(to, frames, bad, link, after_us)| Unit { to, frames, bad, link, after_us };
    prop::collection::vec(one.prop_map(unit), 1..400)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn chains_are_what_the_peer_takes_and_follow_from_what_was_told(units in units(), seed in 0u64..1_000) {
        for setup in all() {
            let streams = Streams::new(seed);
            let mut twins = [0; 2].map(|_| control(&setup, &mut streams.get("ap", "rate/samples")));
            let mut now = Time::ZERO;
            for u in &units {
                now += Span::from_us(u.after_us);
                let [a, b] = &mut twins;
                let (a, b) = (unit(a, now, StaIx(u.to), u)?, unit(b, now, StaIx(u.to), u)?);
                prop_assert_eq!(a, b, "{:?}", setup);
            }
        }
    }
}

/// After ten seconds in which everything arrives, whatever chooses sends at the fastest rate there is, or at the one that it was given.
#[test]
fn a_channel_without_loss_is_used() {
    for setup in all() {
        let mut c = control(&setup, &mut Streams::new(7).get("ap", "rate/samples"));
        let (to, how) = (StaIx(0), Unit { to: 0, frames: 32, bad: 0, link: 0, after_us: 0 });
        let mut last = c.choose(Time::ZERO, to, Mark::NONE);
        c.learn(to, fastest()[0]); // who asks the channel is told so
        for ms in 0..10_000 {
            let choice = unit(&mut c, Time::from_ms(ms), to, &how).unwrap();
            if !choice.probe {
                last = choice;
            }
        }
        assert_eq!(last.chain[0].mode, fastest()[0], "{setup:?}");
    }
}
