// SPDX-License-Identifier: GPL-2.0
/*
 * aasrc: Aggregation Aware Source Rate Control, and AARC, which adds the receiver's feedback.
 *
 * Stands for: the thesis, sections 5.5 to 5.7, equations 5.1 to 5.5; what it leaves open is decided, for the model's half
 *   (crates/core/src/rate/aasrc.rs) as for this one, in docs/mechanisms/aasrc.md and aarc.md.
 *
 *   a unit        an A-MPDU, or a single frame
 *   a probe       one unit at the next higher rate; nothing while that rate is barred
 *   better        up, b = 0; else barred for 2^b ms, b + 1
 *   unsupported   nothing answers at the current rate, or it carries less than the one below: down, at once
 *   feedback      (AARC) the channel is better by more than the threshold than it was when the rate was barred: no bar
 *
 * All arithmetic is in integers and rounds down; nothing here knows of a clock, a lock or mac80211.
 */
#ifndef WAVETANK_AASRC_OUTSIDE
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>
#endif
#include "aasrc.h"

#define LEAST_FRAMES	32	/* before a current rate is judged by its losses */

void aasrc_start(struct aasrc *a, enum aasrc_kind kind)
{
	a->kind = kind;
	a->current_rate = 0;
	a->forced = false;
	memset(a->heard, 0, sizeof(a->heard));
}

/* Equations 5.2 and 5.3: kbit/s of a rate that loses nothing, in units of `avg` frames. */
static u32 lossless(const struct aasrc_rate *r, u32 avg)
{
	u64 tx = div_u64((u64)avg * READ_ONCE(aasrc_p.pkt_bytes) * 31250, r->kbps);

	return div64_u64(r->kbps * tx, READ_ONCE(aasrc_p.overhead_ns) + tx);
}

/* Equations 5.4 and 5.5, kbit/s. */
u32 aasrc_throughput(const struct aasrc_rate *r, u32 avg)
{
	return r->sent ? div_u64((u64)lossless(r, avg) * (r->sent - r->failed), r->sent) : lossless(r, avg);
}

/* Of a rate that is compared with one just used, in units of `avg` frames if nothing is known of it. */
static u32 compared(const struct aasrc_rate *r, u32 avg)
{
	return aasrc_throughput(r, r->avg ?: avg);
}

static void count(struct aasrc_rate *r, u32 frames, u32 failed)
{
	if (r->sent >= READ_ONCE(aasrc_p.window)) {
		r->sent /= 2;
		r->failed /= 2;
	}
	r->sent += frames;
	r->failed += failed;
	r->avg = r->avg ? (3 * r->avg + 256 * frames) / 4 : 256 * frames;
}

static int modulation(const struct aasrc *a, const struct aasrc_rate *r)
{
	return a->kind == AARC_SNR ? 0 : r->modulation;
}

/* Equation 5.1, and what the channel was like then. */
static void bar(struct aasrc *a, struct aasrc_rate *r, u64 now)
{
	int m = modulation(a, r);

	r->barred_until = now + ((u64)NSEC_PER_MSEC << r->b);
	r->b = min_t(u32, r->b + 1, ilog2(READ_ONCE(aasrc_p.max_backoff_ms[a->kind])));
	r->referred = a->heard[m];
	r->reference = a->last[m];
	a->forced = false;
}

/* Its statistics; its back-off is none of them. */
static void forget(struct aasrc_rate *r)
{
	r->sent = r->failed = r->avg = 0;
}

static void step_down(struct aasrc *a)
{
	struct aasrc_rate *r = &a->rate[a->current_rate];

	if (!a->current_rate)
		return;
	if (a->current_rate + 1 < a->n)
		forget(r + 1);
	forget(r);
	a->forced = false;
	a->current_rate--;
	a->steps_down++;
}

/* The rate that the next unit is to probe, or AASRC_NONE. */
int aasrc_probe(const struct aasrc *a, u64 now)
{
	int up = a->current_rate + 1;

	return up < a->n && now >= a->rate[up].barred_until ? up : AASRC_NONE;
}

/* What became of a probe of the next higher rate, which is counted already; false: it has failed. */
static bool judge(struct aasrc *a, u64 now, bool answered, bool forced)
{
	struct aasrc_rate *up = &a->rate[a->current_rate + 1], *r = up - 1;

	if (answered && up->sent << 9 < r->avg)
		return true;		/* too few frames to tell: the next unit goes on with it */
	if (!answered || aasrc_throughput(up, up->avg) <= compared(r, up->avg)) {
		bar(a, up, now);
		return false;
	}
	up->b = 0;
	up->barred_until = 0;
	up->count.succeeded++;
	up->count.forced_succeeded += forced;
	a->current_rate++;
	a->forced = false;
	return true;
}

/* Whether the current rate carries less than the one below. */
static bool poor(const struct aasrc *a)
{
	const struct aasrc_rate *r = &a->rate[a->current_rate];

	return a->current_rate && r->sent >= LEAST_FRAMES && aasrc_throughput(r, r->avg) < compared(r - 1, r->avg);
}

/* A unit is over. */
void aasrc_report(struct aasrc *a, u64 now, const struct aasrc_unit *u)
{
	struct aasrc_rate *r = &a->rate[u->link[0].rate];
	int i, began = a->current_rate;

	if (u->probe) {
		/* the channel of those before it is no more */
		if (u->forced)
			r->sent = r->failed = 0;
		r->count.probes++;
		r->count.forced += u->forced;
	}
	for (i = 0; i < u->links; i++) {
		u32 acked = u->link[i].answered ? u->acked : 0;

		r = &a->rate[u->link[i].rate];
		count(r, u->frames, u->frames - acked);
		r->count.units++;
		r->count.frames += u->frames;
		r->count.acked += acked;
	}
	/* after a step down while it was out, it probed what is two rates up now */
	if (u->probe && u->link[0].rate == began + 1) {
		if (judge(a, now, u->link[0].answered, u->forced))
			return;
	}
	for (i = 0; i < u->links; i++)
		if (u->link[i].rate == a->current_rate && (!u->link[i].answered || poor(a)))
			step_down(a);
}

/* A probe was never reported. */
void aasrc_lost(struct aasrc *a, u64 now, int rate)
{
	a->rate[rate].count.probes++;
	a->rate[rate].count.lost++;
	bar(a, &a->rate[rate], now);
}

/* No report has come for long: a unit that nothing answered. */
void aasrc_silent(struct aasrc *a)
{
	step_down(a);
}

/* What the receiver says of the channel, 1/100 dB: true if a bar fell. */
bool aasrc_feedback(struct aasrc *a, u64 now, int m, s32 value)
{
	struct aasrc_rate *up = &a->rate[a->current_rate + 1];

	a->last[m] = value;
	a->heard[m] = true;
	if (a->current_rate + 1 >= a->n || now >= up->barred_until || modulation(a, up) != m)
		return false;
	if (!up->referred) {
		up->referred = true;
		up->reference = value;
		return false;
	}
	if (value - up->reference <= (s32)READ_ONCE(aasrc_p.threshold))
		return false;
	up->barred_until = 0;
	a->forced = true;
	return true;
}
