//! `TCP_INFO` by the kernel's names and in its units.
//!
//! Stands for: Linux 6.12 net/ipv4/tcp.c `tcp_get_info`. Differs: D1 where `TCP_MAXSEG` was set the path's MTU
//! is that of such segments.

use crate::sim::{Named, Time};
use crate::tcp::cc::{BbrInfo, Control};
use crate::tcp::sender::chrono::What;
use crate::tcp::sender::delivery_rate;
use crate::tcp::socket::{Socket, State};
use crate::tcp::tp::CaState;

/// Every field of `TCP_INFO`, kept here or not, in its order. src: linux@6.12 include/uapi/linux/tcp.h struct tcp_info
pub const FIELDS: [&str; 61] = [
    "tcpi_state",
    "tcpi_ca_state",
    "tcpi_retransmits",
    "tcpi_probes",
    "tcpi_backoff",
    "tcpi_options",
    "tcpi_snd_wscale",
    "tcpi_rcv_wscale",
    "tcpi_delivery_rate_app_limited",
    "tcpi_fastopen_client_fail",
    "tcpi_rto",
    "tcpi_ato",
    "tcpi_snd_mss",
    "tcpi_rcv_mss",
    "tcpi_unacked",
    "tcpi_sacked",
    "tcpi_lost",
    "tcpi_retrans",
    "tcpi_fackets",
    "tcpi_last_data_sent",
    "tcpi_last_ack_sent",
    "tcpi_last_data_recv",
    "tcpi_last_ack_recv",
    "tcpi_pmtu",
    "tcpi_rcv_ssthresh",
    "tcpi_rtt",
    "tcpi_rttvar",
    "tcpi_snd_ssthresh",
    "tcpi_snd_cwnd",
    "tcpi_advmss",
    "tcpi_reordering",
    "tcpi_rcv_rtt",
    "tcpi_rcv_space",
    "tcpi_total_retrans",
    "tcpi_pacing_rate",
    "tcpi_max_pacing_rate",
    "tcpi_bytes_acked",
    "tcpi_bytes_received",
    "tcpi_segs_out",
    "tcpi_segs_in",
    "tcpi_notsent_bytes",
    "tcpi_min_rtt",
    "tcpi_data_segs_in",
    "tcpi_data_segs_out",
    "tcpi_delivery_rate",
    "tcpi_busy_time",
    "tcpi_rwnd_limited",
    "tcpi_sndbuf_limited",
    "tcpi_delivered",
    "tcpi_delivered_ce",
    "tcpi_bytes_sent",
    "tcpi_bytes_retrans",
    "tcpi_dsack_dups",
    "tcpi_reord_seen",
    "tcpi_rcv_ooopack",
    "tcpi_snd_wnd",
    "tcpi_rcv_wnd",
    "tcpi_rehash",
    "tcpi_total_rto",
    "tcpi_total_rto_recoveries",
    "tcpi_total_rto_time",
];

