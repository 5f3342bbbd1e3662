// SPDX-License-Identifier: GPL-2.0
/*
 * BBRp as a BPF program: BBR that probes for bandwidth at a rate, and with a window, that an aggregating link needs.
 *
 *   pacing_gain = [bbrp_pace / 4, 3/4, 1, 1, 1, 1, 1, 1]
 *   while the phase's gain is above 1:  cwnd = bw * min_rtt * cwnd_gain * pacing_gain
 *
 * Stands for: BBRp (IEEE Access 2020), Algorithm 1 and section IV; the model's tcp/cc/bbrp.rs. The rest: bbr.bpf.h.
 * Differs: D1 as the model's, the gain multiplies BBR's window, where the paper prints a window without BBR's own gain. D2 as the model's,
 * up to a pace of 5 the window is BBR's. D3 it has the allowance for ACK aggregation, as every kernel that can load it; the paper's had not.
 */
#ifndef SET_BBRP_PACE
#define SET_BBRP_PACE 6 /* 4 to 40: gain of the first phase of ProbeBW, in quarters; 5 is BBR */
#endif

#define PROBE_GAIN (UNIT * SET_BBRP_PACE / 4)
#define PROBE_CWND_GAIN (SET_BBRP_PACE > 5 ? CWND_GAIN * SET_BBRP_PACE / 4 : CWND_GAIN)

#include "bbr.bpf.h"

CONTROL(bbrp);
