// SPDX-License-Identifier: GPL-2.0
/*
 * status: frames that are over, back to mac80211: queued with the lock held, told when it is dropped.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath_tx_complete.
 */
#include "air/phy.h"
#include "driver.h"
#include "mpdu/rate_set.h"
#include "mpdu/status.h"
#include "rider.h"

static struct sk_buff_head over;

void wt_status_init(void)
{
	__skb_queue_head_init(&over);
}

/* A frame is mac80211's again. */
void wt_status_hand_back(struct sk_buff *skb)
{
	__skb_queue_tail(&over, skb);
}

static void over_for(struct wt_radio *r, struct sk_buff *skb, bool acked)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);

	if (wt_rider)
		wt_rider->settled(r, skb, acked);
	if (acked)
		info->flags |= info->flags & IEEE80211_TX_CTL_NO_ACK ? IEEE80211_TX_STAT_NOACK_TRANSMITTED : IEEE80211_TX_STAT_ACK;
	wt_frame(skb)->more = false;
	wt_frame(skb)->radio = r;
	if (!wt_frame(skb)->in_fifo || !r->driver->settled(r, skb))
		wt_status_hand_back(skb);
}

/* An MPDU is over for the card, with all of its MSDUs; its device may have more to do with them. */
void wt_status_done(struct wt_radio *r, struct sk_buff *skb, bool acked)
{
	while (skb) {
		struct sk_buff *next = wt_next_msdu(skb);

		over_for(r, skb, acked);
		skb = next;
	}
}

/* Those that were handed back until now. */
void wt_status_take(struct sk_buff_head *to)
{
	skb_queue_splice_init(&over, to);
}

/* ath9k/htc_drv_txrx.c ath9k_htc_check_tx_aggr; a card that chooses rates leaves voice out, as mac80211's rate control does (minstrel_aggr_check) */
static void ask_session(struct wt_radio *r, const struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (struct ieee80211_hdr *)skb->data;
	struct ieee80211_sta *sta;

	if (!wt_p.ampdu || !ieee80211_is_data_qos(hdr->frame_control))
		return;
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr1, hdr->addr2);
	if (sta && wt_link_of(sta)->ht_cap.ht_supported) {
		struct wt_sta *s = (void *)sta->drv_priv;
		u8 tid = ieee80211_get_tid(hdr);

		if (!(s->asked & BIT(tid)) && (r->driver->asks_sessions || skb_get_queue_mapping(skb) != IEEE80211_AC_VO)) {
			s->asked |= BIT(tid);
			ieee80211_start_tx_ba_session(sta, tid, 0);
		}
	}
	rcu_read_unlock();
}

/* A card that knows its rates tells them, HE's too (ath10k's ieee80211_tx_rate_update, mt76/tx.c __mt76_tx_complete_skb). */
static void report_rate(struct wt_radio *r, struct ieee80211_sta *sta, struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct rate_info of = wt_phy_rate_info(&info->status.rates[0]);
	struct ieee80211_tx_status status = { .sta = sta, .info = info, .skb = skb };
#if !WT_BEFORE(6, 0)
	struct ieee80211_rate_status rate = { .rate_idx = of };
#endif

	if (wt_phy_is_vht(&info->status.rates[0])) {
#if WT_BEFORE(6, 0)
		status.rate = &of;
#else
		status.rates = &rate;
		status.n_rates = 1;
#endif
		info->status.rates[0].idx = -1;	/* no rate of that list */
	}
	ieee80211_tx_status_ext(r->hw, &status);
}

/* ath9k keeps the skb of data frames to itself, so that their acknowledgement sends no BAR again (xmit.c ath_tx_status). */
static void report(struct wt_radio *r, struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_hdr *hdr = (void *)skb->data;
	enum wt_standard of = wt_standard_of(r->index);
	struct ieee80211_sta *sta;

	if ((of == WT_VHT || of == WT_HE) && !r->own_rc) {
		rcu_read_lock();
		report_rate(r, ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr1, hdr->addr2), skb);
		rcu_read_unlock();
		return;
	}
	if ((r->driver->mode != WT_ATH9K && !wt_rate_set_used(r)) || info->flags & (IEEE80211_TX_CTL_REQ_TX_STATUS | IEEE80211_TX_STATUS_EOSP)) {
		ieee80211_tx_status_skb(r->hw, skb);
		return;
	}
	rcu_read_lock();
	sta = ieee80211_find_sta_by_ifaddr(r->hw, hdr->addr1, hdr->addr2);
	if (sta)
		ieee80211_tx_status_noskb(r->hw, sta, info);
	rcu_read_unlock();
	if (r->driver->aql)	/* which is to forget it, whatever becomes of it */
		ieee80211_free_txskb(r->hw, skb);
	else
		dev_kfree_skb(skb);
}

/* Without the lock. */
void wt_status_tell(struct sk_buff_head *done)
{
	while (!skb_queue_empty(done)) {
		struct sk_buff *skb = __skb_dequeue(done);
		struct wt_radio *r = wt_frame(skb)->radio;

		r->polled = r->freed = true;
		if (r->driver->asks_sessions || ieee80211_hw_check(r->hw, HAS_RATE_CONTROL))
			ask_session(r, skb);
		report(r, skb);
	}
}
