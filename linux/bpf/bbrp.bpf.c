// SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
/* BBRp as a BPF struct_ops program: BBR that probes for bandwidth at a rate, and with a window, that an aggregating link needs.
 *
 *   pacing_gain = [BBRP_PACE / 4, 3/4, 1, 1, 1, 1, 1, 1]
 *   while the phase's gain is above 1:  cwnd = bw * min_rtt * cwnd_gain * pacing_gain
 *
 * BBRP_PACE 6 is the paper's, 5 is BBR. It is set when the program is compiled (`wavetank bpf load bbrp --pace`).
 *
 * Stands for: BBRp (IEEE Access 2020), Algorithm 1 and section IV. Source: Linux 6.12 net/ipv4/tcp_bbr.c by Van Jacobson, Neal
 * Cardwell, Yuchung Cheng and Soheil Hassas Yeganeh, whose code and comments the rest of this file is, under its licence; what BBRp
 * changes is marked "BBRp:". The model's twin: crates/core/src/tcp/cc/bbrp.rs.
 * Differs: D1 the paper's kernel, 4.19, has no allowance for ACK aggregation; this has it, as every kernel that can load it does.
 * D2 the paper writes the probing window as bw * min_rtt * pacing_gain, less than BBR's two products; here the gain multiplies BBR's
 * window. D3 no INET_DIAG_BBRINFO: `ss` shows no gains. D4 the random phase comes from bpf_get_prandom_u32.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual BSD/GPL";

#ifndef BBRP_PACE
#define BBRP_PACE 6
#endif
#if BBRP_PACE < 4 || BBRP_PACE > 15
#error "BBRP_PACE: from 4 to 15"
#endif

extern unsigned long CONFIG_HZ __kconfig;
#define HZ CONFIG_HZ
#define tcp_jiffies32 ((u32)bpf_jiffies64())
#define USEC_PER_SEC 1000000UL
#define USEC_PER_MSEC 1000UL
#define NSEC_PER_USEC 1000UL
#define TCP_INIT_CWND 10
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define GSO_LEGACY_MAX_SIZE 65536u
#define MAX_TCP_HEADER 320
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(t, a, b) min((t)(a), (t)(b))
#define max_t(t, a, b) max((t)(a), (t)(b))
#define unlikely(x) __builtin_expect(!!(x), 0)

static __always_inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
#define after(a, b) before(b, a)
static __always_inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)sk; }
static __always_inline struct inet_connection_sock *inet_csk(const struct sock *sk) { return (struct inet_connection_sock *)sk; }
static __always_inline void *inet_csk_ca(const struct sock *sk) { return (void *)((struct inet_connection_sock *)sk)->icsk_ca_priv; }
static __always_inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static __always_inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 n) { tp->snd_cwnd = n; }
static __always_inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return tp->rtt_min.s[0].v; }
static __always_inline u32 tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out;
}
static __always_inline u32 tcp_stamp_us_delta(u64 t1, u64 t0) { return max((s64)(t1 - t0), (s64)0); }
static __always_inline u32 msecs_to_jiffies(u32 ms) { return (ms * HZ + 999) / 1000; }
static __always_inline u32 get_random_u32_below(u32 n) { return bpf_get_prandom_u32() % n; }

/* The windowed maximum. src: Linux 6.12 lib/win_minmax.c by Kathleen Nichols and Van Jacobson. */
static __always_inline u32 minmax_get(const struct minmax *m) { return m->s[0].v; }
static __always_inline void minmax_put(struct minmax *m, int i, u32 t, u32 v)
{
	m->s[i].t = t;
	m->s[i].v = v;
}
static __always_inline void minmax_reset(struct minmax *m, u32 t, u32 meas)
{
	minmax_put(m, 0, t, meas);
	minmax_put(m, 1, t, meas);
	minmax_put(m, 2, t, meas);
}
static __always_inline void minmax_shift(struct minmax *m, u32 t, u32 meas)
{
	minmax_put(m, 0, m->s[1].t, m->s[1].v);
	minmax_put(m, 1, m->s[2].t, m->s[2].v);
	minmax_put(m, 2, t, meas);
}
static __noinline void minmax_running_max(struct minmax *m, u32 win, u32 t, u32 meas)
{
	u32 dt;

	if (meas >= m->s[0].v || t - m->s[2].t > win) {
		minmax_reset(m, t, meas);
		return;
	}
	if (meas >= m->s[1].v) {
		minmax_put(m, 1, t, meas);
		minmax_put(m, 2, t, meas);
	} else if (meas >= m->s[2].v) {
		minmax_put(m, 2, t, meas);
	}
	dt = t - m->s[0].t;
	if (dt > win) {
		minmax_shift(m, t, meas);
		if (t - m->s[0].t > win)
			minmax_shift(m, t, meas);
	} else if (m->s[1].t == m->s[0].t && dt > win / 4) {
		minmax_put(m, 1, t, meas);
		minmax_put(m, 2, t, meas);
	} else if (m->s[2].t == m->s[1].t && dt > win / 2) {
		minmax_put(m, 2, t, meas);
	}
}

/* Scale factor for rate in pkt/uSec unit to avoid truncation in bandwidth
 * estimation. The rate unit ~= (1500 bytes / 1 usec / 2^24) ~= 715 bps.
 * This handles bandwidths from 0.06pps (715bps) to 256Mpps (3Tbps) in a u32.
 * Since the minimum window is >=4 packets, the lower bound isn't
 * an issue. The upper bound isn't an issue with existing technologies.
 */
#define BW_SCALE 24
#define BW_UNIT (1 << BW_SCALE)

#define BBR_SCALE 8	/* scaling factor for fractions in BBR (e.g. gains) */
#define BBR_UNIT (1 << BBR_SCALE)

/* BBR has the following modes for deciding how fast to send: */
enum bbrp_mode {
	BBRP_STARTUP,	/* ramp up sending rate rapidly to fill pipe */
	BBRP_DRAIN,	/* drain any queue created during startup */
	BBRP_PROBE_BW,	/* discover, share bw: pace around estimated bw */
	BBRP_PROBE_RTT,	/* cut inflight to min to probe min_rtt */
};