impl Socket {
    /// All fields that are kept, in `TCP_INFO`'s order.
    pub fn tcp_info_kept(&self, now: Time) -> Named {
        FIELDS.iter().filter_map(|&f| Some((f, self.tcp_info(now, f)?))).collect()
    }
    /// `SO_MEMINFO`'s values that are kept, bytes but for `drops` (packets). src: linux@6.12 net/core/sock.c sk_get_meminfo
    pub fn meminfo(&self) -> Named {
        vec![
            ("rmem_alloc", self.rcv.rmem_alloc.into()),
            ("rcvbuf", self.rcv.rcvbuf.into()),
            ("wmem_alloc", self.tsq.wmem_alloc().into()),
            ("sndbuf", self.app.sndbuf.into()),
            ("wmem_queued", self.wmem_queued().into()),
            ("drops", self.stats.rcv_drops),
        ]
    }
    /// Bytes that the program has not read, and bytes that are not acknowledged. src: linux@6.12 net/ipv4/tcp_diag.c tcp_diag_get_info
    pub fn queued(&self) -> (u32, u32) {
        let unread = self.rcv.rcv_nxt.wrapping_sub(self.rcv.copied_seq) as i32;
        (unread.max(0) as u32, self.tp.write_seq.wrapping_sub(self.tp.snd_una))
    }
    /// The congestion control's name, and what it tells beside `TCP_INFO`, if that is BBR's.
    pub fn control(&self) -> (&'static str, Option<BbrInfo>) {
        (self.params.cc.name(), self.ca.bbr_info(&self.tp))
    }

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
                    | u64::from(self.tp.ecn.ok) << 3
                    | u64::from(self.tp.ecn.seen()) << 4
                    | u64::from(self.fast.as_ref().is_some_and(|f| f.data_acked)) << 5
            }
            "tcpi_options" if matches!(self.state, State::SynSent | State::Closed) => 0,
            "tcpi_fastopen_client_fail" => self.fast.as_ref().map_or(0, |f| f.fail as u64),
            // Nobody has agreed on it yet (wscale_ok).
            "tcpi_rcv_wscale" if !self.opened && matches!(self.state, State::SynSent | State::Closed) => 0,
            "tcpi_rcv_wscale" => self.rcv.wscale.into(),
            "tcpi_delivery_rate_app_limited" => tp.rate_app_limited.into(),
            "tcpi_rto" => c.jiffies_to_us(self.rtt.rto).into(),
            "tcpi_ato" => c.jiffies_to_us(self.ack_timeout()).into(),
            "tcpi_snd_mss" => tp.mss_cache.into(),
            "tcpi_rcv_mss" => self.rcv.rcv_mss.into(),
            "tcpi_unacked" if self.state == State::Closed => 0, // tcp_write_queue_purge
            "tcpi_unacked" => tp.packets_out.into(),
            "tcpi_sacked" => tp.sacked_out.into(),
            "tcpi_lost" => tp.lost_out.into(),
            "tcpi_retrans" => tp.retrans_out.into(),
            "tcpi_last_data_sent" => ms(tp.lsndtime),
            // "Not remembered, sorry." src: linux@6.12 include/uapi/linux/tcp.h; and no longer counted.
            "tcpi_last_ack_sent" | "tcpi_fackets" => 0,
            "tcpi_last_ack_recv" => ms(self.rto.heard as u32),
            "tcpi_last_data_recv" => ms(self.ack.lrcvtime),
            "tcpi_rcv_ssthresh" => self.rcv.ssthresh().into(),
            "tcpi_rtt" => (tp.srtt_us >> 3).into(),
            "tcpi_rttvar" => (self.rtt.mdev_us >> 2).into(),
            "tcpi_snd_ssthresh" => tp.snd_ssthresh.into(),
            "tcpi_snd_cwnd" => tp.snd_cwnd.into(),
            "tcpi_pmtu" => self.mtup.as_ref().map_or(self.mtu, |m| m.cookie).into(),
            "tcpi_advmss" => self.rcv.advmss.into(),
            "tcpi_busy_time" => us(self.chrono.busy(c.j32())),
            "tcpi_rwnd_limited" => us(self.chrono.spent(What::RwndLimited, c.j32())),
            "tcpi_sndbuf_limited" => us(self.chrono.spent(What::SndbufLimited, c.j32())),
            "tcpi_reordering" => tp.reordering.into(),
            "tcpi_rcv_rtt" => (self.rcv.rtt_us >> 3).into(),
            "tcpi_rcv_space" => self.rcv.space_seen().into(),
            "tcpi_total_retrans" => self.stats.retransmits,
            "tcpi_pacing_rate" => tp.pacing_rate,
            "tcpi_max_pacing_rate" => tp.max_pacing_rate,
            "tcpi_bytes_acked" => self.bytes_acked,
            "tcpi_bytes_received" => self.rcv.bytes_received,
            "tcpi_segs_out" => self.stats.data_segs_out + self.stats.bare_out,
            "tcpi_segs_in" => self.stats.segs_in,
            "tcpi_notsent_bytes" => tp.unsent().into(),
            "tcpi_min_rtt" => tp.min_rtt_us().into(),
            "tcpi_data_segs_in" => self.stats.data_segs_in,
            "tcpi_data_segs_out" => self.stats.data_segs_out,
            "tcpi_delivery_rate" => delivery_rate::estimate(tp),
            "tcpi_delivered" => tp.delivered.into(),
            "tcpi_delivered_ce" => tp.delivered_ce.into(),
            "tcpi_bytes_sent" => self.stats.bytes_sent,
            "tcpi_bytes_retrans" => self.stats.bytes_retrans,
            "tcpi_dsack_dups" => self.sb.dsack_dups,
            "tcpi_reord_seen" => self.rack.reord_seen.into(),
            "tcpi_rcv_ooopack" => self.stats.early_segs_in,
            "tcpi_snd_wnd" => tp.snd_wnd.into(),
            "tcpi_rcv_wnd" => self.rcv.rcv_wnd.into(),
            "tcpi_rehash" => self.stats.rehashes,
            "tcpi_total_rto" => self.stats.rtos,
            "tcpi_total_rto_recoveries" => self.stats.rto_recoveries,
            "tcpi_total_rto_time" => {
                self.rto.spent_ms + self.rto.since.map_or(0, |s| u64::from(c.now_ts().wrapping_sub(s)))
            }
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
