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
 * statuses, before it looks at frames again. How long it takes is calibrated (main.c).
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
 *   D2  what the CPU turns to is decided when work comes to it or ends; the receive side's work does not delay the transmit side's.
 *   D3  an aggregate's bytes and the first rate are chosen as in ampdu.c and tx.c, not by the firmware's tables.
 *   D4  a BAR that fails does not pause its TID; frames before the Block Ack session go to the hardware up to eight at a time.
 *   D5  statuses that find no event free wait for the next pass instead of being lost (a unit takes longer than a microframe).
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
	__skb_queue_head_init(&h->inbox);
	INIT_LIST_HEAD(&h->done);
	__skb_queue_head_init(&h->settled);
	__skb_queue_head_init(&h->statuses);
	__skb_queue_head_init(&h->early);
	__skb_queue_head_init(&h->up);
	h->buffers = wt_p.htc_buffers;
}

static void free_ppdu(struct wt_ppdu *p)
{
	int i;

	for (i = 0; i < p->n; i++)
		dev_kfree_skb_any(p->mpdu[i]);
	wt_ppdu_free(p);
}

void wt_htc_purge(struct wt_radio *r)
{
	struct wt_htc *h = &r->htc;
	struct wt_ppdu *p, *next;

	if (h->job_skb)
		dev_kfree_skb_any(h->job_skb);
	if (h->job_ppdu)
		free_ppdu(h->job_ppdu);
	list_for_each_entry_safe(p, next, &h->done, list)
		free_ppdu(p);
	__skb_queue_purge(&h->inbox);
	__skb_queue_purge(&h->skbs);
	__skb_queue_purge(&h->request);
	__skb_queue_purge(&h->settled);
	__skb_queue_purge(&h->statuses);
	__skb_queue_purge(&h->early);
	__skb_queue_purge(&h->up);
}

/* ---- the host ---- */