/* BBR congestion control block */
struct bbrp {
	u32	min_rtt_us;	        /* min RTT in min_rtt_win_sec window */
	u32	min_rtt_stamp;	        /* timestamp of min_rtt_us */
	u32	probe_rtt_done_stamp;   /* end time for BBRP_PROBE_RTT mode */
	struct minmax bw;	/* Max recent delivery rate in pkts/uS << 24 */
	u32	rtt_cnt;	    /* count of packet-timed rounds elapsed */
	u32     next_rtt_delivered; /* scb->tx.delivered at end of round */
	u64	cycle_mstamp;	     /* time of this cycle phase start */
	u32     mode:3,		     /* current bbrp_mode in state machine */
		prev_ca_state:3,     /* CA state on previous ACK */
		packet_conservation:1,  /* use packet conservation? */
		round_start:1,	     /* start of packet-timed tx->ack round? */
		idle_restart:1,	     /* restarting after idle? */
		probe_rtt_round_done:1,  /* a BBRP_PROBE_RTT round at 4 pkts? */
		unused:13,
		lt_is_sampling:1,    /* taking long-term ("LT") samples now? */
		lt_rtt_cnt:7,	     /* round trips in long-term interval */
		lt_use_bw:1;	     /* use lt_bw as our bw estimate? */
	u32	lt_bw;		     /* LT est delivery rate in pkts/uS << 24 */
	u32	lt_last_delivered;   /* LT intvl start: tp->delivered */
	u32	lt_last_stamp;	     /* LT intvl start: tp->delivered_mstamp */
	u32	lt_last_lost;	     /* LT intvl start: tp->lost */
	u32	pacing_gain:10,	/* current gain for setting pacing rate */
		cwnd_gain:10,	/* current gain for setting cwnd */
		full_bw_reached:1,   /* reached full bw in Startup? */
		full_bw_cnt:2,	/* number of rounds without large bw gains */
		cycle_idx:3,	/* current index in pacing_gain cycle array */
		has_seen_rtt:1, /* have we seen an RTT sample yet? */
		unused_b:5;
	u32	prior_cwnd;	/* prior cwnd upon entering loss recovery */
	u32	full_bw;	/* recent bw, to estimate if pipe is full */

	/* For tracking ACK aggregation: */
	u64	ack_epoch_mstamp;	/* start of ACK sampling epoch */
	u16	extra_acked[2];		/* max excess data ACKed in epoch */
	u32	ack_epoch_acked:20,	/* packets (S)ACKed in sampling epoch */
		extra_acked_win_rtts:5,	/* age of extra_acked, in round trips */
		extra_acked_win_idx:1,	/* current index in extra_acked array */
		unused_c:6;
};

#define CYCLE_LEN	8	/* number of phases in a pacing gain cycle */

/* Window length of bw filter (in rounds): */
static const int bbrp_bw_rtts = CYCLE_LEN + 2;
/* Window length of min_rtt filter (in sec): */
static const u32 bbrp_min_rtt_win_sec = 10;
/* Minimum time (in ms) spent at bbrp_cwnd_min_target in BBRP_PROBE_RTT mode: */
static const u32 bbrp_probe_rtt_mode_ms = 200;
/* Skip TSO below the following bandwidth (bits/sec): */
static const int bbrp_min_tso_rate = 1200000;

/* Pace at ~1% below estimated bw, on average, to reduce queue at bottleneck.
 * In order to help drive the network toward lower queues and low latency while
 * maintaining high utilization, the average pacing rate aims to be slightly
 * lower than the estimated bandwidth. This is an important aspect of the
 * design.
 */
static const int bbrp_pacing_margin_percent = 1;

/* We use a high_gain value of 2/ln(2) because it's the smallest pacing gain
 * that will allow a smoothly increasing pacing rate that will double each RTT
 * and send the same number of packets per RTT that an un-paced, slow-starting
 * Reno or CUBIC flow would:
 */
static const int bbrp_high_gain  = BBR_UNIT * 2885 / 1000 + 1;
/* The pacing gain of 1/high_gain in BBRP_DRAIN is calculated to typically drain
 * the queue created in BBRP_STARTUP in a single round:
 */
static const int bbrp_drain_gain = BBR_UNIT * 1000 / 2885;
/* The gain for deriving steady-state cwnd tolerates delayed/stretched ACKs: */
static const int bbrp_cwnd_gain  = BBR_UNIT * 2;
/* The pacing_gain values for the PROBE_BW gain cycle, to discover/share bw: */
static __always_inline u32 bbrp_cycle_gain(u32 phase)
{
	switch (phase) {
	case 0: return BBR_UNIT * BBRP_PACE / 4; /* BBRp: probe for more available bw */
	case 1: return BBR_UNIT * 3 / 4; /* drain queue and/or yield bw to other flows */
	default: return BBR_UNIT; /* cruise at 1.0*bw to utilize pipe, without creating excess queue... */
	}
}
/* Randomize the starting gain cycling phase over N phases: */
static const u32 bbrp_cycle_rand = 7;

/* Try to keep at least this many packets in flight, if things go smoothly. For
 * smooth functioning, a sliding window protocol ACKing every other packet
 * needs at least 4 packets in flight:
 */
static const u32 bbrp_cwnd_min_target = 4;

/* To estimate if BBRP_STARTUP mode (i.e. high_gain) has filled pipe... */
/* If bw has increased significantly (1.25x), there may be more bw available: */
static const u32 bbrp_full_bw_thresh = BBR_UNIT * 5 / 4;
/* But after 3 rounds w/o significant bw growth, estimate pipe is full: */
static const u32 bbrp_full_bw_cnt = 3;

/* "long-term" ("LT") bandwidth estimator parameters... */
/* The minimum number of rounds in an LT bw sampling interval: */
static const u32 bbrp_lt_intvl_min_rtts = 4;
/* If lost/delivered ratio > 20%, interval is "lossy" and we may be policed: */
static const u32 bbrp_lt_loss_thresh = 50;
/* If 2 intervals have a bw ratio <= 1/8, their bw is "consistent": */
static const u32 bbrp_lt_bw_ratio = BBR_UNIT / 8;
/* If 2 intervals have a bw diff <= 4 Kbit/sec their bw is "consistent": */
static const u32 bbrp_lt_bw_diff = 4000 / 8;
/* If we estimate we're policed, use lt_bw for this many round trips: */
static const u32 bbrp_lt_bw_max_rtts = 48;

/* Gain factor for adding extra_acked to target cwnd: */
static const int bbrp_extra_acked_gain = BBR_UNIT;
/* Window length of extra_acked window. */
static const u32 bbrp_extra_acked_win_rtts = 5;
/* Max allowed val for ack_epoch_acked, after which sampling epoch is reset */
static const u32 bbrp_ack_epoch_acked_reset_thresh = 1U << 20;
/* Time period for clamping cwnd increment due to ack aggregation */
static const u32 bbrp_extra_acked_max_us = 100 * 1000;

static void bbrp_check_probe_rtt_done(struct sock *sk);

/* Do we estimate that STARTUP filled the pipe? */
static bool bbrp_full_bw_reached(const struct sock *sk)
{
	const struct bbrp *bbr = inet_csk_ca(sk);

	return bbr->full_bw_reached;
}

