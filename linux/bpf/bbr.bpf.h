/* SPDX-License-Identifier: GPL-2.0 */
/*
 * BBR v1 as a BPF struct_ops program: what bbrp, bbr_plus and bbr_dev have in common. A program is one file: its parameters, what it
 * changes (the macros below), this header, and CONTROL(name).
 *
 *   bandwidth = the largest delivery rate of the last 10 round trips; min_rtt = the least RTT of the last 10 s
 *   pacing rate = gain * bandwidth, less 1 %; window = gain * bandwidth * min_rtt, plus what ACKs aggregate, plus three skbs
 *
 *   startup (2.89, doubling) -> drain (1/2.89) -> probe_bw (1.25, 0.75, six times 1) <-> probe_rtt (four segments for 200 ms, every 10 s)
 *
 * Stands for: the model's tcp/cc/bbr (crates/core), of which it is the translation, file by file; and so for BBR as Linux 6.12 has it
 * (net/ipv4/tcp_bbr.c), which linux/tests/bpf-bbr holds it to, number by number.
 * Differs: D1 no INET_DIAG_BBRINFO: `ss` shows no gains. D2 the random phase comes from bpf_get_prandom_u32. D3 MAX_TCP_HEADER, which
 * the kernel's configuration decides, is 320 (WLAN with mesh, or tunnels). D4 a departure time before the present one is not undone where
 * the kernel would use cmpxchg to ask for pacing: the socket is locked.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "GPL";
extern unsigned long CONFIG_HZ __kconfig;

/* Gains are in 1/256; bandwidth is in segments a microsecond << 24. */
#define UNIT 256
#define SCALE 8
#define BW_SCALE 24
#define BW_UNIT (1ULL << BW_SCALE)

/* What a program may change, with BBR's own values. */
#ifndef STARTUP_GAIN		/* 2/ln 2: the least that doubles the rate every round trip */
#define STARTUP_GAIN (UNIT * 2885 / 1000 + 1)
#endif
#ifndef STARTUP_CWND_GAIN
#define STARTUP_CWND_GAIN (UNIT * 2885 / 1000 + 1)
#endif
#ifndef DRAIN_GAIN
#define DRAIN_GAIN (UNIT * 1000 / 2885)
#endif
#ifndef CWND_GAIN
#define CWND_GAIN (UNIT * 2)
#endif
#ifndef PROBE_GAIN		/* the phase that probes */
#define PROBE_GAIN (UNIT * 5 / 4)
#endif
#ifndef PROBE_CWND_GAIN
#define PROBE_CWND_GAIN CWND_GAIN
#endif
#ifndef DRAIN_PHASE_GAIN	/* the phase that drains */
#define DRAIN_PHASE_GAIN (UNIT * 3 / 4)
#endif
#ifndef PACE_PERCENT		/* of the pacing rate */
#define PACE_PERCENT 100
#endif
#ifndef EXTRA_ACKED_RTTS	/* half of the window of aggregation, round trips */
#define EXTRA_ACKED_RTTS 5
#endif
#ifndef DRAIN_TO_TARGET		/* a cycle drains as long as the queue lasts */
#define DRAIN_TO_TARGET 0
#endif

#define MARGIN_PERCENT 1	/* how much slower than the bandwidth it paces */
#define MIN_TSO_RATE (1200000 / 8)
#define GSO_MAX (65536 - 1 - 320)
#define BUDGET_SKBS 3
#define CWND_MIN 4
#define INIT_CWND 10
#define CYCLE_LEN 8
#define CYCLE_RAND 7
#define BW_RTTS (CYCLE_LEN + 2)
#define MIN_RTT_WIN_S 10
#define PROBE_RTT_MS 200
#define FULL_BW_GAIN (UNIT * 5 / 4)
#define FULL_BW_CNT 3
#define EPOCH_MAX (1 << 20)
#define EXTRA_ACKED_MAX_US 100000
#define POLICER_MIN_RTTS 4
#define POLICER_LOSS 50		/* of 256 */
#define POLICER_RATIO (UNIT / 8)
#define POLICER_DIFF (4000 / 8)
#define POLICER_MAX_RTTS 48

