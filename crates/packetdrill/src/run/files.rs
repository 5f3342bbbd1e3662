//! Files and pipes beside a socket, and what moves bytes between them: `sendfile`, `splice`, and `read` and `write` of a pipe.
//!
//! Stands for: Linux 6.12 fs/splice.c `splice_direct_to_actor`, `splice_to_socket`, `do_splice`; mm/filemap.c `filemap_splice_read`;
//! net/ipv4/tcp.c `tcp_splice_read`. Differs: D1 of a file only its length is known; D2 a pipe has no writer that could still come: where it is
//! empty or full, calls that would wait are skipped.

use super::answers::{Fd, answer};
use super::opening::FastSend;
use super::{Run, Step, Stop, skip};
use crate::script::{Arg, Call, Event};
use std::collections::BTreeMap;
use wavetank_core::sim::Time;
use wavetank_core::tcp::{State, WriteFlags};

/// Places of a pipe, and bytes in one. src: linux@6.12 include/linux/pipe_fs_i.h PIPE_DEF_BUFFERS
const PLACES: u32 = 16;
const PAGE: u64 = 4_096;

/// What a descriptor is that is no socket.
#[derive(Clone, Copy, Debug)]
enum End {
    /// What a pipe gives.
    Gives(usize),
    /// What a pipe takes.
    Takes(usize),
    /// A file of so many bytes, and where in it one is.
    File(u64, u64),
}

/// What a pipe holds.
#[derive(Clone, Copy, Default, Debug)]
struct Pipe {
    bytes: u32,
    /// Its places that are taken, at most.
    places: u32,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    ends: BTreeMap<i64, End>,
    pipes: Vec<Pipe>,
}

/// A call's times.
struct Made {
    line: usize,
    until: Option<Time>,
}

fn bytes(c: &Call, i: usize) -> Result<u32, Stop> {
    match c.args.get(i).and_then(Arg::number).and_then(|n| u32::try_from(n).ok()) {
        Some(n) => Ok(n),
        None => skip(format!("{} of what is not bytes", c.name)),
    }
}

impl Files {
    /// It is a file or a pipe.
    pub(super) fn has(&self, fd: i64) -> bool {
        self.ends.contains_key(&fd)
    }
}