/* Return the windowed max recent bandwidth sample, in pkts/uS << BW_SCALE. */
static u32 bbrp_max_bw(const struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	return minmax_get(&bbr->bw);
}

/* Return the estimated bandwidth of the path, in pkts/uS << BW_SCALE. */
static u32 bbrp_bw(const struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	return bbr->lt_use_bw ? bbr->lt_bw : bbrp_max_bw(sk);
}

/* The verifier lets a program reach fixed places of a socket only; the barriers keep the compiler from computing one. */
static __always_inline u32 bbrp_get_extra_acked(const struct bbrp *bbr)
{
	u32 n;

	if (bbr->extra_acked_win_idx) {
		n = bbr->extra_acked[1];
		barrier();
	} else {
		n = bbr->extra_acked[0];
		barrier();
	}
	return n;
}

static __always_inline void bbrp_put_extra_acked(struct bbrp *bbr, u16 n)
{
	if (bbr->extra_acked_win_idx) {
		bbr->extra_acked[1] = n;
		barrier();
	} else {
		bbr->extra_acked[0] = n;
		barrier();
	}
}

/* Return maximum extra acked in past k-2k round trips,
 * where k = bbrp_extra_acked_win_rtts.
 */
static u16 bbrp_extra_acked(const struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	return max(bbr->extra_acked[0], bbr->extra_acked[1]);
}

/* Return rate in bytes per second, optionally with a gain.
 * The order here is chosen carefully to avoid overflow of u64. This should
 * work for input rates of up to 2.9Tbit/sec and gain of 2.89x.
 */
static u64 bbrp_rate_bytes_per_sec(struct sock *sk, u64 rate, int gain)
{
	unsigned int mss = tcp_sk(sk)->mss_cache;

	rate *= mss;
	rate *= gain;
	rate >>= BBR_SCALE;
	rate *= USEC_PER_SEC / 100 * (100 - bbrp_pacing_margin_percent);
	return rate >> BW_SCALE;
}

/* Convert a BBR bw and gain factor to a pacing rate in bytes per second. */
static unsigned long bbrp_bw_to_pacing_rate(struct sock *sk, u32 bw, int gain)
{
	u64 rate = bw;

	rate = bbrp_rate_bytes_per_sec(sk, rate, gain);
	rate = min_t(u64, rate, sk->sk_max_pacing_rate);
	return rate;
}

/* Initialize pacing rate to: high_gain * init_cwnd / RTT. */
static void bbrp_init_pacing_rate_from_rtt(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u64 bw;
	u32 rtt_us;

	if (tp->srtt_us) {		/* any RTT sample yet? */
		rtt_us = max(tp->srtt_us >> 3, 1U);
		bbr->has_seen_rtt = 1;
	} else {			 /* no RTT sample yet */
		rtt_us = USEC_PER_MSEC;	 /* use nominal default RTT */
	}
	bw = (u64)tcp_snd_cwnd(tp) * BW_UNIT;
	bw /= rtt_us;
	sk->sk_pacing_rate = bbrp_bw_to_pacing_rate(sk, bw, bbrp_high_gain);
}

/* Pace using current bw estimate and a gain factor. */
static void bbrp_set_pacing_rate(struct sock *sk, u32 bw, int gain)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	unsigned long rate = bbrp_bw_to_pacing_rate(sk, bw, gain);

	if (unlikely(!bbr->has_seen_rtt && tp->srtt_us))
		bbrp_init_pacing_rate_from_rtt(sk);
	if (bbrp_full_bw_reached(sk) || rate > sk->sk_pacing_rate)
		sk->sk_pacing_rate = rate;
}

/* override sysctl_tcp_min_tso_segs */
static u32 bbrp_min_tso_segs(struct sock *sk)
{
	return sk->sk_pacing_rate < (bbrp_min_tso_rate >> 3) ? 1 : 2;
}

static u32 bbrp_tso_segs_goal(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 segs, bytes;

	/* Sort of tcp_tso_autosize() but ignoring
	 * driver provided sk_gso_max_size.
	 */
	bytes = min_t(unsigned long,
		      sk->sk_pacing_rate >> sk->sk_pacing_shift,
		      GSO_LEGACY_MAX_SIZE - 1 - MAX_TCP_HEADER);
	segs = max_t(u32, bytes / tp->mss_cache, bbrp_min_tso_segs(sk));

	return min(segs, 0x7FU);
}

/* Save "last known good" cwnd so we can restore it after losses or PROBE_RTT */
static void bbrp_save_cwnd(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	if (bbr->prev_ca_state < TCP_CA_Recovery && bbr->mode != BBRP_PROBE_RTT)
		bbr->prior_cwnd = tcp_snd_cwnd(tp);  /* this cwnd is good enough */
	else  /* loss recovery or BBRP_PROBE_RTT have temporarily cut cwnd */
		bbr->prior_cwnd = max(bbr->prior_cwnd, tcp_snd_cwnd(tp));
}

static void bbrp_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	if (event == CA_EVENT_TX_START && tp->app_limited) {
		bbr->idle_restart = 1;
		bbr->ack_epoch_mstamp = tp->tcp_mstamp;
		bbr->ack_epoch_acked = 0;
		/* Avoid pointless buffer overflows: pace at est. bw if we don't
		 * need more speed (we're restarting from idle and app-limited).
		 */
		if (bbr->mode == BBRP_PROBE_BW)
			bbrp_set_pacing_rate(sk, bbrp_bw(sk), BBR_UNIT);
		else if (bbr->mode == BBRP_PROBE_RTT)
			bbrp_check_probe_rtt_done(sk);
	}
}

/* Calculate bdp based on min RTT and the estimated bottleneck bandwidth:
 *
 * bdp = ceil(bw * min_rtt * gain)
 *
 * The key factor, gain, controls the amount of queue. While a small gain
 * builds a smaller queue, it becomes more vulnerable to noise in RTT
 * measurements (e.g., delayed ACKs or other ACK compression effects). This
 * noise may cause BBR to under-estimate the rate.
 */
static u32 bbrp_bdp(struct sock *sk, u32 bw, int gain)
{
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 bdp;
	u64 w;

	/* If we've never had a valid RTT sample, cap cwnd at the initial
	 * default. This should only happen when the connection is not using TCP
	 * timestamps and has retransmitted all of the SYN/SYNACK/data packets
	 * ACKed so far. In this case, an RTO can cut cwnd to 1, in which
	 * case we need to slow-start up toward something safe: TCP_INIT_CWND.
	 */
	if (unlikely(bbr->min_rtt_us == ~0U))	 /* no valid RTT samples yet? */
		return TCP_INIT_CWND;  /* be safe: cap at default initial cwnd*/

	w = (u64)bw * bbr->min_rtt_us;

	/* Apply a gain to the given value, remove the BW_SCALE shift, and
	 * round the value up to avoid a negative feedback loop.
	 */
	bdp = (((w * gain) >> BBR_SCALE) + BW_UNIT - 1) / BW_UNIT;

	return bdp;
}

