// SPDX-License-Identifier: GPL-2.0
/*
 * minstrel: writes down what mac80211 tells Minstrel-HT and what Minstrel-HT decides, call by call.
 *
 * With minstrel_kib set, a card's rate control operations are replaced by ones that call the kernel's and write to debugfs
 * wavetank/minstrel. Nothing is decided here. minstrel_table is the address of the running kernel's sample table (a static
 * variable: nm of the kernel gives it); the table is written first.
 *
 * A recording is little-endian and begins with "WTMR" 1 0, HZ (u16) and the sample table (10 columns of 10). Then events: kind
 * (u8), station (u8), jiffies (u32), and by kind
 *
 *   1 begins     max_rates, max_rate_tries (u8), four overheads (u16: aggregates, with RTS, legacy, with RTS), flags (u8:
 *                1 ht, 2 TX_STATUS_NO_AMPDU_LEN, 4 at 2.4 GHz),
 *                groups (u8), supported of each (u16); a decision
 *   2 status     flags (u8: 1 of an A-MPDU, 2 told of it, 4 acknowledged, 8 not to be acknowledged), ampdu_len, ampdu_ack_len
 *                (u8), n (u8), n rates: idx (s8), count (u8), flags (u16)
 *   3 decision   (after the status before it) the statistics were brought up to date (u8); a decision
 *   4 no probe   so many frames (u16) before it was time for one
 *   5 probe      idx (s8; -1: none was due), flags (u16; the highest bit: the frame may have a short preamble)
 *
 * A decision: max_tp_rate (4 u16), max_prob_rate (u16), avg_ampdu_len (u32), the station's table (4 of idx s8, flags u16, count u8,
 * count_rts u8), n (u16), n rates whose prob_avg has changed (u16 rate, u16 prob_avg), and a sum (u64) of all that is kept: see
 * sum_of.
 *
 * Source: net/mac80211/rate.h, rc80211_minstrel_ht.h.
 */
#include "minstrel.h"
#if !WT_BEFORE(5, 13)
#include <linux/debugfs.h>
#include <linux/vmalloc.h>
#include "ieee80211_i.h"
#include "rate.h"
#include "rc80211_minstrel_ht.h"
#include "params.h"

#define STATIONS 64
#define SHORT_PREAMBLE 0x8000	/* mac80211's flags of a rate (enum mac80211_rate_control_flags) end below it */

static struct {
	struct minstrel_ht_sta *mi;
	u16 prob[MINSTREL_GROUPS_NB][MCS_GROUP_RATES];	/* as last written */
} *station;

static DEFINE_SPINLOCK(lock);
static const struct rate_control_ops *real;
static struct rate_control_ops ours;
static struct debugfs_blob_wrapper blob;
static unsigned int n_stations;
static size_t room;
static int run_of = -1;		/* station of the last event, if that was of kind 4 */
static u32 run_jiffies;
static size_t run_at;		/* its count */

static void put(const void *what, size_t n)
{
	if (blob.size + n > room) {
		room = 0;	/* it ends here; its reader sees that the last event is incomplete */
		return;
	}
	memcpy(blob.data + blob.size, what, n);
	blob.size += n;
}

static void put8(u8 v)
{
	put(&v, 1);
}

static void put16(u16 v)
{
	put(&v, 2);
}

static void put32(u32 v)
{
	put(&v, 4);
}

static void event(u8 kind, int sta)
{
	put8(kind);
	put8(sta);
	put32(jiffies);
	run_of = -1;
}

/* The newest first: an address may be used again. */
static int find(const void *mi)
{
	int i;

	for (i = n_stations - 1; i >= 0; i--)
		if (station[i].mi == mi)
			return i;
	return -1;
}

static u64 add(u64 sum, u64 v, int octets)
{
	while (octets--) {
		sum = (sum ^ (v & 0xff)) * 0x100000001b3ull;	/* FNV-1a */
		v >>= 8;
	}
	return sum;
}

