//! Packets: those that a script sends to the socket, and those that it expects of it.

use super::answers::Fd;
use super::{PATIENCE, Run, Step, Stop, TAKES, skip};
use crate::script::{PacketSpec, TcpOption, When};
use crate::wire::sorted;
use wavetank_core::sim::{Blind, Packet, Span, Time};
use wavetank_core::tcp::{Offer, Socket, State};

impl Run<'_> {
    pub(super) fn shown(&self, p: &Packet) -> PacketSpec {
        let (offer, scale) = self.c.sock.as_ref().map_or((Offer::default(), 0), |s| (s.offer(), s.window_scale()));
        let mut s = self.c.wire.show(p, offer, scale);
        if s.ecn.as_deref() == Some("noecn") {
            s.ecn = None;
        }
        s
    }

    // ---- packets

    pub(super) fn inject(&mut self, spec: &PacketSpec) -> Step {
        self.advance(self.now + TAKES)?;
        self.report.trace.push(format!("{} {spec}", self.clock(self.now)));
        let syn = spec.flags.contains('S') && !spec.flags.contains('.');
        if self.c.sock.is_none() {
            let hand = self.hand;
            let listens = self.fds.iter().any(|(fd, f)| f.0 == Fd::Listening && self.of.get(fd) == Some(&hand));
            if !listens || !syn {
                return skip("a packet for no connection");
            }
            self.begin()?;
        }
        let agreed = self.c.sock.as_ref().map(Socket::offer);
        let p = self.c.wire.inject(spec, agreed).map_err(Stop::Skip)?;
        let state = self.c.sock.as_ref().map(Socket::state);
        match state {
            Some(State::Closed) if syn => return skip("a SYN for a connection that has ended"),
            Some(State::Listen) => self.answer_syn(&p),
            _ => {}
        }
        self.c.pages_in += p.payload.div_ceil(4_096);
        let (now, s) = (self.now, self.c.sock.as_mut().expect("made"));
        s.on_packet(now, &p, &mut self.c.link, &mut Blind);
        self.settle()
    }

    pub(super) fn expect(&mut self, spec: &PacketSpec, from: Time, to: Time, when: When) -> Step {
        if let Some(c) = spec.flags.chars().find(|c| "UA".contains(*c)) {
            return skip(format!("the flag {c}"));
        }
        for o in spec.options.iter().flatten() {
            if let TcpOption::Other(name) = o {
                return skip(format!("the option {name}"));
            }
        }
        let tolerance = self.tolerance(from);
        let limit = if to.is_never() { self.now + Span::from_s(3_600) } else { to + tolerance };
        let expected = spec.to_string();
        self.settle()?;
        let (mut at, mut last) = (None, 0);
        let mut whole: Option<(Packet, PacketSpec)> = None;
        loop {
            let patience = at.map_or(limit, |t: Time| limit.max(t + PATIENCE));
            while self.c.seen.is_empty() && self.step(patience)? {}
            let Some((t, p)) = self.c.seen.pop_front() else {
                let actual = match &whole {
                    Some((_, s)) => format!("only {} bytes of it: {s}", s.len),
                    None => format!("nothing until {}", self.clock(limit)),
                };
                return Err(Stop::Fail("an expected packet does not come".into(), expected, actual));
            };
            let shown = self.shown(&p);
            let before = std::mem::replace(&mut last, shown.len);
            whole = Some(match whole {
                None => {
                    at = Some(t);
                    (p, shown)
                }
                // Segments of what the script has in one piece.
                // All but the last are equally long; the last one's PSH and FIN count.
                Some((first, mut s))
                    if shown.seq == s.seq.wrapping_add(s.len)
                        && shown.len > 0
                        && (shown.len == before || s.len + shown.len >= spec.len) =>
                {
                    at = Some(t);
                    s.len += shown.len;
                    s.flags.retain(|c| !"PF".contains(c));
                    s.flags.insert_str(0, &shown.flags.replace(|c| !"PF".contains(c), ""));
                    (first, s)
                }
                Some((_, s)) => {
                    return Err(Stop::Fail(
                        "a packet comes in pieces that do not fit".into(),
                        expected,
                        format!("{s}, then {shown}"),
                    ));
                }
            });
            if whole.as_ref().is_none_or(|(_, s)| s.len >= spec.len || s.len == 0 || self.strict) {
                break;
            }
        }
        let (Some(at), Some((first, mut actual))) = (at, whole) else { unreachable!("it came") };
        self.check(spec, &first, &mut actual).map_err(|what| Stop::Fail(what, expected.clone(), actual.to_string()))?;
        if when != When::Any && (at + tolerance < from || at > to + tolerance) {
            let range =
                if from == to { self.clock(from) } else { format!("{} to {}", self.clock(from), self.clock(to)) };
            return Err(Stop::Fail(
                format!("a packet comes at the wrong time (tolerance {} us)", tolerance.us()),
                format!("{range}: {expected}"),
                format!("{}: {actual}", self.clock(at)),
            ));
        }
        self.report.checked += 1;
        // A packet that left while the script was at an earlier time does not turn the clock back.
        self.now = self.now.max(at);
        if when != When::Any {
            self.advance(from.max(self.now).min(self.now.max(at)))?;
        }
        Ok(())
    }

    /// Compares; the error says what differs. Fields that the script does not tell are taken away from `actual`.
    pub(super) fn check(&mut self, spec: &PacketSpec, first: &Packet, actual: &mut PacketSpec) -> Result<(), String> {
        if spec.flags.contains('S')
            && spec.seq != actual.seq
            && self.c.sock.as_ref().is_some_and(|s| s.state() != State::Established)
        {
            // The script gives its own number to our first byte.
            self.c.wire.local.1 = spec.seq;
            *actual = self.shown(first);
        }
        let stamps = spec.options.iter().flatten().find_map(|o| match o {
            TcpOption::Timestamps(v, _) => Some(*v),
            _ => None,
        });
        let mut late = None;
        if let (Some(v), true) = (stamps, first.tsval != 0) {
            let ticks = i64::from(self.c.wire.stamp(first.tsval).wrapping_sub(v) as i32);
            let known = self.c.wire.stamp(first.tsval) != first.tsval;
            if self.ts_tick_us > 0 && known && ticks.abs() * self.ts_tick_us > self.opt.tolerance_us {
                late = Some(ticks);
            }
            self.c.wire.note_stamp(v, first.tsval);
            if late.is_none() {
                for o in actual.options.iter_mut().flatten() {
                    if let TcpOption::Timestamps(val, _) = o {
                        *val = v;
                    }
                }
            }
        }
        if spec.win.is_none() {
            actual.win = None;
        }
        let ecn = actual.ecn.take().unwrap_or("noecn".into());
        if let Some(e) = &spec.ecn {
            actual.ecn = Some(ecn.clone());
            if *e != ecn && !(e == "ect01" && ecn.starts_with("ect")) {
                return Err(format!("ECN {ecn} instead of {e}"));
            }
        }
        if spec.options.is_none() {
            actual.options = None;
        }
        if sorted(&spec.flags) != sorted(&actual.flags) {
            return Err("other flags".into());
        }
        if spec.seq != actual.seq {
            return Err("another sequence number".into());
        }
        if spec.len != actual.len {
            return Err(format!("{} bytes of payload instead of {}", actual.len, spec.len));
        }
        if spec.ack != actual.ack {
            return Err("another acknowledgement".into());
        }
        if spec.win != actual.win {
            return Err("another window".into());
        }
        if late.is_some() || spec.options != actual.options {
            return Err("other options".into());
        }
        Ok(())
    }
}