enum wt_mode { STARTUP, DRAIN, PROBE_BW, PROBE_RTT };

struct wt_bbr {
	u64 cycle_mstamp;		/* beginning of the phase (of the cycle, where it drains to its target), us */
	u64 epoch_mstamp;		/* beginning of the epoch of aggregation, us */
	struct { u32 t, v; } bw[3];	/* the largest delivery rates, best first, and their round trips */
	u32 rtt_cnt;
	u32 next_rtt_delivered;		/* `delivered` at the end of this round trip */
	u32 full_bw;
	u32 prior_cwnd;			/* window before recovery or probe_rtt */
	u32 min_rtt_us;
	u32 min_rtt_stamp;		/* jiffies */
	u32 probe_rtt_done;		/* jiffies; 0: not yet at four segments */
	u32 lt_bw;			/* policer: rate of the last interval */
	u32 lt_stamp;			/* policer: beginning of the interval, ms */
	u32 lt_delivered;
	u32 lt_lost;
	u32 epoch_acked:20,
	    extra_rtts:5,
	    extra_idx:1,
	    cycle_rtts:4;		/* length of a cycle that drains to its target, least RTTs */
	u16 extra[2];			/* most segments ahead in the present and in the last half of the window */
	u16 pacing_gain, cwnd_gain;
	u8 mode, phase, prev_state, lt_rtts;
	u8 round_start:1, conserve:1, idle_restart:1, probe_rtt_round:1, seen_rtt:1, full:1, lt_sampling:1, lt_using:1;
	u8 full_cnt;
};
_Static_assert(sizeof(struct wt_bbr) <= 104, "icsk_ca_priv");

static __always_inline struct tcp_sock *tcp(struct sock *sk) { return (struct tcp_sock *)sk; }
static __always_inline struct wt_bbr *state(struct sock *sk) { return (void *)((struct inet_connection_sock *)sk)->icsk_ca_priv; }
static __always_inline u32 in_flight(struct tcp_sock *tp) { return tp->packets_out - (tp->sacked_out + tp->lost_out) + tp->retrans_out; }
static __always_inline u32 least(u32 a, u32 b) { return a < b ? a : b; }
static __always_inline u32 most(u32 a, u32 b) { return a > b ? a : b; }
static __always_inline bool before(u32 a, u32 b) { return (s32)(a - b) < 0; }
static __always_inline u32 jiffies32(void) { return bpf_jiffies64(); }
/* Microseconds from `then` to `now`; none if `now` is earlier. */
static __always_inline u32 since(u64 now, u64 then) { return (s64)(now - then) > 0 ? now - then : 0; }
static __always_inline u32 below(u32 n) { return bpf_get_prandom_u32() % n; }

/* bandwidth */

static __always_inline u32 max_bw(struct wt_bbr *b) { return b->bw[0].v; }
static __always_inline u32 bandwidth(struct wt_bbr *b) { return b->lt_using ? b->lt_bw : max_bw(b); }

/* A sample joins the windowed maximum: three choices, of the whole, the last three quarters and the last half of the window. */
static void bw_sample(struct wt_bbr *b, u32 v)
{
	u32 t = b->rtt_cnt, age;

#define PUT(i) do { b->bw[i].t = t; b->bw[i].v = v; } while (0)
#define UP(i) (b->bw[i] = b->bw[i + 1])
	if (v >= b->bw[0].v || t - b->bw[2].t > BW_RTTS) {
		PUT(0); PUT(1); PUT(2);
		return;
	}
	if (v >= b->bw[1].v) {
		PUT(1); PUT(2);
	} else if (v >= b->bw[2].v) {
		PUT(2);
	}
	age = t - b->bw[0].t;
	if (age > BW_RTTS) {
		UP(0); UP(1); PUT(2);
		if (t - b->bw[0].t > BW_RTTS) {
			UP(0); UP(1); PUT(2);
		}
	} else if (b->bw[1].t == b->bw[0].t && age > BW_RTTS / 4) {
		PUT(1); PUT(2);
	} else if (b->bw[2].t == b->bw[1].t && age > BW_RTTS / 2) {
		PUT(2);
	}
#undef PUT
#undef UP
}

