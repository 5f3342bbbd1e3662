//! `poll` and `epoll`: what a descriptor is ready for, and who was woken since.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_poll`; fs/eventpoll.c `ep_poll_callback`, `ep_insert`, `ep_modify`, `ep_send_events`. Whether there is
//! something to read or room to write is the socket's to say.

use super::answers::{Fd, answer};
use super::{Run, Step, Stop, skip};
use crate::script::{Arg, Call};
use wavetank_core::tcp::{Socket, State};

/// Bits of events. src: linux@6.12 include/uapi/linux/eventpoll.h
const BITS: &[(&str, u32)] = &[
    ("IN", IN),
    ("PRI", 2),
    ("OUT", OUT),
    ("ERR", ERR),
    ("HUP", HUP),
    ("RDNORM", 0x40),
    ("RDBAND", 0x80),
    ("WRNORM", 0x100),
    ("WRBAND", 0x200),
    ("RDHUP", RDHUP),
    ("EXCLUSIVE", 1 << 28),
    ("WAKEUP", 1 << 29),
    ("ONESHOT", ONESHOT),
    ("ET", ET),
];
const IN: u32 = 1;
const OUT: u32 = 4;
const ERR: u32 = 8;
const HUP: u32 = 0x10;
const RDHUP: u32 = 0x2000;
const ONESHOT: u32 = 1 << 30;
const ET: u32 = 1 << 31;
/// Bits that say how, not what (`EP_PRIVATE_BITS`).
const PRIVATE: u32 = 0xf << 28;
/// What `sock_def_readable` and `sk_stream_write_space` wake for.
const READABLE: u32 = IN | 2 | 0x40 | 0x80;
const WRITABLE: u32 = OUT | 0x100 | 0x200;

/// A descriptor that an epoll watches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    fd: i64,
    events: u32,
    /// It is on the list of those to be looked at.
    ready: bool,
}

/// What was last seen of the socket: a change of it wakes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Look {
    unread: u32,
    over: bool,
    open: bool,
    waits: bool,
    /// Reports of the error queue.
    notices: u32,
}

fn bits(a: &Arg) -> Option<u32> {
    match a {
        Arg::Number(n) => u32::try_from(*n).ok(),
        Arg::Names(v) => v.iter().try_fold(0, |all, name| {
            let name = name.strip_prefix("EPOLL").or(name.strip_prefix("POLL"))?;
            BITS.iter().find(|b| b.0 == name).map(|b| all | b.1)
        }),
        _ => None,
    }
}

fn show(events: u32) -> String {
    let names: Vec<&str> = BITS.iter().filter(|b| events & b.1 != 0).map(|b| b.0).collect();
    if names.is_empty() { "none".into() } else { names.join("|") }
}

