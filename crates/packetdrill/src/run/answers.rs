//! What a descriptor is, and what a call answers.

use super::{Step, Stop};
use crate::script::Call;

/// What a descriptor is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fd {
    Fresh,
    Listening,
    Connection,
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
    let what = format!("{} returns something else", c.name);
    Err(Stop::Fail(what, result(c.returns, c.errno.as_deref()), result(Some(returned), errno)))
}

/// A result as scripts write it.
pub(super) fn result(returns: Option<i64>, errno: Option<&str>) -> String {
    let n = returns.map_or("?".into(), |r| r.to_string());
    errno.map_or(n.clone(), |e| format!("{n} {e}"))
}

/// What a script tells, or that it tells nothing.
pub(super) fn told(what: Option<impl std::fmt::Display>) -> String {
    what.map_or("nothing".into(), |w| w.to_string())
}
