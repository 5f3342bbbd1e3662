// SPDX-License-Identifier: GPL-2.0
/*
 * htc_bar: BARs of ath9k_htc's firmware: after a unit of which frames were given up it tells the receiver where the window begins, and sends
 * nothing else of that TID until the receiver has answered.
 *
 * One that the hardware has given up ends the session: it goes on counting from the frame that was given up, which has had all its retries. The host
 * does not listen (ath9k/wmi.c has no case for WMI_DELBA_EVENTID), so mac80211 keeps the session, and the TID's frames are single from then on.
 *
 * Source: open-ath9k-htc-firmware 1.4, if_owl.c: ath_bar_tx (the first frame that was given up leaves it its buffer; mpdu/bar.c), ath_bar_tx_comp,
 *   ath_bar_retry, ath_tgt_delba_send.
 * Differs:
 *   D1  what is dropped as a session ends leaves a hole in the numbers, where the firmware gives them anew; and what is in hardware then is over with the
 *       status that its answer gives, an aggregate's too.
 */
#include "driver/fifo.h"
#include "driver/htc_bar.h"
#include "driver/htc_state.h"
#include "driver/htc_usb.h"
#include "mpdu/bar.h"
#include "mpdu/block_ack.h"

/* ath_bar_tx: MPDUs of p were given up. */
void wt_htc_bar(struct wt_radio *r, const struct wt_ppdu *p)
{
	struct wt_ppdu *bar = wt_bar_new(r, p);

	if (!bar)
		return;
	bar->asked = wt_p.retries[WT_ATH9K_HTC];	/* it counts on from the frame that was given up */
	r->htc->buffers--;
	wt_htc_push(r, p->tid->txq->ac, bar);
}

/* ath_tgt_delba_send, ath_tgt_tx_cleanup: what waits has no status, and comes back as such frames do */
static void end(struct wt_radio *r, struct wt_tid *tid)
{
	struct wt_htc *h = r->htc;
	struct sk_buff_head told;

	__skb_queue_head_init(&told);
	skb_queue_splice_init(&h->settled, &told);
	skb_queue_splice_tail_init(&tid->fw_q, &tid->retry_q);
	wt_ba_flush(r, tid);
	wt_htc_usb_lost(r, wt_now);
	skb_queue_splice_init(&told, &h->settled);
}

/* ath_bar_tx_comp, ath_bar_retry: the hardware is done with one. Whether what waited behind it has a unit of its own (ath_aggr_resume_tid). */
bool wt_htc_bar_over(struct wt_radio *r, int ac, struct wt_ppdu *p)
{
	bool resumes;

	if (!p->answered && p->asks && p->asked < WT_BAR_RETRIES) {
		p->asked++;
		p->chain = p->tries = p->attempts = 0;
		wt_htc_push(r, ac, p);
		return false;
	}
	r->htc->buffers++;
	resumes = p->asks && p->answered && wt_fifo_waits(p->asks);
	if (p->asks && !p->answered)
		end(r, p->asks);
	if (p->asks) {
		p->asks->asks = false;
		if (wt_fifo_waits(p->asks))
			wt_fifo_turn(r, p->asks);
	}
	wt_ppdu_free_all(p);
	return resumes;
}