impl Run<'_> {
    /// `tcp_poll`.
    fn ready(&mut self, fd: i64, asked: u32) -> u32 {
        let Some(&id) = self.of.get(&fd) else { return 0 };
        let kind = self.fds.get(&fd).map(|f| f.0);
        if kind == Some(Fd::Listening) {
            return if self.acceptable(id).is_some() { IN | 0x40 } else { 0 };
        }
        let back = self.hand;
        self.take(id);
        let mask = self.ready_in_hand(kind, asked);
        self.take(back);
        mask
    }

    fn ready_in_hand(&mut self, kind: Option<Fd>, asked: u32) -> u32 {
        if self.c.deferred() {
            // A write will send the SYN.
            return OUT | 0x100;
        }
        let shut = self.c.shut;
        let Some(s) = self.c.sock.as_mut() else { return if kind == Some(Fd::Fresh) { OUT | HUP } else { 0 } };
        match kind {
            Some(Fd::Connection) => {
                let state = s.state();
                let mut mask = 0;
                if shut == (true, true) || (shut.1 && s.at_end()) || state == State::Closed {
                    mask |= HUP;
                }
                if shut.0 || s.at_end() {
                    mask |= IN | 0x40 | RDHUP;
                }
                if state != State::SynSent && (state != State::SynRecv || s.began_at_once()) {
                    if s.readable() {
                        mask |= IN | 0x40;
                    }
                    // It waits for room only where somebody asks for it.
                    if shut.1 || state == State::Closed || (asked & WRITABLE != 0 && s.poll_out()) {
                        mask |= OUT | 0x100;
                    }
                }
                if s.has_error() || s.has_notice() {
                    mask |= ERR;
                }
                mask
            }
            _ => 0,
        }
    }

    /// Compares what is seen of the socket with the last look, and wakes who watches it.
    pub(super) fn wake(&mut self) {
        let open = self.c.open();
        let Some(s) = self.c.sock.as_mut() else { return };
        let look = Look {
            unread: if s.readable() { s.unread() } else { 0 },
            over: s.at_end() || s.has_error(),
            open,
            waits: s.waits_for_room(),
            notices: s.notices(),
        };
        let was = std::mem::replace(&mut self.c.look, look);
        let mut mask = 0;
        if look.unread > was.unread {
            mask |= READABLE;
        }
        if was.waits && !look.waits {
            mask |= WRITABLE;
        }
        if look.notices != was.notices {
            mask |= ERR;
        }
        // A change of state wakes everybody (sk_state_change).
        if look.over != was.over || look.open != was.open {
            mask = !PRIVATE;
        }
        let (hand, listener, of) = (Some(self.hand), self.c.listener, &self.of);
        for w in self.epolls.values_mut().flatten() {
            let whose = of.get(&w.fd).copied();
            if whose != hand && (whose != listener || look.open == was.open) {
                continue;
            }
            // A one-shot that was told is asleep.
            w.ready |= w.events & !PRIVATE != 0 && (w.events | ERR | HUP) & mask != 0;
        }
    }

    pub(super) fn epoll_ctl(&mut self, c: &Call) -> Step {
        let (Some(ep), Some(Arg::Names(what)), Some(fd)) = (
            c.args.first().and_then(Arg::number).filter(|ep| self.epolls.contains_key(ep)),
            c.args.get(1),
            c.args.get(2).and_then(Arg::number),
        ) else {
            return skip("epoll_ctl of what is no epoll");
        };
        if !matches!(self.fds.get(&fd), Some((Fd::Connection | Fd::Listening | Fd::Fresh, _))) {
            return skip("an epoll of what is no socket");
        }
        let events = c.args.get(3).and_then(|a| a.field("events")).and_then(bits);
        let delete = what[0] == "EPOLL_CTL_DEL";
        let Some(events) = events.or(delete.then_some(0)) else { return skip("events that are not known") };
        let ready = !delete && self.ready(fd, events) & (events | ERR | HUP) & !PRIVATE != 0;
        self.wake();
        let watches = self.epolls.get_mut(&ep).expect("it is one");
        let at = watches.iter().position(|w| w.fd == fd);
        match (what[0].as_str(), at) {
            ("EPOLL_CTL_ADD", None) => watches.push(Watch { fd, events, ready }),
            ("EPOLL_CTL_ADD", Some(_)) => return answer(c, -1, Some("EEXIST")),
            ("EPOLL_CTL_MOD", Some(i)) => {
                watches[i].events = events;
                watches[i].ready |= ready;
            }
            ("EPOLL_CTL_DEL", Some(i)) => {
                watches.remove(i);
            }
            (_, None) => return answer(c, -1, Some("ENOENT")),
            (name, _) => return skip(format!("epoll_ctl {name}")),
        }
        answer(c, 0, None)
    }

    /// `epoll_wait` of one event that does not block. Compared: the event.
    pub(super) fn epoll_wait(&mut self, c: &Call) -> Step {
        let Some(ep) = c.args.first().and_then(Arg::number).filter(|ep| self.epolls.contains_key(ep)) else {
            return skip("epoll_wait of what is no epoll");
        };
        let one = c.args.get(2).and_then(Arg::number) == Some(1) || self.epolls[&ep].len() == 1;
        if c.args.get(3).and_then(Arg::number) != Some(0) || !one {
            return skip("epoll_wait that blocks, or of several events");
        }
        let Some(expected) = c.args.get(1).and_then(|a| a.field("events")).and_then(bits) else {
            return skip("events that are not known");
        };
        let mut watches = self.epolls.remove(&ep).expect("it is one");
        let mut found = None;
        for w in watches.iter_mut().filter(|w| w.ready) {
            w.ready = false;
            let asked = w.events | ERR | HUP;
            let events = if w.events & !PRIVATE == 0 { 0 } else { self.ready(w.fd, asked) & asked & !PRIVATE };
            if events == 0 {
                continue;
            }
            found = Some((w.fd, events));
            if w.events & ONESHOT != 0 {
                w.events &= PRIVATE;
            } else if w.events & ET == 0 {
                w.ready = true;
            }
            break;
        }
        self.epolls.insert(ep, watches);
        self.wake();
        let (fd, events) = found.unwrap_or((0, 0));
        answer(c, found.is_some().into(), None)?;
        let named = c.args.get(1).and_then(|a| a.field("fd")).and_then(Arg::number);
        if events != expected || named.is_some_and(|n| n != fd) {
            return Err(Stop::Fail("other events".into(), show(expected), format!("{} of {fd}", show(events))));
        }
        Ok(())
    }

    /// `poll` of one descriptor: the events that are there; none: it has to wait.
    pub(super) fn polled(&mut self, c: &Call) -> Result<Option<u32>, Stop> {
        let one = match c.args.first() {
            Some(Arg::List(v)) if v.len() == 1 => &v[0],
            _ => return skip("a poll of several descriptors"),
        };
        let (Some(fd), Some(asked)) = (one.field("fd").and_then(Arg::number), one.field("events").and_then(bits))
        else {
            return skip("a poll of what is not known");
        };
        let events = self.ready(fd, asked) & (asked | ERR | HUP);
        self.wake();
        if events == 0 {
            return Ok(None);
        }
        match one.field("revents").and_then(bits) {
            Some(e) if e != events => Err(Stop::Fail("other events".into(), show(e), show(events))),
            _ => Ok(Some(events)),
        }
    }
}

/// What is seen of a socket that was just made.
pub(super) fn first_look(s: &Socket) -> Look {
    Look { waits: s.waits_for_room(), ..Look::default() }
}