/* The pipe is full when three round trips brought less than a quarter more. */
static void check_full_pipe(struct wt_bbr *b, const struct rate_sample *rs)
{
	if (b->full || !b->round_start || rs->is_app_limited)
		return;
	if (max_bw(b) >= (u32)((u64)b->full_bw * FULL_BW_GAIN >> SCALE)) {
		b->full_bw = max_bw(b);
		b->full_cnt = 0;
		return;
	}
	b->full_cnt++;
	b->full = b->full_cnt >= FULL_BW_CNT;
}

/* window and pacing */

static __always_inline u64 to_rate(struct tcp_sock *tp, u64 bw, u32 gain)
{
	u64 r = bw * tp->mss_cache * gain >> SCALE;

	return r * (1000000 / 100 * (100 - MARGIN_PERCENT)) >> BW_SCALE;
}

static __always_inline unsigned long pacing_rate(struct sock *sk, u32 bw, u32 gain)
{
	u64 r = to_rate(tcp(sk), bw, gain);

	if (PACE_PERCENT != 100) {
		r = r * PACE_PERCENT / 100;
		if (!r)
			r = 1;
	}
	return r < sk->sk_max_pacing_rate ? r : sk->sk_max_pacing_rate;
}

/* The first window a round trip, at startup's gain. */
static void first_pacing_rate(struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);
	u32 rtt_us = 1000;

	if (tp->srtt_us) {
		state(sk)->seen_rtt = 1;
		rtt_us = most(tp->srtt_us >> 3, 1);
	}
	sk->sk_pacing_rate = pacing_rate(sk, tp->snd_cwnd * BW_UNIT / rtt_us, STARTUP_GAIN);
}

static void set_pacing_rate(struct sock *sk, u32 bw, u32 gain)
{
	struct wt_bbr *b = state(sk);
	unsigned long r = pacing_rate(sk, bw, gain);

	if (!b->seen_rtt && tcp(sk)->srtt_us)
		first_pacing_rate(sk);
	if (b->full || r > sk->sk_pacing_rate)
		sk->sk_pacing_rate = r;
}

static __always_inline u32 min_tso_segs(struct sock *sk) { return sk->sk_pacing_rate < MIN_TSO_RATE ? 1 : 2; }

static __always_inline u32 tso_segs_goal(struct sock *sk)
{
	u64 bytes = sk->sk_pacing_rate >> sk->sk_pacing_shift;

	bytes = bytes < GSO_MAX ? bytes : GSO_MAX;
	return least(most((u32)bytes / tcp(sk)->mss_cache, min_tso_segs(sk)), 0x7f);
}

/* Bandwidth times least RTT times a gain, segments, rounded up. */
static __always_inline u32 bdp(struct wt_bbr *b, u32 bw, u32 gain)
{
	if (b->min_rtt_us == ~0U)
		return INIT_CWND;
	return (((u64)bw * b->min_rtt_us * gain >> SCALE) + BW_UNIT - 1) >> BW_SCALE;
}

/* Three skbs more, an even number, and two more in the phase that probes. */
static __always_inline u32 budget(struct sock *sk, u32 cwnd)
{
	struct wt_bbr *b = state(sk);

	cwnd = (cwnd + BUDGET_SKBS * tso_segs_goal(sk) + 1) & ~1U;
	return b->mode == PROBE_BW && b->phase == 0 ? cwnd + 2 : cwnd;
}

/* What should be in flight. */
static u32 inflight(struct sock *sk, u32 bw, u32 gain)
{
	return budget(sk, bdp(state(sk), bw, gain));
}

/* How many of n segments will still be out when the next one departs. */
static u32 in_network(struct sock *sk, u32 n)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u64 now = tp->tcp_clock_cache, edt = tp->tcp_wstamp_ns;
	u64 us = edt > now ? (edt - now) / 1000 : 0;
	u32 delivered = (u64)bandwidth(b) * us >> BW_SCALE;

	if (b->pacing_gain > UNIT)
		n += tso_segs_goal(sk);
	return delivered >= n ? 0 : n - delivered;
}

