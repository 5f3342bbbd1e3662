// SPDX-License-Identifier: GPL-2.0
/*
 * host: a host's CPU is at one received packet at a time, and at each for a while (rx_ns).
 *
 *     mac80211 --(the netdev's rx_handler, pace.c)--> rx_q --(rx_ns each)--> rx_done --> IP
 *
 * Source: ath9k/recv.c ath_rx_tasklet hands each MPDU to ieee80211_rx_napi, net/mac80211/rx.c reorders there and hands what is in order to
 *   netif_receive_skb_list. What takes a CPU its time is above: IP, TCP, its answer on the way down. So an MPDU that waits for one
 *   before it costs nothing while it waits, and what a hole held back goes up one by one when it is filled, each in its time.
 *   What waits for it stands in the card's receive ring, whose size is the driver's (ath9k.h ATH_RXBUF, mt7915.h MT7915_RX_RING_SIZE); a frame
 *   that finds it full is dropped. What a reorder buffer lets go has left the ring.
 * Differs:
 *   D1  802.11's own frames, and what mac80211 does with an MPDU, take no time.
 *   D2  a frame that finds the ring full goes through mac80211's reorder buffer, and what it would let go is dropped: no hole is left. Each MSDU
 *       of an A-MSDU is a frame, as in the hardware of ath10k and mt76, which has a buffer for each; ath9k's has one for all of them.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include "air/host.h"
#include "driver.h"

/* Which frame let a packet through, while it waits. */
static struct wt_rx_frame *frame_of(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct wt_rx_frame) > sizeof(skb->cb));
	return (struct wt_rx_frame *)skb->cb;
}

static unsigned int host_ns(const struct wt_radio *r)
{
	return wt_p.n_rx ? wt_listed(rx_ns, n_rx, r->index) : 0;
}

static unsigned int segments_of(const struct sk_buff *skb)
{
	return max_t(unsigned int, skb_shinfo(skb)->gso_segs, 1);
}

/* A merged packet costs what its frames cost. */
static u64 cost(const struct wt_radio *r, const struct sk_buff *skb)
{
	return (u64)host_ns(r) * segments_of(skb);
}

/*
 * How many frames of the ring a packet stands for: those that have come and let something go, one each; none of what else they let go, or a timer. Which
 * of a poll's packets GRO made of which frames is not seen: the first ones stand for them, no packet for more than its segments.
 */
static unsigned int ringed(struct wt_radio *r, const struct sk_buff *skb)
{
	unsigned int n = min(segments_of(skb), r->rx_due);

	r->rx_due -= n;
	return n;
}

/* Frames are about to come together: is there room? Asked once for them all: they came over a while, in which the CPU was at them. */
void wt_host_judge(struct wt_radio *r)
{
	r->rx_full = r->rx_ringed > (wt_p.rx_backlog ?: r->driver->rx_ring);	/* and the one that the CPU is at */
}

bool wt_host_takes_time(const struct wt_radio *r)
{
	return host_ns(r);
}

/* mac80211 hands a packet up, at the time of the event that brought its frame, or by a timer of its own. */
void wt_host_take(struct wt_radio *r, struct sk_buff *skb)
{
	unsigned int frames = ringed(r, skb);

	if (r->coming && r->rx_full) {
		r->count.backlog_drops += segments_of(skb);
		kfree_skb(skb);
		return;
	}
	*frame_of(skb) = r->coming ? (struct wt_rx_frame) { .data = r->coming->data, .tid = r->coming->tid } : (struct wt_rx_frame) {};
	frame_of(skb)->ringed = frames;
	r->rx_ringed += frames;
	__skb_queue_tail(&r->rx_q, skb);
	if (!r->rx_at)
		r->rx_at = (r->coming ? wt_now : wt_time()) + cost(r, skb);
}

/* The host is done with a packet: the stack sees it now. TCP's answers so leave one by one (design: "Hosts take time"). */
void wt_host_step(struct wt_radio *r, u64 now)
{
	struct sk_buff *skb = __skb_dequeue(&r->rx_q);

	if (skb) {
		r->rx_ringed -= frame_of(skb)->ringed;
		__skb_queue_tail(&r->rx_done, skb);
	}
	r->rx_at = skb_queue_empty(&r->rx_q) ? 0 : now + cost(r, skb_peek(&r->rx_q));
}

static void tell(struct wt_radio *r, const struct wt_rx_frame *f)
{
	if (!wt_watcher)
		return;
	wt_watcher->begin(r, f);
	wt_watcher->end(r, f);
}

/* mac80211 is done with a frame: the last packet that waits is the last of its A-MPDU, if the frame was. */
void wt_host_over(struct wt_radio *r, const struct wt_rx_frame *f)
{
	struct sk_buff *skb;
	bool waits = false;

	if (!f->data || !f->last)
		return;
	spin_lock_bh(&wt_lock);
	skb_queue_reverse_walk(&r->rx_q, skb) {
		waits = frame_of(skb)->data && frame_of(skb)->tid == f->tid;
		if (waits) {
			frame_of(skb)->last = true;
			break;
		}
	}
	spin_unlock_bh(&wt_lock);
	if (!waits)
		tell(r, f);
}

void wt_host_flush(struct wt_radio *r)
{
	struct wt_rx_frame frame;
	struct sk_buff_head q;
	struct sk_buff *skb;

	__skb_queue_head_init(&q);
	spin_lock_bh(&wt_lock);
	skb_queue_splice_init(&r->rx_done, &q);
	spin_unlock_bh(&wt_lock);
	while ((skb = __skb_dequeue(&q))) {
		frame = *frame_of(skb);
		memset(skb->cb, 0, sizeof(skb->cb));
		skb->tstamp = 0;	/* who asks for its arrival is told of now */
		if (wt_watcher)
			wt_watcher->begin(r, &frame);
		r->passing = skb;
		netif_receive_skb(skb);
		r->passing = NULL;
		if (wt_watcher)
			wt_watcher->end(r, &frame);
	}
}

void wt_host_init(struct wt_radio *r)
{
	__skb_queue_head_init(&r->rx_q);
	__skb_queue_head_init(&r->rx_done);
}

void wt_host_purge(struct wt_radio *r)
{
	__skb_queue_purge(&r->rx_q);
	__skb_queue_purge(&r->rx_done);
	r->rx_ringed = 0;
	r->rx_at = 0;
}
