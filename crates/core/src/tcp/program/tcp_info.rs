//! `TCP_INFO` by the kernel's names and in its units.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_get_info`. Differs: D1 the path's MTU has a value only where a route was given.

use crate::sim::Time;
use crate::tcp::sender::chrono::What;
use crate::tcp::sender::delivery_rate;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

impl Socket {
    /// The field's value; none: the model does not keep it, or there is no such field.
    pub fn tcp_info(&self, now: Time, field: &str) -> Option<u64> {
        let (tp, mut c) = (&self.tp, self.tp.clock);
        c.set(now);
        let ms = |since: u32| u64::from(c.jiffies_to_us(c.j32().wrapping_sub(since)) / 1_000);
        let us = |j: u32| u64::from(c.jiffies_to_us(j));
        let v = match field {
            "tcpi_state" => u64::from(state(self.state)),
            "tcpi_ca_state" => tp.ca_state as u64,
            "tcpi_retransmits" => self.rto.retransmits.into(),
            "tcpi_probes" => self.rto.probes.into(),
            "tcpi_backoff" => self.rtt.backoff.into(),
            // What was agreed on stays when the connection has ended.
            "tcpi_options" if self.opened => {
                let o = &self.opts;
                u64::from(o.timestamps)
                    | u64::from(o.sack) << 1
                    | u64::from(o.window_scaling) << 2
                    | u64::from(self.ecn.ok) << 3
                    | u64::from(self.ecn.seen()) << 4
                    | u64::from(self.fast.as_ref().is_some_and(|f| f.data_acked)) << 5
            }
            "tcpi_options" if matches!(self.state, State::SynSent | State::Closed) => 0,
            "tcpi_fastopen_client_fail" => self.fast.as_ref().map_or(0, |f| f.fail as u64),
            "tcpi_rcv_wscale" => self.rcv.wscale.into(),
            "tcpi_delivery_rate_app_limited" => tp.rate_app_limited.into(),
            "tcpi_rto" => c.jiffies_to_us(self.rtt.rto).into(),
            "tcpi_ato" => c.jiffies_to_us(self.ack_timeout()).into(),
            "tcpi_snd_mss" => tp.mss_cache.into(),
            "tcpi_rcv_mss" => self.rcv.rcv_mss.into(),
            "tcpi_unacked" => tp.packets_out.into(),
            "tcpi_sacked" => tp.sacked_out.into(),
            "tcpi_lost" => tp.lost_out.into(),
            "tcpi_retrans" => tp.retrans_out.into(),
            "tcpi_last_data_sent" => ms(tp.lsndtime),
            "tcpi_last_data_recv" => ms(self.ack.lrcvtime),
            "tcpi_rcv_ssthresh" => self.rcv.ssthresh().into(),
            "tcpi_rtt" => (tp.srtt_us >> 3).into(),
            "tcpi_rttvar" => (self.rtt.mdev_us >> 2).into(),
            "tcpi_snd_ssthresh" => tp.snd_ssthresh.into(),
            "tcpi_snd_cwnd" => tp.snd_cwnd.into(),
            "tcpi_pmtu" => self.mtup.as_ref()?.cookie.into(),
            "tcpi_advmss" => self.rcv.advmss.into(),
            "tcpi_busy_time" => us(self.chrono.busy(c.j32())),
            "tcpi_rwnd_limited" => us(self.chrono.spent(What::RwndLimited, c.j32())),
            "tcpi_sndbuf_limited" => us(self.chrono.spent(What::SndbufLimited, c.j32())),
            "tcpi_reordering" => tp.reordering.into(),
            "tcpi_rcv_rtt" => (self.rcv.rtt_us >> 3).into(),
            "tcpi_total_retrans" => self.stats.retransmits,
            "tcpi_pacing_rate" => tp.pacing_rate,
            "tcpi_bytes_acked" => self.bytes_acked,
            "tcpi_bytes_received" => self.rcv.bytes_received,
            "tcpi_notsent_bytes" => tp.unsent().into(),
            "tcpi_min_rtt" => tp.min_rtt_us().into(),
            "tcpi_data_segs_out" => self.stats.data_segs_out,
            "tcpi_delivery_rate" => delivery_rate::estimate(tp),
            "tcpi_delivered" => tp.delivered.into(),
            "tcpi_delivered_ce" => tp.delivered_ce.into(),
            "tcpi_dsack_dups" => self.sb.dsack_dups,
            "tcpi_reord_seen" => self.rack.reord_seen.into(),
            "tcpi_snd_wnd" => tp.snd_wnd.into(),
            "tcpi_rcv_wnd" => self.rcv.rcv_wnd.into(),
            "tcpi_total_rto" => self.stats.rtos,
            _ => return None,
        };
        Some(v)
    }
}

/// The numbers of the states. src: linux@6.12 include/net/tcp_states.h
const fn state(s: State) -> u8 {
    match s {
        State::Established => 1,
        State::SynSent => 2,
        State::SynRecv => 3,
        State::FinWait1 => 4,
        State::FinWait2 => 5,
        State::Closed => 7,
        State::CloseWait => 8,
        State::LastAck => 9,
        State::Listen => 10,
        State::Closing => 11,
    }
}

const _: () = assert!(CaState::Loss as u8 == 4);
