// SPDX-License-Identifier: GPL-2.0
/*
 * tidq: ath9k before 4.10 (mode 3): a qdisc above, and below it the driver's own queue of each station and TID.
 *
 *     qdisc --until 124 frames are below--> TID queue (fw_q), retry_q --form--> hardware queue: 2 aggregates --> air
 *       ^----------------- woken below 123 -----------'  ^-------- not acknowledged ------------'
 *
 * mac80211's TXQs are drained at once, so that they hold nothing; the radio stops and wakes the netdev's queue. A frame that comes down
 * joins its TID's queue and the TIDs are scheduled: an aggregate is what happens to lie there when the hardware has room.
 *
 * Under `aaq` (modules/wavetank_aaq) the driver asks for one aggregate's frames at a time: PAUSE when the frames of a TID fill an aggregate
 * or the Block Ack window has no room for the next number, RESUME when frames have left and there is room again; a TID of which more
 * frames are announced is not scheduled yet. Which window PAUSE looks at: docs/mechanisms/aaq.md.
 *
 * Source: linux 3.18 drivers/net/wireless/ath/ath9k/xmit.c: ath_tx_start, ath_txq_skb_done (ath9k.h ATH_MAX_QDEPTH 123),
 *   ath_tx_queue_tid, ath_txq_schedule, ath_tx_sched_aggr, ath_tx_get_tid_subframe (a frame is looked at and stays where it is until it
 *   fits), ath_tx_form_aggr, ath_tx_form_burst; the thesis's changes to it, section 4.8.1, and its fix of the scheduler, 4.8.2
 *   (keep_turn); crates/core/src/driver/ath9k/tidq.
 * Differs:
 *   D1  mac80211's sequence numbers, given when it hands a frame over; 3.18's driver numbers a frame when it first looks at it. The
 *       number that counts is the same, since nothing is lost between.
 *   D2  6.12's netdev has one transmit queue for all categories: a category that stops, stops all. (3.18 had four.)
 *   D3  no airtime is reported and none shared: 3.18 knew none.
 *   D4  whether more frames are announced is asked again before a TID is left waiting, so that frames that the discipline has dropped
 *       since are not waited for.
 *   D5  a BAR is not counted as pending; one that fails is mac80211's.
 */
#include "air/medium.h"
#include "air/rx.h"
#include "driver.h"
#include "driver/above.h"
#include "mpdu/ampdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/status.h"
#include "mpdu/tx.h"

struct wt_tidq {
	struct category {
		struct list_head round;		/* stations with TIDs that hold frames */
		unsigned int pending;		/* frames below the qdisc */
		bool stopped;
	} ac[IEEE80211_NUM_ACS];
	u32 ids;				/* that TIDs have towards the discipline above */
};

/* The netdev's one queue stands while any category's does. */
static void stop_or_wake(struct wt_radio *r)
{
	bool stop = false;
	int ac;

	for (ac = 0; ac < IEEE80211_NUM_ACS; ac++)
		stop |= r->tidq->ac[ac].stopped;
	wt_netdev_stop(r, stop);
}

/* ---- one TID ---- */

static u32 subframe(struct sk_buff *skb)
{
	return ALIGN(WT_DELIM + wt_mpdu_len(skb), 4);
}

static void count(struct wt_tid *tid, struct sk_buff *skb, int sign)
{
	tid->held += sign;
	tid->held_bytes += sign * (int)subframe(skb);
}

static unsigned int most_frames(void)
{
	return min_t(unsigned int, wt_p.max_frames, WT_MAX_MPDUS);
}

/* Another frame like the last would still fit into the aggregate, in which a first one always fits, and the window has room for the next number. */
static bool has_room(const struct wt_tid *tid, unsigned int len)
{
	bool fits = !tid->held || (tid->held < most_frames() && tid->held_bytes + WT_DELIM + len <= tid->allowed);

	return fits && wt_ba_within(tid, tid->seq_next);
}

static bool buffers(const struct wt_tid *tid)
{
	return !skb_queue_empty(&tid->fw_q) || !skb_queue_empty(&tid->retry_q);
}

