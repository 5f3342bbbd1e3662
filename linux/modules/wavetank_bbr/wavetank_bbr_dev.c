// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_bbr_dev: BBR-DEV, the patch set of March and April 2018 for Wi-Fi; the model's tcp/cc/bbr_dev.rs.
 *
 *   insmod wavetank_bbr_dev.ko [extra_acked_rtts=10] [drain_to_target=1]
 *   sysctl net.ipv4.tcp_congestion_control=bbr_dev
 *
 * Of the patch set Linux has the allowance for ACK aggregation from 5.1 on (over five to ten round trips instead of ten to twenty: a
 * parameter here). What remains is drain to target: a cycle has a length drawn anew, two to eight least RTTs; it probes, then drains for
 * as long as more than the path holds is in flight, then cruises until it is over.
 *
 * Stands for: Cardwell, Jha: "net-tcp_bbr" 1/6 to 6/6, 29 March to 2 April 2018 (bbr-dev list, 8pgyOyUavvY). The rest is the BBR of
 * the kernel that it is built for (take.py).
 * Differs, as the model's half:
 *   D1  what is in flight is counted at the next departure, as the kernel's BBR has counted it since 4.20.
 */
#include "variant.h"

RANGED(extra_acked_rtts, 10, 1, 31, "half of the window over which ACK aggregation is remembered, round trips; the kernel's is 5");
RANGED(drain_to_target, 1, 0, 1, "drain to target; 0 is the kernel's cycle");

#include "kernel_bbr_state.h"
#define bbr_extra_acked_win_rtts P(extra_acked_rtts)
/* Length of the cycle in least RTTs: four bits that the kernel does not use and clears (tcp_init_congestion_control). */
#define cycle_rtts unused_b
#include "kernel_bbr_code.h"

enum phase { UP, DOWN, CRUISE };

static void wavetank_gains(struct sock *sk)
{
}

static u64 wavetank_pace(u64 rate)
{
	return rate;
}

/* Can it send no more now: has the application no data, or the receiver no room? */
static bool cannot_send(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct sk_buff *next = tcp_send_head(sk);

	return !next || after(TCP_SKB_CB(next)->seq + min_t(u32, next->len, tp->mss_cache), tcp_wnd_end(tp));
}

static void wavetank_cycle(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbr *bbr = inet_csk_ca(sk);
	u32 elapsed_us, inflight;

	if (!P(drain_to_target)) {
		bbr_update_cycle_phase(sk, rs);
		return;
	}
	if (bbr->mode != BBR_PROBE_BW)
		return;
	elapsed_us = tcp_stamp_us_delta(tp->delivered_mstamp, bbr->cycle_mstamp);
	if (elapsed_us > bbr->cycle_rtts * bbr->min_rtt_us) {
		bbr->cycle_mstamp = tp->delivered_mstamp;
		bbr->cycle_rtts = CYCLE_LEN - get_random_u32_below(bbr_cycle_rand);
		bbr->cycle_idx = UP;
		return;
	}
	if (bbr->pacing_gain == BBR_UNIT)
		return;
	inflight = bbr_packets_in_net_at_edt(sk, rs->prior_in_flight);
	if (bbr->pacing_gain < BBR_UNIT) {
		if (inflight <= bbr_inflight(sk, bbr_max_bw(sk), BBR_UNIT))
			bbr->cycle_idx = CRUISE;
	} else if (elapsed_us > bbr->min_rtt_us &&
		   (rs->losses || rs->is_app_limited || cannot_send(sk) ||
		    inflight >= bbr_inflight(sk, bbr_max_bw(sk), bbr->pacing_gain))) {
		bbr->cycle_idx = DOWN;
	}
}

VARIANT("bbr_dev", "BBR-DEV: BBR with the patch set of 2018 for Wi-Fi");
