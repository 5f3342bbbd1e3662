// SPDX-License-Identifier: GPL-2.0
/*
 * bar: the BAR of a card that sends it by itself, after a unit of which MPDUs were given up; until it is over nothing else of that TID is sent.
 *
 * Source: open-ath9k-htc-firmware 1.4, if_owl.c ath_bar_tx (four series of ATH_TXMAXTRY tries at 6 Mbit/s), if_athvar.h OWLMAX_BAR_RETRIES: the one
 *   firmware of a card that aggregates which is published. Others are taken to do the same.
 */
#include "air/phy.h"
#include "mpdu/bar.h"
#include "mpdu/tx.h"

#define TRIES	11	/* ATH_TXMAXTRY */
#define RATE	60	/* min_rate 0x0b: 6 Mbit/s */

static struct sk_buff *frame(const struct wt_ppdu *of)
{
	struct sk_buff *skb = dev_alloc_skb(sizeof(struct ieee80211_hdr));	/* a BAR's is shorter; all is looked at (mpdu/tx.c wt_tx_single) */
	struct ieee80211_bar *bar;

	if (!skb)
		return NULL;
	skb_put_zero(skb, sizeof(struct ieee80211_hdr));
	skb_trim(skb, sizeof(*bar));
	bar = (void *)skb->data;
	bar->frame_control = cpu_to_le16(IEEE80211_FTYPE_CTL | IEEE80211_STYPE_BACK_REQ);
	ether_addr_copy(bar->ra, of->sta->addr);
	ether_addr_copy(bar->ta, of->vif->addr);
	bar->control = cpu_to_le16(IEEE80211_BAR_CTRL_CBMTID_COMPRESSED_BA | of->tid->txq->tid << IEEE80211_BAR_CTRL_TID_INFO_SHIFT);
	bar->start_seq_num = cpu_to_le16(IEEE80211_SN_TO_SEQ(of->tid->seq_start));
	memset(skb->cb, 0, sizeof(skb->cb));
	return skb;
}

static void rates(const struct wt_radio *r, struct ieee80211_tx_rate *rates)
{
	int i, idx = 0;

	while (wt_phy_legacy_rate(wt_band(r), idx) != RATE)
		idx++;
	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++)
		rates[i] = (struct ieee80211_tx_rate) { .idx = idx, .count = TRIES };
}

/* MPDUs of `of` were given up: what tells the receiver where the window begins. Without memory nobody is told, and the receiver's timer sees to it. */
struct wt_ppdu *wt_bar_new(struct wt_radio *r, const struct wt_ppdu *of)
{
	struct wt_ppdu *bar = wt_ppdu_new();
	struct sk_buff *skb = bar ? frame(of) : NULL;

	if (!skb) {
		kfree(bar);
		return NULL;
	}
	bar->sta = of->sta;
	bar->vif = of->vif;
	bar->asks = of->tid;
	bar->unit = true;
	bar->wide = of->tid->baw_size > WT_WINDOW;
	rates(r, bar->rates);
	wt_tx_single(bar, skb);
	of->tid->asks = true;
	return bar;
}