static bool in_session(struct sk_buff *skb)
{
	return IEEE80211_SKB_CB(skb)->flags & IEEE80211_TX_CTL_AMPDU;
}

/* The next frame, if it lies within the window. */
static struct sk_buff *head(struct wt_tid *tid)
{
	struct sk_buff *skb = skb_peek(&tid->retry_q);

	if (!skb) {
		skb = skb_peek(&tid->fw_q);
		if (!skb)
			return NULL;
		if (!tid->numbered) {
			tid->numbered = true;
			tid->seq_next = (wt_frame(skb)->seq + 1) & IEEE80211_SN_MASK;
		}
	}
	if (!tid->active)
		IEEE80211_SKB_CB(skb)->flags &= ~IEEE80211_TX_CTL_AMPDU;
	return in_session(skb) && !wt_ba_within(tid, wt_frame(skb)->seq) ? NULL : skb;
}

/* Takes what head() shows; it counts in the window from now on. */
static void take(struct wt_tid *tid, struct sk_buff *skb)
{
	if (skb == skb_peek(&tid->retry_q)) {
		__skb_unlink(skb, &tid->retry_q);
	} else {
		__skb_unlink(skb, &tid->fw_q);
		tid->numbered = false;
	}
	count(tid, skb, -1);
	if (in_session(skb))
		wt_ba_add(tid, skb);
}

/* head(), after frames that the last BAR has told the receiver to give up have been ended */
static struct sk_buff *next(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb;

	while ((skb = head(tid)) && in_session(skb) && wt_ba_given_up(tid, wt_frame(skb)->seq)) {
		take(tid, skb);
		wt_ba_complete(tid, skb);
		r->count.dropped_mpdus++;
		wt_status_done(r, skb, false);
	}
	return skb;
}

/* ---- whose turn it is ---- */

static struct wt_turn *turn_of(struct wt_tid *tid)
{
	struct ieee80211_txq *txq = tid->txq;

	if (txq->sta)
		return &((struct wt_sta *)txq->sta->drv_priv)->turn[txq->ac];
	return &((struct wt_vif *)txq->vif->drv_priv)->turn[txq->ac];
}

static void queue(struct wt_radio *r, struct wt_tid *tid, bool first)
{
	struct wt_turn *t = turn_of(tid);
	struct list_head *round = &r->tidq->ac[tid->txq->ac].round;

	if (!list_empty(&tid->turn))
		return;
	if (first) {
		list_add(&tid->turn, &t->tids);
		list_move(&t->list, round);
		return;
	}
	list_add_tail(&tid->turn, &t->tids);
	if (list_empty(&t->list))
		list_add_tail(&t->list, round);
}

/* ---- down to the hardware ---- */

static void resume(struct wt_radio *r, struct wt_tid *tid, unsigned int len)
{
	if (tid->paused && has_room(tid, len))
		wt_above_tell(r, tid, WT_AAQ_RESUME);
}

/* ath_tx_form_aggr */
static void form_aggregate(struct wt_radio *r, struct wt_tid *tid, struct wt_ppdu *p, struct sk_buff *skb)
{
	unsigned int len = wt_mpdu_len(skb);
	struct wt_ampdu_size size = {};

	p->ampdu = true;
	tid->allowed = wt_ampdu_limit(r, &r->ac[tid->txq->ac], p, skb);
	while (skb && (!p->n || wt_ampdu_fits(r, &size, p, skb, tid->allowed, most_frames()))) {
		take(tid, skb);
		wt_ampdu_add(r, &size, p, skb);
		skb = next(r, tid);
	}
	wt_ampdu_formed(r, &size, p);
	wt_medium_offer(r, tid->txq->ac, p);
	resume(r, tid, len);
}

