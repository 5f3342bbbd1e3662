// SPDX-License-Identifier: GPL-2.0
/*
 * ath9k (mode 0): mac80211's TXQs are pulled on every wake until the hardware holds two aggregates or eight single frames.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c: ath9k_wake_tx_queue, ath_txq_schedule, ath_tx_form_burst, ath_tx_queue_tid.
 *   Departures: mpdu/tx.c, mpdu/ampdu.c.
 */
#include "air/medium.h"
#include "air/rx.h"
#include "driver.h"
#include "driver/ath9k.h"
#include "mpdu/ampdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/tx.h"

static void wake(struct wt_radio *r, struct ieee80211_txq *txq)
{
	wt_tid_of(txq);
	if (!r->corked)
		wt_tx_schedule(r, txq->ac);
}

static struct sk_buff *dequeue(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb = ieee80211_tx_dequeue(r->hw, tid->txq);

	if (skb) {
		wt_frame_init(skb);
		wt_ba_number(tid, skb);
	}
	return skb;
}

/* ath_tx_form_burst: a frame outside a session brings a second one along, a PPDU of its own */
static void add_second(struct wt_radio *r, int ac, struct wt_tid *tid)
{
	struct wt_ppdu *p;
	struct sk_buff *skb;

	if (wt_ampdu_next(r, tid, &skb) < 0)
		return;
	p = IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU ? NULL : wt_tx_ppdu(r, tid, skb);
	if (!p) {
		__skb_queue_tail(&tid->retry_q, skb);
		return;
	}
	wt_tx_single(p, skb);
	wt_medium_offer(r, ac, p);
}

static void formed(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	bool burst = !p->ampdu;
	struct wt_tid *tid = p->tid;

	wt_medium_offer(r, ac, p);
	if (burst)
		add_second(r, ac, tid);
}

static void again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	if (skb_queue_empty(failed))
		return;
	skb_queue_splice_tail(failed, &tid->retry_q);
	ieee80211_schedule_txq(r->hw, tid->txq);	/* ath_tx_queue_tid: mac80211 knows nothing of retry_q */
}

/* ath_txq_schedule */
static void feed(struct wt_radio *r, int ac)
{
	struct ieee80211_txq *txq;

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

const struct wt_driver wt_ath9k = {
	.mode = WT_ATH9K,
	.rx_ring = 512,	/* ath9k.h ATH_RXBUF */
	.max_frames = &wt_p.max_frames,
	.shortest = 256,	/* ath9k.h ATH_AGGR_MINPLEN */
	.tx_airtime = true,
	.rx_airtime = true,
	.rts = true,
	.within_txop = true,
	.wake = wake,
	.dequeue = dequeue,
	.formed = formed,
	.again = again,
	.schedule = feed,
	.seize = wt_ath9k_seize,
	.done = wt_tx_over,
	.came = wt_rx_mitigated,
};