/* To achieve full performance in high-speed paths, we budget enough cwnd to
 * fit full-sized skbs in-flight on both end hosts to fully utilize the path:
 *   - one skb in sending host Qdisc,
 *   - one skb in sending host TSO/GSO engine
 *   - one skb being received by receiver host LRO/GRO/delayed-ACK engine
 * Don't worry, at low rates (bbrp_min_tso_rate) this won't bloat cwnd because
 * in such cases tso_segs_goal is 1. The minimum cwnd is 4 packets,
 * which allows 2 outstanding 2-packet sequences, to try to keep pipe
 * full even with ACK-every-other-packet delayed ACKs.
 */
static u32 bbrp_quantization_budget(struct sock *sk, u32 cwnd)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	/* Allow enough full-sized skbs in flight to utilize end systems. */
	cwnd += 3 * bbrp_tso_segs_goal(sk);

	/* Reduce delayed ACKs by rounding up cwnd to the next even number. */
	cwnd = (cwnd + 1) & ~1U;

	/* Ensure gain cycling gets inflight above BDP even for small BDPs. */
	if (bbr->mode == BBRP_PROBE_BW && bbr->cycle_idx == 0)
		cwnd += 2;

	return cwnd;
}

/* Find inflight based on min RTT and the estimated bottleneck bandwidth. */
static u32 bbrp_inflight(struct sock *sk, u32 bw, int gain)
{
	u32 inflight;

	inflight = bbrp_bdp(sk, bw, gain);
	inflight = bbrp_quantization_budget(sk, inflight);

	return inflight;
}

/* With pacing at lower layers, there's often less data "in the network" than
 * "in flight". With TSQ and departure time pacing at lower layers (e.g. fq),
 * we often have several skbs queued in the pacing layer with a pre-scheduled
 * earliest departure time (EDT). BBR adapts its pacing rate based on the
 * inflight level that it estimates has already been "baked in" by previous
 * departure time decisions. We calculate a rough estimate of the number of our
 * packets that might be in the network at the earliest departure time for the
 * next skb scheduled:
 *   in_network_at_edt = inflight_at_edt - (EDT - now) * bw
 * If we're increasing inflight, then we want to know if the transmit of the
 * EDT skb will push inflight above the target, so inflight_at_edt includes
 * bbrp_tso_segs_goal() from the skb departing at EDT. If decreasing inflight,
 * then estimate if inflight will sink too low just before the EDT transmit.
 */
static u32 bbrp_packets_in_net_at_edt(struct sock *sk, u32 inflight_now)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u64 now_ns, edt_ns, interval_us;
	u32 interval_delivered, inflight_at_edt;

	now_ns = tp->tcp_clock_cache;
	edt_ns = max(tp->tcp_wstamp_ns, now_ns);
	interval_us = ((u64)(edt_ns - now_ns) / NSEC_PER_USEC);
	interval_delivered = (u64)bbrp_bw(sk) * interval_us >> BW_SCALE;
	inflight_at_edt = inflight_now;
	if (bbr->pacing_gain > BBR_UNIT)              /* increasing inflight */
		inflight_at_edt += bbrp_tso_segs_goal(sk);  /* include EDT skb */
	if (interval_delivered >= inflight_at_edt)
		return 0;
	return inflight_at_edt - interval_delivered;
}

/* Find the cwnd increment based on estimate of ack aggregation */
static u32 bbrp_ack_aggregation_cwnd(struct sock *sk)
{
	u32 max_aggr_cwnd, aggr_cwnd = 0;

	if (bbrp_extra_acked_gain && bbrp_full_bw_reached(sk)) {
		max_aggr_cwnd = ((u64)bbrp_bw(sk) * bbrp_extra_acked_max_us)
				/ BW_UNIT;
		aggr_cwnd = (bbrp_extra_acked_gain * bbrp_extra_acked(sk))
			     >> BBR_SCALE;
		aggr_cwnd = min(aggr_cwnd, max_aggr_cwnd);
	}

	return aggr_cwnd;
}

/* An optimization in BBR to reduce losses: On the first round of recovery, we
 * follow the packet conservation principle: send P packets per P packets acked.
 * After that, we slow-start and send at most 2*P packets per P packets acked.
 * After recovery finishes, or upon undo, we restore the cwnd we had when
 * recovery started (capped by the target cwnd based on estimated BDP).
 *
 * TODO(ycheng/ncardwell): implement a rate-based approach.
 */
static bool bbrp_set_cwnd_to_recover_or_restore(
	struct sock *sk, const struct rate_sample *rs, u32 acked, u32 *new_cwnd)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u8 prev_state = bbr->prev_ca_state, state = inet_csk(sk)->icsk_ca_state;
	u32 cwnd = tcp_snd_cwnd(tp);

	/* An ACK for P pkts should release at most 2*P packets. We do this
	 * in two steps. First, here we deduct the number of lost packets.
	 * Then, in bbrp_set_cwnd() we slow start up toward the target cwnd.
	 */
	if (rs->losses > 0)
		cwnd = max_t(s32, cwnd - rs->losses, 1);

	if (state == TCP_CA_Recovery && prev_state != TCP_CA_Recovery) {
		/* Starting 1st round of Recovery, so do packet conservation. */
		bbr->packet_conservation = 1;
		bbr->next_rtt_delivered = tp->delivered;  /* start round now */
		/* Cut unused cwnd from app behavior, TSQ, or TSO deferral: */
		cwnd = tcp_packets_in_flight(tp) + acked;
	} else if (prev_state >= TCP_CA_Recovery && state < TCP_CA_Recovery) {
		/* Exiting loss recovery; restore cwnd saved before recovery. */
		cwnd = max(cwnd, bbr->prior_cwnd);
		bbr->packet_conservation = 0;
	}
	bbr->prev_ca_state = state;

	if (bbr->packet_conservation) {
		*new_cwnd = max(cwnd, tcp_packets_in_flight(tp) + acked);
		return true;	/* yes, using packet conservation */
	}
	*new_cwnd = cwnd;
	return false;
}

/* Slow-start up toward target cwnd (if bw estimate is growing, or packet loss
 * has drawn us down below target), or snap down to target if we're above it.
 */