/* ath_tx_form_burst: up to two frames outside any session, each a PPDU of its own */
static void form_burst(struct wt_radio *r, struct wt_tid *tid, struct wt_ppdu *p, struct sk_buff *skb)
{
	int i;

	for (i = 0; p; i++) {
		take(tid, skb);
		wt_tx_single(p, skb);
		wt_medium_offer(r, tid->txq->ac, p);
		skb = i ? NULL : next(r, tid);
		p = skb && !in_session(skb) ? wt_tx_ppdu(r, tid, skb) : NULL;
	}
}

/* ath_tx_sched_aggr: true if something went to the hardware; *stop: the hardware is full */
static bool schedule_tid(struct wt_radio *r, struct wt_tid *tid, bool *stop)
{
	struct sk_buff *skb = next(r, tid);
	struct wt_ppdu *p;

	if (!skb) {
		resume(r, tid, ETH_DATA_LEN); /* what next() ended has left room */
		return false;
	}
	*stop = wt_tx_full(r, tid->txq->ac, in_session(skb));
	p = *stop ? NULL : wt_tx_ppdu(r, tid, skb);
	if (!p)
		return false;
	if (in_session(skb))
		form_aggregate(r, tid, p, skb);
	else
		form_burst(r, tid, p, skb);
	return true;
}

static struct wt_turn *last_of(struct list_head *round)
{
	return list_empty(round) ? NULL : list_last_entry(round, struct wt_turn, list);
}

/* More frames of it come at once: the thesis's dont_sched_yet. */
static bool waits(struct wt_radio *r, struct wt_tid *tid)
{
	if (tid->more && !tid->paused)
		tid->more = wt_above_announced(r, tid->id);
	return tid->more && !tid->paused;
}

/* A walk over the round; `all`: with the TIDs of which more frames are announced. */
static void walk(struct wt_radio *r, int ac, bool all)
{
	struct list_head *round = &r->tidq->ac[ac].round;
	struct wt_turn *last = last_of(round), *t;
	bool sent = false;

	while ((t = list_first_entry_or_null(round, struct wt_turn, list))) {
		struct wt_tid *last_tid = list_empty(&t->tids) ? NULL : list_last_entry(&t->tids, struct wt_tid, turn), *tid;
		bool stop = false;

		list_del_init(&t->list);
		while ((tid = list_first_entry_or_null(&t->tids, struct wt_tid, turn))) {
			list_del_init(&tid->turn);
			if (all || !waits(r, tid))
				sent |= schedule_tid(r, tid, &stop);
			if (buffers(tid))
				queue(r, tid, stop && wt_p.keep_turn);
			if (stop || tid == last_tid)
				break;
		}
		if (!list_empty(&t->tids) && list_empty(&t->list))
			list_add_tail(&t->list, round);
		if (stop)
			break;
		if (t == last) {
			if (!sent)
				break;
			last = last_of(round);
			sent = false;
		}
	}
}

/* ath_txq_schedule */
static void feed(struct wt_radio *r, int ac)
{
	rcu_read_lock();
	walk(r, ac, false);
	if (r->tidq->ac[ac].stopped && list_empty(&r->ac[ac].hwq))
		walk(r, ac, true);
	rcu_read_unlock();
}

/* ath_tx_start */
static void start(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb)
{
	struct category *c = &r->tidq->ac[tid->txq->ac];

	wt_frame_init(skb);
	wt_frame(skb)->in_fifo = true;
	r->count.fifo_max = max_t(u64, r->count.fifo_max, ++c->pending);
	if (c->pending > wt_p.max_pending) {
		c->stopped = true;
		stop_or_wake(r);
	}
	__skb_queue_tail(&tid->fw_q, skb);
	count(tid, skb, 1);
	queue(r, tid, false);
	if (wt_above_listens(r) && tid->active) {
		if (!tid->allowed) {	/* before the first aggregate: what it would be allowed */
			struct wt_ppdu *p = wt_tx_ppdu(r, tid, skb);

			tid->allowed = p ? wt_ampdu_limit(r, &r->ac[tid->txq->ac], p, skb) : 0;
			wt_ppdu_free(p);
		}
		tid->more = wt_above_announced(r, tid->id);
		if (!tid->paused && !has_room(tid, wt_mpdu_len(skb)))
			wt_above_tell(r, tid, WT_AAQ_PAUSE);
	}
	if (!r->corked)
		feed(r, tid->txq->ac);
}

