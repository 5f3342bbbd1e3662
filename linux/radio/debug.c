// SPDX-License-Identifier: GPL-2.0
/*
 * debug: what can be read from outside, below debugfs wavetank/:
 *
 *   radioN       counters and the A-MPDU size histogram, `name value` a line
 *   air          time the medium was busy, and with collisions
 *   trace        the last PPDUs: start ns, radio, category, MCS or -1-rate index, MPDUs, lowest sequence number,
 *                what arrived (hex, bit i: lowest + i), duration ns, attempt, collided, what was sent (likewise)
 *   acks         TCP/HACK: what became of the last TCP ACKs: ns, station, made | came (natively, at the AP) | restored (goes up there) |
 *                rode (on an answer) | heard (an answer, at the AP), octets, hash of the packet
 *   minstrel     what Minstrel-HT was told and has decided (minstrel.c)
 *   drop         write "RADIO INDEX": of the next aggregate of that radio the MPDU INDEX (from 0) is lost, once
 *   forget       write "RADIO": the AP forgets what it knows of that station's TCP flows (hack.c)
 *   channel_start  write ns of CLOCK_MONOTONIC: when the first step of the channel's file begins (channel.c)
 */
#include <linux/debugfs.h>
#include <linux/jhash.h>
#include <linux/seq_file.h>
#include "radio.h"

#define TRACE 16384
#define MOST_ACKS (1 << 17)

struct trace {
	u64 start, acked, sent;
	u32 ns;
	s16 rate;
	u16 seq;
	u8 radio, q, n, attempt, collided;
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
static struct dentry *root;
static int drop_radio = -1, drop_index;

void wt_debug_ppdu(struct wt_radio *r, int q, const struct wt_ppdu *p, u64 start, u64 ns, bool collided)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];

	u16 first = p->beacon ? 0 : wt_frame(p->mpdu[0])->seq;
	u64 sent = 0, acked = 0;
	s16 lowest = 0;
	int i;

	if (!ring)
		return;
	/* an aggregate spans no more than the window: offsets from its lowest number fit 64 bits */
	for (i = 1; i < p->n; i++)
		lowest = min_t(s16, lowest, sign_extend32(wt_frame(p->mpdu[i])->seq - first, 11));
	for (i = 0; i < p->n && !p->beacon; i++) {
		u64 bit = BIT_ULL((wt_frame(p->mpdu[i])->seq - first - lowest) & 63);

		sent |= bit;
		if (p->acked & BIT_ULL(i))
			acked |= bit;
	}
	ring[traced++ % TRACE] = (struct trace) {
		.start = start, .acked = acked, .sent = sent, .ns = ns, .seq = (first + lowest) & IEEE80211_SN_MASK,
		.rate = rate->flags & IEEE80211_TX_RC_MCS ? rate->idx : -1 - rate->idx,
		.radio = r->index, .q = q, .n = p->n, .attempt = p->attempts, .collided = collided,
	};
}

void wt_debug_ack(const struct wt_radio *r, enum wt_ack_fate what, const void *header, u32 len)
{
	if (acks)
		acks[n_acks++ % MOST_ACKS] = (struct ack) {
			.at = wt_medium_time(), .hash = header ? (u64)jhash(header, len, 0) << 32 | jhash(header, len, 1) : 0,
			.len = len, .radio = r->index, .what = what,
		};
}

