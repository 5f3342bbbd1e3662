// SPDX-License-Identifier: GPL-2.0
/*
 * htc: ath9k_htc (mode 1), a USB device whose firmware aggregates, with the qdisc of the kernels before 6.2 above it.
 *
 *     qdisc -> netdev queue (stops at 246) -> skb queue -> one USB request of up to 20 frames
 *           -> 33 buffers -> TID queue -> A-MPDU of up to 17, one in hardware -> air
 *     air   -> status events of up to 12, one a microframe -> skb handed back, netdev woken
 *     air   -> upload transfers (10 frames, 16 KiB, or 171 us of silence) -> host
 *
 * Source: drivers/net/wireless/ath/ath9k/hif_usb.c (hif_usb_send_tx: a frame leaves at once only if no request is in flight,
 *   else what has gathered leaves when one completes; MAX_TX_AGGR_NUM, MAX_TX_BUF_SIZE), htc_drv_txrx.c
 *   (ath9k_htc_check_stop_queues; ath9k_htc_txep, ath9k_htc_txstatus: an skb is freed when its request is complete and its
 *   status has come; ath9k_htc_tx_cleanup_timer; ath_htc_txq_update: half of CWmin), htc.h ATH9K_HTC_TX_THRESHOLD;
 *   open-ath9k-htc-firmware 1.4: if_owl.c (a frame that finds the hardware queue empty leaves at once and alone, the others wait
 *   until it runs empty; ATH_AGGR_MIN_QDEPTH 1, at most 17 MPDUs, OWLMAX_RETRIES 10), wlan_cfg.h ATH_TXBUF 33, app_start.c
 *   (upload), ratectrl_11n_ln.c rcRateFind_11n (2, 2, 2 and 4 tries, each a step down); USB 2.0, 5.8.4: 13 bulk packets of 512
 *   octets a microframe of 125 us. What stands where: docs/devices/ath9k_htc.md.
 * Differs:
 *   D1  6.12's mac80211 stops no qdisc for a driver (ieee80211_stop_queues acts on the TXQs), and its interfaces have none: the
 *       radio stops and wakes the netdev itself, and needs a qdisc attached by `tc qdisc replace`. With htc_qdisc=0 it pulls
 *       the TXQs while it holds fewer than 246 frames, as 6.12's own driver does.
 *   D2  the device's CPU and the host's interrupts take no time.
 *   D3  an aggregate's bytes and the first rate are chosen as in ampdu.c and tx.c, not by the firmware's tables.
 *   D4  a BAR that fails does not pause its TID; frames before the Block Ack session go to the hardware up to eight at a time.
 *   D5  the device has room for every status event (8 of them do: no unit takes less than a microframe).
 *   D6  frames of a received A-MPDU end at even distances; reordering comes behind the upload, as it does.
 */
#include "radio.h"

#define THRESHOLD	(wt_p.fifo[WT_ATH9K_HTC])
#define URB_FRAMES	20
#define URB_OCTETS	32768
#define MICROFRAME_NS	125000ull
#define STATUSES	12
#define CLEANUP_NS	(50ull * NSEC_PER_MSEC)
#define UP_FRAMES	10
#define UP_OCTETS	16384
#define UP_TIMEOUT_NS	170667ull	/* 0xa0 units of 32 cycles at 30 MHz */

/* Beyond the 802.11 header and LLC (34 octets in skb->len already): stream, HTC, frame or receive status headers, padding, FCS. */
static u64 bus_ns(const struct sk_buff *skb, u32 more)
{
	return DIV_ROUND_UP_ULL(round_up(skb->len + more, 4) * MICROFRAME_NS, 13 * 512);
}

static u64 out_ns(const struct sk_buff *skb)
{
	return bus_ns(skb, 26);
}

static u64 shared(u64 start, u64 alone, u64 other_until)
{
	return start + alone + (other_until > start ? min(other_until - start, alone) : 0);
}

void wt_htc_init(struct wt_radio *r)
{
	struct wt_htc *h = &r->htc;

	__skb_queue_head_init(&h->skbs);
	__skb_queue_head_init(&h->request);
	__skb_queue_head_init(&h->settled);
	__skb_queue_head_init(&h->statuses);
	__skb_queue_head_init(&h->early);
	__skb_queue_head_init(&h->up);
	h->buffers = wt_p.htc_buffers;
}

void wt_htc_purge(struct wt_radio *r)
{
	struct wt_htc *h = &r->htc;

	__skb_queue_purge(&h->skbs);
	__skb_queue_purge(&h->request);
	__skb_queue_purge(&h->settled);
	__skb_queue_purge(&h->statuses);
	__skb_queue_purge(&h->early);
	__skb_queue_purge(&h->up);
}

