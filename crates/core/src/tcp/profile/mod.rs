//! Kernel profiles: tables of the documented differences between kernels that decide the results.
//!
//! Stands for: `net/ipv4/tcp*.c`, `net/core/sock.c` of 3.10, 3.18, 4.14, 4.19, 5.4, 5.10, 5.15, 6.1, 6.6 and 6.12, each difference with its commit. Where no
//! field says otherwise, every profile behaves as 6.12.
//! Differs: D1 a connection knows nothing of those before it to the same host (`tcp_metrics`: FACK off, a degree of reordering), and the degree of
//! reordering is bounded by 300 in every kernel (127 before 3.19). D2 an `fq` paces
//! by departure times and payload in every profile (from 4.20; before, by what its packets weigh on the wire); D3 of stable releases four are told apart,
//! "5.10.262", "5.15.148", "6.1.192" and "6.6.129": else a profile has what its papers' kernels had (4.14.14; 4.19 of before autumn 2019; 5.4 and 5.10 of 2020 to 2021), "6.12" is Debian's
//! 6.12.117. D4 the undo of 3.10 and of 3.18 is 4.14's but for what `recovery/undo.rs` says, and
//! F-RTO, too, but for what begins it. D5 a SACK-less sender loses as 6.12's does. D6 "3.10" and "3.18" have no prequeue (gone with 4.14): a reader
//! that waits took packets itself there, with an ACK for every two as here, but when it ran; and they count round trips in microseconds. D7 until 5.11 a sender whose skbs below it take more than its send buffer
//! retransmits nothing (`__tcp_retransmit_skb`), here it does. D8 a receiver
//! whom the same data reach three times draws no other hash in any profile (`tcp_rcv_spurious_retrans`, from 5.10 on; IPv6 alone in 6.12). D9 no profile echoes the timestamp of a segment whose ACK is older than others: 6.1.192 and
//! 6.12.117 do (`tcp_ack`, `old_ack`, of 2026), 6.6.129 and 6.18 do not.

mod kernels;
mod rules;

pub use kernels::{V3_10, V3_18, V4_14, V4_19, V5_4, V5_10, V5_10_262, V5_15_148, V6_1_192, V6_6_129, V6_12};
pub use rules::{
    DctcpMarks, DelayedAcks, Detection, Exempt, FirstSpace, Growth, HystartRounds, Limits, Lowat, ProbeRule, Prr,
    Prune, RcvRtt, RightSizing, SetsAside, ShutEnds, TsoDefer, Unstamped,
};

