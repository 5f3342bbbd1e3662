// SPDX-License-Identifier: GPL-2.0
/*
 * tx: from queues to the hardware, and what follows when a PPDU is over.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath_tx_sched_aggr, ath_tx_rc_status, ath_tx_count_airtime.
 * Differs:
 *   D1  mac80211's sequence numbers are kept (ath9k counts its own per TID; both are contiguous, since mac80211
 *       numbers a frame when it is pulled, after CoDel).
 *   D2  frames that need no station queue (management, BAR) go to the hardware at once, as in ath9k.
 *   D3  no power save: nothing is buffered for sleeping stations.
 */
#include "air/medium.h"
#include "air/phy.h"
#include "driver.h"
#include "mpdu/ampdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/rates.h"
#include "mpdu/status.h"
#include "mpdu/tx.h"

#define NON_AGGR_DEPTH	8	/* ath9k.h ATH_NON_AGGR_MIN_QDEPTH */

struct wt_tid *wt_tid_of(struct ieee80211_txq *txq)
{
	struct wt_tid *tid = (void *)txq->drv_priv;

	if (!tid->txq) {
		__skb_queue_head_init(&tid->retry_q);
		__skb_queue_head_init(&tid->fw_q);
		__skb_queue_head_init(&tid->ring_over);
		INIT_LIST_HEAD(&tid->fw_list);
		INIT_LIST_HEAD(&tid->turn);
		tid->baw_size = WT_WINDOW;
		tid->txq = txq;
	}
	return tid;
}

void wt_tx_single(struct wt_ppdu *p, struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	p->mpdu[0] = skb;
	p->n = 1;
	p->bytes = wt_mpdu_len(skb);
	if (wt_phy_is_vht(&p->rates[0]))
		p->bytes = ALIGN(p->bytes + WT_DELIM, 4);
	p->back_req = ieee80211_is_back_req(hdr->frame_control);
	p->no_ack = is_multicast_ether_addr(hdr->addr1) || (IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_NO_ACK);
	wt_frame(skb)->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(hdr->seq_ctrl));
}

/* A PPDU for a TID's frames, the first of which is `first`; NULL: no memory. */
struct wt_ppdu *wt_tx_ppdu(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *first)
{
	struct wt_ppdu *p = wt_ppdu_new();

	if (p) {
		p->tid = tid;
		p->sta = tid->txq->sta;
		p->vif = tid->txq->vif;
		p->wide = tid->baw_size > WT_WINDOW;
		wt_rates_set(r, p, first);
	}
	return p;
}

/* Whether the hardware holds enough of such frames. */
bool wt_tx_full(const struct wt_radio *r, int ac, bool ampdu)
{
	const struct wt_edcaf *e = &r->ac[ac];

	if (r->driver->one_depth)
		return e->depth >= wt_p.hw_depth[r->driver->mode];
	return ampdu ? e->ampdu_depth >= wt_p.hw_depth[r->driver->mode] : e->depth >= NON_AGGR_DEPTH;
}

/* One round of ath_tx_sched_aggr: true if a PPDU went to the hardware. */
bool wt_tx_tid(struct wt_radio *r, int ac, struct wt_tid *tid)
{
	struct wt_ppdu *p;
	struct sk_buff *skb;
	bool ampdu;

	if (wt_ampdu_next(r, tid, &skb) < 0)
		return false;
	ampdu = IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU;
	p = wt_tx_full(r, ac, ampdu) ? NULL : wt_tx_ppdu(r, tid, skb);
	if (!p) {
		wt_ba_keep(r, tid, skb);
		return false;
	}
	if (ampdu)
		wt_ampdu_form(r, &r->ac[ac], tid, p, skb);
	else
		wt_tx_single(p, skb);
	r->driver->formed(r, ac, p);
	return true;
}

/* The hardware has room; called on each wake and each completion. */
void wt_tx_schedule(struct wt_radio *r, int ac)
{
	if (r->started && r->driver->schedule)
		r->driver->schedule(r, ac);
}

/* A PPDU is over: answered, or tried in vain. */
void wt_tx_over(struct wt_radio *r, int q, struct wt_ppdu *p, bool response)
{
	wt_ba_response(r, p, response);		/* moves the window, keeps what failed, collects what is done */
	wt_ppdu_free(p);
	if (q != WT_BEACON_Q)
		wt_tx_schedule(r, q);		/* the next PPDU is formed before the freed skbs wake TCP */
}

/* Whether the Block Ack that a BAR of mac80211's asks for has 256 bits. */
static bool wide_answer(struct ieee80211_sta *sta, struct sk_buff *skb)
{
	const struct ieee80211_bar *bar = (void *)skb->data;
	struct ieee80211_txq *txq;

	if (!sta || !ieee80211_is_back_req(bar->frame_control))
		return false;
	txq = sta->txq[le16_to_cpu(bar->control) >> 12];
	return txq && wt_tid_of(txq)->baw_size > WT_WINDOW;
}

/* A frame without a queue of its own. */
void wt_tx_one(struct wt_radio *r, struct ieee80211_sta *sta, struct sk_buff *skb)
{
	struct wt_ppdu *p = r->started ? wt_ppdu_new() : NULL;

	if (!p) {
		ieee80211_free_txskb(r->hw, skb);
		return;
	}
	p->sta = sta;
	p->vif = IEEE80211_SKB_CB(skb)->control.vif;
	rcu_read_lock();
	wt_rates_set(r, p, skb);
	p->wide = wide_answer(sta, skb);
	rcu_read_unlock();
	p->sta = NULL;		/* only its rates were wanted; it may go away */
	wt_tx_single(p, skb);
	wt_medium_offer(r, skb_get_queue_mapping(skb), p);
}

/* PPDUs that are with the hardware stay there (one may be on the air), but forget their station. */
static void forget(struct wt_radio *r, struct ieee80211_sta *sta)
{
	struct wt_ppdu *p;
	int q;

	for (q = 0; q < WT_NUM_Q; q++)
		list_for_each_entry(p, &r->ac[q].hwq, list)
			wt_ppdu_forget(p, sta);
	if (r->driver->forget)
		r->driver->forget(r, sta);
}

/* A TXQ goes away. */
void wt_tx_flush_txq(struct wt_radio *r, struct ieee80211_txq *txq)
{
	struct wt_tid *tid = wt_tid_of(txq);
	struct sk_buff *skb;

	wt_ba_flush(r, tid);
	while ((skb = __skb_dequeue(&tid->fw_q)))
		wt_status_done(r, skb, false);
	list_del_init(&tid->fw_list);
	if (r->driver->flush)
		r->driver->flush(r, tid);
}

void wt_tx_flush_sta(struct wt_radio *r, struct ieee80211_sta *sta)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sta->txq); i++)
		if (sta->txq[i])
			wt_tx_flush_txq(r, sta->txq[i]);
	forget(r, sta);
}

void wt_tx_flush_radio(struct wt_radio *r)
{
	forget(r, NULL);
}
