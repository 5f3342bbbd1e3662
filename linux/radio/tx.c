// SPDX-License-Identifier: GPL-2.0
/*
 * tx: from mac80211's queues to the hardware's, and the transmit status back.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath9k_wake_tx_queue and ath_txq_schedule (pull on every wake
 *   until the hardware holds two aggregates or eight single frames), ath_tx_sched_aggr, ath_set_rates,
 *   ath_tx_rc_status, ath_tx_count_airtime.
 * Differs:
 *   D1  mac80211's sequence numbers are kept (ath9k counts its own per TID; both are contiguous, since mac80211
 *       numbers a frame when it is pulled, after CoDel).
 *   D2  frames that need no station queue (management, BAR) go to the hardware at once, as in ath9k.
 *   D3  with a fixed rate, rate control is told of that rate and its probes are ignored.
 *   D4  CTS-to-self is not sent; rts=1 puts RTS before all data.
 *   D5  no power save: nothing is buffered for sleeping stations.
 */
#include "radio.h"

#define NON_AGGR_DEPTH	8	/* ath9k.h ATH_NON_AGGR_MIN_QDEPTH */

struct wt_ppdu *wt_ppdu_new(void)
{
	return kzalloc(sizeof(struct wt_ppdu), GFP_ATOMIC);
}

void wt_ppdu_free(struct wt_ppdu *p)
{
	kfree(p);
}

struct wt_tid *wt_tid_of(struct ieee80211_txq *txq)
{
	struct wt_tid *tid = (void *)txq->drv_priv;

	if (!tid->txq) {
		__skb_queue_head_init(&tid->retry_q);
		__skb_queue_head_init(&tid->fw_q);
		INIT_LIST_HEAD(&tid->fw_list);
		INIT_LIST_HEAD(&tid->turn);
		tid->baw_size = WT_MAX_MPDUS;
		tid->txq = txq;
	}
	return tid;
}

/* The fixed MCS of a link, named after its station's radio (the AP is the other end), or -1. */
int wt_tx_fixed_mcs(struct wt_radio *r, const u8 *to)
{
	struct wt_radio *station = r;

	if (!wt_p.n_fixed || r->own_rc)
		return -1;
	if (r->vif && r->vif->type == NL80211_IFTYPE_AP)
		station = wt_rx_receiver(r, to) ?: r;
	return wt_p.fixed_mcs[min_t(u32, station->index, wt_p.n_fixed - 1)];
}

/*
 * ath9k_htc's rcRateFind_11n: two tries at the first rate and at each of the next two valid ones below it, four at the
 * one below those. The short guard interval is valid from MCS 4 (of each stream count) on.
 */
static void firmware_chain(struct ieee80211_tx_rate *rates)
{
	bool sgi = rates[0].flags & IEEE80211_TX_RC_SHORT_GI;
	int i;

	rates[0].count = 2;
	for (i = 1; i < 4; i++) {
		int m = rates[i - 1].idx % 8;

		rates[i] = rates[i - 1];
		if (m < 4 || !(rates[i].flags & IEEE80211_TX_RC_SHORT_GI)) {
			if (m)
				rates[i].idx--;
			if (m && sgi && m > 4)
				rates[i].flags |= IEEE80211_TX_RC_SHORT_GI;
			else
				rates[i].flags &= ~IEEE80211_TX_RC_SHORT_GI;
		} else {
			rates[i].flags &= ~IEEE80211_TX_RC_SHORT_GI;
		}
	}
	rates[3].count = 4;
}

