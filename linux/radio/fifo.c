// SPDX-License-Identifier: GPL-2.0
/*
 * fifo: devices with a queue of their own below mac80211, from which their firmware forms the aggregates.
 *
 * ath10k (mode 2): a deep FIFO of MSDU descriptors. The driver pushes from the TXQs while descriptors are free, again
 *   on completion once fewer than half are in use. AQL is what keeps it from swallowing the TXQs; mac80211 does that
 *   by itself, once the card says that it has it (mac.c).
 *   Source: drivers/net/wireless/ath/ath10k/mac.c ath10k_mac_op_wake_tx_queue, ath10k_mac_tx_push_pending; htt_tx.c
 *   ath10k_htt_tx_inc_pending; hw.h TARGET_10X_NUM_MSDU_DESC (1424), TARGET_TLV_NUM_MSDU_DESC (1056).
 * ath9k_htc (mode 1), as in the kernels before it had TXQs: the qdisc feeds a USB request queue. The netdev's queues are
 *   stopped at 246 frames below them (not yet completed) and woken below that. One URB of at most 20 frames is on the
 *   bus at a time: hif_usb_send_tx starts one only when all are free, the next leaves in the last one's completion.
 *   Source: drivers/net/wireless/ath/ath9k/hif_usb.c __hif_usb_tx, hif_usb_send_tx; htc_drv_txrx.c
 *   ath9k_htc_check_stop_queues; htc.h ATH9K_HTC_TX_THRESHOLD. USB 2.0, 5.8.4: 13 bulk transactions of 512 octets a 125 us.
 * Differs:
 *   D1  6.12's mac80211 stops no qdisc for a driver (ieee80211_stop_queues acts on the TXQs), and its interfaces have none:
 *       the radio stops and wakes the netdev itself, and needs a qdisc attached by `tc qdisc replace`.
 *   D2  the firmware's aggregation is ath9k's (ampdu.c), with two aggregates in hardware; stations take turns.
 *   D3  the USB target's own buffers are not limited, and its status messages take no time.
 *   D4  no GRO at a receiving ath10k: frames go to the stack one by one, without a NAPI context.
 *   D5  MSDUs are counted, not the bytes that ath10k's firmware may limit as well.
 */
#include "radio.h"

#define URB_FRAMES	20	/* hif_usb.h MAX_TX_AGGR_NUM */
#define USB_NS_PER_OCTET_1024	(125000ull * 1024 / (13 * 512))

static void to_firmware(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	__skb_queue_tail(&tid->fw_q, skb);
	if (list_empty(&tid->fw_list))
		list_add_tail(&tid->fw_list, &r->fw_tids[tid->txq->ac]);
}

/* A URB leaves, if none is on its way and something waits. */
static void usb_start(struct wt_radio *r, u64 now)
{
	u64 octets = 0;
	int i;

	if (r->usb_at || skb_queue_empty(&r->usb_q))
		return;
	for (i = 0; i < URB_FRAMES && !skb_queue_empty(&r->usb_q); i++) {
		struct sk_buff *skb = __skb_dequeue(&r->usb_q);

		octets += round_up(skb->len + 4, 4);
		__skb_queue_tail(&r->urb, skb);
	}
	r->usb_at = now + ((octets * USB_NS_PER_OCTET_1024) >> 10);
}

/* The URB has arrived: its frames are the firmware's. */
void wt_fifo_usb_done(struct wt_radio *r)
{
	u64 now = r->usb_at;
	struct sk_buff *skb;
	u8 acs = 0;
	int ac;

	r->usb_at = 0;
	while ((skb = __skb_dequeue(&r->urb))) {
		struct wt_tid *tid = *(struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];

		if (!tid) {		/* its station left while it was on the bus */
			wt_tx_done(r, skb, false);
			continue;
		}
		to_firmware(r, tid, skb);
		acs |= BIT(tid->txq->ac);
	}
	usb_start(r, now);
	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
		if (acs & BIT(ac))
			wt_tx_schedule(r, ac);
}

static struct net_device *netdev_of(struct wt_radio *r)
{
	struct wireless_dev *wdev = r->vif ? ieee80211_vif_to_wdev(r->vif) : NULL;

	return wdev ? wdev->netdev : NULL;
}

static void check_queues(struct wt_radio *r)
{
	bool stop = r->fifo_used >= wt_p.fifo[r->mode];

	if (r->mode != WT_ATH9K_HTC || stop == r->netdev_stopped || !netdev_of(r))
		return;
	r->netdev_stopped = stop;
	if (stop) {
		netif_tx_stop_all_queues(netdev_of(r));
		r->count.netdev_stops++;
	} else {
		netif_tx_wake_all_queues(netdev_of(r));
	}
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
	check_queues(r);
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

		/* ath9k_htc takes what comes: the netdev is stopped instead (10 of its 256 slots are in reserve) */
		while ((r->mode == WT_ATH9K_HTC || r->fifo_used < wt_p.fifo[r->mode]) &&
		       (skb = ieee80211_tx_dequeue(r->hw, txq))) {
			wt_frame_init(skb);
			wt_frame(skb)->in_fifo = true;
			r->fifo_used++;
			r->count.fifo_max = max_t(u64, r->count.fifo_max, r->fifo_used);
			if (r->mode == WT_ATH9K_HTC) {
				*(struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1] = tid;
				__skb_queue_tail(&r->usb_q, skb);
			} else {
				to_firmware(r, tid, skb);
			}
		}
		ieee80211_return_txq(r->hw, txq, false);
	}
	ieee80211_txq_schedule_end(r->hw, ac);
	rcu_read_unlock();
	if (r->mode == WT_ATH9K_HTC)
		usb_start(r, wt_medium_time());
	check_queues(r);
}

static void forget_in(struct wt_radio *r, struct sk_buff_head *q, struct wt_tid *tid)
{
	struct sk_buff *skb;

	skb_queue_walk(q, skb) {
		struct wt_tid **of = (struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];

		if (!tid || *of == tid)
			*of = NULL;
	}
}

/* A TXQ goes away (all of them: tid NULL). */
void wt_fifo_flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb;

	forget_in(r, &r->usb_q, tid);
	forget_in(r, &r->urb, tid);
	if (!tid)
		return;
	while ((skb = __skb_dequeue(&tid->fw_q)))
		wt_tx_done(r, skb, false);
	list_del_init(&tid->fw_list);
}