impl Run<'_> {
    /// Carries a call out if it has to do with a file or a pipe.
    pub(super) fn file_call(&mut self, c: &Call, e: &Event, fd: i64, until: Option<Time>) -> Option<Step> {
        let made = Made { line: e.line, until };
        Some(match (c.name.as_str(), self.files.ends.get(&fd).copied()) {
            ("open", _) => self.open(c),
            ("pipe", _) => self.pipe(c),
            ("sendfile", _) => self.sendfile(c, fd, &made),
            ("splice", _) => self.splice(c, fd, &made),
            ("close", Some(_)) => {
                self.files.ends.remove(&fd);
                answer(c, 0, None)
            }
            ("write", Some(End::Takes(p))) => bytes(c, 2).and_then(|n| {
                self.fill(p, n, n.div_ceil(PAGE as u32))?;
                answer(c, n.into(), None)
            }),
            ("read", Some(End::Gives(p))) => bytes(c, 2).and_then(|n| {
                let n = n.min(self.files.pipes[p].bytes);
                if n == 0 {
                    return skip("a read of an empty pipe");
                }
                self.drain(p, n);
                answer(c, n.into(), None)
            }),
            (_, Some(_)) => skip(format!("the call {} of a file or a pipe", c.name)),
            (_, None) => return None,
        })
    }

    fn open(&mut self, c: &Call) -> Step {
        let Some(Arg::Text(path)) = c.args.first() else { return skip("a file that is not known") };
        if c.args.get(1).is_none_or(|a| a.all_names() != ["O_RDONLY"]) {
            return skip("a file that is not opened to be read");
        }
        let (Some(&len), Some(fd)) = (self.setup.files.get(path), c.returns.filter(|n| *n >= 0)) else {
            return skip("a file that the script does not make");
        };
        self.files.ends.insert(fd, End::File(len, 0));
        Ok(())
    }

    fn pipe(&mut self, c: &Call) -> Step {
        let Some(Arg::List(v)) = c.args.first() else { return skip("a pipe of what is not known") };
        let (&[Arg::Number(gives), Arg::Number(takes)], Some(0)) = (v.as_slice(), c.returns) else {
            return skip("a pipe that cannot be made");
        };
        let p = self.files.pipes.len();
        self.files.pipes.push(Pipe::default());
        self.files.ends.insert(gives, End::Gives(p));
        self.files.ends.insert(takes, End::Takes(p));
        Ok(())
    }

    /// So much goes into a pipe, in so many places at most.
    fn fill(&mut self, p: usize, n: u32, places: u32) -> Step {
        let pipe = &mut self.files.pipes[p];
        if pipe.places + places > PLACES {
            return skip("a pipe that may be full");
        }
        pipe.bytes += n;
        pipe.places += places;
        Ok(())
    }

    fn drain(&mut self, p: usize, n: u32) {
        let pipe = &mut self.files.pipes[p];
        pipe.bytes -= n;
        if pipe.bytes == 0 {
            pipe.places = 0;
        }
    }

    fn sendfile(&mut self, c: &Call, fd: i64, made: &Made) -> Step {
        let from = c.args.get(1).and_then(Arg::number);
        let Some(End::File(len, at)) = from.and_then(|f| self.files.ends.get(&f).copied()) else {
            return skip("a sendfile of what is no file");
        };
        let given = c.args.get(2).and_then(Arg::number);
        let at = given.map_or(at, |n| n as u64);
        let all = u64::from(bytes(c, 3)?).min(len.saturating_sub(at)) as u32;
        if all == 0 {
            return answer(c, 0, None);
        }
        // Pipefuls, of which all but the last say that more will come.
        let mut left = all;
        let mut begin = at;
        loop {
            let part = left.min((PAGE * u64::from(PLACES) - begin % PAGE) as u32);
            if part == all {
                self.put(c, fd, all, false, made)?;
                break;
            }
            let nonblock = self.nonblock(fd);
            let Some(s) = self.c.sock.as_mut().filter(|s| s.may_send() && !s.has_error()) else {
                return skip("a sendfile on a connection that is not open");
            };
            s.write(self.now, part, WriteFlags { more: left > part, ..WriteFlags::default() }, &mut self.c.link);
            if s.unwritten() > 0 {
                return skip(format!(
                    "a sendfile that has to wait ({})",
                    if nonblock { "in part" } else { "it blocks" }
                ));
            }
            self.settle()?;
            (left, begin) = (left - part, begin + u64::from(part));
            if left == 0 {
                answer(c, all.into(), None)?;
                break;
            }
        }
        if given.is_none() {
            self.move_file(from, c)?;
        }
        Ok(())
    }

    fn nonblock(&self, fd: i64) -> bool {
        self.fds.get(&fd).is_some_and(|f| f.1)
    }

    /// How much a call has moved, which it has returned.
    fn moved(&self, c: &Call) -> Result<u32, Stop> {
        match c.returns {
            Some(n) => Ok(n.max(0) as u32),
            None => skip(format!("{} of nobody knows how much", c.name)),
        }
    }

    fn move_file(&mut self, fd: Option<i64>, c: &Call) -> Step {
        let n = self.moved(c)?;
        if let Some(End::File(_, at)) = fd.and_then(|f| self.files.ends.get_mut(&f)) {
            *at += u64::from(n);
        }
        Ok(())
    }

    /// Bytes go to the socket.
    fn put(&mut self, c: &Call, fd: i64, n: u32, more: bool, made: &Made) -> Step {
        let Some(&(Fd::Connection, nonblock)) = self.fds.get(&fd) else {
            return skip(format!("{} to what is no connection", c.name));
        };
        if let Some(&id) = self.of.get(&fd) {
            self.take(id);
        }
        let how = WriteFlags { more, ..WriteFlags::default() };
        self.send(c, &FastSend { line: made.line, until: made.until, bytes: n, how, nonblock })
    }

    fn splice(&mut self, c: &Call, from: i64, made: &Made) -> Step {
        let offset = |i: usize| c.args.get(i).is_none_or(|a| !a.names("NULL"));
        if offset(1) || offset(3) {
            return skip("a splice with an offset");
        }
        let Some(to) = c.args.get(2).and_then(Arg::number) else { return skip("a splice to what is not known") };
        let most = bytes(c, 4)?;
        let flags = c.args.get(5);
        let named = flags.map_or(Vec::new(), Arg::all_names);
        if !matches!(flags, Some(Arg::Names(_) | Arg::Number(0))) {
            return skip("flags by number");
        }
        match (self.files.ends.get(&from).copied(), self.files.ends.get(&to).copied()) {
            (Some(End::Gives(p)), None) => {
                let n = most.min(self.files.pipes[p].bytes);
                if n == 0 {
                    let nonblock = named.contains(&"SPLICE_F_NONBLOCK");
                    return if nonblock { answer(c, -1, Some("EAGAIN")) } else { skip("a splice of an empty pipe") };
                }
                self.put(c, to, n, named.contains(&"SPLICE_F_MORE"), made)?;
                let n = self.moved(c)?;
                self.drain(p, n);
                Ok(())
            }
            (Some(End::File(len, at)), Some(End::Takes(p))) => {
                let n = u64::from(most).min(len.saturating_sub(at)) as u32;
                self.fill(p, n, (at % PAGE + u64::from(n)).div_ceil(PAGE) as u32)?;
                answer(c, n.into(), None)?;
                self.move_file(Some(from), c)
            }
            (None, Some(End::Takes(p))) => self.splice_in(c, from, p, most),
            _ => skip("a splice between these two"),
        }
    }

    /// `tcp_splice_read`.
    fn splice_in(&mut self, c: &Call, fd: i64, p: usize, most: u32) -> Step {
        let Some(&(Fd::Connection, nonblock)) = self.fds.get(&fd) else {
            return skip("a splice of what is no connection");
        };
        if let Some(&id) = self.of.get(&fd) {
            self.take(id);
        }
        let now = self.now;
        let Some(s) = self.c.sock.as_mut() else { return skip("a splice without a connection") };
        if s.unread() == 0 && most > 0 {
            let over = s.at_end() && s.state() != State::Closed;
            if let Some(error) = s.take_error() {
                return answer(c, -1, Some(error.name()));
            }
            return match nonblock {
                _ if over || self.c.shut.0 => answer(c, 0, None),
                _ if s.state() == State::Closed => answer(c, -1, Some("ENOTCONN")),
                true => answer(c, -1, Some("EAGAIN")),
                false => skip("a splice that blocks"),
            };
        }
        let n = s.read(now, most, &mut self.c.link);
        // A packet's bytes are in a page each, at least.
        let places = std::mem::take(&mut self.c.pages_in) + 1;
        self.fill(p, n, places)?;
        self.settle()?;
        answer(c, n.into(), None)
    }
}
