//! `recvmsg` of the error queue: what it brings is compared as packetdrill does, every control message with every field of it.
//!
//! Stands for: Linux 6.12 net/ipv4/ip_sockglue.c `ip_recv_error`; net/socket.c `__sock_recv_timestamp`.

use super::answers::answer;
use super::messages::{control, message};
use super::{BEGIN, Run, Step, Stop, skip};
use crate::script::{Arg, Call};
use wavetank_core::sim::Time;
use wavetank_core::tcp::{Notice, Socket, sof};

/// Flags of `SO_TIMESTAMPING` by name. src: linux@6.12 include/uapi/linux/net_tstamp.h
const FLAGS: [(&str, u32); 14] = [
    ("TX_HARDWARE", sof::TX_HARDWARE),
    ("TX_SOFTWARE", sof::TX_SOFTWARE),
    ("RX_HARDWARE", 1 << 2),
    ("RX_SOFTWARE", 1 << 3),
    ("SOFTWARE", SOFTWARE),
    ("SYS_HARDWARE", 1 << 5),
    ("RAW_HARDWARE", 1 << 6),
    ("OPT_ID", sof::OPT_ID),
    ("TX_SCHED", sof::TX_SCHED),
    ("TX_ACK", sof::TX_ACK),
    ("OPT_CMSG", 1 << 10),
    ("OPT_TSONLY", sof::OPT_TSONLY),
    ("OPT_STATS", sof::OPT_STATS),
    ("OPT_ID_TCP", sof::OPT_ID_TCP),
];
/// Times are told.
const SOFTWARE: u32 = 1 << 4;
/// Of what comes.
pub(super) const RX: u32 = 1 << 2 | 1 << 3;

/// Numbers of names in notices. src: linux@6.12 include/uapi/linux/errqueue.h, include/uapi/asm-generic/errno.h
const NUMBERS: [(&str, i64); 7] = [
    ("ENOMSG", 42),
    ("SO_EE_ORIGIN_TIMESTAMPING", 4),
    ("SO_EE_ORIGIN_ZEROCOPY", 5),
    ("SO_EE_CODE_ZEROCOPY_COPIED", 1),
    ("SCM_TSTAMP_SND", 0),
    ("SCM_TSTAMP_SCHED", 1),
    ("SCM_TSTAMP_ACK", 2),
];
/// Fields of `struct sock_extended_err`.
const FIELDS: [&str; 6] = ["ee_errno", "ee_origin", "ee_type", "ee_code", "ee_info", "ee_data"];

/// Flags of `SO_TIMESTAMPING`.
pub(super) fn timestamping(a: &Arg) -> Option<u32> {
    match a {
        Arg::Number(n) => u32::try_from(*n).ok(),
        Arg::Names(v) => v.iter().try_fold(0, |all, name| {
            let name = name.strip_prefix("SOF_TIMESTAMPING_")?;
            FLAGS.iter().find(|f| f.0 == name).map(|f| all | f.1)
        }),
        Arg::List(v) if v.len() == 1 => timestamping(&v[0]),
        _ => None,
    }
}

fn number(a: &Arg) -> Option<i64> {
    match a {
        Arg::Number(n) => Some(*n),
        Arg::Names(v) if v.len() == 1 => NUMBERS.iter().find(|n| n.0 == v[0]).map(|n| n.1),
        _ => None,
    }
}

impl Run<'_> {
    /// The error queue: the oldest notice.
    pub(super) fn notice(&mut self, c: &Call) -> Step {
        let Some(n) = self.c.sock.as_mut().and_then(Socket::take_notice) else {
            return answer(c, -1, Some("EAGAIN"));
        };
        self.wake();
        let flags = self.c.sock.as_ref().map_or(0, Socket::timestamping);
        let (err, at) = match n {
            Notice::Through(first, last) => ([0, 5, 0, 1, first.into(), last.into()], None),
            Notice::Stamp(step, key, at) => ([42, 4, 0, 0, step as i64, key.into()], Some(at)),
        };
        // The packet comes along, as far as there is room for it.
        let packet = at.is_some() && flags & sof::OPT_TSONLY == 0;
        match message(c) {
            Some(room) if room == 0 || !packet => answer(c, 0, None)?,
            _ => return skip("the packet that a notice brings along"),
        }
        let told = c.args.get(1).and_then(|a| a.field("msg_flags"));
        if told.is_some_and(|a| !a.names("MSG_ERRQUEUE") || a.names("MSG_TRUNC") != packet || a.all_names().len() > 2) {
            let is = if packet { "MSG_ERRQUEUE|MSG_TRUNC" } else { "MSG_ERRQUEUE" };
            return Err(Stop::Fail("other flags of the message".into(), super::answers::told(told), is.into()));
        }
        let mut messages = control(c).iter();
        if let Some(at) = at.filter(|_| flags & SOFTWARE != 0) {
            self.time_of(messages.next(), at)?;
        }
        error_of(messages.next(), err)?;
        match messages.next() {
            None => Ok(()),
            Some(_) => Err(Stop::Fail(
                "other control messages".into(),
                format!("{} of them", control(c).len()),
                "fewer".into(),
            )),
        }
    }

    /// `SCM_TIMESTAMPING`; a time of 0 is any.
    fn time_of(&self, m: Option<&Arg>, at: Time) -> Step {
        let time = is(m, &["SOL_SOCKET"], &["SCM_TIMESTAMPING"])?;
        let of = |name| time.field(name).and_then(Arg::number);
        let (Some(s), Some(ns)) = (of("scm_sec"), of("scm_nsec")) else { return skip("a time that is not known") };
        let us = (at - BEGIN).us();
        let expected = s.saturating_mul(1_000_000).saturating_add(ns / 1_000);
        if (s, ns) != (0, 0) && expected.saturating_sub(us).saturating_abs() > self.opt.tolerance_us {
            return Err(Stop::Fail("a notice of another time".into(), format!("{expected} us"), format!("{us} us")));
        }
        Ok(())
    }
}

/// `IP_RECVERR`, with these fields.
fn error_of(m: Option<&Arg>, err: [i64; 6]) -> Step {
    let data = is(m, &["SOL_IP", "CMSG_LEVEL_IP"], &["IP_RECVERR", "CMSG_TYPE_RECVERR"])?;
    for (name, is) in FIELDS.iter().zip(err) {
        match data.field(name).and_then(number) {
            // Fields are of 32 bits.
            Some(n) if n as u32 == is as u32 => {}
            Some(n) => return Err(Stop::Fail(format!("another {name}"), n.to_string(), is.to_string())),
            None => return skip(format!("a notice with an {name} that is not known")),
        }
    }
    Ok(())
}

/// The data of a control message, which must be of this level and type.
fn is<'a>(m: Option<&'a Arg>, levels: &[&str], types: &[&str]) -> Result<&'a Arg, Stop> {
    let named =
        |field, names: &[&str]| m.and_then(|m| m.field(field)).is_some_and(|a| names.iter().any(|n| a.names(n)));
    match m.and_then(|m| m.field("cmsg_data")) {
        Some(data) if named("cmsg_level", levels) && named("cmsg_type", types) => Ok(data),
        _ => Err(Stop::Fail("other control messages".into(), super::answers::told(m), types[0].into())),
    }
}
