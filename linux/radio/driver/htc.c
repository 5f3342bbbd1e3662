// SPDX-License-Identifier: GPL-2.0
/*
 * htc: ath9k_htc (mode 1), a USB device whose firmware aggregates, with the qdisc of the kernels before 6.2 above it.
 *
 *     qdisc -> netdev queue (stops at 246) -> skb queue -> one USB request of up to 20 frames
 *           -> 33 buffers -> CPU -> TID queue -> A-MPDU of up to 17, one in hardware -> air
 *     air   -> CPU -> status events of up to 12, one a microframe -> USB interrupt -> skb handed back, netdev woken
 *     air   -> CPU -> upload transfers (10 frames, 16 KiB, or 171 us of silence) -> host
 *
 * The device's CPU does one thing at a time: takes a frame from USB; or completes a unit, forms the next, and then writes the
 * statuses, before it looks at frames again. How long it takes is calibrated (params.c).
 *
 * Source: drivers/net/wireless/ath/ath9k/hif_usb.c (hif_usb_send_tx: a frame leaves at once only if no request is in flight,
 *   else what has gathered leaves when one completes; MAX_TX_AGGR_NUM, MAX_TX_BUF_SIZE), htc_drv_txrx.c
 *   (ath9k_htc_check_stop_queues; ath9k_htc_txep, ath9k_htc_txstatus: an skb is freed when its request is complete and its
 *   status has come; ath9k_htc_tx_cleanup_timer; ath_htc_txq_update: half of CWmin), htc.h ATH9K_HTC_TX_THRESHOLD;
 *   open-ath9k-htc-firmware 1.4: if_owl.c (a frame that finds the hardware queue empty leaves at once and alone, the others wait
 *   until it runs empty; ATH_AGGR_MIN_QDEPTH 1, at most 17 MPDUs, OWLMAX_RETRIES 10), wlan_cfg.h ATH_TXBUF 33, app_start.c
 *   (upload), ratectrl_11n_ln.c rcRateFind_11n (2, 2, 2 and 4 tries, each a step down); ar5416Phy.c (how long an
 *   aggregate may be at a rate); USB 2.0, 5.8.4: 13 bulk packets of 512
 *   octets a microframe of 125 us. What stands where: docs/devices/ath9k_htc.md.
 * Differs:
 *   D1  6.12's mac80211 stops no qdisc for a driver (ieee80211_stop_queues acts on the TXQs), and its interfaces have none: the
 *       radio stops and wakes the netdev itself, and needs a qdisc attached by `tc qdisc replace`. With htc_qdisc=0 it pulls
 *       the TXQs while it holds fewer than 246 frames, as 6.12's own driver does.
 *   D2  what the CPU turns to is decided when work comes to it or ends; the receive side's work does not delay the transmit side's.
 *   D3  the first rate is chosen as in mpdu/rates.c, not by the firmware's search.
 *   D4  frames before the Block Ack session go to the hardware up to eight at a time.
 *   D5  the three seconds after which the driver frees a frame whose status was lost count from the loss, not from its request's end.
 *   D6  frames of a received A-MPDU end at even distances; reordering comes behind the upload, as it does.
 */
#include "air/medium.h"
#include "driver/fifo.h"
#include "driver/htc_bar.h"
#include "driver/htc_firmware.h"
#include "driver/htc_usb.h"
#include "mpdu/tx.h"

static int init(struct wt_radio *r)
{
	struct wt_htc *h = kzalloc(sizeof(*h), GFP_KERNEL);

	if (!h)
		return -ENOMEM;
	r->htc = h;
	__skb_queue_head_init(&h->skbs);
	__skb_queue_head_init(&h->request);
	__skb_queue_head_init(&h->inbox);
	INIT_LIST_HEAD(&h->done);
	__skb_queue_head_init(&h->settled);
	__skb_queue_head_init(&h->statuses);
	__skb_queue_head_init(&h->early);
	__skb_queue_head_init(&h->lost);
	__skb_queue_head_init(&h->up);
	h->buffers = wt_p.htc_buffers;
	return 0;
}

static void purge(struct wt_radio *r)
{
	struct wt_htc *h = r->htc;
	struct wt_ppdu *p, *next;

	if (!h)
		return;
	if (h->job_skb)
		dev_kfree_skb_any(h->job_skb);
	if (h->job_ppdu)
		wt_ppdu_free_all(h->job_ppdu);
	list_for_each_entry_safe(p, next, &h->done, list)
		wt_ppdu_free_all(p);
	__skb_queue_purge(&h->inbox);
	__skb_queue_purge(&h->skbs);
	__skb_queue_purge(&h->request);
	__skb_queue_purge(&h->settled);
	__skb_queue_purge(&h->statuses);
	__skb_queue_purge(&h->early);
	__skb_queue_purge(&h->lost);
	__skb_queue_purge(&h->up);
	kfree(h);
}

