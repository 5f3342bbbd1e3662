//! Every short history of a station, an AP and a bad channel, on the machines themselves.
//!
//! The AP sends MPDUs of a Block Ack window of two, again and again until they are acknowledged or given up (after two
//! tries), with Block Ack requests in between if it likes; each MPDU may be lost, and each response; TCP makes ACKs, the driver loads
//! them into the NIC, and takes back what has not ridden, at any time; a response has room for all of them or for one; flushes are
//! lost, acknowledged, or acknowledged in vain.

use std::collections::HashSet;

use super::{Ap, Confirmation, Incoming, Station};

/// TCP ACKs of a history.
const ACKS: u8 = 4;
/// MPDUs of a history.
const MPDUS: u8 = 4;
const WINDOW: u8 = 2;
const TRIES: u8 = 2;
/// A response's room for all.
const ALL: usize = usize::MAX;

/// What was planted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bug {
    None,
    /// Implicit confirmation by an AP that gives up.
    Implicit,
    /// The station lets go of what rode, heard or not.
    NoRetention,
    /// The AP takes what it has taken.
    NoDedupe,
    /// The mark says that some response was heard, not the latest.
    StickyMark,
    /// Nothing is flushed.
    NoFlush,
    /// What rode is taken back.
    TakesBackAll,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Mpdu {
    number: u8,
    tries: u8,
    /// The station has it.
    there: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    station: Station<u8>,
    ap: Ap,
    /// The AP's transmit window.
    window: Vec<Mpdu>,
    next_mpdu: u8,
    next_ack: u8,
    /// A flush on its way: up to which number.
    flush: Option<u64>,
    /// Riding ACKs that came out at the AP, in order.
    out: Vec<u8>,
    /// Those that were put into a chain.
    put: Vec<u8>,
    heard_ever: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Wrong {
    Lost,
    TwiceOrDisordered,
    Stuck,
}

impl World {
    fn new(bug: Bug) -> World {
        let confirmation = if bug == Bug::Implicit { Confirmation::Implicit } else { Confirmation::Marked };
        World {
            station: Station::new(confirmation),
            ap: Ap::new(),
            window: Vec::new(),
            next_mpdu: 0,
            next_ack: 0,
            flush: None,
            out: Vec::new(),
            put: Vec::new(),
            heard_ever: false,
        }
    }
    fn done(&self) -> bool {
        self.out == self.put && self.station.unconfirmed().1.count() == 0 && self.next_ack == ACKS
    }
    /// What comes out at the AP when `[first, end)` arrive.
    fn arrive(&mut self, first: u64, end: u64, response: bool, bug: Bug) -> Result<(), Wrong> {
        let new = self.ap.takes(first, end, response).map_err(|_| Wrong::Lost)?;
        let new = if bug == Bug::NoDedupe { first } else { new };
        self.out.extend((new..end).map(|n| self.put[n as usize]));
        if self.put.starts_with(&self.out) { Ok(()) } else { Err(Wrong::TwiceOrDisordered) }
    }
    fn mark(&mut self, bug: Bug) -> bool {
        let mark = self.ap.mark();
        if bug == Bug::StickyMark { self.heard_ever } else { mark }
    }
    /// The AP sends a frame; the station understood `understood` of the window (by index), or the request.
    fn exchange(
        &self,
        understood: &[bool],
        bar: bool,
        (more, room): (bool, usize),
        heard: bool,
        bug: Bug,
    ) -> Result<World, Wrong> {
        let mut w = self.clone();
        let mark = w.mark(bug);
        let any = bar || understood.iter().any(|&u| u);
        if any {
            let repeats = bar || w.window.iter().zip(understood).any(|(m, &u)| u && m.there);
            for (m, &u) in w.window.iter_mut().zip(understood) {
                m.there |= u;
            }
            let mut left = room;
            let fits = |_: &u8| core::mem::replace(&mut left, room.saturating_sub(1)) > 0;
            let riding = w.station.ppdu(Incoming { heard: mark, repeats, more_data: more }, fits, |_| {});
            if bug == Bug::NoRetention {
                w.station.flushed(riding.end, |_| {});
            }
            if riding.flush && bug != Bug::NoFlush {
                w.flush = Some(w.station.flush());
            }
            if heard {
                w.heard_ever = true;
                w.arrive(riding.first, riding.end, true, bug)?;
            }
        }
        if any && heard {
            w.window.retain(|m| !m.there);
        }
        if !bar {
            for m in &mut w.window {
                m.tries += 1;
            }
            w.window.retain(|m| m.tries < TRIES);
        }
        w.sound()
    }
    fn sound(self) -> Result<World, Wrong> {
        if !self.put.starts_with(&self.out) {
            return Err(Wrong::TwiceOrDisordered);
        }
        if self.station.confirmed() > self.ap.taken() { Err(Wrong::Lost) } else { Ok(self) }
    }
    /// Every next state.
    fn next(&self, bug: Bug) -> Result<Vec<World>, Wrong> {
        let mut all = Vec::new();
        if self.next_ack < ACKS {
            // whatever was promised: not all policies ask
            let mut w = self.clone();
            w.station.hold(w.next_ack);
            w.put.push(w.next_ack);
            w.next_ack += 1;
            all.push(w);
            let mut w = self.clone();
            w.next_ack += 1; // a native one is the ordinary MAC's business
            all.push(w);
        }
        let mut w = self.clone();
        let mut back = 0;
        if bug == Bug::TakesBackAll {
            back = w.station.end() - w.station.confirmed();
            w.station = Station::new(Confirmation::Marked);
        } else {
            w.station.take_back(|_| back += 1);
        }
        if back > 0 {
            w.put.truncate(w.put.len() - back as usize);
            all.push(w.sound()?);
        }
        let mut w = self.clone();
        w.station.loaded(w.station.end());
        all.push(w);
        // more MPDUs come to the AP
        if self.next_mpdu < MPDUS && self.window.len() < usize::from(WINDOW) {
            let mut w = self.clone();
            w.window.push(Mpdu { number: w.next_mpdu, tries: 0, there: false });
            w.next_mpdu += 1;
            all.push(w);
        }
        let n = self.window.len();
        for bits in 0..1u32 << n {
            let understood: Vec<bool> = (0..n).map(|i| bits >> i & 1 == 1).collect();
            for more in [(false, ALL), (true, ALL), (true, 1)] {
                // the promise may be broken: the AP's queue drops
                for heard in [false, true] {
                    if n > 0 {
                        all.push(self.exchange(&understood, false, more, heard, bug)?);
                    }
                }
            }
        }
        for heard in [false, true] {
            all.push(self.exchange(&vec![false; n], true, (false, ALL), heard, bug)?);
        }
        if let Some(end) = self.flush {
            let first = self.station.confirmed();
            // arrives and is acknowledged; arrives in vain; is lost
            let mut there = self.clone();
            there.arrive(first.min(end), end, false, bug)?;
            let again = there.clone();
            there.flush = None;
            there.station.flushed(end, |_| {});
            all.push(there.sound()?);
            all.push(again);
        } else if self.station.unconfirmed().1.count() > 0 && bug != Bug::NoFlush {
            // nothing came for too long
            let mut w = self.clone();
            w.flush = Some(w.station.flush());
            all.push(w);
        }
        Ok(all)
    }
}

/// Whether everything gets through although the AP falls silent for ever: only TCP and the station's flushes move.
fn ends_alone(w: &World, bug: Bug) -> Result<(), Wrong> {
    let mut w = w.clone();
    for _ in w.next_ack..ACKS {
        w.station.hold(w.next_ack);
        w.put.push(w.next_ack);
        w.next_ack += 1;
    }
    for _ in 0..2 {
        if let Some(end) = w.flush.take() {
            w.arrive(w.station.confirmed().min(end), end, false, bug)?;
            w.station.flushed(end, |_| {});
        }
        if w.station.unconfirmed().1.count() > 0 && bug != Bug::NoFlush {
            w.flush = Some(w.station.flush());
        }
    }
    if w.done() { Ok(()) } else { Err(Wrong::Stuck) }
}

/// How many states are in reach, or what is wrong in one of them; where there are more than `most`, of so many.
fn search(bug: Bug, most: usize) -> Result<usize, Wrong> {
    let start = World::new(bug);
    let mut seen = HashSet::from([start.clone()]);
    let mut todo = vec![start];
    while let Some(w) = todo.pop() {
        if seen.len() >= most {
            break;
        }
        ends_alone(&w, bug)?;
        for next in w.next(bug)? {
            // Most are known: what is copied is what is new.
            if !seen.contains(&next) {
                seen.insert(next.clone());
                todo.push(next);
            }
        }
    }
    Ok(seen.len())
}

#[test]
fn every_short_history_is_sound() {
    // All of them, in CI, take ten seconds.
    let most = if std::env::var_os("CI").is_some() { usize::MAX } else { 40_000 };
    let states = search(Bug::None, most).expect("sound");
    println!("{states} states");
    assert!(states > 10_000, "{states}");
}
#[test]
fn planted_bugs_are_found() {
    assert_eq!(search(Bug::Implicit, usize::MAX), Err(Wrong::Lost));
    assert_eq!(search(Bug::NoRetention, usize::MAX), Err(Wrong::Lost));
    assert_eq!(search(Bug::NoDedupe, usize::MAX), Err(Wrong::TwiceOrDisordered));
    assert_eq!(search(Bug::StickyMark, usize::MAX), Err(Wrong::Lost));
    assert_eq!(search(Bug::NoFlush, usize::MAX), Err(Wrong::Stuck));
    assert_eq!(search(Bug::TakesBackAll, usize::MAX), Err(Wrong::TwiceOrDisordered));
}