/* Everything that later decisions depend on, of the supported rates in order, then the buckets of rates to be sampled. */
static u64 sum_of(const struct minstrel_ht_sta *mi)
{
	u64 sum = 0xcbf29ce484222325ull;
	int g, i;

	for (g = 0; g < MINSTREL_GROUPS_NB; g++) {
		const struct minstrel_mcs_group_data *mg = &mi->groups[g];

		if (!mi->supported[g])
			continue;
		for (i = 0; i < MCS_GROUP_RATES; i++) {
			const struct minstrel_rate_stats *s = &mg->rates[i];

			if (!(mi->supported[g] & BIT(i)))
				continue;
			sum = add(add(sum, s->att_hist, 4), s->succ_hist, 4);
			sum = add(add(sum, s->prob_avg, 2), s->prob_avg_1, 2);
			sum = add(add(sum, s->attempts, 2), s->success, 2);
		}
		for (i = 0; i < MAX_THR_RATES; i++)
			sum = add(sum, mg->max_group_tp_rate[i], 2);
		sum = add(sum, mg->max_group_prob_rate, 2);
		sum = add(add(sum, mg->index, 1), mg->column, 1);
	}
	for (g = 0; g < __MINSTREL_SAMPLE_TYPE_MAX; g++) {
		sum = add(sum, mi->sample[g].sample_group, 1);
		for (i = 0; i < MINSTREL_SAMPLE_RATES; i++)
			sum = add(sum, mi->sample[g].sample_rates[i], 2);
	}
	return add(sum, mi->sample_seq, 1);
}

static void decision(int sta, const struct minstrel_ht_sta *mi)
{
	const struct ieee80211_sta_rates *table = rcu_dereference_raw(mi->sta->rates);
	u64 sum = sum_of(mi);
	size_t at;
	u16 n = 0;
	int g, i;

	for (i = 0; i < MAX_THR_RATES; i++)
		put16(mi->max_tp_rate[i]);
	put16(mi->max_prob_rate);
	put32(mi->avg_ampdu_len);
	for (i = 0; i < IEEE80211_TX_RATE_TABLE_SIZE; i++) {
		put8(table ? table->rate[i].idx : -1);
		put16(table ? table->rate[i].flags : 0);
		put8(table ? table->rate[i].count : 0);
		put8(table ? table->rate[i].count_rts : 0);
	}
	at = blob.size;
	put16(0);
	for (g = 0; g < MINSTREL_GROUPS_NB; g++)
		for (i = 0; i < MCS_GROUP_RATES; i++) {
			u16 prob = mi->groups[g].rates[i].prob_avg;

			if (!(mi->supported[g] & BIT(i)) || station[sta].prob[g][i] == prob)
				continue;
			station[sta].prob[g][i] = prob;
			put16(MI_RATE(g, i));
			put16(prob);
			n++;
		}
	if (room)
		memcpy(blob.data + at, &n, 2);
	put(&sum, 8);
}

static void begins(void *priv, struct ieee80211_supported_band *sband, struct ieee80211_sta *sta, struct minstrel_ht_sta *mi)
{
	struct minstrel_priv *mp = priv;
	int i;

	spin_lock_bh(&lock);
	if (n_stations < STATIONS) {
		int k = n_stations++;

		memset(&station[k], 0, sizeof(station[k]));
		station[k].mi = mi;
		event(1, k);
		put8(mp->hw->max_rates);
		put8(mp->hw->max_rate_tries);
		put16(mi->overhead);
		put16(mi->overhead_rtscts);
		put16(mi->overhead_legacy);
		put16(mi->overhead_legacy_rtscts);
		put8(wt_link_of(sta)->ht_cap.ht_supported | (ieee80211_hw_check(mp->hw, TX_STATUS_NO_AMPDU_LEN) ? 2 : 0) |
		     (sband->band == NL80211_BAND_2GHZ ? 4 : 0));
		put8(MINSTREL_GROUPS_NB);
		for (i = 0; i < MINSTREL_GROUPS_NB; i++)
			put16(mi->supported[i]);
		decision(k, mi);
	}
	spin_unlock_bh(&lock);
}

static void rate_init(void *priv, struct ieee80211_supported_band *sband, struct cfg80211_chan_def *chandef,
		      struct ieee80211_sta *sta, void *mi)
{
	real->rate_init(priv, sband, chandef, sta, mi);
	begins(priv, sband, sta, mi);
}

static void rate_update(void *priv, struct ieee80211_supported_band *sband, struct cfg80211_chan_def *chandef,
			struct ieee80211_sta *sta, void *mi, u32 changed)
{
	real->rate_update(priv, sband, chandef, sta, mi, changed);
	begins(priv, sband, sta, mi);
}