static int acks_show(struct seq_file *f, void *unused)
{
	static const char *const words[] = { "made", "came", "restored", "rode", "heard" };
	u64 i;

	for (i = n_acks > MOST_ACKS ? n_acks - MOST_ACKS : 0; i < n_acks; i++) {
		const struct ack *a = &acks[i % MOST_ACKS];

		seq_printf(f, "%llu %u %s %u %016llx\n", a->at, a->radio, words[a->what], a->len, a->hash);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(acks);

bool wt_debug_drop(struct wt_radio *r, const struct wt_ppdu *p, int index)
{
	if (drop_radio != r->index || drop_index != index || !p->aggr)
		return false;
	drop_radio = -1;
	return true;
}

static int trace_show(struct seq_file *f, void *unused)
{
	u64 i;

	for (i = traced > TRACE ? traced - TRACE : 0; i < traced; i++) {
		struct trace *t = &ring[i % TRACE];

		seq_printf(f, "%llu %u %u %d %u %u %llx %u %u %u %llx\n", t->start, t->radio, t->q, t->rate, t->n, t->seq,
			   t->acked, t->ns, t->attempt, t->collided, t->sent);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(trace);

static int air_show(struct seq_file *f, void *unused)
{
	seq_printf(f, "busy_ns %llu\ncollision_ns %llu\n", wt_air.busy_ns, wt_air.collision_ns);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(air);

static int radio_show(struct seq_file *f, void *unused)
{
	struct wt_radio *r = f->private;
	struct wt_counters *c = &r->count;
	struct wt_hack_seen seen;
	int i;

#define SHOW(_x) seq_printf(f, #_x " %llu\n", c->_x)
	SHOW(ppdus); SHOW(mpdus); SHOW(acked_mpdus); SHOW(failed_mpdus); SHOW(dropped_mpdus);
	SHOW(collisions); SHOW(no_response); SHOW(internal_collisions); SHOW(aggregates); SHOW(singles);
	SHOW(airtime_ns); SHOW(rx_mpdus); SHOW(rx_bytes); SHOW(back_to_back);
	SHOW(fifo_max); SHOW(netdev_stops);
	SHOW(tao_held); SHOW(tao_releases); SHOW(tao_expired);
	spin_lock_bh(&wt_air.lock);
	wt_hack_show(r, &seen);
	spin_unlock_bh(&wt_air.lock);
#define ACKS(_x) seq_printf(f, "acks_" #_x " %llu\n", seen._x)
	if (r->hack.pair) {
		ACKS(made); ACKS(compressed); ACKS(compressed_bytes); ACKS(riding_bytes); ACKS(responses); ACKS(failures);
		ACKS(not_ready); ACKS(repairs); ACKS(flushes); ACKS(restored); ACKS(refused);
		seq_printf(f, "acks_native %llu\nacks_native_bytes %llu\nacks_riding_ns %llu\nacks_beyond_difs %llu\n",
			   r->hack.native, r->hack.native_bytes, r->hack.riding_ns, r->hack.beyond_difs);
	}
	for (i = 1; i <= WT_MAX_MPDUS; i++)
		if (c->ht_ampdu[i])
			seq_printf(f, "ampdu_%d %llu\n", i, c->ht_ampdu[i]);
	/* data by MCS, width and guard interval: mode_ppdus_MCS_MHZ_SHORT */
	for (i = 0; i < WT_MODES_HT; i++) {
		if (!c->mode_ppdus[i])
			continue;
		seq_printf(f, "mode_ppdus_%d_%d_%d %llu\n", i / 4, i & 2 ? 40 : 20, i & 1, c->mode_ppdus[i]);
		seq_printf(f, "mode_mpdus_%d_%d_%d %llu\n", i / 4, i & 2 ? 40 : 20, i & 1, c->mode_mpdus[i]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(radio);

static ssize_t drop_write(struct file *file, const char __user *user, size_t len, loff_t *pos)
{
	char buf[32] = {};
	int radio, index;

	if (len >= sizeof(buf) || copy_from_user(buf, user, len))
		return -EINVAL;
	if (sscanf(buf, "%d %d", &radio, &index) != 2)
		return -EINVAL;
	drop_index = index;
	drop_radio = radio;
	return len;
}

static int forget_set(void *unused, u64 radio)
{
	wt_hack_amnesia(radio);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(forget_fops, NULL, forget_set, "%llu\n");

static int channel_start_set(void *unused, u64 at)
{
	spin_lock_bh(&wt_air.lock);
	wt_channel_start(at);
	spin_unlock_bh(&wt_air.lock);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(channel_start_fops, NULL, channel_start_set, "%llu\n");

static const struct file_operations drop_fops = { .owner = THIS_MODULE, .open = simple_open, .write = drop_write };

int wt_debug_init(void)
{
	ring = kvcalloc(TRACE, sizeof(*ring), GFP_KERNEL);
	n_acks = 0;
	acks = wt_hack_on() ? kvcalloc(MOST_ACKS, sizeof(*acks), GFP_KERNEL) : NULL;
	root = debugfs_create_dir("wavetank", NULL);
	debugfs_create_file("air", 0444, root, NULL, &air_fops);
	debugfs_create_file("acks", 0444, root, NULL, &acks_fops);
	debugfs_create_file("trace", 0444, root, NULL, &trace_fops);
	debugfs_create_file("drop", 0200, root, NULL, &drop_fops);
	debugfs_create_file_unsafe("forget", 0200, root, NULL, &forget_fops);
	debugfs_create_file_unsafe("channel_start", 0200, root, NULL, &channel_start_fops);
	return wt_minstrel_init(root);
}

void wt_debug_radio(struct wt_radio *r)
{
	char name[16];

	snprintf(name, sizeof(name), "radio%d", r->index);
	r->debug = debugfs_create_file(name, 0444, root, r, &radio_fops);
}

void wt_debug_exit(void)
{
	debugfs_remove(root);
	wt_minstrel_exit();
	kvfree(ring);
	ring = NULL;
	kvfree(acks);
	acks = NULL;
}
