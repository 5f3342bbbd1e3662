// SPDX-License-Identifier: GPL-2.0
/*
 * htc_firmware: ath9k_htc's device: its CPU takes frames from USB, completes units, forms the next, writes statuses.
 *
 * Sources and departures: htc.c.
 */
#include "air/medium.h"
#include "driver/fifo.h"
#include "driver/htc_bar.h"
#include "driver/htc_firmware.h"
#include "driver/htc_usb.h"
#include "mpdu/ampdu.h"
#include "mpdu/block_ack.h"
#include "mpdu/status.h"
#include "mpdu/tx.h"

#define STATUSES	12
#define EVENTS_A_PASS	2	/* the firmware's if_athvar.h tx_status[2] */

/*
 * rcRateFind_11n: two tries at the first rate and at each of the next two valid ones below it, four at the
 * one below those. The short guard interval is valid from MCS 4 (of each stream count) on. RTS stands before all but the first
 * link, and before that at MCS 0 to 3 (the block of 2009/02/06: at 2.4 GHz, the AR9271's only band).
 */
void wt_htc_fixed_chain(struct ieee80211_tx_rate *rates)
{
	bool sgi = rates[0].flags & IEEE80211_TX_RC_SHORT_GI;
	int i;

	rates[0].count = 2;
	for (i = 1; i < 4; i++) {
		int m = rates[i - 1].idx % 8;

		rates[i] = rates[i - 1];
		if (m < 4 || !(rates[i].flags & IEEE80211_TX_RC_SHORT_GI)) {
			if (m)
				rates[i].idx--;
			if (m && sgi && m > 4)
				rates[i].flags |= IEEE80211_TX_RC_SHORT_GI;
			else
				rates[i].flags &= ~IEEE80211_TX_RC_SHORT_GI;
		} else {
			rates[i].flags &= ~IEEE80211_TX_RC_SHORT_GI;
		}
	}
	rates[3].count = 4;
	for (i = rates[0].idx > 3; i < 4; i++)
		rates[i].flags |= IEEE80211_TX_RC_USE_RTS_CTS;
}

/*
 * ar5416Phy.c ar5416_11ngRateTable, the AR9271's ("K2"), column "4ms tx limit" (max4msframelen): of the single stream's rows, which the short guard
 * interval has from MCS 4 on. A second stream, which the AR9271 lacks, has the limit of the first one's.
 */
u32 wt_htc_longest(const struct ieee80211_tx_rate *rate)
{
	static const u32 at[2][8] = {
		{ 3216, 6434, 9650, 12868, 19304, 25740, 28956, 32200 },
		{ 6684, 13368, 20052, 26738, 40104, 53476, 60156, 66840 },
	}, sgi[2][4] = { { 21460, 28620, 32200, 35750 }, { 44590, 59450, 66840, 74200 } };
	unsigned int m = rate->idx % 8, wide = !!(rate->flags & IEEE80211_TX_RC_40_MHZ_WIDTH);

	return m > 3 && rate->flags & IEEE80211_TX_RC_SHORT_GI ? sgi[wide][m - 4] : at[wide][m];
}

/* ATH_AGGR_GET_NDELIM: as many as there is room for up to ATH_AGGR_MINPLEN, its own delimiter included; form_aggr looks at no density. */
u32 wt_htc_delimiters(u32 len)
{
	return len + WT_DELIM < wt_ath9k_htc.shortest ? (wt_ath9k_htc.shortest - len - WT_DELIM) / WT_DELIM : 0;
}

/* A frame is over for the device: its buffer is free, its status is to come. */
bool wt_htc_settled(struct wt_radio *r, struct sk_buff *skb)
{
	r->htc->buffers++;
	__skb_queue_tail(&r->htc->settled, skb);
	return true;
}

/* A unit was formed (mpdu/tx.c). */
void wt_htc_formed(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	p->unit = true;
	if (r->htc->forming)
		r->htc->job_ppdu = p;
	else
		wt_htc_push(r, ac, p);
}

/* ath_tgt_tx_comp_aggr: before what waits in this TID */
void wt_htc_again(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len)
{
	if (!skb_queue_empty(failed))
		wt_fifo_turn(r, tid);
	skb_queue_splice(failed, &tid->retry_q);
}

static void cpu_start(struct wt_htc *h, u64 now, enum wt_htc_job job, u64 ns)
{
	h->job = job;
	h->cpu_at = now + ns;
}

/* The next unit of a TID becomes the CPU's job, which takes `ns` for each of its frames beside a unit's own time. */
static bool unit(struct wt_radio *r, u64 now, int ac, struct wt_tid *tid, u64 ns)
{
	struct wt_htc *h = r->htc;

	h->forming = true;
	wt_tx_tid(r, ac, tid);
	h->forming = false;
	if (!h->job_ppdu)
		return false;
	h->job_ppdu->ac = ac;
	cpu_start(h, now, WT_HTC_FORM, wt_p.cpu_ppdu_ns + ns * h->job_ppdu->n);
	return true;
}