/* ath_set_rates, ath_merge_ratetbl: a rate that mac80211 put on the frame first, then the station's table */
void wt_tx_rates(struct wt_radio *r, struct wt_ppdu *p, struct sk_buff *skb)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
	struct ieee80211_sta_rates *table = NULL;
	int i = 0, mcs = p->tid && p->sta ? wt_tx_fixed_mcs(r, p->sta->addr) : -1;

	for (i = 0; i < IEEE80211_TX_MAX_RATES; i++)
		p->rates[i].idx = -1;
	if (p->tid && p->sta && (mcs >= 0 || (wt_p.fixed_legacy >= 0 && !r->own_rc))) {
		bool ht = wt_p.fixed_legacy < 0;

		p->rates[0].idx = ht ? mcs : wt_p.fixed_legacy;
		p->rates[0].count = wt_p.fixed_tries;
		p->rates[0].flags = !ht ? 0 : IEEE80211_TX_RC_MCS | (wt_p.fixed_40 ? IEEE80211_TX_RC_40_MHZ_WIDTH : 0) |
				    (wt_p.fixed_sgi ? IEEE80211_TX_RC_SHORT_GI : 0);
		if (ht && r->mode == WT_ATH9K_HTC)
			firmware_chain(p->rates);
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
			p->rates[i].count = table->rate[i].count;
		}
	} else {
		ieee80211_get_tx_rates(p->vif, p->sta, skb, p->rates, IEEE80211_TX_MAX_RATES);
	}
	if (p->rates[0].idx < 0)
		p->rates[0].idx = 0;
	if (!p->rates[0].count)
		p->rates[0].count = 1;
}

void wt_tx_single(struct wt_ppdu *p, struct sk_buff *skb)
{
	struct ieee80211_hdr *hdr = (void *)skb->data;

	p->mpdu[0] = skb;
	p->n = 1;
	p->bytes = skb->len + FCS_LEN;
	p->back_req = ieee80211_is_back_req(hdr->frame_control);
	p->no_ack = is_multicast_ether_addr(hdr->addr1) || (IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_NO_ACK);
	wt_frame(skb)->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(hdr->seq_ctrl));
}

/* ath_tx_form_burst: a frame outside a session brings a second one along, a PPDU of its own */
static void add_second(struct wt_radio *r, int ac, struct wt_tid *tid)
{
	struct wt_ppdu *p;
	struct sk_buff *skb;

	if (wt_ampdu_next(r, tid, &skb) < 0)
		return;
	p = IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU ? NULL : wt_ppdu_new();
	if (!p) {
		__skb_queue_tail(&tid->retry_q, skb);
		return;
	}
	p->tid = tid;
	p->sta = tid->txq->sta;
	p->vif = tid->txq->vif;
	wt_tx_rates(r, p, skb);
	wt_tx_single(p, skb);
	wt_medium_offer(r, ac, p);
}

/* One round of ath_tx_sched_aggr: true if a PPDU went to the hardware. */
bool wt_tx_tid(struct wt_radio *r, int ac, struct wt_tid *tid)
{
	struct wt_edcaf *e = &r->ac[ac];
	struct wt_ppdu *p;
	struct sk_buff *skb;
	bool ampdu;

	if (wt_ampdu_next(r, tid, &skb) < 0)
		return false;
	ampdu = IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU;
	p = (ampdu && e->ampdu_depth >= wt_p.hw_depth) || (!ampdu && e->depth >= NON_AGGR_DEPTH) ? NULL : wt_ppdu_new();
	if (!p) {
		__skb_queue_tail(&tid->retry_q, skb);
		return false;
	}
	p->tid = tid;
	p->sta = tid->txq->sta;
	p->vif = tid->txq->vif;
	wt_tx_rates(r, p, skb);
	if (ampdu)
		wt_ampdu_form(r, e, tid, p, skb);
	else
		wt_tx_single(p, skb);
	if (r->mode == WT_ATH9K_HTC)
		wt_htc_formed(r, ac, p);
	else
		wt_medium_offer(r, ac, p);
	if (!ampdu && r->mode == WT_ATH9K)
		add_second(r, ac, tid);
	return true;
}

