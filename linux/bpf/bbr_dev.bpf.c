// SPDX-License-Identifier: GPL-2.0
/*
 * BBR-DEV as a BPF program: BBR with the patch set of March and April 2018 for Wi-Fi.
 *
 * Of it Linux has the allowance for ACK aggregation from 5.1 on, over five to ten round trips instead of ten to twenty. What remains is
 * drain to target: a cycle has a length drawn anew, two to eight least RTTs; it probes, then drains for as long as more than the path
 * holds is in flight, then cruises until it is over.
 *
 * Stands for: Cardwell, Jha: "net-tcp_bbr" 1/6 to 6/6, 29 March to 2 April 2018; the model's tcp/cc/bbr_dev.rs. The rest: bbr.bpf.h.
 * Differs: D1 as the model's, what is in flight is counted at the next departure, as BBR has counted it since 4.20. D2 whether the receiver's
 * window has room is asked of the next full segment, not of the next skb's.
 */
#ifndef SET_EXTRA_ACKED_RTTS
#define SET_EXTRA_ACKED_RTTS 10 /* 1 to 31: half of the window over which ACK aggregation is remembered, round trips */
#endif
#ifndef SET_DRAIN_TO_TARGET
#define SET_DRAIN_TO_TARGET 1 /* 0 to 1: whether it drains to its target */
#endif

#define EXTRA_ACKED_RTTS SET_EXTRA_ACKED_RTTS
#define DRAIN_TO_TARGET SET_DRAIN_TO_TARGET

#include "bbr.bpf.h"

CONTROL(bbr_dev);
