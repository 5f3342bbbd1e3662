// SPDX-License-Identifier: GPL-2.0
/*
 * wavetank_bbr_plus: BBR with every gain a parameter and its pacing rate as a part of what BBR asks for; the model's tcp/cc/bbr_plus.rs.
 *
 *   insmod wavetank_bbr_plus.ko [pace=200] [probe_gain=640] ...
 *   sysctl net.ipv4.tcp_congestion_control=bbr_plus
 *
 *   pacing rate = pace / 100 * gain * bandwidth; gains in 1/256. With its defaults it is BBR.
 *
 * Stands for: the patch of Hard Times (section VI-E). The rest is the BBR of the kernel that it is built for (take.py).
 * Differs, as the model's half:
 *   D1  pace multiplies the rate in every phase; BBR's decisions see the gain alone.
 *   D2  the gain of the six phases that neither probe nor drain stays 1.
 *   D3  gains have ten bits: 1023 is the most, where the model takes 2047.
 */
#include "variant.h"

RANGED(pace, 100, 1, 1000, "percent of BBR's pacing rate that is paced");
RANGED(startup_gain, 739, 257, MAX_GAIN, "pacing gain of STARTUP, in 1/256");
RANGED(startup_cwnd_gain, 739, 257, MAX_GAIN, "window's gain in STARTUP and DRAIN, in 1/256");
RANGED(drain_gain, 88, 1, 256, "pacing gain of DRAIN, in 1/256");
RANGED(cwnd_gain, 512, 256, MAX_GAIN, "window's gain in PROBE_BW, in 1/256");
RANGED(probe_gain, 320, 257, MAX_GAIN, "pacing gain of the phase that probes, in 1/256");
RANGED(drain_phase_gain, 192, 1, 255, "pacing gain of the phase that drains, in 1/256");

#include "kernel_bbr_state.h"
/* The first pacing rate, too, is of STARTUP's gain. */
#define bbr_high_gain ((int)P(startup_gain))
#include "kernel_bbr_code.h"

static void wavetank_gains(struct sock *sk)
{
	struct bbr *bbr = inet_csk_ca(sk);

	switch (bbr->mode) {
	case BBR_STARTUP:
		bbr->pacing_gain = P(startup_gain);
		bbr->cwnd_gain = P(startup_cwnd_gain);
		break;
	case BBR_DRAIN:
		bbr->pacing_gain = P(drain_gain);
		bbr->cwnd_gain = P(startup_cwnd_gain);
		break;
	case BBR_PROBE_BW:
		bbr->cwnd_gain = P(cwnd_gain);
		if (!bbr->lt_use_bw && bbr->cycle_idx < 2)
			bbr->pacing_gain = bbr->cycle_idx == 0 ? P(probe_gain) : P(drain_phase_gain);
		break;
	}
}

static u64 wavetank_pace(u64 rate)
{
	u32 percent = P(pace);

	return percent == 100 ? rate : max_t(u64, div_u64(rate * percent, 100), 1);
}

static void wavetank_cycle(struct sock *sk, const struct rate_sample *rs)
{
	bbr_update_cycle_phase(sk, rs);
}

VARIANT("bbr_plus", "BBR with every gain a parameter");