static void save_cwnd(struct sock *sk)
{
	struct wt_bbr *b = state(sk);
	u32 cwnd = tcp(sk)->snd_cwnd;
	bool good = b->prev_state < TCP_CA_Recovery && b->mode != PROBE_RTT;

	b->prior_cwnd = good ? cwnd : most(b->prior_cwnd, cwnd);
}

/* True: packets are conserved. */
static bool recover_or_restore(struct sock *sk, const struct rate_sample *rs, u32 *cwnd)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u8 prev = b->prev_state, now = ((struct inet_connection_sock *)sk)->icsk_ca_state;
	u32 out = in_flight(tp) + rs->acked_sacked;

	if (rs->losses > 0) {
		s32 left = *cwnd - rs->losses;

		*cwnd = left > 1 ? left : 1;
	}
	if (now == TCP_CA_Recovery && prev != TCP_CA_Recovery) {
		b->conserve = 1;
		b->next_rtt_delivered = tp->delivered;
		*cwnd = out;
	} else if (prev >= TCP_CA_Recovery && now < TCP_CA_Recovery) {
		*cwnd = most(*cwnd, b->prior_cwnd);
		b->conserve = 0;
	}
	b->prev_state = now;
	if (b->conserve)
		*cwnd = most(*cwnd, out);
	return b->conserve;
}

static void set_cwnd(struct sock *sk, const struct rate_sample *rs, u32 bw, u32 gain)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u32 cwnd = tp->snd_cwnd, acked = rs->acked_sacked;

	if (acked && !recover_or_restore(sk, rs, &cwnd)) {
		u32 target = bdp(b, bw, gain);

		if (b->full) {
			u32 extra = most(b->extra[0], b->extra[1]);

			target += least(extra, (u64)bw * EXTRA_ACKED_MAX_US >> BW_SCALE);
		}
		target = budget(sk, target);
		if (b->full)
			cwnd = least(cwnd + acked, target);
		else if (cwnd < target || tp->delivered < INIT_CWND)
			cwnd += acked;
		cwnd = most(cwnd, CWND_MIN);
	}
	cwnd = least(cwnd, tp->snd_cwnd_clamp);
	if (b->mode == PROBE_RTT)
		cwnd = least(cwnd, CWND_MIN);
	tp->snd_cwnd = cwnd;
}

/* probing */

static void begin_cycle(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	b->cycle_mstamp = tcp(sk)->delivered_mstamp;
	b->cycle_rtts = CYCLE_LEN - below(CYCLE_RAND);
	b->phase = 0;
}

static void next_phase(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	b->phase = (b->phase + 1) % CYCLE_LEN;
	b->cycle_mstamp = tcp(sk)->delivered_mstamp;
}

/* In any phase but the one that drains. */
static void enter_probe_bw(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	b->mode = PROBE_BW;
	b->phase = CYCLE_LEN - 1 - below(CYCLE_RAND);
	next_phase(sk);
}

/* Neither the application nor the receiver's window lets it send. */
static bool cannot_send(struct tcp_sock *tp)
{
	u32 next = least(tp->write_seq - tp->snd_nxt, tp->mss_cache);

	return !next || before(tp->snd_una + tp->snd_wnd, tp->snd_nxt + next);
}

static void update_cycle(struct sock *sk, const struct rate_sample *rs)
{
	struct wt_bbr *b = state(sk);
	u32 elapsed = since(tcp(sk)->delivered_mstamp, b->cycle_mstamp), n, gain = b->pacing_gain;
	bool whole = elapsed > b->min_rtt_us, over;

	if (b->mode != PROBE_BW)
		return;
	if (DRAIN_TO_TARGET && elapsed > b->cycle_rtts * b->min_rtt_us) {
		begin_cycle(sk);
		return;
	}
	n = gain == UNIT ? 0 : in_network(sk, rs->prior_in_flight);
	if (gain > UNIT)
		over = whole && (rs->losses || (DRAIN_TO_TARGET && (rs->is_app_limited || cannot_send(tcp(sk)))) ||
				 n >= inflight(sk, max_bw(b), gain));
	else if (gain < UNIT)
		over = (whole && !DRAIN_TO_TARGET) || n <= inflight(sk, max_bw(b), UNIT);
	else
		over = whole && !DRAIN_TO_TARGET;
	if (!over)
		return;
	if (DRAIN_TO_TARGET)
		b->phase = gain > UNIT ? 1 : 2;
	else
		next_phase(sk);
}

