// SPDX-License-Identifier: GPL-2.0
/*
 * htc_usb: ath9k_htc's host and bus: requests down, status events and transfers of received frames up, interrupts.
 *
 * Sources and departures: htc.c.
 */
#include "air/rx.h"
#include "driver/htc_usb.h"
#include "mpdu/status.h"

#define URB_FRAMES	20
#define URB_OCTETS	32768
#define CLEANUP_NS	((msecs_to_jiffies(50) + 1) * (u64)(NSEC_PER_SEC / HZ))	/* the wheel fires a jiffy late */
#define STATUS_TIMEOUT_NS	(3ull * NSEC_PER_SEC)	/* htc.h ATH9K_HTC_TX_TIMEOUT_INTERVAL */
#define UP_FRAMES	10
#define UP_OCTETS	16384
#define UP_TIMEOUT_NS	170667ull	/* 0xa0 units of 32 cycles at 30 MHz */

/* Beyond the 802.11 header and LLC (34 octets in skb->len already): stream, HTC, frame or receive status headers, padding, FCS. */
static u64 bus_ns(const struct sk_buff *skb, u32 more)
{
	return DIV_ROUND_UP_ULL(round_up(skb->len + more, 4) * WT_HTC_MICROFRAME_NS, 13 * 512);
}

static u64 out_ns(const struct sk_buff *skb)
{
	return bus_ns(skb, 26);
}

static u64 shared(u64 start, u64 alone, u64 other_until)
{
	return start + alone + (other_until > start ? min(other_until - start, alone) : 0);
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

/* ---- down ---- */

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
void wt_htc_usb_begin(struct wt_htc *h, u64 now)
{
	struct sk_buff *skb = skb_peek(&h->request);

	if (h->arrive_at || !skb || h->buffers <= h->beacons)
		return;
	h->buffers--;
	wt_frame(skb)->urb = h->urb;
	h->arrive_at = shared(now, out_ns(skb), h->up_bus);
}

/* A frame is with the device. */
void wt_htc_usb_arrived(struct wt_htc *h, u64 now)
{
	h->arrive_at = 0;
	__skb_queue_tail(&h->inbox, __skb_dequeue(&h->request));
	if (skb_queue_empty(&h->request))
		post(h, now, WT_HTC_REQUEST, 0);
	wt_htc_usb_begin(h, now);
}

/* ath9k_htc_tx: a frame from mac80211 */
void wt_htc_usb_take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	struct wt_htc *h = r->htc;

	*wt_htc_tid(skb) = tid;
	__skb_queue_tail(&h->skbs, skb);
	if (!h->in_flight) {
		fill(h);
		wt_htc_usb_begin(h, wt_time());
	}
}

/* ---- up ---- */

static bool sent(const struct wt_htc *h, struct sk_buff *skb)
{
	return (s8)(h->urb - h->in_flight - wt_frame(skb)->urb) >= 0;
}

void wt_htc_usb_hand_back(struct wt_radio *r, struct sk_buff *skb)
{
	r->fifo_used--;
	wt_status_hand_back(skb);
}

/* The cleanup timer runs while something waits for it. */
static void clean_later(struct wt_htc *h, u64 now)
{
	if (!h->clean_at)
		h->clean_at = (div64_u64(now, CLEANUP_NS) + 1) * CLEANUP_NS;
}

/* The statuses of what is left in settled are lost. */
void wt_htc_usb_lost(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
	struct sk_buff *skb;

	while ((skb = __skb_dequeue(&h->settled))) {
		r->count.lost_statuses++;
		skb->tstamp = ns_to_ktime(now);
		__skb_queue_tail(&h->lost, skb);
		clean_later(h, now);
	}
}

/* A status event. */
static void told(struct wt_radio *r, u64 now, unsigned int n)
{
	struct wt_htc *h = r->htc;

	while (n--) {
		struct sk_buff *skb = __skb_dequeue(&h->statuses);

		if (sent(h, skb)) {
			wt_htc_usb_hand_back(r, skb);
			continue;
		}
		/* nobody looks again when the request completes */
		__skb_queue_tail(&h->early, skb);
		clean_later(h, now);
	}
}

void wt_htc_usb_interrupt(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
	unsigned int i, n;

	h->irq_at = 0;
	h->irq_last = now;
	for (i = 0; i < h->n_posts; i++)
		switch (h->post[i].what) {
		case WT_HTC_REQUEST:
			h->in_flight = false;
			fill(h);
			wt_htc_usb_begin(h, now);
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
void wt_htc_usb_fetch(struct wt_htc *h, u64 now)
{
	post(h, now, WT_HTC_STATUS, h->event[0]);
	h->n_events--;
	memmove(h->event, h->event + 1, h->n_events);
	h->poll_at = h->n_events ? now + WT_HTC_MICROFRAME_NS : 0;
}

void wt_htc_usb_cleanup(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
	unsigned int n = skb_queue_len(&h->early);
	struct sk_buff *skb;

	while (n--) {
		skb = __skb_dequeue(&h->early);
		if (sent(h, skb))
			wt_htc_usb_hand_back(r, skb);
		else
			__skb_queue_tail(&h->early, skb);
	}
	while ((skb = skb_peek(&h->lost)) && ktime_to_ns(skb->tstamp) + STATUS_TIMEOUT_NS < now)
		wt_htc_usb_hand_back(r, __skb_dequeue(&h->lost));
	h->clean_at = skb_queue_empty(&h->early) && skb_queue_empty(&h->lost) ? 0 : now + CLEANUP_NS;
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
void wt_htc_usb_receive(struct wt_radio *r, struct sk_buff *skb, u64 ended)
{
	u32 more = 58 + (wt_protected(skb) ? WT_CCMP_MIC : 0);
	struct wt_htc *h = r->htc;

	h->up_cpu = max(h->up_cpu, ended) + wt_p.cpu_frame_ns;
	if (h->open_frames && h->up_cpu > h->up_bus + UP_TIMEOUT_NS)
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
	h->up_bus = shared(max(h->up_cpu, h->up_bus), bus_ns(skb, more), h->arrive_at);
	__skb_queue_tail(&h->up, skb);
	h->open_frames++;
	h->open_octets += round_up(skb->len + more, 4);
	if (h->open_frames >= UP_FRAMES || h->open_octets >= UP_OCTETS)
		close_upload(h, h->up_bus);
}

u64 wt_htc_usb_upload_at(const struct wt_htc *h)
{
	return h->n_uploads ? h->upload[0].at : h->open_frames ? h->up_bus + UP_TIMEOUT_NS : 0;
}

void wt_htc_usb_uploaded(struct wt_htc *h, u64 now)
{
	if (!h->n_uploads)
		close_upload(h, h->up_bus + UP_TIMEOUT_NS);
	post(h, now, WT_HTC_FRAMES, h->upload[0].n);
	h->n_uploads--;
	memmove(h->upload, h->upload + 1, h->n_uploads * sizeof(h->upload[0]));
}
