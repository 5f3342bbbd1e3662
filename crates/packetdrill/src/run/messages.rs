//! `sendmsg` and `recvmsg`: a message's bytes, and what comes beside them (`TCP_CM_INQ`).

use super::answers::answer;
use super::{Run, Step, Stop, skip};
use crate::link::Link;
use crate::script::{Arg, Call};
use wavetank_core::sim::Time;
use wavetank_core::tcp::Socket;

/// Buffers that one skb takes of a send without a copy (`MAX_SKB_FRAGS`).
const FRAGMENTS: usize = 17;

/// A buffer so short lies in one page, wherever `malloc` puts it.
const IN_ONE_PAGE: u32 = 16;

/// Bytes of a message's buffers.
fn buffers(c: &Call) -> Option<Vec<u32>> {
    let Arg::List(buffers) = c.args.get(1)?.field("msg_iov")? else { return None };
    let len = |b: &Arg| match b {
        Arg::Struct(f) if f.len() == 2 => f[1].1.number().and_then(|n| u32::try_from(n).ok()),
        _ => None,
    };
    buffers.iter().map(len).collect()
}

/// Bytes of a message.
pub(super) fn message(c: &Call) -> Option<u32> {
    buffers(c)?.iter().try_fold(0u32, |sum, n| sum.checked_add(*n))
}

/// Bytes of the skbs, but for the last, that a send without a copy fills with its buffers. None: nobody can tell, for one may lie in two pages.
pub(super) fn parts(c: &Call) -> Option<Vec<u32>> {
    let all: Vec<u32> = buffers(c)?.into_iter().filter(|n| *n > 0).collect();
    let full = all.len().saturating_sub(1) / FRAGMENTS;
    if full > 0 && all.iter().any(|n| *n > IN_ONE_PAGE) {
        return None;
    }
    Some(all.chunks(FRAGMENTS).take(full).map(|b| b.iter().sum()).collect())
}

/// Flags of a read.
#[derive(Clone, Copy, Default)]
pub(super) struct ReadFlags {
    /// What is read stays there.
    pub peek: bool,
    /// What is read is thrown away, and needs no room.
    pub trunc: bool,
    /// It must not wait.
    pub dontwait: bool,
    /// It waits for all.
    pub waitall: bool,
}

impl ReadFlags {
    pub(super) fn of(flags: Option<&Arg>) -> Result<ReadFlags, Stop> {
        let mut out = ReadFlags::default();
        match flags {
            None | Some(Arg::Number(0)) => {}
            Some(Arg::Names(v)) => {
                for f in v {
                    match f.as_str() {
                        "MSG_PEEK" => out.peek = true,
                        "MSG_TRUNC" => out.trunc = true,
                        "MSG_DONTWAIT" => out.dontwait = true,
                        "MSG_WAITALL" => out.waitall = true,
                        "MSG_NOSIGNAL" => {}
                        _ => return skip(format!("the flag {f}")),
                    }
                }
            }
            Some(_) => return skip("flags by number"),
        }
        Ok(out)
    }
    /// `sock_rcvlowat`: a read of so many bytes waits for these.
    pub(super) fn target(&self, s: &Socket, bytes: u32) -> u32 {
        if self.waitall { bytes } else { s.rcvlowat().min(bytes).max(1) }
    }
    /// Reads up to so many bytes; how many.
    pub(super) fn read(&self, s: &mut Socket, now: Time, most: u32, low: &mut Link) -> u32 {
        if self.peek { s.peek(now, most, low) } else { s.read(now, most, low) }
    }
}

impl Run<'_> {
    /// `recvmsg` that does not block.
    pub(super) fn receive_message(&mut self, c: &Call, nonblock: bool) -> Step {
        let Some(most) = message(c) else { return skip("recvmsg of what is not known") };
        if c.args.get(2).is_some_and(|a| a.names("MSG_ERRQUEUE")) {
            return self.notice(c);
        }
        let how = ReadFlags::of(c.args.get(2))?;
        let nonblock = nonblock || how.dontwait;
        let now = self.now;
        let Some(s) = self.c.sock.as_mut() else { return skip("a read without a connection") };
        if s.unread() == 0 && !s.at_end() {
            return if nonblock { answer(c, -1, Some("EAGAIN")) } else { skip("a recvmsg that blocks") };
        }
        if !nonblock && s.unread() < how.target(s, most) && !s.at_end() {
            return skip("a recvmsg that blocks");
        }
        let n = how.read(s, now, most, &mut self.c.link);
        let hint = s.inq_hint();
        self.settle()?;
        answer(c, n.into(), None)?;
        for m in control(c) {
            if !m.field("cmsg_type").is_some_and(|a| a.names("TCP_CM_INQ")) {
                return skip("a control message that is not known");
            }
            let told = m.field("cmsg_data").and_then(Arg::number);
            if !self.c.asked.inq || told != Some(hint.into()) {
                return Err(Stop::Fail("another TCP_CM_INQ".into(), super::answers::told(told), hint.to_string()));
            }
        }
        Ok(())
    }
}

/// The control messages of a message.
pub(super) fn control(c: &Call) -> &[Arg] {
    match c.args.get(1).and_then(|a| a.field("msg_control")) {
        Some(Arg::List(v)) => v,
        _ => &[],
    }
}
