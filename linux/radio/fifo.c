// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: devices with a queue of their own below mac80211, from which their firmware forms the aggregates; ath9k_htc's is htc.c.
 *
 * ath10k (mode 2): a deep FIFO of MSDU descriptors. The driver pushes from the TXQs while descriptors are free, again
 *   on completion once fewer than half are in use. AQL is what keeps it from swallowing the TXQs; mac80211 does that
 *   by itself, once the card says that it has it (mac.c).
 *   Source: drivers/net/wireless/ath/ath10k/mac.c ath10k_mac_op_wake_tx_queue, ath10k_mac_tx_push_pending; htt_tx.c
 *   ath10k_htt_tx_inc_pending; hw.h TARGET_10X_NUM_MSDU_DESC (1424), TARGET_TLV_NUM_MSDU_DESC (1056).
 * Differs:
 *   D1  the firmware's aggregation is ath9k's (ampdu.c), with two aggregates in hardware; stations take turns.
 *   D2  no GRO at a receiving ath10k: frames go to the stack one by one, without a NAPI context.
 *   D3  MSDUs are counted, not the bytes that ath10k's firmware may limit as well.
 */
#include "radio.h"

static void to_firmware(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	__skb_queue_tail(&tid->fw_q, skb);
	if (list_empty(&tid->fw_list))
		list_add_tail(&tid->fw_list, &r->fw_tids[tid->txq->ac]);
}

/* A frame that was below mac80211 is completed. */
void wt_fifo_release(struct wt_radio *r)
{
	r->fifo_used--;
}

/* After completions were handed back: room for more? */
void wt_fifo_completed(struct wt_radio *r)
{
	int ac;

	if (r->mode == WT_ATH10K && r->fifo_used < wt_p.fifo[WT_ATH10K] / 2)
		for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
			wt_fifo_pull(r, ac);
	if (r->mode == WT_ATH9K_HTC) {
		for (ac = 0; !wt_p.htc_qdisc && ac < IEEE80211_NUM_ACS; ac++)
			wt_fifo_pull(r, ac);
		wt_htc_check_queues(r);
	}
}

/* From the TXQs into the device, as far as it has room. */
void wt_fifo_pull(struct wt_radio *r, int ac)
{
	struct ieee80211_txq *txq;
	struct sk_buff *skb;

	if (!r->started)
		return;
	rcu_read_lock();
	ieee80211_txq_schedule_start(r->hw, ac);
	while ((txq = ieee80211_next_txq(r->hw, ac))) {
		struct wt_tid *tid = wt_tid_of(txq);

		while ((r->mode == WT_ATH9K_HTC ? wt_htc_takes(r) : r->fifo_used < wt_p.fifo[r->mode]) &&
		       (skb = ieee80211_tx_dequeue(r->hw, txq))) {
			wt_frame_init(skb);
			wt_frame(skb)->in_fifo = true;
			r->fifo_used++;
			r->count.fifo_max = max_t(u64, r->count.fifo_max, r->fifo_used);
			if (r->mode == WT_ATH9K_HTC)
				wt_htc_take(r, tid, skb);
			else
				to_firmware(r, tid, skb);
		}
		ieee80211_return_txq(r->hw, txq, false);
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
	if (r->mode == WT_ATH9K_HTC)
		wt_htc_check_queues(r);
}

/* A TXQ goes away (all of them: tid NULL). */
void wt_fifo_flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb;

	while (tid && (skb = __skb_dequeue(&tid->fw_q)))
		wt_tx_done(r, skb, false);
	if (tid)
		list_del_init(&tid->fw_list);
	if (r->mode == WT_ATH9K_HTC)
		wt_htc_flush(r, tid);
}