static void check_drain(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	if (b->mode == STARTUP && b->full) {
		b->mode = DRAIN;
		tcp(sk)->snd_ssthresh = inflight(sk, max_bw(b), UNIT);
	}
	if (b->mode == DRAIN && in_network(sk, in_flight(tcp(sk))) <= inflight(sk, max_bw(b), UNIT))
		enter_probe_bw(sk);
}

static void check_probe_rtt_done(struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u32 now = jiffies32();

	if (!b->probe_rtt_done || !before(b->probe_rtt_done, now))
		return;
	b->min_rtt_stamp = now;
	tp->snd_cwnd = most(tp->snd_cwnd, b->prior_cwnd);
	if (b->full)
		enter_probe_bw(sk);
	else
		b->mode = STARTUP;
}

/* An ACK in a dip: its low rates do not count. */
static void probe_rtt(struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);

	tp->app_limited = most(tp->delivered + in_flight(tp), 1);
	if (b->probe_rtt_done) {
		b->probe_rtt_round |= b->round_start;
		if (b->probe_rtt_round)
			check_probe_rtt_done(sk);
	} else if (in_flight(tp) <= CWND_MIN) {
		b->probe_rtt_done = jiffies32() + (PROBE_RTT_MS * (u32)CONFIG_HZ + 999) / 1000;
		b->probe_rtt_round = 0;
		b->next_rtt_delivered = tp->delivered;
	}
}

static void update_min_rtt(struct sock *sk, const struct rate_sample *rs)
{
	struct wt_bbr *b = state(sk);
	u32 now = jiffies32();
	bool expired = before(b->min_rtt_stamp + MIN_RTT_WIN_S * (u32)CONFIG_HZ, now);

	if (rs->rtt_us >= 0 && (rs->rtt_us < b->min_rtt_us || (expired && !rs->is_ack_delayed))) {
		b->min_rtt_us = rs->rtt_us;
		b->min_rtt_stamp = now;
	}
	if (expired && !b->idle_restart && b->mode != PROBE_RTT) {
		b->mode = PROBE_RTT;
		save_cwnd(sk);
		b->probe_rtt_done = 0;
	}
	if (b->mode == PROBE_RTT)
		probe_rtt(sk);
	if (rs->delivered > 0)
		b->idle_restart = 0;
}

/* policer: two intervals in a row that lose a fifth and deliver at the same rate */

static void policer_interval(struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);

	b->lt_stamp = tp->delivered_mstamp / 1000;
	b->lt_delivered = tp->delivered;
	b->lt_lost = tp->lost;
	b->lt_rtts = 0;
}

static void policer_reset(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	b->lt_bw = 0;
	b->lt_using = 0;
	b->lt_sampling = 0;
	policer_interval(sk);
}

static void policer_rate(struct sock *sk, u32 bw)
{
	struct wt_bbr *b = state(sk);

	if (b->lt_bw) {
		u32 diff = bw > b->lt_bw ? bw - b->lt_bw : b->lt_bw - bw;

		if (diff * UNIT <= POLICER_RATIO * b->lt_bw || to_rate(tcp(sk), diff, UNIT) <= POLICER_DIFF) {
			b->lt_bw = (bw + b->lt_bw) >> 1;
			b->lt_using = 1;
			b->lt_rtts = 0;
			b->pacing_gain = UNIT;
			return;
		}
	}
	b->lt_bw = bw;
	policer_interval(sk);
}

