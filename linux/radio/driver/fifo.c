// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: devices with a queue of their own below mac80211, from which their firmware forms the aggregates: how it is filled and emptied.
 */
#include "driver/fifo.h"
#include "mpdu/tx.h"

/* From the TXQs into the device, as far as it has room: one round, or of one turn only. */
void wt_fifo_pull(struct wt_radio *r, int ac, bool all, bool (*room)(const struct wt_radio *r),
		  void (*take)(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb))
{
	struct ieee80211_txq *txq;
	struct sk_buff *skb;

	if (!r->started)
		return;
	rcu_read_lock();
	ieee80211_txq_schedule_start(r->hw, ac);
	while ((txq = ieee80211_next_txq(r->hw, ac))) {
		struct wt_tid *tid = wt_tid_of(txq);

		while (room(r) && (skb = ieee80211_tx_dequeue(r->hw, txq))) {
			wt_frame_init(skb);
			wt_frame(skb)->in_fifo = true;
			r->fifo_used++;
			r->count.fifo_max = max_t(u64, r->count.fifo_max, r->fifo_used);
			take(r, tid, skb);
		}
		ieee80211_return_txq(r->hw, txq, false);
		if (!all)
			break;
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
}

/* Whether the firmware has frames of a TID to send. */
bool wt_fifo_waits(const struct wt_tid *tid)
{
	return !skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q);
}

/* The TID's turn comes after all that wait (the published firmware's ath_tgt_tx_enqueue, for retries, too). */
void wt_fifo_turn(struct wt_radio *r, struct wt_tid *tid)
{
	if (list_empty(&tid->fw_list))
		list_add_tail(&tid->fw_list, &r->fw_tids[tid->txq->ac]);
}
