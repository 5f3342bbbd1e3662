//! The call that blocks: what it waits for, and when it returns.

use super::answers::{Fd, answer, result};
use super::messages::ReadFlags;
use super::{PATIENCE, Run, Step, Stop};
use crate::script::Call;
use wavetank_core::sim::Time;
use wavetank_core::tcp::WriteFlags;

/// A call that blocks.
pub(super) struct Blocked {
    call: Call,
    line: usize,
    /// When it was made.
    since: Time,
    /// When it must return; none: at once.
    until: Option<Time>,
    /// Whose it is.
    whose: usize,
    rest: Rest,
}

/// What a call that blocks still has to do.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    /// Bytes that it was given.
    pub bytes: u32,
    /// It waits for the connection first,
    pub opens: bool,
    /// and then writes so many of them,
    pub left: u32,
    /// so.
    pub how: WriteFlags,
}

impl Blocked {
    /// Its name and line.
    pub(super) fn name(&self) -> String {
        format!("{} (line {})", self.call.name, self.line)
    }
}

impl Rest {
    /// It waits for so many bytes.
    pub(super) fn of(bytes: u32) -> Rest {
        Rest { bytes, opens: false, left: 0, how: WriteFlags::default() }
    }
}

impl Run<'_> {
    pub(super) fn block(&mut self, c: &Call, line: usize, until: Option<Time>, rest: Rest) -> Step {
        self.blocked = Some(Blocked { call: c.clone(), line, since: self.now, until, whose: self.hand, rest });
        self.settle()?;
        if self.blocked.is_some() && until.is_none() {
            // packetdrill waits for such a call.
            let limit = self.now + PATIENCE;
            while self.blocked.is_some() && self.step(limit)? {}
            if self.blocked.take().is_some() {
                return Err(Stop::Fail(
                    format!("{} does not return", c.name),
                    result(c.returns, c.errno.as_deref()),
                    "it blocks".into(),
                ));
            }
        }
        Ok(())
    }

    /// Lets the call that blocks return, if it can.
    pub(super) fn unblock(&mut self) -> Step {
        let Some(mut b) = self.blocked.take() else { return Ok(()) };
        if b.whose != self.hand && self.c.listener != Some(b.whose) {
            self.blocked = Some(b);
            return Ok(());
        }
        let (now, open) = (self.now, self.c.open());
        let mut error = None;
        if b.rest.opens && open {
            b.rest.opens = false;
            match self.connected() {
                Err(e) => error = Some(e),
                Ok(()) if b.rest.left > 0 => {
                    let s = self.c.sock.as_mut().expect("it has opened");
                    s.write(now, std::mem::take(&mut b.rest.left), b.rest.how, &mut self.c.link);
                    self.blocked = Some(b);
                    return self.settle();
                }
                Ok(()) => {}
            }
        }
        let returned = match (b.call.name.as_str(), self.c.sock.as_mut()) {
            _ if error.is_some() => Some(-1),
            ("accept" | "accept4", _) => match self.acceptable(b.whose) {
                Some(id) => {
                    let Some(fd) = b.call.returns.filter(|n| *n >= 0) else {
                        let expected = result(b.call.returns, b.call.errno.as_deref());
                        let what = format!("{} returns something else", b.call.name);
                        return Err(Stop::Fail(what, expected, "a connection".into()));
                    };
                    let nonblock = b.call.args.iter().any(|a| a.names("SOCK_NONBLOCK"));
                    self.fds.insert(fd, (Fd::Connection, nonblock));
                    self.of.insert(fd, id);
                    self.take(id);
                    self.c.taken = true;
                    Some(fd)
                }
                None => None,
            },
            ("connect", _) if open => match self.connected() {
                Ok(()) => Some(0),
                Err(e) => {
                    error = Some(e);
                    Some(-1)
                }
            },
            ("poll", _) => self.polled(&b.call)?.map(|_| 1),
            ("write" | "send" | "sendto" | "sendmsg" | "sendfile" | "splice", Some(s))
                if !b.rest.opens && s.unwritten() == 0 =>
            {
                Some(b.rest.bytes.into())
            }
            ("read" | "recv" | "recvfrom", Some(s)) => {
                let how = ReadFlags::of(b.call.args.get(3))?;
                let enough = s.unread() >= how.target(s, b.rest.bytes);
                let n =
                    (enough || s.at_end() || self.c.shut.0).then(|| how.read(s, now, b.rest.bytes, &mut self.c.link));
                n.map(i64::from)
            }
            _ => None,
        };
        let Some(returned) = returned else {
            if let Some(end) = b.until.filter(|t| *t + self.tolerance_since(b.since, *t) < now) {
                let (name, at) = (&b.call.name, format!("it returns at {}", self.clock(end)));
                return Err(Stop::Fail(format!("{name} (line {}) does not return", b.line), at, "it blocks".into()));
            }
            self.blocked = Some(b);
            return Ok(());
        };
        if let Some(end) = b.until {
            if (now - end).ns().abs() > self.tolerance_since(b.since, end).ns() {
                return Err(Stop::Fail(
                    format!("{} (line {}) returns at the wrong time", b.call.name, b.line),
                    self.clock(end),
                    self.clock(now),
                ));
            }
        }
        answer(&b.call, returned, error)?;
        self.settle()
    }
}