static void policer_sample(struct sock *sk, bool losses, bool app_limited)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u32 lost, delivered, ms;

	if (b->lt_using) {
		if (b->mode == PROBE_BW && b->round_start && ++b->lt_rtts >= POLICER_MAX_RTTS) {
			policer_reset(sk);
			enter_probe_bw(sk);
		}
		return;
	}
	/* The first loss shows that the policer's bucket is empty. */
	if (!b->lt_sampling) {
		if (!losses)
			return;
		policer_interval(sk);
		b->lt_sampling = 1;
	}
	if (app_limited) {
		policer_reset(sk);
		return;
	}
	b->lt_rtts += b->round_start;
	if (b->lt_rtts < POLICER_MIN_RTTS)
		return;
	if (b->lt_rtts > 4 * POLICER_MIN_RTTS) {
		policer_reset(sk);
		return;
	}
	/* An interval ends with a loss, too. */
	if (!losses)
		return;
	lost = tp->lost - b->lt_lost;
	delivered = tp->delivered - b->lt_delivered;
	if (!delivered || lost << SCALE < POLICER_LOSS * delivered)
		return;
	ms = (u32)(tp->delivered_mstamp / 1000) - b->lt_stamp;
	if ((s32)ms < 1)
		return;
	if (ms >= ~0U / 1000) {
		policer_reset(sk);
		return;
	}
	policer_rate(sk, delivered * BW_UNIT / (ms * 1000));
}

/* aggregation: how many more segments ACKs bring at once than the bandwidth explains */

static void update_aggregation(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u32 expected, extra, acked;

	if (!rs->acked_sacked || rs->delivered < 0 || rs->interval_us <= 0)
		return;
	if (b->round_start) {
		b->extra_rtts = least(b->extra_rtts + 1, 0x1f);
		if (b->extra_rtts >= EXTRA_ACKED_RTTS) {
			b->extra_rtts = 0;
			b->extra_idx ^= 1;
			if (b->extra_idx)
				b->extra[1] = 0;
			else
				b->extra[0] = 0;
		}
	}
	expected = (u64)bandwidth(b) * since(tp->delivered_mstamp, b->epoch_mstamp) >> BW_SCALE;
	acked = b->epoch_acked;
	if (acked <= expected || acked + rs->acked_sacked >= EPOCH_MAX) {
		b->epoch_mstamp = tp->delivered_mstamp;
		acked = 0;
		expected = 0;
	}
	acked = least(acked + rs->acked_sacked, EPOCH_MAX - 1);
	b->epoch_acked = acked;
	extra = least(acked - expected, tp->snd_cwnd);
	if (b->extra_idx) {
		if (extra > b->extra[1])
			b->extra[1] = extra;
	} else if (extra > b->extra[0]) {
		b->extra[0] = extra;
	}
}

/* the whole */

static void update_bandwidth(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);
	u32 bw;

	b->round_start = 0;
	if (rs->delivered < 0 || rs->interval_us <= 0)
		return;
	if (!before(rs->prior_delivered, b->next_rtt_delivered)) {
		b->next_rtt_delivered = tp->delivered;
		b->rtt_cnt++;
		b->round_start = 1;
		b->conserve = 0;
	}
	policer_sample(sk, rs->losses, rs->is_app_limited);
	bw = (u64)rs->delivered * BW_UNIT / (u64)rs->interval_us;
	/* The rate of an application that sends little says nothing of the path, unless it is more than what is known. */
	if (!rs->is_app_limited || bw >= max_bw(b))
		bw_sample(b, bw);
}

static void set_gains(struct wt_bbr *b)
{
	switch (b->mode) {
	case STARTUP:
		b->pacing_gain = STARTUP_GAIN;
		b->cwnd_gain = STARTUP_CWND_GAIN;
		break;
	case DRAIN:
		b->pacing_gain = DRAIN_GAIN;
		b->cwnd_gain = STARTUP_CWND_GAIN;
		break;
	case PROBE_BW:
		b->pacing_gain = b->lt_using ? UNIT : b->phase == 0 ? PROBE_GAIN : b->phase == 1 ? DRAIN_PHASE_GAIN : UNIT;
		b->cwnd_gain = !b->lt_using && b->phase == 0 ? PROBE_CWND_GAIN : CWND_GAIN;
		break;
	default:
		b->pacing_gain = UNIT;
		b->cwnd_gain = UNIT;
	}
}

