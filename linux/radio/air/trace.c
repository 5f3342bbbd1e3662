// SPDX-License-Identifier: GPL-2.0
/*
 * trace: the last PPDUs on the air and, under TCP/HACK, what became of the last TCP ACKs. What their lines say: debug.c.
 */
#include <linux/jhash.h>
#include "air/phy.h"
#include "air/trace.h"

#define TRACE 16384
#define MOST_ACKS (1 << 17)

struct trace {
	u64 start, acked, sent;
	u32 ns;
	s16 rate;
	u16 seq;
	u16 n;
	u8 radio, q, attempt, collided;
};

struct ack {
	u64 at;
	u64 hash;
	u16 len;
	u8 radio, what;
};

static struct ack *acks;
static u64 n_acks;
static struct trace *ring;
static u64 traced;

void wt_trace_ppdu(struct wt_radio *r, int q, const struct wt_ppdu *p, u64 start, u64 ns, bool collided)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	u16 first = p->beacon ? 0 : wt_frame(p->mpdu[0])->seq;
	u64 sent = 0, acked = 0;
	s16 lowest = 0;
	int i;

	if (!ring)
		return;
	/* an aggregate spans no more than the window: offsets from its lowest number fit 64 bits, but for windows of 802.11ax, where more is left out */
	for (i = 1; i < p->n; i++)
		lowest = min_t(s16, lowest, sign_extend32(wt_frame(p->mpdu[i])->seq - first, 11));
	for (i = 0; i < p->n && !p->beacon; i++) {
		u16 at = (wt_frame(p->mpdu[i])->seq - first - lowest) & IEEE80211_SN_MASK;
		u64 bit = at < 64 ? BIT_ULL(at) : 0;

		sent |= bit;
		if (test_bit(i, p->acked))
			acked |= bit;
	}
	ring[traced++ % TRACE] = (struct trace) {
		.start = start, .acked = acked, .sent = sent, .ns = ns, .seq = (first + lowest) & IEEE80211_SN_MASK,
		.rate = wt_phy_aggregates(rate) ? wt_phy_mcs(rate) : -1 - rate->idx,
		.radio = r->index, .q = q, .n = p->n, .attempt = p->attempts, .collided = collided,
	};
}

int wt_trace_show(struct seq_file *f, void *unused)
{
	u64 i;

	for (i = traced > TRACE ? traced - TRACE : 0; i < traced; i++) {
		struct trace *t = &ring[i % TRACE];

		seq_printf(f, "%llu %u %u %d %u %u %llx %u %u %u %llx\n", t->start, t->radio, t->q, t->rate, t->n, t->seq,
			   t->acked, t->ns, t->attempt, t->collided, t->sent);
	}
	return 0;
}

void wt_trace_ack(const struct wt_radio *r, enum wt_ack_fate what, const void *header, u32 len)
{
	if (acks)
		acks[n_acks++ % MOST_ACKS] = (struct ack) {
			.at = wt_time(), .hash = header ? (u64)jhash(header, len, 0) << 32 | jhash(header, len, 1) : 0,
			.len = len, .radio = r->index, .what = what,
		};
}

int wt_trace_show_acks(struct seq_file *f, void *unused)
{
	static const char *const words[] = { "made", "came", "restored", "rode", "heard" };
	u64 i;

	for (i = n_acks > MOST_ACKS ? n_acks - MOST_ACKS : 0; i < n_acks; i++) {
		const struct ack *a = &acks[i % MOST_ACKS];

		seq_printf(f, "%llu %u %s %u %016llx\n", a->at, a->radio, words[a->what], a->len, a->hash);
	}
	return 0;
}

void wt_trace_init(void)
{
	ring = kvcalloc(TRACE, sizeof(*ring), GFP_KERNEL);
	n_acks = 0;
	acks = wt_hack_on() ? kvcalloc(MOST_ACKS, sizeof(*acks), GFP_KERNEL) : NULL;
}

void wt_trace_exit(void)
{
	kvfree(ring);
	ring = NULL;
	kvfree(acks);
	acks = NULL;
}