/* mac80211 has a frame: nothing stays in its queue. */
static void wake(struct wt_radio *r, struct ieee80211_txq *txq)
{
	struct wt_tid *tid = wt_tid_of(txq);
	struct sk_buff *skb;

	if (!r->started)
		return;
	if (!tid->id)
		tid->id = ++r->tidq->ids;
	rcu_read_lock();
	while ((skb = ieee80211_tx_dequeue(r->hw, txq)))
		start(r, tid, skb);
	rcu_read_unlock();
}

/* ---- back ---- */

/* ath_txq_skb_done: a frame is no longer the driver's */
static bool settled(struct wt_radio *r, struct sk_buff *skb)
{
	struct category *c = &r->tidq->ac[skb_get_queue_mapping(skb) % IEEE80211_NUM_ACS];

	if (--c->pending < wt_p.max_pending && c->stopped) {
		c->stopped = false;
		stop_or_wake(r);
	}
	return false;
}

/* A PPDU's frames were completed; those of `failed` go again. `len`: of its first. */
static void again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	struct sk_buff *skb;

	if (!skb_queue_empty(failed)) {
		skb_queue_walk(failed, skb)
			count(tid, skb, 1);
		skb_queue_splice_tail_init(failed, &tid->retry_q);
		queue(r, tid, false);
	}
	resume(r, tid, len);
}

/* A Block Ack session begins: it has the frames that wait, as in 3.18, where they have no numbers yet. Its first number. */
static u16 session(struct wt_tid *tid, u16 ssn)
{
	struct sk_buff *skb;

	if (!skb_queue_empty(&tid->fw_q)) {
		ssn = wt_frame(skb_peek(&tid->fw_q))->seq;
		skb_queue_walk(&tid->fw_q, skb)
			IEEE80211_SKB_CB(skb)->flags |= IEEE80211_TX_CTL_AMPDU;
	}
	tid->seq_next = ssn;
	tid->numbered = false;
	return ssn;
}

/* The session is over (retry_q was emptied): nobody shall wait for its RESUME. */
static void session_over(struct wt_radio *r, struct wt_tid *tid)
{
	struct sk_buff *skb;

	tid->held = tid->held_bytes = 0;
	skb_queue_walk(&tid->fw_q, skb)
		count(tid, skb, 1);
	tid->more = false;
	if (tid->paused)
		wt_above_tell(r, tid, WT_AAQ_RESUME);
}

/* The queue goes away; it is empty. */
static void flush(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_turn *t = tid ? turn_of(tid) : NULL;

	if (!tid)
		return;
	session_over(r, tid);
	list_del_init(&tid->turn);
	if (list_empty(&t->tids))
		list_del_init(&t->list);
}

/* ---- coming and going ---- */

static int init(struct wt_radio *r)
{
	int ac;

	r->tidq = kzalloc(sizeof(*r->tidq), GFP_KERNEL);
	for (ac = 0; r->tidq && ac < IEEE80211_NUM_ACS; ac++)
		INIT_LIST_HEAD(&r->tidq->ac[ac].round);
	return r->tidq ? 0 : -ENOMEM;
}

static void purge(struct wt_radio *r)
{
	kfree(r->tidq);
}

const struct wt_driver wt_ath9k_tidq = {
	.mode = WT_TIDQ,
	.rx_ring = 512,	/* ath9k.h ATH_RXBUF */
	.rts = true,
	.within_txop = true,
	.max_frames = &wt_p.max_frames,
	.shortest = 256,	/* 3.18 ath9k.h ATH_AGGR_MINPLEN */
	.init = init,
	.purge = purge,
	.wake = wake,
	.session = session,
	.session_over = session_over,
	.flush = flush,
	.formed = wt_medium_offer,
	.again = again,
	.settled = settled,
	.schedule = feed,
	.done = wt_tx_over,
	.came = wt_rx_mitigated,
};
