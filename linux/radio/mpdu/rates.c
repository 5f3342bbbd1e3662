// SPDX-License-Identifier: GPL-2.0
/*
 * rates: the rate chain of a PPDU: a fixed one, or what rate control put on the frame and into the station's table.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath_set_rates, ath_merge_ratetbl.
 * Differs:
 *   D1  with a fixed rate, rate control is told of that rate and its probes are ignored.
 *   D2  rts=1 puts RTS before all data. CTS to self is the medium's (erp_protection), whatever mac80211 says of a frame.
 *   D3  a card that chooses rates itself tries what mac80211 leaves to it (management, BAR) as often as ath9k is told to (rate.c
 *       __rate_control_send_low): the limit of ath10k's firmware (wmi.h mgmt_retry_limit) is nowhere said.
 */
#include "air/channel.h"
#include "air/phy.h"
#include "driver.h"
#include "mpdu/rate_set.h"
#include "mpdu/rates.h"

/* A link is named after its station's radio; the AP is the other end. */
static unsigned int link_of(struct wt_radio *r, const u8 *to)
{
	return wt_is_ap(r) ? (wt_receiver(r, to) ?: r)->index : r->index;
}

/* What a radio sends with on a link: an MCS over all streams, or -1. */
static int fixed_mcs(struct wt_radio *r, unsigned int link)
{
	bool up = !wt_is_ap(r);
	int mcs = -1;

	if (wt_p.n_fixed && !r->own_rc)
		mcs = up && wt_p.n_fixed_up ? wt_listed(fixed_mcs_up, n_fixed_up, link) : wt_listed(fixed_mcs, n_fixed, link);
	if (mcs == WT_IDEAL)
		return wt_channel_best(r, wt_radios[up ? 0 : link]);
	return mcs < 0 ? mcs : wt_phy_fixed(link, mcs);
}

/* ath_set_rates, ath_merge_ratetbl: a rate that mac80211 put on the frame first, then the station's table */
void wt_rates_set(struct wt_radio *r, struct wt_ppdu *p, struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_sta_rates *table = NULL;
	unsigned int link = p->tid && p->sta ? link_of(r, p->sta->addr) : 0;
	int i = 0, mcs = p->tid && p->sta ? fixed_mcs(r, link) : -1;
	int legacy = p->tid && p->sta && !r->own_rc ? wt_legacy_of(link) : -1;

	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++)
		p->rates[i].idx = -1;
	if (mcs >= 0 || legacy >= 0) {
		bool ht = legacy < 0;

		p->rates[0].idx = legacy;
		p->rates[0].flags = p->vif->bss_conf.use_short_preamble ? IEEE80211_TX_RC_USE_SHORT_PREAMBLE : 0;
		if (ht)
			wt_phy_set_fixed(&p->rates[0], link, mcs);
		p->rates[0].count = !r->driver->sent_once ? wt_p.fixed_tries :
				    info->flags & IEEE80211_TX_CTL_AMPDU ? 1 : wt_p.retries[r->driver->mode] + 1;
		if (ht && r->driver->fixed_chain)
			r->driver->fixed_chain(p->rates);
		return;
	}
	if (wt_rate_set_used(r) && p->tid && p->sta) {
		wt_rate_set_chain(p, skb);
		return;
	}
	if (p->sta)
		table = rcu_dereference(p->sta->rates);
	if (table) {
		i = 0;
		if (info->control.rates[0].idx >= 0 && info->control.rates[0].count)
			p->rates[i++] = info->control.rates[0];
		for (; i < IEEE80211_TX_MAX_RATES; i++) {
			p->rates[i].idx = table->rate[i].idx;
			p->rates[i].flags = table->rate[i].flags;
			p->rates[i].count = info->control.use_rts ? table->rate[i].count_rts : table->rate[i].count;
		}
	} else {
		ieee80211_get_tx_rates(p->vif, p->sta, skb, p->rates, IEEE80211_TX_MAX_RATES);
	}
	if (p->rates[0].idx < 0)
		p->rates[0].idx = 0;
	if (!p->rates[0].count)
		p->rates[0].count = info->flags & IEEE80211_TX_CTL_NO_ACK ? 1 : r->hw->max_rate_tries;
}

/* Whether rate control wants to learn from this frame. */
bool wt_rates_probing(const struct wt_radio *r, struct sk_buff *skb)
{
	return (!wt_p.n_fixed || r->own_rc) && !wt_rate_set_used(r) && (IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_RATE_CTRL_PROBE);
}