static void bbrp_set_cwnd(struct sock *sk, const struct rate_sample *rs,
			 u32 acked, u32 bw, int gain)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 cwnd = tcp_snd_cwnd(tp), target_cwnd = 0;

	if (!acked)
		goto done;  /* no packet fully ACKed; just apply caps */

	if (bbrp_set_cwnd_to_recover_or_restore(sk, rs, acked, &cwnd))
		goto done;

	target_cwnd = bbrp_bdp(sk, bw, gain);

	/* Increment the cwnd to account for excess ACKed data that seems
	 * due to aggregation (of data and/or ACKs) visible in the ACK stream.
	 */
	target_cwnd += bbrp_ack_aggregation_cwnd(sk);
	target_cwnd = bbrp_quantization_budget(sk, target_cwnd);

	/* If we're below target cwnd, slow start cwnd toward target cwnd. */
	if (bbrp_full_bw_reached(sk))  /* only cut cwnd if we filled the pipe */
		cwnd = min(cwnd + acked, target_cwnd);
	else if (cwnd < target_cwnd || tp->delivered < TCP_INIT_CWND)
		cwnd = cwnd + acked;
	cwnd = max(cwnd, bbrp_cwnd_min_target);

done:
	tcp_snd_cwnd_set(tp, min(cwnd, tp->snd_cwnd_clamp));	/* apply global cap */
	if (bbr->mode == BBRP_PROBE_RTT)  /* drain queue, refresh min_rtt */
		tcp_snd_cwnd_set(tp, min(tcp_snd_cwnd(tp), bbrp_cwnd_min_target));
}

/* End cycle phase if it's time and/or we hit the phase's in-flight target. */
static bool bbrp_is_next_cycle_phase(struct sock *sk,
				    const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	bool is_full_length =
		tcp_stamp_us_delta(tp->delivered_mstamp, bbr->cycle_mstamp) >
		bbr->min_rtt_us;
	u32 inflight, bw;

	/* The pacing_gain of 1.0 paces at the estimated bw to try to fully
	 * use the pipe without increasing the queue.
	 */
	if (bbr->pacing_gain == BBR_UNIT)
		return is_full_length;		/* just use wall clock time */

	inflight = bbrp_packets_in_net_at_edt(sk, rs->prior_in_flight);
	bw = bbrp_max_bw(sk);

	/* A pacing_gain > 1.0 probes for bw by trying to raise inflight to at
	 * least pacing_gain*BDP; this may take more than min_rtt if min_rtt is
	 * small (e.g. on a LAN). We do not persist if packets are lost, since
	 * a path with small buffers may not hold that much.
	 */
	if (bbr->pacing_gain > BBR_UNIT)
		return is_full_length &&
			(rs->losses ||  /* perhaps pacing_gain*BDP won't fit */
			 inflight >= bbrp_inflight(sk, bw, bbr->pacing_gain));

	/* A pacing_gain < 1.0 tries to drain extra queue we added if bw
	 * probing didn't find more bw. If inflight falls to match BDP then we
	 * estimate queue is drained; persisting would underutilize the pipe.
	 */
	return is_full_length ||
		inflight <= bbrp_inflight(sk, bw, BBR_UNIT);
}

static void bbrp_advance_cycle_phase(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->cycle_idx = (bbr->cycle_idx + 1) & (CYCLE_LEN - 1);
	bbr->cycle_mstamp = tp->delivered_mstamp;
}

/* Gain cycling: cycle pacing gain to converge to fair share of available bw. */
static void bbrp_update_cycle_phase(struct sock *sk,
				   const struct rate_sample *rs)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	if (bbr->mode == BBRP_PROBE_BW && bbrp_is_next_cycle_phase(sk, rs))
		bbrp_advance_cycle_phase(sk);
}

static void bbrp_reset_startup_mode(struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->mode = BBRP_STARTUP;
}

static void bbrp_reset_probe_bw_mode(struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->mode = BBRP_PROBE_BW;
	bbr->cycle_idx = CYCLE_LEN - 1 - get_random_u32_below(bbrp_cycle_rand);
	bbrp_advance_cycle_phase(sk);	/* flip to next phase of gain cycle */
}

static void bbrp_reset_mode(struct sock *sk)
{
	if (!bbrp_full_bw_reached(sk))
		bbrp_reset_startup_mode(sk);
	else
		bbrp_reset_probe_bw_mode(sk);
}

/* Start a new long-term sampling interval. */
static void bbrp_reset_lt_bw_sampling_interval(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->lt_last_stamp = ((u64)(tp->delivered_mstamp) / USEC_PER_MSEC);
	bbr->lt_last_delivered = tp->delivered;
	bbr->lt_last_lost = tp->lost;
	bbr->lt_rtt_cnt = 0;
}

/* Completely reset long-term bandwidth sampling. */
static void bbrp_reset_lt_bw_sampling(struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->lt_bw = 0;
	bbr->lt_use_bw = 0;
	bbr->lt_is_sampling = false;
	bbrp_reset_lt_bw_sampling_interval(sk);
}

/* Long-term bw sampling interval is done. Estimate whether we're policed. */
static void bbrp_lt_bw_interval_done(struct sock *sk, u32 bw)
{
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 diff;

	if (bbr->lt_bw) {  /* do we have bw from a previous interval? */
		/* Is new bw close to the lt_bw from the previous interval? */
		diff = bw > bbr->lt_bw ? bw - bbr->lt_bw : bbr->lt_bw - bw;
		if ((diff * BBR_UNIT <= bbrp_lt_bw_ratio * bbr->lt_bw) ||
		    (bbrp_rate_bytes_per_sec(sk, diff, BBR_UNIT) <=
		     bbrp_lt_bw_diff)) {
			/* All criteria are met; estimate we're policed. */
			bbr->lt_bw = (bw + bbr->lt_bw) >> 1;  /* avg 2 intvls */
			bbr->lt_use_bw = 1;
			bbr->pacing_gain = BBR_UNIT;  /* try to avoid drops */
			bbr->lt_rtt_cnt = 0;
			return;
		}
	}
	bbr->lt_bw = bw;
	bbrp_reset_lt_bw_sampling_interval(sk);
}

/* Token-bucket traffic policers are common (see "An Internet-Wide Analysis of
 * Traffic Policing", SIGCOMM 2016). BBR detects token-bucket policers and
 * explicitly models their policed rate, to reduce unnecessary losses. We
 * estimate that we're policed if we see 2 consecutive sampling intervals with
 * consistent throughput and high packet loss. If we think we're being policed,
 * set lt_bw to the "long-term" average delivery rate from those 2 intervals.
 */