/* ---- the host ---- */

static struct net_device *netdev_of(struct wt_radio *r)
{
	struct wireless_dev *wdev = r->vif ? ieee80211_vif_to_wdev(r->vif) : NULL;

	return wdev ? wdev->netdev : NULL;
}

/* After frames were taken or handed back. */
void wt_htc_check_queues(struct wt_radio *r)
{
	bool stop = r->fifo_used >= THRESHOLD;

	if (!wt_p.htc_qdisc || stop == r->netdev_stopped || !netdev_of(r))
		return;
	r->netdev_stopped = stop;
	if (stop) {
		netif_tx_stop_all_queues(netdev_of(r));
		r->count.netdev_stops++;
	} else {
		netif_tx_wake_all_queues(netdev_of(r));
	}
}

/* Whether the driver takes another frame: with a qdisc it takes what comes (10 of its 256 slots are in reserve). */
bool wt_htc_takes(struct wt_radio *r)
{
	return wt_p.htc_qdisc || r->fifo_used < THRESHOLD;
}

static void fill(struct wt_htc *h)
{
	u32 octets = 0;

	while (skb_queue_len(&h->request) < URB_FRAMES && !skb_queue_empty(&h->skbs)) {
		octets += round_up(skb_peek(&h->skbs)->len + 26, 4);
		if (octets > URB_OCTETS && !skb_queue_empty(&h->request))
			break;
		__skb_queue_tail(&h->request, __skb_dequeue(&h->skbs));
	}
	if (!skb_queue_empty(&h->request)) {
		h->urb++;
		h->in_flight = true;
	}
}

/* The next frame's transfer, if one waits and the device has a buffer for it; without one it refuses (NAK). */
static void begin(struct wt_htc *h, u64 now)
{
	struct sk_buff *skb = skb_peek(&h->request);

	if (h->arrive_at || !skb || !h->buffers)
		return;
	h->buffers--;
	wt_frame(skb)->urb = h->urb;
	h->arrive_at = shared(now, out_ns(skb), h->up_bus);
}

/* ath9k_htc_tx: a frame from mac80211 */
void wt_htc_take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_htc *h = &r->htc;

	*(struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1] = tid;
	__skb_queue_tail(&h->skbs, skb);
	if (!h->in_flight) {
		fill(h);
		begin(h, wt_medium_time());
	}
}

static bool sent(const struct wt_htc *h, struct sk_buff *skb)
{
	return (s8)(h->urb - h->in_flight - wt_frame(skb)->urb) >= 0;
}

static void hand_back(struct wt_radio *r, struct sk_buff *skb)
{
	r->fifo_used--;
	__skb_queue_tail(&wt_air.done_q, skb);
}

/* A frame is over for the device: its status is to come. */
void wt_htc_settled(struct wt_radio *r, struct sk_buff *skb)
{
	__skb_queue_tail(&r->htc.settled, skb);
}

/* A status event has been fetched. */
static void status_event(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	unsigned int i;

	for (i = 0; i < h->event[0]; i++) {
		struct sk_buff *skb = __skb_dequeue(&h->statuses);

		if (sent(h, skb)) {
			hand_back(r, skb);
			continue;
		}
		/* nobody looks again when the request completes */
		__skb_queue_tail(&h->early, skb);
		if (!h->clean_at)
			h->clean_at = (div64_u64(now, CLEANUP_NS) + 1) * CLEANUP_NS;
	}
	h->n_events--;
	memmove(h->event, h->event + 1, h->n_events);
	h->poll_at = h->n_events ? now + MICROFRAME_NS : 0;
}

static void cleanup(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	unsigned int n = skb_queue_len(&h->early);

	while (n--) {
		struct sk_buff *skb = __skb_dequeue(&h->early);

		if (sent(h, skb))
			hand_back(r, skb);
		else
			__skb_queue_tail(&h->early, skb);
	}
	h->clean_at = skb_queue_empty(&h->early) ? 0 : now + CLEANUP_NS;
}

/* ---- the firmware ---- */

/* ath_tgt_handle_aggr */
static void receive(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_edcaf *e = &r->ac[tid->txq->ac];
	bool waits = tid->active && (e->depth || !skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q));

	__skb_queue_tail(&tid->fw_q, skb);
	if (waits || !wt_tx_tid(r, tid->txq->ac, tid))
		if (list_empty(&tid->fw_list))
			list_add_tail(&tid->fw_list, &r->fw_tids[tid->txq->ac]);
}