/// One kernel.
#[derive(Debug)]
pub struct Profile {
    /// Name in scenarios: the version.
    pub name: &'static str,
    /// Default of `tcp_limit_output_bytes`. 1 MiB from 5.0 (c73e5807e4f6).
    pub limit_output_bytes: u32,
    /// Paced sockets are free of `tcp_limit_output_bytes`: from 5.0 (c73e5807e4f6).
    pub paced_unlimited: bool,
    /// `tcp_limit_output_bytes` is the least that may wait, not the most: before 3.19 (605ad7f184b6).
    pub limit_is_least: bool,
    /// Who passes TSQ.
    pub exempt: Exempt,
    /// The pacing rate is twice the rate, whatever the window does: until 4.3 (43e122b014c9 made it `tcp_pacing_ss_ratio` and `_ca_ratio`).
    pub paces_double: bool,
    /// TCP builds GSO skbs whatever the device says: from 4.17 (0a6b2a1dc2a2).
    pub gso_always: bool,
    /// GSO skbs carry PSH: from 5.4 (051ba67447de).
    pub gso_push: bool,
    /// A socket draws another hash for its packets with every RTO (`sk_rethink_txhash`): from 4.9 (3acf3ec3f4b0).
    pub rehashes: bool,
    /// A connection's timestamps have a random offset: from 4.10 (95a22caee396). Of what is here TCP-LP alone sees it.
    pub timestamps_offset: bool,
    /// Short segments whose payload lies in pages are sent again as one (`tcp_collapse_retrans`): from 4.10 (f8071cde7867).
    pub collapses: bool,
    /// The first skb in line is filled up from the next one before it goes (`tcp_grow_skb`): from 6.10.
    pub skb_grows: bool,
    /// A GSO skb takes half of the window at most: from 3.19 (d649a7a81f3b).
    pub half_window_skbs: bool,
    /// How long a GSO skb gets is decided where it is written, by the pacing rate then: until 3.18 (605ad7f184b6).
    pub sized_when_written: bool,
    /// When a small GSO skb waits.
    pub tso_defer: TsoDefer,
    /// GSO skbs grow as the RTT shrinks: from 5.18 (65466904b015).
    pub tso_rtt_log: Option<u32>,
    /// `MAX_TCP_HEADER` is of whole cache lines: from 5.7, and in stable kernels of April 2020 (9bacd256f135).
    pub header_lines: bool,
    /// Heads that hold headers only have a cache of their own size: from 6.3 (bf9f1baa279f); power of two before.
    pub small_head_cache: bool,
    /// How memory is set aside for a socket.
    pub sets_aside: SetsAside,
    /// HyStart counts in microseconds, knows pacing and checks the ACK train to half the delay: from 5.6 (cff04e2da308).
    pub hystart_us: bool,
    /// Where HyStart's rounds end.
    pub hystart_rounds: HystartRounds,
    /// HyStart's delay detector takes the minimum of all samples of a round: from 5.8 and stable of mid 2020 (b344579ca847).
    pub hystart_min_all: bool,
    /// HyStart's delay detector takes this part of the least delay for a rise: an eighth, 1 << 3, from 3.19 (42eef7a0bb09).
    pub hystart_delay_shift: u32,
    /// An ACK train waits for the time of a GSO skb: from 5.6 (42f3a8aaae66).
    pub hystart_ack_delay: bool,
    /// When a window limits.
    pub limits: Limits,
    /// It is asked where nothing could be sent, too, and that a window limits counts whenever it is seen: from 5.11 and stable of January 2021
    /// (299bcb55ecd1).
    pub limits_unsent: bool,
    /// Of what an ACK acknowledges the segment that was sent last makes the rate sample: from 5.18 (b253a0680cea); before, of those that were
    /// sent after the latest ACK the first.
    pub rate_by_newest: bool,
    /// Room in the send buffer is looked for after each skb that is sent: from 5.18 (4bfe744ff164); before, after ACKs only.
    pub checks_space_on_send: bool,
    /// PRR.
    pub prr: Prr,
    /// How loss is found.
    pub detection: Detection,
    /// FACK takes for lost what is out for longer than the timeout: until 3.11 ("tcp: remove bad timeout logic in fast recovery").
    pub head_times_out: bool,
    /// After a timeout an ACK of what was never sent again undoes it, whatever F-RTO says: until 4.15 (fc68e171d376).
    pub orig_ack_undoes: bool,
    /// What an ACK says of a recovery that has sent nothing again yet.
    pub unstamped: Unstamped,
    /// A tail loss probe that is out counts among what an undo waits for: from 6.10 (0ec986ed7bab).
    pub undo_counts_probe: bool,
    /// A DSACK counts as one segment, and is believed however many came: until 5.9 (e3a5a1e8b6548, a71d77e6be1e).
    pub dsack_is_one: bool,
    /// An skb that was sent again and that a DSACK covers is one that an undo waits for no more, however many segments it has: until
    /// 4f884f396276, 5.15 and stable.
    pub undo_counts_skbs: bool,
    /// Any DSACK widens RACK's window: until 5.14 (a657db0350bb, 63f367d9de77).
    pub rack_any_dsack: bool,
    /// A retransmission that waits for its original to leave this host goes when that has left: from 5.13 (f4dae54e486d); before, with the
    /// next ACK or timer.
    pub busy_wakes: bool,
    /// Where the last of what is out is SACKed, nothing new becomes the segment after it: what is SACKed later passes for reordered until
    /// no SACKs are left, and without SACK all that is out lies below it (`tcp_advance_highest_sack`; from 4.15's queue of its own on,
    /// until 853697504de0 of 5.5, in 5.4's stable releases).
    pub highest_sack_forgets: bool,
    /// Of a duplicate below what is acknowledged the next block is taken for one (`first_sack_index` of `tcp_sacktag_write_queue`): in
    /// 4.19.48, not in 5.4.59.
    pub old_dsack_passes_on: bool,
    /// What is found lost while nothing was in mind to go again is, whatever has gone again already (`tcp_verify_retransmit_hint`): in
    /// 4.19.48, not in 5.4.59.
    pub hint_from_none: bool,
    /// Without SACK an undone timeout's state waits for something above what was out (`tcp_try_undo_loss`, of 2022; so in stable releases).
    pub loss_undo_waits: bool,
    /// A timeout at a window that the peer closed over what is out counts for the backoff: in 6.12, not in 6.6 (`tcp_retransmit_timer`).
    pub shut_counts_backoff: bool,
    /// When such timeouts end the connection.
    pub shut_ends: ShutEnds,
    /// A probe of a window goes no later than the program waits (`TCP_USER_TIMEOUT`): 344db93ae3ee, 5.11 and stable.
    pub clamps_probes: bool,
    /// Where that is over already it does not count (`remaining` is unsigned in `tcp_clamp_probe0_to_user_timeout`): in 5.15.148, 6.1.192 and
    /// 6.6.129, not in 6.12.117 (5.10.262 was not read).
    pub probe_clamp_wraps: bool,
    /// A window is probed for as long as the program waits by what the timeouts of so many probes come to, that before the first among them:
    /// 9721e709fa68 (5.1) to 344db93ae3ee (5.11 and stable; `tcp_probe_timer`).
    pub probes_by_model: bool,
    /// A window is probed once more than the host allows, before 3976535af0cb (5.0; `tcp_probe_timer`).
    pub probes_once_more: bool,
    /// MTU of the device that stands for a dead route's, bytes: loopback's, as much as a packet may have, from 8d7017fd621d (5.3) on
    /// `blackhole_netdev`'s (`dst_dev_put`).
    pub no_device_mtu: u32,
    /// A black hole's segments have the least size of any, from c04b79b6cfd7 (5.4) on; before, 68 bytes less TCP's header (`tcp_mtu_probing`).
    pub mtu_probe_floor: bool,
    /// A round trip by an echo within one millisecond is 0 (`tcp_ack_update_rtt`): in 4.19.48, not in 5.4.59.
    pub echo_rtt_zero: bool,
    /// What goes again stays within the peer's window, and is cut for it: from 5.15 and in 5.10.262 (`__tcp_retransmit_skb`); before, that it
    /// begins there is enough.
    pub retransmits_within_window: bool,
    /// An ACK with SACK blocks looks at the route (tcp_input.c `tcp_sacktag_write_queue`, `mss_now`): 4.19 so, 4.14 not.
    pub sacks_look_at_route: bool,
    /// An undo within a recovery ends what an ACK does: until 5.14 (a29cb6914681), after which other losses are looked for at once.
    pub undo_ends: bool,
    /// One by DSACK within a recovery leaves it as an ACK in Open or Disorder would, so that marks begin a reduction
    /// and a stamp of what is not sent again any more goes (`tcp_fastretrans_alert`, `tcp_try_to_open`): in 5.10.262,
    /// 6.1.192 and 6.12.117; in 5.15.148 `tcp_try_keep_open` alone.
    pub undo_opens: bool,
    /// When a tail loss probe is armed.
    pub probe_rule: ProbeRule,
    /// A probe that finds new data sends no old, whether the peer's window lets the new go or not, and the RTO counts from it: in 3.18, and no more
    /// in 4.9.
    pub probe_news_only: bool,
    /// What a call to write leaves short waits while other skbs are below (`tcp_autocorking`): from 3.14 (f54b311142a9).
    pub autocorks: bool,
    /// One probe a flight, be it new data; until 5.8 and stable of mid 2020 only a retransmission counted (76be93fc0702).
    pub probe_once: bool,
    /// Only a DSACK of the probe itself shows that it was not needed: from 5.15 (63f367d9de77).
    pub probe_dsack: bool,
    /// An ACK sets the transmit timer before it looks for losses: until 5.10, and in stable kernels until February 2021 (62d9f1a6945b).
    pub timer_first: bool,
    /// A retransmission or window probe that the own queue drops is tried again half a second later, and counts: from 5.1 (590d2026d624,
    /// c1d5674f8313); after the RTO before, where that is less.
    pub congested_waits: bool,
    /// Of several SYNs that the answer shows to have been sent too early none counts as lost: from 5.2 (7c1f08154c4e).
    pub undoes_syn: bool,
    /// `TCP_TIMEOUT_MIN` of TLP and RACK in microseconds, not jiffies: from 6.6 (1c2709cfff1d).
    pub timeout_min_us: bool,
    /// ACKs of out-of-order data are compressed: from 4.18 (5d9f4262b7ea).
    pub ack_compression: bool,
    /// One that tells of more than two blocks is not: from 5.8 (2b195850128f); before, where a fifth block pushes one out.
    pub blocks_flush: bool,
    /// The delayed ACK's timer sends a compressed one, and one whose own timer finds the socket in use leaves when that is over
    /// (`tcp_delack_timer_handler`): in 6.1.192; not in 5.10.262 and 5.15.148, where it leaves with the next one.
    pub delack_uncompresses: bool,
    /// A duplicate that what comes in order covers is told of to the end of that, and no other (`tcp_ofo_queue`): in 5.15.148 and all before;
    /// not in 5.10.262 and from 6.1.192 on, where it ends where it went.
    pub dsack_far: bool,
    /// How much later than due a compressed ACK may leave, us (`tcp_comp_sack_slack_ns`): from 5.8 (a70437cc09a1).
    pub comp_sack_slack_us: u32,
    /// CWR on an ACK without data is heard (`tcp_ecn_accept_cwr`): in 5.4.59, not in 4.19.48.
    pub hears_cwr_on_acks: bool,
    /// An undo stops this end's echoes of marks, not its CWR: until 5.3 ("tcp: fix tcp_ecn_withdraw_cwr() to clear TCP_ECN_QUEUE_CWR").
    pub undo_stops_echo: bool,
    /// How DCTCP knows what part was marked.
    pub dctcp: DctcpMarks,
    /// The window grows with what comes early where the peer takes no SACKs, so that its ACKs are no duplicates (`tcp_data_queue_ofo`):
    /// in 4.19.48, not in 5.4.59.
    pub early_grows_without_sack: bool,
    /// The window of a receive buffer follows the measured payload share: from 6.6 (dfa2f0483360).
    pub scaling_ratio: bool,
    /// A new payload share moves how far the window may open with the bound it gives: in 6.6.129 `tcp_measure_rcv_mss` calls
    /// `tcp_set_window_clamp`, in 6.12.117 it sets the bound alone.
    pub share_moves_threshold: bool,
    /// What a reader's `SO_RCVLOWAT` does.
    pub lowat: Lowat,
    /// Which of what came early is given up.
    pub prune: Prune,
    /// The first window is not bounded by 65535: from 6.10 and stable of mid 2024 (378979e94e95).
    pub big_first_window: bool,
    /// `tcp_syn_linear_timeouts`: so many timeouts of a SYN do not double: from 6.5 (ccce324dabfe).
    pub syn_linear_timeouts: u32,
    /// `tcp_rmem[1]`: 128 KiB from 4.20 (a337531b942b).
    pub rmem_default: u32,
    /// Until 4.19 a first window is twice TCP_INIT_CWND, and the buffer that a connection begins with has room for eight times as many skbs
    /// (`tcp_default_init_rwnd`, `tcp_fixup_rcvbuf`); a337531b942b, 4.20, has 64 KiB and no such buffer.
    pub first_window_segs: Option<u32>,
    /// The receive buffer grows once more is read in a round trip.
    pub first_space: FirstSpace,
    /// A server's buffers have their sizes before the timestamps' room leaves its segments (`tcp_rcv_state_process`): in 5.15.148 and all
    /// before; not in 5.10.262 and from 6.1.192 on.
    pub buffers_before_stamps: bool,
    /// A segment that comes early tells of the peer's segment size (`tcp_data_queue_ofo`): in 6.6.129, not in 6.1.192.
    pub early_tells_mss: bool,
    /// A window of 0 is believed of a segment that is no newer (`tcp_may_update_window`): from 6.6 (800a666141de).
    pub believes_zero_window: bool,
    /// Data that header prediction takes and that acknowledge nothing are the latest to tell of a window (18ded910b589, 5.10).
    pub predicted_moves_wl: bool,
    /// An ACK older than others may pass header prediction (`tcp_rcv_established`): not in 6.1.192 and 6.12.117; in 6.6.129 and all before.
    pub predicts_old_acks: bool,
    /// A FIN waits for no congestion window: until 6.6 (`tcp_cwnd_test`).
    pub fin_passes_cwnd: bool,
    /// A server's window is set behind the start of its control (`tcp_rcv_state_process`: `tcp_init_congestion_control`, `tcp_init_metrics`):
    /// in 4.14, not in 4.19.
    pub server_window_last: bool,
    /// A filled hole and a CWR have their ACK at once (`ICSK_ACK_NOW`): from 4.19 (466466dc6cb8, 9aee40006190). Before, a filled hole ended
    /// pingpong mode, and CWR was nothing.
    pub acks_at_once: bool,
    /// What ends with a FIN waits to grow, too, where a window is what holds it back (`tcp_tso_should_defer`): not in 4.14; in 4.19.
    pub fin_defers: bool,
    /// A step of the receiver's window may end above the buffer's free space (`tcp_grow_window`): in 4.14.67, not in 4.19.48.
    pub grows_past_space: bool,
    /// A round trip that a delayed ACK may have made longer is no least one (`FLAG_ACK_MAYBE_DELAYED`): not in 4.14; in 4.19.
    pub knows_delayed_acks: bool,
    /// What ends a connection before its time forgets how far timeouts had backed off (`tcp_write_queue_purge`): 04c03114be82, in 4.19.48,
    /// not in 4.14.67.
    pub end_clears_backoff: bool,
    /// What went again unmarked, and is found lost, is not out any more (`tcp_mark_skb_lost`): in 4.14 to 5.4; in 5.10 not.
    pub lost_is_not_out: bool,
    /// NV's window after a loss, in 1/1024 (net/ipv4/tcp_nv.c `nv_loss_dec_factor`): 512 in 4.14, 819 in 4.19.
    pub nv_loss_dec: u32,
    /// The degree of reordering never sinks, nor counts in bytes (`tcp_update_reordering`): in 4.14, not in 4.19.
    pub reordering_grows: bool,
    /// How the receive buffer grows.
    pub right_sizing: RightSizing,
    /// Which round trips a receiver takes.
    pub rcv_rtt: RcvRtt,
    /// A timestamp that is echoed once more is a round trip once more: until 4.19 (`rcv_rtt_last_tsecr`).
    pub rcv_rtt_each: bool,
    /// Only ACKs of new data count as quick ACKs, one each: from 6.6 (059217c18be6). Every packet that acknowledged did before, a GSO skb with
    /// all its segments.
    pub quick_counts_data: bool,
    /// Quick ACKs after a CE mark: 2 from 4.19 and stable of mid 2018 (9a9c9b51e546).
    pub quick_after_ce: u32,
    /// Each segment that comes early begins 16 quick ACKs: until 4.17 (a3893637e1eb).
    pub quick_after_early: bool,
    /// How long an ACK is delayed.
    pub delayed_acks: DelayedAcks,
    /// Two segments are acknowledged at once where the reader has taken everything, whatever the window does: from 4.18 (796f82eafcd9).
    pub acks_below_lowat: bool,
    /// Data that find no memory are told of by a window of 0, at once: from 6.6 (e2142825c120).
    pub tells_no_memory: bool,
    /// A FIN without data is taken though the window is shut: in 6.12, not in 6.6 (`tcp_data_queue`).
    pub takes_fin_at_zero_window: bool,
    /// A full segment with PSH makes the reader acknowledge at once: from 6.6, and in stable kernels (4720852ed9af).
    pub push_acks_mss: bool,
    /// What waits for a socket that a program owns is merged: from 5.0 (4f693b55c3d2).
    pub coalesces_backlog: bool,
    /// An ACK that what waited there asks for at once leaves as the program lets go: in 6.6.129, and not in 6.1.192 (133c4c0d3717,
    /// `__tcp_ack_snd_check`, `sysctl_tcp_backlog_ack_defer`).
    pub defers_acks: bool,
    /// Replies needed for pingpong mode, 3 from 5.1 (4a41f453bedf) to 5.19 (4d8f24eeedc5), where the first data alone after received data count
    /// (`tcp_event_data_sent`); else 1.
    pub pingpong_threshold: u8,
    /// A control is told of an ACK before what it acknowledges leaves the queue, and a duplicate is told as one that took the slow path:
    /// until 2025 (`tcp_in_ack_event`; 6.15, and 6.12.y and 5.10.y of that year).
    pub in_ack_first: bool,
    /// An acknowledged SYN-ACK counts as delivered, and a SYN with data once, not twice (`tcp_rcv_state_process`, `tcp_rcv_fastopen_synack`: 4.14
    /// otherwise, 4.19 so).
    pub handshake_delivers: bool,
    /// What an ACK older than others SACKs counts as delivered: until 5.8 (`tcp_sacktag_one`, `sack_delivered`).
    pub old_acks_deliver: bool,
    /// A segment whose ACK is older than others is taken in a closing connection, too: in 6.1.192 and 6.12.117 ("tcp: accept old ack during
    /// closing"). From 4.14 to 6.6.129 it is challenged and thrown away (`tcp_rcv_state_process`).
    pub old_acks_close: bool,
    /// Whether a control is told what an ACK acknowledges.
    pub growth: Growth,
    /// BIC, Scalable, Veno and YeAH count all that an ACK acknowledges: from 5.7 ("tcp: fix stretch ACK bugs in ...", four patches).
    pub stretch_acks: bool,
    /// BBR's window has two segments more only in the phase that probes: from 5.4 (6b3656a60f20).
    pub bbr_probe_budget: bool,
    /// BBR as it first was (tcp_bbr.c of 4.14; 4.19 is otherwise): an RTT of a delayed ACK counts, ProbeRtt ends with an ACK alone and gives back
    /// its window with the next that delivers, an ACK that delivers nothing leaves the window alone, whatever caps it, its beginning
    /// and Startup's end leave `snd_ssthresh` where it is, and the budget's skbs are no larger than the card's.
    pub bbr_first: bool,
    /// BBR's first round trip is of what is sent once it began: from 5.14 and stable of August 2021 (6de035fec045); before, the first ACK with a rate
    /// ended one, which tells where a connection that sends already changes to BBR.
    pub bbr_round_from_start: bool,
    /// BBR's window allows for ACK aggregation: from 5.1 (78dc70ebaa38; stable 4.19 has it too, from 4.19.148).
    pub bbr_extra_acked: bool,
    /// BBR takes an RTT that equals the least for a new least, which puts ProbeRtt off: until 5.10, and in stable kernels until December 2020
    /// (1b9e2a8c99a5; the papers' 4.19 and 5.4 are taken to be without it).
    pub bbr_equal_rtt: bool,
    /// BBR's rate is of whole IP packets where the socket's own timer paces, too, not under `fq` alone: until 4.17 (cadefe5f584a). From 4.20 it
    /// is of the payload, less 1 %.
    pub bbr_gross_by_timer: bool,
    /// NV reckons with what was in flight when an skb was sent: until 5.15 (40bc6063796e); from then on with what was delivered since.
    pub flight_at_send: bool,
    /// Packets have departure times, and BBR counts what is in flight when the next departs: from 4.20 (ab408b6dc744, a87c83d5ee25). From then on
    /// BBR's gains are its mode's at the end of every ACK, too; before, what a change of mode gave it.
    pub edt: bool,
}

impl Profile {
    /// Every profile, oldest first.
    pub const ALL: [&'static Profile; 11] =
        [&V3_10, &V3_18, &V4_14, &V4_19, &V5_4, &V5_10, &V5_10_262, &V5_15_148, &V6_1_192, &V6_6_129, &V6_12];
    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static Profile> {
        Profile::ALL.into_iter().find(|p| p.name == name)
    }
}