/*
 * ath_tgt_handle_aggr: a frame that finds the hardware queue empty is sent at once and alone. A rate is looked for as for an aggregate
 * (ath_tgt_tx_send_normal), but it is put into none.
 */
static void handle(struct wt_radio *r, u64 now, struct wt_tid *tid, struct sk_buff *skb)
{
	int ac = tid->txq->ac;
	bool waits = tid->active &&
		     (r->htc->depth[ac] || wt_fifo_waits(tid) || tid->asks);

	__skb_queue_tail(&tid->fw_q, skb);
	if (waits || !unit(r, now, ac, tid, 0))
		wt_fifo_turn(r, tid);
}

/* ath_tgt_txq_schedule: a unit, whatever else stands in hardware */
static void form_one(struct wt_radio *r, u64 now, int ac)
{
	struct wt_tid *tid;

	do {
		tid = list_first_entry_or_null(&r->fw_tids[ac], struct wt_tid, fw_list);
		if (!tid)
			return;
		list_del_init(&tid->fw_list);
	} while (tid->asks);
	unit(r, now, ac, tid, wt_p.cpu_frame_ns);
	if (wt_fifo_waits(tid))
		wt_fifo_turn(r, tid);
}

/* Those that are due for a unit that was completed, one after the other. */
static void form(struct wt_radio *r, u64 now, int ac)
{
	while (r->htc->forms && !r->htc->job) {
		r->htc->forms--;
		form_one(r, now, ac);
	}
}

/* ath_tx_status_get, ath_tx_status_send: what is beyond two events a pass, or finds no event free, is never told. */
static void report(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
	unsigned int i, n, events;

	for (events = 0; events < EVENTS_A_PASS && h->n_events < WT_HTC_EVENTS && !skb_queue_empty(&h->settled); events++) {
		n = min_t(unsigned int, skb_queue_len(&h->settled), STATUSES);
		h->event[h->n_events++] = n;
		for (i = 0; i < n; i++)
			__skb_queue_tail(&h->statuses, __skb_dequeue(&h->settled));
	}
	wt_htc_usb_lost(r, now);
	if (h->n_events && !h->poll_at)
		h->poll_at = (div64_u64(now, WT_HTC_MICROFRAME_NS) + 1) * WT_HTC_MICROFRAME_NS;
}

/* If the CPU is idle, it turns to what its loop finds first; what comes to an idle loop is noticed when its turn ends. */
static void cpu_next(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
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
		cpu_start(h, now, WT_HTC_COMPLETE, wt_p.cpu_ppdu_ns + (h->job_ppdu->back_req ? 0 : (u64)wt_p.cpu_frame_ns * h->job_ppdu->n));
	} else if (in_tasklet) {
		cpu_start(h, now, WT_HTC_REPORT,
			  (u64)wt_p.cpu_frame_ns * min(DIV_ROUND_UP(skb_queue_len(&h->settled), STATUSES), EVENTS_A_PASS));
	}
}

/* The hardware is done with a unit (or with a frame that is none). */
void wt_htc_done(struct wt_radio *r, int q, struct wt_ppdu *p, bool response)
{
	if (!p->unit) {
		wt_tx_over(r, q, p, response);
		return;
	}
	p->ac = q;
	p->answered = response;
	list_add_tail(&p->list, &r->htc->done);
	cpu_next(r, wt_now);
}

/* The CPU is done with its job. */
void wt_htc_cpu_step(struct wt_radio *r, u64 now)
{
	struct wt_htc *h = r->htc;
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
		tid = *wt_htc_tid(skb);
		if (tid) {
			handle(r, now, tid, skb);
			break;
		}
		h->buffers++;		/* its station left while it was on its way */
		wt_frame(skb)->in_fifo = false;
		r->fifo_used--;
		wt_status_done(r, skb, false);
		break;
	case WT_HTC_COMPLETE:
		ac = p->ac;
		h->depth[ac]--;
		h->forms = 1;
		if (p->back_req) {
			h->forms += wt_htc_bar_over(r, ac, p);
		} else {
			wt_ba_response(r, p, p->answered);
			wt_ppdu_free(p);
		}
		wt_htc_usb_begin(h, now);
		form(r, now, ac);
		break;
	case WT_HTC_FORM:
		ac = p->ac;
		wt_htc_push(r, ac, p);
		form(r, now, ac);
		break;
	case WT_HTC_REPORT:
		report(r, now);
		break;
	}
	rcu_read_unlock();
	cpu_next(r, now);
}

/* A frame is with the device. */
void wt_htc_arrived(struct wt_radio *r, u64 now)
{
	wt_htc_usb_arrived(r->htc, now);
	cpu_next(r, now);
}