static void bbrp_lt_bw_sampling(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 lost, delivered;
	u64 bw;
	u32 t;

	if (bbr->lt_use_bw) {	/* already using long-term rate, lt_bw? */
		if (bbr->mode == BBRP_PROBE_BW && bbr->round_start &&
		    ++bbr->lt_rtt_cnt >= bbrp_lt_bw_max_rtts) {
			bbrp_reset_lt_bw_sampling(sk);    /* stop using lt_bw */
			bbrp_reset_probe_bw_mode(sk);  /* restart gain cycling */
		}
		return;
	}

	/* Wait for the first loss before sampling, to let the policer exhaust
	 * its tokens and estimate the steady-state rate allowed by the policer.
	 * Starting samples earlier includes bursts that over-estimate the bw.
	 */
	if (!bbr->lt_is_sampling) {
		if (!rs->losses)
			return;
		bbrp_reset_lt_bw_sampling_interval(sk);
		bbr->lt_is_sampling = true;
	}

	/* To avoid underestimates, reset sampling if we run out of data. */
	if (rs->is_app_limited) {
		bbrp_reset_lt_bw_sampling(sk);
		return;
	}

	if (bbr->round_start)
		bbr->lt_rtt_cnt++;	/* count round trips in this interval */
	if (bbr->lt_rtt_cnt < bbrp_lt_intvl_min_rtts)
		return;		/* sampling interval needs to be longer */
	if (bbr->lt_rtt_cnt > 4 * bbrp_lt_intvl_min_rtts) {
		bbrp_reset_lt_bw_sampling(sk);  /* interval is too long */
		return;
	}

	/* End sampling interval when a packet is lost, so we estimate the
	 * policer tokens were exhausted. Stopping the sampling before the
	 * tokens are exhausted under-estimates the policed rate.
	 */
	if (!rs->losses)
		return;

	/* Calculate packets lost and delivered in sampling interval. */
	lost = tp->lost - bbr->lt_last_lost;
	delivered = tp->delivered - bbr->lt_last_delivered;
	/* Is loss rate (lost/delivered) >= lt_loss_thresh? If not, wait. */
	if (!delivered || (lost << BBR_SCALE) < bbrp_lt_loss_thresh * delivered)
		return;

	/* Find average delivery rate in this sampling interval. */
	t = ((u64)(tp->delivered_mstamp) / USEC_PER_MSEC) - bbr->lt_last_stamp;
	if ((s32)t < 1)
		return;		/* interval is less than one ms, so wait */
	/* Check if can multiply without overflow */
	if (t >= ~0U / USEC_PER_MSEC) {
		bbrp_reset_lt_bw_sampling(sk);  /* interval too long; reset */
		return;
	}
	t *= USEC_PER_MSEC;
	bw = (u64)delivered * BW_UNIT;
	bw /= t;
	bbrp_lt_bw_interval_done(sk, bw);
}

/* Estimate the bandwidth based on how fast packets are delivered */
static void bbrp_update_bw(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	u64 bw;

	bbr->round_start = 0;
	if (rs->delivered < 0 || rs->interval_us <= 0)
		return; /* Not a valid observation */

	/* See if we've reached the next RTT */
	if (!before(rs->prior_delivered, bbr->next_rtt_delivered)) {
		bbr->next_rtt_delivered = tp->delivered;
		bbr->rtt_cnt++;
		bbr->round_start = 1;
		bbr->packet_conservation = 0;
	}

	bbrp_lt_bw_sampling(sk, rs);

	/* Divide delivered by the interval to find a (lower bound) bottleneck
	 * bandwidth sample. Delivered is in packets and interval_us in uS and
	 * ratio will be <<1 for most connections. So delivered is first scaled.
	 */
	bw = (u64)rs->delivered * BW_UNIT / (u64)rs->interval_us;

	/* If this sample is application-limited, it is likely to have a very
	 * low delivered count that represents application behavior rather than
	 * the available network rate. Such a sample could drag down estimated
	 * bw, causing needless slow-down. Thus, to continue to send at the
	 * last measured network rate, we filter out app-limited samples unless
	 * they describe the path bw at least as well as our bw model.
	 *
	 * So the goal during app-limited phase is to proceed with the best
	 * network rate no matter how long. We automatically leave this
	 * phase when app writes faster than the network can deliver :)
	 */
	if (!rs->is_app_limited || bw >= bbrp_max_bw(sk)) {
		/* Incorporate new sample into our max bw filter. */
		minmax_running_max(&bbr->bw, bbrp_bw_rtts, bbr->rtt_cnt, bw);
	}
}

/* Estimates the windowed max degree of ack aggregation.
 * This is used to provision extra in-flight data to keep sending during
 * inter-ACK silences.
 *
 * Degree of ack aggregation is estimated as extra data acked beyond expected.
 *
 * max_extra_acked = "maximum recent excess data ACKed beyond max_bw * interval"
 * cwnd += max_extra_acked
 *
 * Max extra_acked is clamped by cwnd and bw * bbrp_extra_acked_max_us (100 ms).
 * Max filter is an approximate sliding window of 5-10 (packet timed) round
 * trips.
 */
static void bbrp_update_ack_aggregation(struct sock *sk,
				       const struct rate_sample *rs)
{
	u32 epoch_us, expected_acked, extra_acked;
	struct bbrp *bbr = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!bbrp_extra_acked_gain || rs->acked_sacked <= 0 ||
	    rs->delivered < 0 || rs->interval_us <= 0)
		return;

	if (bbr->round_start) {
		bbr->extra_acked_win_rtts = min(0x1F,
						bbr->extra_acked_win_rtts + 1);
		if (bbr->extra_acked_win_rtts >= bbrp_extra_acked_win_rtts) {
			bbr->extra_acked_win_rtts = 0;
			bbr->extra_acked_win_idx = bbr->extra_acked_win_idx ?
						   0 : 1;
			bbrp_put_extra_acked(bbr, 0);
		}
	}

	/* Compute how many packets we expected to be delivered over epoch. */
	epoch_us = tcp_stamp_us_delta(tp->delivered_mstamp,
				      bbr->ack_epoch_mstamp);
	expected_acked = ((u64)bbrp_bw(sk) * epoch_us) / BW_UNIT;

	/* Reset the aggregation epoch if ACK rate is below expected rate or
	 * significantly large no. of ack received since epoch (potentially
	 * quite old epoch).
	 */
	if (bbr->ack_epoch_acked <= expected_acked ||
	    (bbr->ack_epoch_acked + rs->acked_sacked >=
	     bbrp_ack_epoch_acked_reset_thresh)) {
		bbr->ack_epoch_acked = 0;
		bbr->ack_epoch_mstamp = tp->delivered_mstamp;
		expected_acked = 0;
	}

	/* Compute excess data delivered, beyond what was expected. */
	bbr->ack_epoch_acked = min_t(u32, 0xFFFFF,
				     bbr->ack_epoch_acked + rs->acked_sacked);
	extra_acked = bbr->ack_epoch_acked - expected_acked;
	extra_acked = min(extra_acked, tcp_snd_cwnd(tp));
	if (extra_acked > bbrp_get_extra_acked(bbr))
		bbrp_put_extra_acked(bbr, extra_acked);
}

