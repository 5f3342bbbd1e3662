//! `%{ }%`: assertions on `TCP_INFO`, and the names in them.

use super::{Run, Step, Stop};
use crate::expr;
use crate::expr::Outcome;
use crate::report::Skipped;
use wavetank_core::sim::Time;
use wavetank_core::tcp::{FIELDS, Socket};

impl Run<'_> {
    pub(super) fn code(&mut self, text: &str, line: usize) -> Step {
        self.settle()?;
        let (sock, now) = (self.c.sock.as_ref(), self.now);
        let lookup = |name: &str| -> Option<Result<f64, String>> {
            if let Some(n) = constant(name) {
                return Some(Ok(n));
            }
            if let Some(value) = sock.and_then(|s| beside_tcp_info(s, now, name)) {
                return Some(Ok(value as f64));
            }
            let field = name.strip_prefix("tcpi_")?;
            (FIELDS.contains(&name) || LATER.iter().any(|l| field.starts_with(l))).then_some(())?;
            let value = sock.and_then(|s| {
                match name {
                    "tcpi_snd_wscale" => Some(self.c.wire.peer_scale.into()),
                    // The model takes TCP_MAXSEG for it.
                    "tcpi_pmtu" if self.c.asked.max_seg.is_some() => None,
                    _ => s.tcp_info(now, name),
                }
            });
            Some(value.map(|v| v as f64).ok_or_else(|| format!("{name}, which the model does not keep")))
        };
        let mut names = std::mem::take(&mut self.names);
        let outcomes = expr::execute(text, &mut names, &lookup);
        self.names = names;
        for o in outcomes {
            match o {
                Outcome::Done => {}
                Outcome::Held => self.report.checked += 1,
                Outcome::Printed(s) => self.report.printed.push(s),
                Outcome::Failed(expected, actual) => {
                    return Err(Stop::Fail("an assertion does not hold".into(), expected, actual));
                }
                Outcome::Slip(why) => {
                    let expected = "an expression of Python, such as tcpi_snd_cwnd == 10".to_string();
                    return Err(Stop::Fail("an assertion that is none".into(), expected, why));
                }
                Outcome::Unknown(why) => {
                    self.report.skipped.push(Skipped { line, what: format!("an assertion: {why}") })
                }
            }
        }
        Ok(())
    }
}

/// `SO_MEMINFO`'s values, and what BBR tells (`TCP_CC_INFO`), by packetdrill's names. src: as `constant`
fn beside_tcp_info(s: &Socket, now: Time, name: &str) -> Option<u64> {
    if name == "SK_MEMINFO_FWD_ALLOC" {
        return Some(s.fwd_alloc(now).into());
    }
    if let Some(of_memory) = name.strip_prefix("SK_MEMINFO_") {
        let of_memory = of_memory.to_ascii_lowercase();
        return s.meminfo().iter().find(|(n, _)| *n == of_memory).map(|(_, v)| *v);
    }
    let bbr = s.control().1?;
    match name {
        "bbr_bw" => Some(bbr.bw),
        "bbr_bw_lo" => Some(bbr.bw & u64::from(u32::MAX)),
        "bbr_bw_hi" => Some(bbr.bw >> 32),
        "bbr_min_rtt" => Some(bbr.min_rtt_us.into()),
        "bbr_pacing_gain" => Some(bbr.pacing_gain.into()),
        "bbr_cwnd_gain" => Some(bbr.cwnd_gain.into()),
        _ => None,
    }
}

/// What fields of kernels after 6.12 begin with: AccECN's.
const LATER: [&str; 4] = ["received_", "delivered_", "accecn_", "ecn_"];

/// Names that packetdrill gives to the numbers of `TCP_INFO`. src: google/packetdrill gtests/net/packetdrill/code.c
fn constant(name: &str) -> Option<f64> {
    Some(f64::from(match name {
        "TCP_CA_Open" => 0,
        "TCP_CA_Disorder" => 1,
        "TCP_CA_CWR" => 2,
        "TCP_CA_Recovery" => 3,
        "TCP_CA_Loss" => 4,
        "TCP_ESTABLISHED" => 1,
        "TCP_SYN_SENT" => 2,
        "TCP_SYN_RECV" => 3,
        "TCP_FIN_WAIT1" => 4,
        "TCP_FIN_WAIT2" => 5,
        "TCP_TIME_WAIT" => 6,
        "TCP_CLOSE" => 7,
        "TCP_CLOSE_WAIT" => 8,
        "TCP_LAST_ACK" => 9,
        "TCP_LISTEN" => 10,
        "TCP_CLOSING" => 11,
        "TCP_INFINITE_SSTHRESH" => 0x7fff_ffff,
        "TCPI_OPT_TIMESTAMPS" => 1,
        "TCPI_OPT_SACK" => 2,
        "TCPI_OPT_WSCALE" => 4,
        "TCPI_OPT_ECN" => 8,
        "TCPI_OPT_ECN_SEEN" => 16,
        "TCPI_OPT_SYN_DATA" => 32,
        _ => return None,
    }))
}