static __always_inline void on_ack(struct sock *sk, const struct rate_sample *rs)
{
	struct wt_bbr *b = state(sk);
	u32 bw;

	update_bandwidth(sk, rs);
	update_aggregation(sk, rs);
	update_cycle(sk, rs);
	check_full_pipe(b, rs);
	check_drain(sk);
	update_min_rtt(sk, rs);
	set_gains(b);
	bw = bandwidth(b);
	set_pacing_rate(sk, bw, b->pacing_gain);
	set_cwnd(sk, rs, bw, b->cwnd_gain);
}

/* The kernel has cleared the rest of the state. */
static __always_inline void on_init(struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);
	struct wt_bbr *b = state(sk);

	tp->snd_ssthresh = 0x7fffffff;
	b->next_rtt_delivered = tp->delivered;
	b->min_rtt_us = tp->rtt_min.s[0].v;
	b->min_rtt_stamp = jiffies32();
	b->epoch_mstamp = tp->tcp_mstamp;
	first_pacing_rate(sk);
	policer_reset(sk);
	if (sk->sk_pacing_status == SK_PACING_NONE)
		sk->sk_pacing_status = SK_PACING_NEEDED;
}

static __always_inline void on_event(struct sock *sk, enum tcp_ca_event event)
{
	struct wt_bbr *b = state(sk);

	if (event != CA_EVENT_TX_START || !tcp(sk)->app_limited)
		return;
	b->idle_restart = 1;
	b->epoch_mstamp = tcp(sk)->tcp_mstamp;
	b->epoch_acked = 0;
	if (b->mode == PROBE_BW)
		set_pacing_rate(sk, bandwidth(b), UNIT);
	else if (b->mode == PROBE_RTT)
		check_probe_rtt_done(sk);
}

static __always_inline u32 on_undo(struct sock *sk)
{
	struct wt_bbr *b = state(sk);

	b->full_bw = 0;
	b->full_cnt = 0;
	policer_reset(sk);
	return tcp(sk)->snd_cwnd;
}

static __always_inline void on_state(struct sock *sk, u8 now)
{
	struct wt_bbr *b = state(sk);

	if (now != TCP_CA_Loss)
		return;
	b->prev_state = TCP_CA_Loss;
	b->full_bw = 0;
	/* A timeout ends a round trip. */
	b->round_start = 1;
	policer_sample(sk, true, false);
}

#define CONTROL(as) \
	SEC("struct_ops") void BPF_PROG(op_init, struct sock *sk) { on_init(sk); } \
	SEC("struct_ops") void BPF_PROG(op_main, struct sock *sk, u32 ack, int flag, const struct rate_sample *rs) { on_ack(sk, rs); } \
	SEC("struct_ops") u32 BPF_PROG(op_sndbuf_expand, struct sock *sk) { return 3; } \
	SEC("struct_ops") u32 BPF_PROG(op_undo_cwnd, struct sock *sk) { return on_undo(sk); } \
	SEC("struct_ops") void BPF_PROG(op_cwnd_event, struct sock *sk, enum tcp_ca_event event) { on_event(sk, event); } \
	SEC("struct_ops") u32 BPF_PROG(op_ssthresh, struct sock *sk) { save_cwnd(sk); return tcp(sk)->snd_ssthresh; } \
	SEC("struct_ops") u32 BPF_PROG(op_min_tso_segs, struct sock *sk) { return min_tso_segs(sk); } \
	SEC("struct_ops") void BPF_PROG(op_set_state, struct sock *sk, u8 now) { on_state(sk, now); } \
	SEC(".struct_ops") struct tcp_congestion_ops as = { \
		.name = #as, \
		.flags = 1, /* TCP_CONG_NON_RESTRICTED */ \
		.init = (void *)op_init, \
		.cong_control = (void *)op_main, \
		.sndbuf_expand = (void *)op_sndbuf_expand, \
		.undo_cwnd = (void *)op_undo_cwnd, \
		.cwnd_event = (void *)op_cwnd_event, \
		.ssthresh = (void *)op_ssthresh, \
		.min_tso_segs = (void *)op_min_tso_segs, \
		.set_state = (void *)op_set_state, \
	}