/* Estimate when the pipe is full, using the change in delivery rate: BBR
 * estimates that STARTUP filled the pipe if the estimated bw hasn't changed by
 * at least bbrp_full_bw_thresh (25%) after bbrp_full_bw_cnt (3) non-app-limited
 * rounds. Why 3 rounds: 1: rwin autotuning grows the rwin, 2: we fill the
 * higher rwin, 3: we get higher delivery rate samples. Or transient
 * cross-traffic or radio noise can go away. CUBIC Hystart shares a similar
 * design goal, but uses delay and inter-ACK spacing instead of bandwidth.
 */
static void bbrp_check_full_bw_reached(struct sock *sk,
				      const struct rate_sample *rs)
{
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 bw_thresh;

	if (bbrp_full_bw_reached(sk) || !bbr->round_start || rs->is_app_limited)
		return;

	bw_thresh = (u64)bbr->full_bw * bbrp_full_bw_thresh >> BBR_SCALE;
	if (bbrp_max_bw(sk) >= bw_thresh) {
		bbr->full_bw = bbrp_max_bw(sk);
		bbr->full_bw_cnt = 0;
		return;
	}
	++bbr->full_bw_cnt;
	bbr->full_bw_reached = bbr->full_bw_cnt >= bbrp_full_bw_cnt;
}

/* If pipe is probably full, drain the queue and then enter steady-state. */
static void bbrp_check_drain(struct sock *sk, const struct rate_sample *rs)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	if (bbr->mode == BBRP_STARTUP && bbrp_full_bw_reached(sk)) {
		bbr->mode = BBRP_DRAIN;	/* drain queue we created */
		tcp_sk(sk)->snd_ssthresh =
				bbrp_inflight(sk, bbrp_max_bw(sk), BBR_UNIT);
	}	/* fall through to check if in-flight is already small: */
	if (bbr->mode == BBRP_DRAIN &&
	    bbrp_packets_in_net_at_edt(sk, tcp_packets_in_flight(tcp_sk(sk))) <=
	    bbrp_inflight(sk, bbrp_max_bw(sk), BBR_UNIT))
		bbrp_reset_probe_bw_mode(sk);  /* we estimate queue is drained */
}

static void bbrp_check_probe_rtt_done(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	if (!(bbr->probe_rtt_done_stamp &&
	      after(tcp_jiffies32, bbr->probe_rtt_done_stamp)))
		return;

	bbr->min_rtt_stamp = tcp_jiffies32;  /* wait a while until PROBE_RTT */
	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp), bbr->prior_cwnd));
	bbrp_reset_mode(sk);
}

/* The goal of PROBE_RTT mode is to have BBR flows cooperatively and
 * periodically drain the bottleneck queue, to converge to measure the true
 * min_rtt (unloaded propagation delay). This allows the flows to keep queues
 * small (reducing queuing delay and packet loss) and achieve fairness among
 * BBR flows.
 *
 * The min_rtt filter window is 10 seconds. When the min_rtt estimate expires,
 * we enter PROBE_RTT mode and cap the cwnd at bbrp_cwnd_min_target=4 packets.
 * After at least bbrp_probe_rtt_mode_ms=200ms and at least one packet-timed
 * round trip elapsed with that flight size <= 4, we leave PROBE_RTT mode and
 * re-enter the previous mode. BBR uses 200ms to approximately bound the
 * performance penalty of PROBE_RTT's cwnd capping to roughly 2% (200ms/10s).
 *
 * Note that flows need only pay 2% if they are busy sending over the last 10
 * seconds. Interactive applications (e.g., Web, RPCs, video chunks) often have
 * natural silences or low-rate periods within 10 seconds where the rate is low
 * enough for long enough to drain its queue in the bottleneck. We pick up
 * these min RTT measurements opportunistically with our min_rtt filter. :-)
 */
static void bbrp_update_min_rtt(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);
	bool filter_expired;

	/* Track min RTT seen in the min_rtt_win_sec filter window: */
	filter_expired = after(tcp_jiffies32,
			       bbr->min_rtt_stamp + bbrp_min_rtt_win_sec * HZ);
	if (rs->rtt_us >= 0 &&
	    (rs->rtt_us < bbr->min_rtt_us ||
	     (filter_expired && !rs->is_ack_delayed))) {
		bbr->min_rtt_us = rs->rtt_us;
		bbr->min_rtt_stamp = tcp_jiffies32;
	}

	if (bbrp_probe_rtt_mode_ms > 0 && filter_expired &&
	    !bbr->idle_restart && bbr->mode != BBRP_PROBE_RTT) {
		bbr->mode = BBRP_PROBE_RTT;  /* dip, drain queue */
		bbrp_save_cwnd(sk);  /* note cwnd so we can restore it */
		bbr->probe_rtt_done_stamp = 0;
	}

	if (bbr->mode == BBRP_PROBE_RTT) {
		/* Ignore low rate samples during this mode. */
		tp->app_limited =
			(tp->delivered + tcp_packets_in_flight(tp)) ? : 1;
		/* Maintain min packets in flight for max(200 ms, 1 round). */
		if (!bbr->probe_rtt_done_stamp &&
		    tcp_packets_in_flight(tp) <= bbrp_cwnd_min_target) {
			bbr->probe_rtt_done_stamp = tcp_jiffies32 +
				msecs_to_jiffies(bbrp_probe_rtt_mode_ms);
			bbr->probe_rtt_round_done = 0;
			bbr->next_rtt_delivered = tp->delivered;
		} else if (bbr->probe_rtt_done_stamp) {
			if (bbr->round_start)
				bbr->probe_rtt_round_done = 1;
			if (bbr->probe_rtt_round_done)
				bbrp_check_probe_rtt_done(sk);
		}
	}
	/* Restart after idle ends only once we process a new S/ACK for data */
	if (rs->delivered > 0)
		bbr->idle_restart = 0;
}

