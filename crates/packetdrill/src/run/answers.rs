//! What a descriptor is, and what a call answers.

use super::{Step, Stop};
use crate::script::Call;
use wavetank_core::tcp::Error;

/// What a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fd {
    Fresh,
    Listening,
    Connection,
    Closed,
    Epoll,
}

/// Compares what a call returned with what it should.
pub(super) fn answer(c: &Call, returned: i64, errno: Option<&str>) -> Step {
    let same = c.returns.is_none_or(|r| r == returned)
        && (c.errno.is_none()
            || c.errno.as_deref() == errno
            || returned >= 0 && errno.is_none() && c.returns == Some(returned));
    if same {
        return Ok(());
    }
    let show =
        |r: Option<i64>, e: Option<&str>| format!("{} {}", r.map_or("?".into(), |r| r.to_string()), e.unwrap_or(""));
    Err(Stop::Fail(
        format!("{} returns something else", c.name),
        show(c.returns, c.errno.as_deref()),
        show(Some(returned), errno),
    ))
}

/// An error by the name that scripts have for it.
pub(super) fn errno(e: Error) -> &'static str {
    match e {
        Error::TimedOut => "ETIMEDOUT",
        Error::Reset => "ECONNRESET",
        Error::Refused => "ECONNREFUSED",
        Error::Pipe => "EPIPE",
        Error::NetUnreachable => "ENETUNREACH",
        Error::HostUnreachable => "EHOSTUNREACH",
    }
}
