// SPDX-License-Identifier: GPL-2.0
/*
 * seize: TCP ACKs that wait for the medium are taken out of ath9k's transmit queues again: what opportunistic TCP/HACK asks of a driver.
 *
 * Frames that were on the air stay. Those that only stand in the hardware's queue lose their sequence numbers, which are the last that
 * were given; those that stay get them anew, in order.
 *
 * Source: the thesis's section 3.3.2.1, which leaves it at the complexity of the interface that this needs;
 *   crates/core/src/driver/ath9k/seize.rs.
 * Differs:
 *   D1  mac80211 counts numbers that are given back as used: the card subtracts them from all that follow (tid->unused). ath9k counts its
 *       own (xmit.c ath_tx_start: tid->seq_next), and would count back.
 *   D2  mode 0 only (driver.h: the others have no seize).
 */
#include "driver/ath9k.h"
#include "mpdu/block_ack.h"
#include "mpdu/tx.h"

static bool fresh(struct sk_buff *skb, const struct wt_picker *pick)
{
	return !wt_frame(skb)->attempts && pick->wants(skb);
}

/* Never on the air, and nothing but ACKs of this TID. */
static bool untried(const struct wt_ppdu *p, const struct wt_tid *tid, const struct wt_picker *pick)
{
	int i;

	if (p->tid != tid || p->ampdu != tid->active || p->attempts || p->rts_failures || p->bar)
		return false;
	for (i = 0; i < p->n; i++)
		if (!fresh(p->mpdu[i], pick))
			return false;
	return true;
}

static void seize_tid(struct wt_radio *r, struct wt_tid *tid, const struct wt_picker *pick)
{
	int ac = tid->txq->ac, i;
	struct wt_edcaf *e = &r->ac[ac];
	struct wt_ppdu *p, *first = NULL;
	struct sk_buff_head back;
	bool taking = true;
	struct sk_buff *skb;
	u16 next;

	skb_queue_walk(&tid->retry_q, skb)
		if (!fresh(skb, pick))
			return;
	list_for_each_entry_reverse(p, &e->hwq, list) {
		if (!untried(p, tid, pick) || (list_is_first(&p->list, &e->hwq) && e->tried))
			break;
		first = p;
	}
	__skb_queue_head_init(&back);
	while (first) {
		p = first;
		first = list_is_last(&p->list, &e->hwq) ? NULL : list_next_entry(p, list);
		list_del(&p->list);
		e->depth--;
		if (p->ampdu && !p->probe)
			e->ampdu_depth--;
		for (i = 0; i < p->n; i++)
			__skb_queue_tail(&back, p->mpdu[i]);
		wt_ppdu_free(p);
	}
	skb_queue_splice_tail_init(&tid->retry_q, &back);
	next = skb_queue_empty(&back) ? 0 : wt_frame(skb_peek(&back))->seq;
	skb_queue_walk(&back, skb) /* a full card turns the retry queue round */
		if (ieee80211_sn_less(wt_frame(skb)->seq, next))
			next = wt_frame(skb)->seq;
	skb_queue_reverse_walk(&back, skb)
		wt_ba_unassign(tid, skb);
	while ((skb = __skb_dequeue(&back))) {
		taking = taking && pick->takes(r, skb);
		if (taking) {
			tid->unused = (tid->unused + 1) & IEEE80211_SN_MASK;
			ieee80211_free_txskb(r->hw, skb);
			continue;
		}
		wt_ba_renumber(skb, next);
		next = (next + 1) & IEEE80211_SN_MASK;
		if (tid->active && IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU)
			wt_ba_add(tid, skb);
		__skb_queue_tail(&tid->retry_q, skb);
	}
	while (taking && (skb = ieee80211_tx_dequeue(r->hw, tid->txq))) {
		wt_frame_init(skb);
		wt_ba_number(tid, skb);
		taking = pick->takes(r, skb);
		if (taking) {
			tid->unused = (tid->unused + 1) & IEEE80211_SN_MASK;
			ieee80211_free_txskb(r->hw, skb);
		} else {
			__skb_queue_tail(&tid->retry_q, skb);
		}
	}
	if (!skb_queue_empty(&tid->retry_q)) {
		ieee80211_schedule_txq(r->hw, tid->txq);
		wt_tx_schedule(r, ac);
	}
}

/* What waits for the AP, oldest first, as long as it is taken. */
void wt_ath9k_seize(struct wt_radio *r, const struct wt_picker *pick)
{
	struct ieee80211_sta *sta;
	int i;

	rcu_read_lock();
	sta = ieee80211_find_sta(r->vif, r->vif->bss_conf.bssid);
	for (i = 0; sta && i < ARRAY_SIZE(sta->txq); i++)
		if (sta->txq[i])
			seize_tid(r, wt_tid_of(sta->txq[i]), pick);
	rcu_read_unlock();
}
