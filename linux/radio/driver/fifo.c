// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: devices with a queue of their own below mac80211, from which their firmware forms the aggregates: how it is filled and emptied.
 */
#include "driver/fifo.h"
#include "mpdu/tx.h"

/* From the TXQs into the device, as far as it has room: one round, or of one turn only. How many frames came. */
unsigned int wt_fifo_pull(struct wt_radio *r, int ac, bool all, bool (*room)(const struct wt_radio *r),
			  void (*take)(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb))
{
	struct ieee80211_txq *txq;
	struct sk_buff *skb;
	unsigned int n = 0;

	if (!r->started)
		return 0;
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
			n++;
		}
		ieee80211_return_txq(r->hw, txq, false);
		if (!all)
			break;
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
	return n;
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

/* A frame of it is over. */
bool wt_fifo_settled(struct wt_radio *r, struct sk_buff *skb)
{
	r->fifo_used--;
	return false;
}

/* What failed goes first, at the TID's next turn. */
void wt_fifo_again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	if (!skb_queue_empty(failed))
		wt_fifo_turn(r, tid);
	skb_queue_splice_tail(failed, &tid->retry_q);
}

/* The firmware: TIDs take turns. */
void wt_fifo_feed(struct wt_radio *r, int ac)
{
	unsigned int idle = 0, rounds = list_count_nodes(&r->fw_tids[ac]);
	struct wt_tid *tid;

	rcu_read_lock();
	/* a frame is looked at once there is room for it: one that is put back, as ath9k does, would come behind those that were behind it */
	while (!wt_tx_full(r, ac, true) &&
	       (tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list))) {
		bool sent = wt_tx_tid(r, ac, tid);

		if (wt_fifo_waits(tid))
			list_move_tail(&tid->fw_list, &r->fw_tids[ac]);
		else
			list_del_init(&tid->fw_list);
		/* a TID whose window is shut yields to the next; a full round without a PPDU ends it */
		idle = sent ? 0 : idle + 1;
		if (idle > rounds)
			break;
	}
	rcu_read_unlock();
}

/* MPDUs of an aggregate; not ath9k's max_frames, which a scenario sets for the ath9k cards beside this one */
const unsigned int wt_fifo_frames = 32;
