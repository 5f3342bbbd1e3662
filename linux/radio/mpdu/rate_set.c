// SPDX-License-Identifier: GPL-2.0
/*
 * rate_set: the rates that hardware of MT7603's and MT7615's kind goes through for a station, where mac80211 chooses: three of its table, each
 * tried in turn, and one to probe before them:
 *
 *     attempt     1 2      3 4     5 to 8     9 to 12
 *     rate        probe    first   second     third      (without a probe the first four are of the first)
 *
 * Source: drivers/net/wireless/mediatek/mt76/mt7615/mac.c mt7615_mac_update_rate_desc, mt7615_mac_set_rates, mt7615_fill_txs; main.c
 *   mt7615_sta_rate_tbl_update; pci_mac.c mt7615_tx_prepare_skb. The model: crates/core/src/driver/offload/rate_set.rs.
 * Differs:
 *   D1  an aggregate goes at the rate to which its first frame has come, which is taken to be what the hardware does.
 *   D2  each MPDU that is over has a status, of the set that it was last sent with (the driver tells sets apart by time).
 *   D3  a VHT rate with MCS 0 is not lowered (the driver takes one from a number in which the streams stand above the MCS).
 */
#include "air/phy.h"
#include "driver.h"
#include "mpdu/rate_set.h"

#define RETRY	2	/* MT7615_RATE_RETRY */
#define WIDTHS	(IEEE80211_TX_RC_40_MHZ_WIDTH | IEEE80211_TX_RC_80_MHZ_WIDTH | IEEE80211_TX_RC_160_MHZ_WIDTH)

bool wt_rate_set_used(const struct wt_radio *r)
{
	return r->own_rc && r->driver->rate_sets;
}

/* No two guard intervals in a set, so that statuses can be told apart; and no rate twice. */
static void set_rates(struct wt_sta *s, const struct ieee80211_tx_rate *probe)
{
	struct wt_rate_set *set = &s->set;
	u16 ref;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(set->rates); i++)
		set->rates[i] = s->table[min(i, s->given - 1)];
	set->given = s->given;
	set->probing = probe;
	if (probe)
		set->probe = *probe;
	ref = (probe ?: &set->rates[0])->flags;
	for (i = 0; i < ARRAY_SIZE(set->rates); i++) {
		struct ieee80211_tx_rate *r = &set->rates[i];

		if ((ref ^ r->flags) & IEEE80211_TX_RC_SHORT_GI)
			r->flags ^= IEEE80211_TX_RC_SHORT_GI;
		for (j = 0; j < i; j++) {
			bool lowest = !r->idx || (wt_phy_is_vht(r) && !wt_phy_mcs(r));

			if (r->idx == set->rates[j].idx && !((r->flags ^ set->rates[j].flags) & WIDTHS) && !lowest)
				r->idx--;
		}
	}
}

static void take_table(struct ieee80211_sta *sta)
{
	struct ieee80211_sta_rates *rates = rcu_dereference(sta->rates);
	struct wt_sta *s = (void *)sta->drv_priv;
	int i;

	if (!rates)
		return;
	for (i = 0; i < ARRAY_SIZE(s->table) && rates->rate[i].idx >= 0 && rates->rate[i].count; i++)
		s->table[i] = (struct ieee80211_tx_rate) { .idx = rates->rate[i].idx, .flags = rates->rate[i].flags, .count = rates->rate[i].count };
	s->given = i;
	if (i)
		set_rates(s, NULL);
}

/*
 * mac80211 has a new table for a station. It is taken over when it is used next: rate control's lock is held here, and taken under ours where
 * frames are dequeued.
 */
void wt_rate_set_table(struct ieee80211_sta *sta)
{
	WRITE_ONCE(((struct wt_sta *)sta->drv_priv)->stale, true);
}

/* The station's set, of the table that it has now. Under the lock, and RCU's. */
static struct wt_sta *up_to_date(struct ieee80211_sta *sta)
{
	struct wt_sta *s = (void *)sta->drv_priv;

	if (READ_ONCE(s->stale) || !s->given) {
		WRITE_ONCE(s->stale, false);
		take_table(sta);
	}
	return s;
}

/* A frame wants a rate to be tried: what is sent from now on goes at it. */
void wt_rate_set_probe(struct ieee80211_sta *sta, const struct ieee80211_tx_rate *probe)
{
	struct wt_sta *s = up_to_date(sta);

	if (s->given)
		set_rates(s, probe);
}

/* What the attempt after so many goes out at. */
static struct ieee80211_tx_rate rate_at(const struct wt_rate_set *set, u32 before)
{
	u32 entry = before / RETRY;

	return !entry && set->probing ? set->probe : set->rates[min(entry / 2, 3u)];
}

/* The links that so many attempts went through; how many they are. */
static int links(const struct wt_rate_set *set, u32 count, struct ieee80211_tx_rate *rates)
{
	u32 last = min((max(count, 1u) - 1) / RETRY, 7u), entry;
	int i = 0;

	rates[0] = rate_at(set, 0);
	rates[0].count = 0;
	for (entry = 0; entry <= last; entry++) {
		const struct ieee80211_tx_rate *r = &set->rates[entry / 2];
		u32 now = min_t(u32, RETRY, count);

		if (entry && (r->idx != rates[i].idx || r->flags != rates[i].flags)) {
			if (i + 1 == IEEE80211_TX_MAX_RATES)
				break;
			rates[++i] = *r;
			rates[i].count = 0;
		}
		rates[i].count += now;
		count -= now;
	}
	return i + 1;
}

/* The rates of a PPDU whose first frame is this: of an aggregate one, else all that the hardware goes through by itself. */
void wt_rate_set_chain(struct wt_ppdu *p, struct sk_buff *skb)
{
	struct wt_sta *s = up_to_date(p->sta);

	p->set = s->set;
	if (!s->given) {
		p->rates[0] = (struct ieee80211_tx_rate) { .count = 1 };
		return;
	}
	if (p->tid->active && IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU) {
		p->rates[0] = rate_at(&p->set, wt_frame(skb)->attempts);
		p->rates[0].count = 1;
		return;
	}
	links(&p->set, 2 * RETRY * p->set.given, p->rates);
}

/* A status came of what was sent with a set: the first of a probe ends it. */
void wt_rate_set_over(struct wt_ppdu *p)
{
	struct wt_sta *s = (void *)p->sta->drv_priv;

	if (p->set.probing && s->set.probing)
		set_rates(s, NULL);
}

/* mt7615_fill_txs, of an MPDU of an aggregate */
void wt_rate_set_report(struct wt_ppdu *p, struct sk_buff *skb, bool acked)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	int n, i;

	memset((void *)&info->status + sizeof(info->status.rates), 0,
	       sizeof(info->status) - sizeof(info->status.rates) - sizeof(info->status.status_driver_data));
	n = links(&p->set, wt_frame(skb)->attempts + 1, info->status.rates);
	info->status.rates[n - 1].idx = p->rates[0].idx;
	info->status.rates[n - 1].flags = p->rates[0].flags;
	for (i = n; i < IEEE80211_TX_MAX_RATES; i++)
		info->status.rates[i].idx = -1;
	info->status.ampdu_len = 1;
	info->status.ampdu_ack_len = acked;
	info->flags |= IEEE80211_TX_STAT_AMPDU | IEEE80211_TX_CTL_AMPDU;
	wt_rate_set_over(p);
}