/* The firmware's half of the same, for devices with a FIFO: TIDs take turns. */
static void schedule_firmware(struct wt_radio *r, int ac)
{
	unsigned int idle = 0, rounds = list_count_nodes(&r->fw_tids[ac]);
	struct wt_tid *tid;

	rcu_read_lock();
	while ((tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list))) {
		bool sent = wt_tx_tid(r, ac, tid);

		if (skb_queue_empty(&tid->fw_q) && skb_queue_empty(&tid->retry_q))
			list_del_init(&tid->fw_list);
		else
			list_move_tail(&tid->fw_list, &r->fw_tids[ac]);
		/* a TID whose window is shut yields to the next; a full round without a PPDU ends it */
		idle = sent ? 0 : idle + 1;
		if (idle > rounds)
			break;
	}
	rcu_read_unlock();
}

/* Pulls until the hardware has enough; called on each wake and each completion, with the lock held. */
void wt_tx_schedule(struct wt_radio *r, int ac)
{
	struct ieee80211_txq *txq;

	if (!r->started)
		return;
	if (r->mode == WT_ATH10K)
		schedule_firmware(r, ac);
	if (r->mode == WT_TIDQ)
		wt_tidq_schedule(r, ac);
	if (r->mode != WT_ATH9K)	/* ath9k_htc's CPU sees to it by itself */
		return;
	rcu_read_lock();
	ieee80211_txq_schedule_start(r->hw, ac);
	while ((txq = ieee80211_next_txq(r->hw, ac))) {
		struct wt_tid *tid = wt_tid_of(txq);

		wt_tx_tid(r, ac, tid);
		ieee80211_return_txq(r->hw, txq, !skb_queue_empty(&tid->retry_q));
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
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
	wt_tx_rates(r, p, skb);
	rcu_read_unlock();
	p->sta = NULL;		/* only its rates were wanted; it may go away */
	wt_tx_single(p, skb);
	wt_medium_offer(r, skb_get_queue_mapping(skb), p);
}

/* Hands a frame back; mac80211 is told after the lock is dropped. */
void wt_tx_done(struct wt_radio *r, struct sk_buff *skb, bool acked)
{
	struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);

	wt_hack_settled(r, skb, acked);
	if (acked)
		info->flags |= info->flags & IEEE80211_TX_CTL_NO_ACK ? IEEE80211_TX_STAT_NOACK_TRANSMITTED : IEEE80211_TX_STAT_ACK;
	info->status.status_driver_data[1] = r;
	if (wt_frame(skb)->in_fifo && r->mode == WT_ATH9K_HTC) {
		wt_htc_settled(r, skb);
		return;
	}
	if (wt_frame(skb)->in_fifo && r->mode == WT_TIDQ)
		wt_tidq_done(r, skb);
	else if (wt_frame(skb)->in_fifo)
		wt_fifo_release(r);
	__skb_queue_tail(&wt_air.done_q, skb);
}

/* PPDUs that are with the hardware stay there (one may be on the air), but forget their station. */
static void forget(struct wt_radio *r, struct ieee80211_sta *sta)
{
	struct wt_ppdu *p;
	int q;

	for (q = 0; q < WT_NUM_Q; q++)
		list_for_each_entry(p, &r->ac[q].hwq, list)
			if (!sta || p->sta == sta) {
				p->sta = NULL;
				p->tid = NULL;
			}
	if (r->mode == WT_ATH9K_HTC)
		wt_htc_forget(r, sta);
}

void wt_tx_flush_sta(struct wt_radio *r, struct ieee80211_sta *sta)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sta->txq); i++) {
		if (!sta->txq[i])
			continue;
		wt_ba_flush(r, wt_tid_of(sta->txq[i]));
		wt_fifo_flush(r, wt_tid_of(sta->txq[i]));
		if (r->mode == WT_TIDQ)
			wt_tidq_forget(r, wt_tid_of(sta->txq[i]));
	}
	forget(r, sta);
}

void wt_tx_flush_radio(struct wt_radio *r)
{
	forget(r, NULL);
}
