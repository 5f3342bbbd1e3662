// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_bbrp: BBRp, the congestion control of the model's tcp/cc/bbrp.rs, for real kernels.
 *
 *   insmod wavetank_bbrp.ko [bbrp_pace=6]
 *   sysctl net.ipv4.tcp_congestion_control=bbrp
 *   echo 5 > /sys/module/wavetank_bbrp/parameters/bbrp_pace      BBR
 *
 *   pacing_gain = [bbrp_pace / 4, 3/4, 1, 1, 1, 1, 1, 1]
 *   while the phase's gain is above 1:  cwnd = bw * min_rtt * cwnd_gain * pacing_gain
 *
 * Stands for: BBRp (IEEE Access 2020), Algorithm 1. The rest is the BBR of the kernel that it is built for (take.py).
 * Differs, as the model's half:
 *   D1  the paper's window of the probing phase is bw * min_rtt * pacing_gain, less than BBR's; here the gain multiplies BBR's window.
 *   D2  for bbrp_pace up to 5 the window is BBR's.
 *   D3  it has the allowance for ACK aggregation of every kernel from 5.1 on, which the paper's 4.19 had not.
 *   D4  gains have ten bits: no window's gain beyond 1023/256.
 */
#include "variant.h"

/* The bbrp_pace that is BBR. */
#define BBR_PACE 5

RANGED(bbrp_pace, 6, 4, 15, "gain of the first phase of PROBE_BW, in quarters; 5 is BBR");

#include "kernel_bbr_state.h"
#include "kernel_bbr_code.h"

static void wavetank_gains(struct sock *sk)
{
	struct bbr *bbr = inet_csk_ca(sk);
	u32 pace = P(bbrp_pace);

	if (bbr->mode != BBR_PROBE_BW || bbr->lt_use_bw || bbr->cycle_idx != 0)
		return;
	bbr->pacing_gain = BBR_UNIT * pace / 4;
	if (pace > BBR_PACE)
		bbr->cwnd_gain = min_t(u32, bbr_cwnd_gain * pace / 4, MAX_GAIN);
}

static u64 wavetank_pace(u64 rate)
{
	return rate;
}

static void wavetank_cycle(struct sock *sk, const struct rate_sample *rs)
{
	bbr_update_cycle_phase(sk, rs);
}

VARIANT("bbrp", "BBRp: BBR that probes an aggregating link");