static void bbrp_update_gains(struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	switch (bbr->mode) {
	case BBRP_STARTUP:
		bbr->pacing_gain = bbrp_high_gain;
		bbr->cwnd_gain	 = bbrp_high_gain;
		break;
	case BBRP_DRAIN:
		bbr->pacing_gain = bbrp_drain_gain;	/* slow, to drain */
		bbr->cwnd_gain	 = bbrp_high_gain;	/* keep cwnd */
		break;
	case BBRP_PROBE_BW:
		bbr->pacing_gain = (bbr->lt_use_bw ?
				    BBR_UNIT :
				    bbrp_cycle_gain(bbr->cycle_idx));
		bbr->cwnd_gain	 = bbrp_cwnd_gain;
		break;
	case BBRP_PROBE_RTT:
		bbr->pacing_gain = BBR_UNIT;
		bbr->cwnd_gain	 = BBR_UNIT;
		break;
	}
}

static void bbrp_update_model(struct sock *sk, const struct rate_sample *rs)
{
	bbrp_update_bw(sk, rs);
	bbrp_update_ack_aggregation(sk, rs);
	bbrp_update_cycle_phase(sk, rs);
	bbrp_check_full_bw_reached(sk, rs);
	bbrp_check_drain(sk, rs);
	bbrp_update_min_rtt(sk, rs);
	bbrp_update_gains(sk);
}

static void bbrp_main(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	struct bbrp *bbr = inet_csk_ca(sk);
	u32 bw, gain;

	bbrp_update_model(sk, rs);

	bw = bbrp_bw(sk);
	bbrp_set_pacing_rate(sk, bw, bbr->pacing_gain);
	/* BBRp: what probes above the estimate gets the window for it. */
	gain = bbr->cwnd_gain;
	if (BBRP_PACE > 5 && bbr->mode == BBRP_PROBE_BW && bbr->pacing_gain > BBR_UNIT)
		gain = gain * bbr->pacing_gain >> BBR_SCALE;
	bbrp_set_cwnd(sk, rs, rs->acked_sacked, bw, gain);
}

static void bbrp_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->prior_cwnd = 0;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	bbr->rtt_cnt = 0;
	bbr->next_rtt_delivered = tp->delivered;
	bbr->prev_ca_state = TCP_CA_Open;
	bbr->packet_conservation = 0;

	bbr->probe_rtt_done_stamp = 0;
	bbr->probe_rtt_round_done = 0;
	bbr->min_rtt_us = tcp_min_rtt(tp);
	bbr->min_rtt_stamp = tcp_jiffies32;

	minmax_reset(&bbr->bw, bbr->rtt_cnt, 0);  /* init max bw to 0 */

	bbr->has_seen_rtt = 0;
	bbrp_init_pacing_rate_from_rtt(sk);

	bbr->round_start = 0;
	bbr->idle_restart = 0;
	bbr->full_bw_reached = 0;
	bbr->full_bw = 0;
	bbr->full_bw_cnt = 0;
	bbr->cycle_mstamp = 0;
	bbr->cycle_idx = 0;
	bbrp_reset_lt_bw_sampling(sk);
	bbrp_reset_startup_mode(sk);

	bbr->ack_epoch_mstamp = tp->tcp_mstamp;
	bbr->ack_epoch_acked = 0;
	bbr->extra_acked_win_rtts = 0;
	bbr->extra_acked_win_idx = 0;
	bbr->extra_acked[0] = 0;
	bbr->extra_acked[1] = 0;

	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

static u32 bbrp_sndbuf_expand(struct sock *sk)
{
	/* Provision 3 * cwnd since BBR may slow-start even during recovery. */
	return 3;
}

/* In theory BBR does not need to undo the cwnd since it does not
 * always reduce cwnd on losses (see bbrp_main()). Keep it for now.
 */
static u32 bbrp_undo_cwnd(struct sock *sk)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	bbr->full_bw = 0;   /* spurious slow-down; reset full pipe detection */
	bbr->full_bw_cnt = 0;
	bbrp_reset_lt_bw_sampling(sk);
	return tcp_snd_cwnd(tcp_sk(sk));
}

/* Entering loss recovery, so save cwnd for when we exit or undo recovery. */
static u32 bbrp_ssthresh(struct sock *sk)
{
	bbrp_save_cwnd(sk);
	return tcp_sk(sk)->snd_ssthresh;
}

static void bbrp_set_state(struct sock *sk, u8 new_state)
{
	struct bbrp *bbr = inet_csk_ca(sk);

	if (new_state == TCP_CA_Loss) {
		struct rate_sample rs = { .losses = 1 };

		bbr->prev_ca_state = TCP_CA_Loss;
		bbr->full_bw = 0;
		bbr->round_start = 1;	/* treat RTO like end of a round */
		bbrp_lt_bw_sampling(sk, &rs);
	}
}


SEC("struct_ops/bbrp_main_op")
void BPF_PROG(bbrp_main_op, struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
{
	bbrp_main(sk, ack, flag, rs);
}

SEC("struct_ops/bbrp_init_op")
void BPF_PROG(bbrp_init_op, struct sock *sk)
{
	bbrp_init(sk);
}

SEC("struct_ops/bbrp_sndbuf_expand_op")
u32 BPF_PROG(bbrp_sndbuf_expand_op, struct sock *sk)
{
	return bbrp_sndbuf_expand(sk);
}

SEC("struct_ops/bbrp_undo_cwnd_op")
u32 BPF_PROG(bbrp_undo_cwnd_op, struct sock *sk)
{
	return bbrp_undo_cwnd(sk);
}

SEC("struct_ops/bbrp_cwnd_event_op")
void BPF_PROG(bbrp_cwnd_event_op, struct sock *sk, enum tcp_ca_event event)
{
	bbrp_cwnd_event(sk, event);
}

SEC("struct_ops/bbrp_ssthresh_op")
u32 BPF_PROG(bbrp_ssthresh_op, struct sock *sk)
{
	return bbrp_ssthresh(sk);
}

SEC("struct_ops/bbrp_min_tso_segs_op")
u32 BPF_PROG(bbrp_min_tso_segs_op, struct sock *sk)
{
	return bbrp_min_tso_segs(sk);
}

SEC("struct_ops/bbrp_set_state_op")
void BPF_PROG(bbrp_set_state_op, struct sock *sk, u8 new_state)
{
	bbrp_set_state(sk, new_state);
}

SEC(".struct_ops")
struct tcp_congestion_ops bbrp = {
	.name		= "bbrp",
	.flags		= 1, /* TCP_CONG_NON_RESTRICTED */
	.init		= (void *)bbrp_init_op,
	.cong_control	= (void *)bbrp_main_op,
	.sndbuf_expand	= (void *)bbrp_sndbuf_expand_op,
	.undo_cwnd	= (void *)bbrp_undo_cwnd_op,
	.cwnd_event	= (void *)bbrp_cwnd_event_op,
	.ssthresh	= (void *)bbrp_ssthresh_op,
	.min_tso_segs	= (void *)bbrp_min_tso_segs_op,
	.set_state	= (void *)bbrp_set_state_op,
};