static void tx_status_ext(void *priv, struct ieee80211_supported_band *sband, void *priv_sta,
			  struct ieee80211_tx_status *st)
{
	struct minstrel_ht_sta *mi = priv_sta;
	struct ieee80211_tx_info told = *st->info;
	void *table = rcu_dereference_raw(mi->sta->rates);
	unsigned long updated = mi->last_stats_update;
	int i, n, k;

	real->tx_status_ext(priv, sband, priv_sta, st);
	spin_lock_bh(&lock);
	k = find(mi);
	if (k >= 0) {
		event(2, k);
		put8((told.flags & IEEE80211_TX_CTL_AMPDU ? 1 : 0) | (told.flags & IEEE80211_TX_STAT_AMPDU ? 2 : 0) |
		     (told.flags & IEEE80211_TX_STAT_ACK ? 4 : 0) | (told.flags & IEEE80211_TX_CTL_NO_ACK ? 8 : 0));
		put8(told.status.ampdu_len);
		put8(told.status.ampdu_ack_len);
		for (n = 0; n < IEEE80211_TX_MAX_RATES && told.status.rates[n].idx >= 0;)
			n++;
		put8(n);
		for (i = 0; i < n; i++) {
			put8(told.status.rates[i].idx);
			put8(told.status.rates[i].count);
			put16(told.status.rates[i].flags);
		}
		if (rcu_dereference_raw(mi->sta->rates) != table) {
			event(3, k);
			put8(mi->last_stats_update != updated);
			decision(k, mi);
		}
	}
	spin_unlock_bh(&lock);
}

static void get_rate(void *priv, struct ieee80211_sta *sta, void *priv_sta, struct ieee80211_tx_rate_control *txrc)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(txrc->skb);
	struct minstrel_ht_sta *mi = priv_sta;
	bool early = time_is_after_jiffies(mi->sample_time);
	int k;

	real->get_rate(priv, sta, priv_sta, txrc);
	spin_lock_bh(&lock);
	k = find(mi);
	if (k >= 0 && early && run_of == k && run_jiffies == (u32)jiffies && room) {
		u16 n;

		memcpy(&n, blob.data + run_at, 2);
		n++;
		memcpy(blob.data + run_at, &n, 2);
	} else if (k >= 0 && early) {
		event(4, k);
		run_at = blob.size;
		put16(1);
		run_of = k;
		run_jiffies = jiffies;
	} else if (k >= 0) {
		bool probes = info->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE;

		event(5, k);
		put8(probes ? info->control.rates[0].idx : -1);
		put16((probes ? info->control.rates[0].flags : 0) | (txrc->short_preamble ? SHORT_PREAMBLE : 0));
	}
	spin_unlock_bh(&lock);
}

int wt_minstrel_init(struct dentry *root)
{
	if (!wt_p.minstrel_kib)
		return 0;
	room = wt_p.minstrel_kib * 1024;
	station = kvcalloc(STATIONS, sizeof(*station), GFP_KERNEL);
	blob.data = vzalloc(room);
	if (!station || !blob.data)
		return -ENOMEM;
	put("WTMR\1", 6);
	put16(HZ);
	put((const void *)wt_p.minstrel_table, SAMPLE_COLUMNS * MCS_GROUP_RATES);
	debugfs_create_blob("minstrel", 0400, root, &blob);
	return 0;
}

/* Before the card is up, when it has no stations. */
void wt_minstrel_record(struct ieee80211_hw *hw)
{
	struct rate_control_ref *rc = hw_to_local(hw)->rate_ctrl;

	if (!blob.data || !rc || strcmp(rc->ops->name, "minstrel_ht"))
		return;
	if (!real) {
		real = rc->ops;
		ours = *real;
		ours.rate_init = rate_init;
		ours.rate_update = rate_update;
		ours.tx_status_ext = tx_status_ext;
		ours.get_rate = get_rate;
	}
	rc->ops = &ours;
}

/* The kernel has its own back before the card goes. */
void wt_minstrel_release(struct ieee80211_hw *hw)
{
	struct rate_control_ref *rc = hw_to_local(hw)->rate_ctrl;

	if (real && rc && rc->ops == &ours)
		rc->ops = real;
}

void wt_minstrel_exit(void)
{
	vfree(blob.data);
	kvfree(station);
	memset(&blob, 0, sizeof(blob));
	station = NULL;
	n_stations = 0;
	real = NULL;
}
#endif