/* ath_tgt_txq_schedule: the next unit for a hardware queue that has run empty, then the statuses of the last */
void wt_htc_schedule(struct wt_radio *r, int ac, u64 now)
{
	struct wt_htc *h = &r->htc;
	struct wt_tid *tid;
	bool formed = true;

	while (formed && !r->ac[ac].depth && (tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list))) {
		list_del_init(&tid->fw_list);
		formed = wt_tx_tid(r, ac, tid);
		if (!skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q))
			list_add_tail(&tid->fw_list, &r->fw_tids[ac]);
	}
	while (!skb_queue_empty(&h->settled) && h->n_events < WT_HTC_EVENTS) {
		unsigned int n = min_t(unsigned int, skb_queue_len(&h->settled), STATUSES);

		h->event[h->n_events++] = n;
		while (n--) {
			h->buffers++;
			__skb_queue_tail(&h->statuses, __skb_dequeue(&h->settled));
		}
	}
	if (h->n_events && !h->poll_at)
		h->poll_at = (div64_u64(now, MICROFRAME_NS) + 1) * MICROFRAME_NS;
	begin(h, now);
}

static void arrived(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	struct sk_buff *skb = __skb_dequeue(&h->request);
	struct wt_tid *tid = *(struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];
	bool last = skb_queue_empty(&h->request);

	h->arrive_at = 0;
	if (tid) {
		receive(r, tid, skb);
	} else {		/* its station left while it was on the bus */
		h->buffers++;
		wt_frame(skb)->in_fifo = false;
		r->fifo_used--;
		wt_tx_done(r, skb, false);
	}
	if (last) {
		h->in_flight = false;
		fill(h);
	}
	begin(h, now);
}

/* ---- reception ---- */

static void close_upload(struct wt_htc *h, u64 at)
{
	if (h->n_uploads == WT_HTC_UPLOADS)	/* cannot be: the bus is faster than the air */
		h->upload[h->n_uploads - 1].n += h->open_frames;
	else
		h->upload[h->n_uploads++] = (struct wt_htc_upload) { .at = at, .n = h->open_frames };
	h->open_frames = h->open_octets = 0;
}

/* A frame whose last bit was in the air at `ended`. */
void wt_htc_receive(struct wt_radio *r, struct sk_buff *skb, u64 ended)
{
	struct wt_htc *h = &r->htc;
	u64 start = max(ended, h->up_bus);

	if (h->open_frames && ended > h->up_bus + UP_TIMEOUT_NS) {
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
		start = ended;
	}
	h->up_bus = shared(start, bus_ns(skb, 58), h->arrive_at);
	__skb_queue_tail(&h->up, skb);
	h->open_frames++;
	h->open_octets += round_up(skb->len + 58, 4);
	if (h->open_frames >= UP_FRAMES || h->open_octets >= UP_OCTETS)
		close_upload(h, h->up_bus);
}

static u64 upload_at(const struct wt_htc *h)
{
	return h->n_uploads ? h->upload[0].at : h->open_frames ? h->up_bus + UP_TIMEOUT_NS : 0;
}

static void uploaded(struct wt_radio *r)
{
	struct wt_htc *h = &r->htc;
	unsigned int n;

	if (!h->n_uploads)
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
	n = h->upload[0].n;
	h->n_uploads--;
	memmove(h->upload, h->upload + 1, h->n_uploads * sizeof(h->upload[0]));
	while (n--)
		wt_rx_host(r, __skb_dequeue(&h->up));
}

/* ---- the clock ---- */

/* When something happens next, U64_MAX: nothing does. */
u64 wt_htc_due(const struct wt_radio *r)
{
	const struct wt_htc *h = &r->htc;
	u64 up = upload_at(h), at = U64_MAX;

	if (h->arrive_at)
		at = min(at, h->arrive_at);
	if (h->poll_at)
		at = min(at, h->poll_at);
	if (h->clean_at)
		at = min(at, h->clean_at);
	if (up)
		at = min(at, up);
	return at;
}

void wt_htc_step(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;

	if (h->arrive_at && h->arrive_at <= now)
		arrived(r, now);
	else if (h->poll_at && h->poll_at <= now)
		status_event(r, now);
	else if (h->clean_at && h->clean_at <= now)
		cleanup(r, now);
	else
		uploaded(r);
}

/* A TXQ goes away (all of them: tid NULL): nothing that is still to be sent may point to it; what is over is handed back. */
void wt_htc_flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_htc *h = &r->htc;
	struct sk_buff_head *queues[] = { &h->skbs, &h->request };
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		skb_queue_walk(queues[i], skb) {
			struct wt_tid **of = (struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];

			if (!tid || *of == tid)
				*of = NULL;
		}
	while ((skb = __skb_dequeue(&h->settled))) {
		h->buffers++;
		hand_back(r, skb);
	}
}
