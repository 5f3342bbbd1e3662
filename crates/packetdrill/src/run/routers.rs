//! What routers say of packets (ICMP), and the counter of what they say in vain.

use super::{Run, Step, Stop, TAKES, skip};
use crate::script::IcmpSpec;
use wavetank_core::tcp::{Heard, Unreachable};

impl Run<'_> {
    /// A router says that a packet did not get through.
    pub(super) fn unreachable(&mut self, i: &IcmpSpec) -> Step {
        let why = match (i.code.as_str(), i.mtu) {
            ("net_unreachable", None) => Unreachable::Net,
            ("host_unreachable", None) => Unreachable::Host,
            ("frag_needed", Some(mtu)) => Unreachable::TooLong(mtu),
            _ => return skip(format!("\"{}\"", i.text)),
        };
        self.advance(self.now + TAKES)?;
        self.report.trace.push(format!("{} {}", self.clock(self.now), i.text));
        let (now, taken) = (self.now, self.c.taken);
        // It quotes a SYN or SYN-ACK.
        let seq = i.seq.wrapping_sub(self.c.wire.local.1).wrapping_add(self.c.wire.local.0);
        let Some(s) = self.c.sock.as_mut() else { return skip("ICMP for no connection") };
        match s.on_unreachable(now, seq, why, taken, &mut self.c.link) {
            Heard::Taken => {}
            Heard::OutOfWindow => self.stray_icmps += 1,
            Heard::Unknown => return skip(format!("\"{}\"", i.text)),
        }
        self.settle()
    }

    /// `nstat`: counters since the last time.
    pub(super) fn counters(&mut self, what: &str) -> Step {
        let strays = std::mem::take(&mut self.stray_icmps);
        match what.split_whitespace().collect::<Vec<_>>()[..] {
            [">", "/dev/null"] => Ok(()),
            ["|", "grep", "TcpExtOutOfWindowIcmps", ">", "/dev/null"] if strays > 0 => Ok(()),
            ["|", "grep", "TcpExtOutOfWindowIcmps", ">", "/dev/null"] => Err(Stop::Fail(
                "a counter did not move".into(),
                "TcpExtOutOfWindowIcmps".into(),
                "every ICMP was in the window".into(),
            )),
            _ => skip(format!("the command \"nstat{what}\"")),
        }
    }
}