/* After frames were taken or handed back. */
void wt_htc_check_queues(struct wt_radio *r)
{
	bool stop = r->fifo_used >= THRESHOLD;

	if (!wt_p.htc_qdisc || stop == r->netdev_stopped || !wt_netdev_of(r))
		return;
	r->netdev_stopped = stop;
	if (stop) {
		netif_tx_stop_all_queues(wt_netdev_of(r));
		r->count.netdev_stops++;
	} else {
		netif_tx_wake_all_queues(wt_netdev_of(r));
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

/* Something happened on the bus that the host is to be told: the controller interrupts, but not too often. */
static void post(struct wt_htc *h, u64 now, enum wt_htc_what what, unsigned int n)
{
	u64 at = h->irq_last ? max(now, h->irq_last + wt_p.host_irq_ns) : now;

	if (h->n_posts == WT_HTC_POSTS)	/* cannot be: the host looks at each interrupt, 40 us apart */
		return;
	h->post[h->n_posts++] = (struct wt_htc_post) { .what = what, .n = n };
	if (!h->irq_at || at < h->irq_at)
		h->irq_at = at;
}

/* A status event. */
static void told(struct wt_radio *r, u64 now, unsigned int n)
{
	struct wt_htc *h = &r->htc;

	while (n--) {
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
}

static void interrupt(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	unsigned int i, n;

	h->irq_at = 0;
	h->irq_last = now;
	for (i = 0; i < h->n_posts; i++)
		switch (h->post[i].what) {
		case WT_HTC_REQUEST:
			h->in_flight = false;
			fill(h);
			begin(h, now);
			break;
		case WT_HTC_STATUS:
			told(r, now, h->post[i].n);
			break;
		case WT_HTC_FRAMES:
			for (n = h->post[i].n; n--;)
				wt_rx_host(r, __skb_dequeue(&h->up));
			break;
		}
	h->n_posts = 0;
}

/* The host fetches the first event. */
static void fetch(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;

	post(h, now, WT_HTC_STATUS, h->event[0]);
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

/* A frame is over for the device: its buffer is free, its status is to come. */
void wt_htc_settled(struct wt_radio *r, struct sk_buff *skb)
{
	r->htc.buffers++;
	__skb_queue_tail(&r->htc.settled, skb);
}

static void push(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	r->htc.depth[ac]++;
	wt_medium_offer(r, ac, p);
}

/* A unit was formed (tx.c). */
void wt_htc_formed(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	p->unit = true;
	if (r->htc.forming)
		r->htc.job_ppdu = p;
	else
		push(r, ac, p);
}

/* ath_tgt_handle_aggr: a frame that finds the hardware queue empty is sent at once and alone */
static void handle(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	int ac = tid->txq->ac;
	bool waits = tid->active &&
		     (r->htc.depth[ac] || !skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q));

	__skb_queue_tail(&tid->fw_q, skb);
	if ((waits || !wt_tx_tid(r, ac, tid)) && list_empty(&tid->fw_list))
		list_add_tail(&tid->fw_list, &r->fw_tids[ac]);
}

/* ath_tgt_txq_schedule: the next unit for a hardware queue that has run empty */
static bool form(struct wt_radio *r, int ac)
{
	struct wt_htc *h = &r->htc;
	struct wt_tid *tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list);

	if (h->depth[ac] || !tid)
		return false;
	list_del_init(&tid->fw_list);
	h->forming = true;
	wt_tx_tid(r, ac, tid);
	h->forming = false;
	if (!skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q))
		list_add_tail(&tid->fw_list, &r->fw_tids[ac]);
	return h->job_ppdu;
}

/* ath_tx_status_send */
static void report(struct wt_htc *h, u64 now)
{
	while (!skb_queue_empty(&h->settled) && h->n_events < WT_HTC_EVENTS) {
		unsigned int i, n = min_t(unsigned int, skb_queue_len(&h->settled), STATUSES);

		h->event[h->n_events++] = n;
		for (i = 0; i < n; i++)
			__skb_queue_tail(&h->statuses, __skb_dequeue(&h->settled));
	}
	if (h->n_events && !h->poll_at)
		h->poll_at = (div64_u64(now, MICROFRAME_NS) + 1) * MICROFRAME_NS;
}

static void cpu_start(struct wt_htc *h, u64 now, enum wt_htc_job job, u64 ns)
{
	h->job = job;
	h->cpu_at = now + ns;
}

/* If the CPU is idle, it turns to what its loop finds first; what comes to an idle loop is noticed when its turn ends. */
static void cpu_next(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	bool in_tasklet = !skb_queue_empty(&h->settled);

	if (h->job)
		return;
	if (wt_p.cpu_turn_ns)
		now = h->idle + DIV_ROUND_UP_ULL(now - h->idle, wt_p.cpu_turn_ns) * wt_p.cpu_turn_ns;
	if (!in_tasklet && !skb_queue_empty(&h->inbox)) {
		h->job_skb = __skb_dequeue(&h->inbox);
		cpu_start(h, now, WT_HTC_RECEIVE, wt_p.cpu_frame_ns);
	} else if (!list_empty(&h->done)) {
		h->job_ppdu = list_first_entry(&h->done, struct wt_ppdu, list);
		list_del(&h->job_ppdu->list);
		cpu_start(h, now, WT_HTC_COMPLETE, wt_p.cpu_ppdu_ns + (u64)wt_p.cpu_frame_ns * h->job_ppdu->n);
	} else if (in_tasklet && h->n_events < WT_HTC_EVENTS) {
		cpu_start(h, now, WT_HTC_REPORT,
			  (u64)wt_p.cpu_frame_ns * min(DIV_ROUND_UP(skb_queue_len(&h->settled), STATUSES), 2));
	}
}

/* The hardware is done with a unit. */
void wt_htc_done(struct wt_radio *r, int ac, struct wt_ppdu *p, bool response, u64 now)
{
	p->ac = ac;
	p->answered = response;
	list_add_tail(&p->list, &r->htc.done);
	cpu_next(r, now);
}

/* The CPU is done with its job. */
static void cpu_step(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	struct wt_ppdu *p = h->job_ppdu;
	struct sk_buff *skb = h->job_skb;
	enum wt_htc_job job = h->job;
	struct wt_tid *tid;
	int ac;

	h->job = WT_HTC_IDLE;
	h->job_ppdu = NULL;
	h->job_skb = NULL;
	h->cpu_at = 0;
	h->idle = now;
	rcu_read_lock();
	switch (job) {
	case WT_HTC_IDLE:
		break;
	case WT_HTC_RECEIVE:
		tid = *(struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];
		if (tid) {
			handle(r, tid, skb);
			break;
		}
		h->buffers++;		/* its station left while it was on its way */
		wt_frame(skb)->in_fifo = false;
		r->fifo_used--;
		wt_tx_done(r, skb, false);
		break;
	case WT_HTC_COMPLETE:
		ac = p->ac;
		h->depth[ac]--;
		wt_ba_response(r, p, p->answered);
		wt_ppdu_free(p);
		begin(h, now);
		if (form(r, ac)) {
			h->job_ppdu->ac = ac;
			cpu_start(h, now, WT_HTC_FORM, wt_p.cpu_ppdu_ns + (u64)wt_p.cpu_frame_ns * h->job_ppdu->n);
		}
		break;
	case WT_HTC_FORM:
		push(r, p->ac, p);
		break;
	case WT_HTC_REPORT:
		report(h, now);
		break;
	}
	rcu_read_unlock();
	cpu_next(r, now);
}

/* A frame is with the device. */
static void arrived(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;

	h->arrive_at = 0;
	__skb_queue_tail(&h->inbox, __skb_dequeue(&h->request));
	if (skb_queue_empty(&h->request))
		post(h, now, WT_HTC_REQUEST, 0);
	begin(h, now);
	cpu_next(r, now);
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

	h->up_cpu = max(h->up_cpu, ended) + wt_p.cpu_frame_ns;
	if (h->open_frames && h->up_cpu > h->up_bus + UP_TIMEOUT_NS)
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
	h->up_bus = shared(max(h->up_cpu, h->up_bus), bus_ns(skb, 58), h->arrive_at);
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

static void uploaded(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;

	if (!h->n_uploads)
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
	post(h, now, WT_HTC_FRAMES, h->upload[0].n);
	h->n_uploads--;
	memmove(h->upload, h->upload + 1, h->n_uploads * sizeof(h->upload[0]));
}

/* ---- the clock ---- */

/* When something happens next, U64_MAX: nothing does. */
u64 wt_htc_due(const struct wt_radio *r)
{
	const struct wt_htc *h = &r->htc;
	u64 up = upload_at(h), at = U64_MAX;

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

void wt_htc_step(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = &r->htc;
	u64 up = upload_at(h);

	if (h->arrive_at && h->arrive_at <= now)
		arrived(r, now);
	else if (h->cpu_at && h->cpu_at <= now)
		cpu_step(r, now);
	else if (h->poll_at && h->poll_at <= now)
		fetch(r, now);
	else if (up && up <= now)
		uploaded(r, now);
	else if (h->irq_at && h->irq_at <= now)
		interrupt(r, now);
	else
		cleanup(r, now);
}

/* Units that are between hardware and firmware forget their station (all: sta NULL). */
void wt_htc_forget(struct wt_radio *r, struct ieee80211_sta *sta)
{
	struct wt_htc *h = &r->htc;
	struct wt_ppdu *p;

	list_for_each_entry(p, &h->done, list)
		if (!sta || p->sta == sta) {
			p->sta = NULL;
			p->tid = NULL;
		}
	p = h->job_ppdu;
	if (p && (!sta || p->sta == sta)) {
		p->sta = NULL;
		p->tid = NULL;
	}
}

/* A TXQ goes away (all of them: tid NULL): nothing that is still to be sent may point to it; what is over is handed back. */
void wt_htc_flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_htc *h = &r->htc;
	struct sk_buff_head *queues[] = { &h->skbs, &h->request, &h->inbox };
	struct sk_buff *skb;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(queues); i++)
		skb_queue_walk(queues[i], skb) {
			struct wt_tid **of = (struct wt_tid **)&IEEE80211_SKB_CB(skb)->status.status_driver_data[1];

			if (!tid || *of == tid)
				*of = NULL;
		}
	if (h->job_skb) {
		struct wt_tid **of = (struct wt_tid **)&IEEE80211_SKB_CB(h->job_skb)->status.status_driver_data[1];

		if (!tid || *of == tid)
			*of = NULL;
	}
	while ((skb = __skb_dequeue(&h->settled)))
		hand_back(r, skb);
}