/* ath_tgt_send_beacon: the buffer that a beacon came in is free when the next has come, so one is never */
static void beacons(struct wt_radio *r, bool on)
{
	r->htc->beacons = on;
}

/* ---- the netdev's queue and mac80211's ---- */

/* After frames were taken or handed back. */
static void check_queues(struct wt_radio *r)
{
	if (wt_p.htc_qdisc)
		wt_netdev_stop(r, r->fifo_used >= wt_p.fifo[WT_ATH9K_HTC]);
}

/* Whether the driver takes another frame: with a qdisc it takes what comes (10 of its 256 slots are in reserve). */
static bool room(const struct wt_radio *r)
{
	return wt_p.htc_qdisc || r->fifo_used < wt_p.fifo[WT_ATH9K_HTC];
}

static void pull(struct wt_radio *r, int ac)
{
	if (!r->started)
		return;
	wt_fifo_pull(r, ac, true, room, wt_htc_usb_take);
	check_queues(r);
}

static void wake(struct wt_radio *r, struct ieee80211_txq *txq)
{
	pull(r, txq->ac);
}

static void completed(struct wt_radio *r)
{
	int ac;

	for (ac = 0; !wt_p.htc_qdisc && ac < IEEE80211_NUM_ACS; ac++)
		pull(r, ac);
	check_queues(r);
}

/* Units that are between hardware and firmware forget their station (all: sta NULL). */
static void forget(struct wt_radio *r, struct ieee80211_sta *sta)
{
	struct wt_htc *h = r->htc;
	struct wt_ppdu *p;

	list_for_each_entry(p, &h->done, list)
		wt_ppdu_forget(p, sta);
	if (h->job_ppdu)
		wt_ppdu_forget(h->job_ppdu, sta);
}

/* A TXQ goes away (all of them: tid NULL): nothing that is still to be sent may point to it; what is over is handed back. */
static void flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_htc *h = r->htc;
	struct sk_buff_head *queues[] = { &h->skbs, &h->request, &h->inbox };
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		skb_queue_walk(queues[i], skb) {
			if (!tid || *wt_htc_tid(skb) == tid)
				*wt_htc_tid(skb) = NULL;
		}
	if (h->job_skb && (!tid || *wt_htc_tid(h->job_skb) == tid))
		*wt_htc_tid(h->job_skb) = NULL;
	while ((skb = __skb_dequeue(&h->settled)) || (skb = __skb_dequeue(&h->lost)))
		wt_htc_usb_hand_back(r, skb);
}

/* ---- the clock ---- */

/* When something happens next, U64_MAX: nothing does. */
static u64 due(const struct wt_radio *r)
{
	const struct wt_htc *h = r->htc;
	u64 up = wt_htc_usb_upload_at(h), at = U64_MAX;

	if (h->arrive_at)
		at = min(at, h->arrive_at);
	if (h->cpu_at)
		at = min(at, h->cpu_at);
	if (h->poll_at)
		at = min(at, h->poll_at);
	if (up)
		at = min(at, up);
	if (h->irq_at)
		at = min(at, h->irq_at);
	if (h->clean_at)
		at = min(at, h->clean_at);
	return at;
}

static void step(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
	u64 up = wt_htc_usb_upload_at(h);

	if (h->arrive_at && h->arrive_at <= now)
		wt_htc_arrived(r, now);
	else if (h->cpu_at && h->cpu_at <= now)
		wt_htc_cpu_step(r, now);
	else if (h->poll_at && h->poll_at <= now)
		wt_htc_usb_fetch(h, now);
	else if (up && up <= now)
		wt_htc_usb_uploaded(h, now);
	else if (h->irq_at && h->irq_at <= now)
		wt_htc_usb_interrupt(r, now);
	else
		wt_htc_usb_cleanup(r, now);
}

const struct wt_driver wt_ath9k_htc = {
	.mode = WT_ATH9K_HTC,
	.rx_ring = 256,	/* htc.h ATH9K_HTC_RXBUF */
	.max_frames = &wt_p.htc_frames,
	.shortest = 256,	/* the firmware's if_athvar.h ATH_AGGR_MINPLEN */
	.delimiters = wt_htc_delimiters,
	.counts_chains = true,
	.half_window = true,
	.blind = true,
	.asks_sessions = true,	/* ath9k_htc_check_tx_aggr */
	.fixed_chain = wt_htc_fixed_chain,
	.longest = wt_htc_longest,
	.init = init,
	.purge = purge,
	.beacons = beacons,
	.wake = wake,
	.flush = flush,
	.forget = forget,
	.completed = completed,
	.formed = wt_htc_formed,
	.ask = wt_htc_bar,
	.again = wt_htc_again,
	.settled = wt_htc_settled,
	.done = wt_htc_done,
	.came = wt_htc_usb_receive,
	.due = due,
	.step = step,
};
