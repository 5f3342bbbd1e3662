// SPDX-License-Identifier: GPL-2.0
/*
 * beacon: an access point's beacon at each TBTT, through a queue above all categories.
 *
 * Source: drivers/net/wireless/ath/ath9k/beacon.c (ath9k_beacon_tasklet, ath9k_beaconq_config: AIFS 1, window 0).
 * Differs:
 *   D1  no frames buffered for sleeping stations follow a DTIM: stations never sleep here.
 *   D2  TBTTs start one interval after beaconing is switched on; radios are not staggered.
 */
#include "air/medium.h"
#include "beacon.h"

void wt_beacon_due(struct wt_radio *r, u64 now)
{
	struct wt_vif *v = (void *)r->vif->drv_priv;
	struct ieee80211_tx_info *info;
	struct wt_ppdu *p;
	struct sk_buff *skb;

	r->tbtt += v->beacon_tu * 1024000ull;
	if (!list_empty(&r->ac[WT_BEACON_Q].hwq))
		return;		/* the last one still waits */
	skb = ieee80211_beacon_get(r->hw, r->vif, 0);
	if (!skb)
		return;
	p = wt_ppdu_new();
	if (!p) {
		dev_kfree_skb_any(skb);
		return;
	}
	((struct ieee80211_mgmt *)skb->data)->u.beacon.timestamp = cpu_to_le64(div_u64(now, 1000));
	info = IEEE80211_SKB_CB(skb);
	p->beacon = p->no_ack = true;
	p->vif = r->vif;
	p->rates[0].idx = max_t(int, info->control.rates[0].idx, 0);
	p->rates[0].count = 1;
	p->rates[1].idx = -1;
	p->mpdu[0] = skb;
	p->n = 1;
	p->bytes = skb->len + FCS_LEN;
	wt_medium_offer(r, WT_BEACON_Q, p);
}
