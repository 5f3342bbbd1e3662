// SPDX-License-Identifier: GPL-2.0
/*
 * medium: the air. Who sends next, what of it arrives, and when the medium is idle again.
 *
 * Source: IEEE 802.11-2016, 10.3.2.9 (acknowledgement), 10.3.2.3 (interframe spaces), 10.22.2 (EDCA).
 * Every radio hears every other. An exchange is
 *
 *     [ RTS SIFS CTS SIFS ] PPDU [ SIFS Ack | Block Ack ]
 *
 * A frame's fate is drawn when it starts; arrivals are handed to the receiver when the PPDU ends, the sender
 * learns at the end of the response, or, without one, after SIFS + slot + aRxPHYStartDelay; from then it waits SIFS and
 * its AIFSN slots (10.22.2.4 c). Who wins a category with a TXOP limit goes on, SIFS after the response, as long as a whole
 * exchange more ends within it.
 * Differs:
 *   D1  no hidden stations, no capture: frames that overlap are all lost.
 *   D2  frames collide if they start within cca_ns (aCCATime) of each other; a later start is heard and deferred to.
 *   D3  bystanders of a collision wait EIFS only with eifs=1: signals of equal power hide each other's preamble, so
 *       no reception starts that could end in error (10.3.2.3.7 ties EIFS to PHY-RXEND with an error).
 *   D4  a response comes if any MPDU arrived; it is lost only by a channel (channel.c), or by answer_error_ppm. What rides on it
 *       (hack.c) makes it no likelier to be lost.
 *   D5  a TXOP that an exchange without answer interrupts is over (10.22.2.7 lets its holder go on after PIFS); where
 *       there is no TXOP limit it is one exchange.
 *   D6  all channels are one: frames of another primary channel take airtime here, but are not received.
 *   D7  explicit_bar=1 asks with a BAR after an aggregate without answer (10.24.7.7 allows it, ns-3 does it); its answer
 *       resets the window before the aggregate is sent again. Default: the aggregate itself again, as ath9k's hardware.
 *   D8  the NAV is the exchange's own length; bystanders decode what its receiver does not, so that they keep to the NAV
 *       where the receiver waits EIFS.
 */
#include "radio.h"

struct wt_medium wt_air;

static enum hrtimer_restart wt_timer(struct hrtimer *t);

void wt_medium_init(void)
{
	spin_lock_init(&wt_air.lock);
	skb_queue_head_init(&wt_air.done_q);
	INIT_LIST_HEAD(&wt_air.bars);
	hrtimer_init(&wt_air.timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	wt_air.timer.function = wt_timer;
}

void wt_medium_stop(void)
{
	hrtimer_cancel(&wt_air.timer);
}

/* Now, on the medium's line: never before an event that has happened. */
u64 wt_medium_time(void)
{
	return max_t(u64, ktime_get_ns(), wt_air.now);
}

static struct wt_ppdu *head_of(struct wt_edcaf *e)
{
	return list_first_entry_or_null(&e->hwq, struct wt_ppdu, list);
}

/* A PPDU for the hardware queue q. */
void wt_medium_offer(struct wt_radio *r, int q, struct wt_ppdu *p)
{
	struct wt_edcaf *e = &r->ac[q];

	p->ready = wt_medium_time();
	/* 10.22.2.4: a frame that finds the medium busy and no backoff running draws one */
	if (list_empty(&e->hwq) && wt_air.state != WT_IDLE && !e->slots && q != WT_BEACON_Q)
		wt_edcaf_draw(e);
	list_add_tail(&p->list, &e->hwq);
	e->depth++;
	if (p->ampdu && !p->probe)	/* bf_is_ampdu_not_probing */
		e->ampdu_depth++;
}

/* The earliest thing that will happen. */
static u64 next_event(void)
{
	u64 at = wt_air.state == WT_IDLE ? U64_MAX : wt_air.until;
	unsigned int i;
	int q;

	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (r->tbtt)
			at = min(at, r->tbtt);
		if (r->late_at)
			at = min(at, r->late_at);
		if (r->mode == WT_ATH9K_HTC)
			at = min(at, wt_htc_due(r));
		if (!skb_queue_empty(&r->held_q))
			at = min(at, wt_rx_interrupt_at(r));
		if (r->rx_at)
			at = min(at, r->rx_at);
		at = min(at, r->hack.deadline);
		if (wt_air.state != WT_IDLE || r->late_at)
			continue;
		for (q = 0; q < WT_NUM_Q; q++)
			if (!list_empty(&r->ac[q].hwq))
				at = min(at, wt_edcaf_access(r, &r->ac[q]));
	}
	return at;
}

void wt_medium_rearm(void)
{
	u64 at = next_event();

	if (at == U64_MAX)
		hrtimer_try_to_cancel(&wt_air.timer);
	else if (!hrtimer_is_queued(&wt_air.timer) || hrtimer_get_expires_ns(&wt_air.timer) != at)
		hrtimer_start(&wt_air.timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static bool wants_rts(const struct wt_ppdu *p)
{
	bool asked = p->rates[p->chain].flags & IEEE80211_TX_RC_USE_RTS_CTS;	/* rate control: every link after the first */

	return (wt_p.rts || asked) && !p->no_ack && p->tid && !p->bar;
}

static enum nl80211_band band_of(const struct wt_radio *r)
{
	return r->freq < 4000 ? NL80211_BAND_2GHZ : NL80211_BAND_5GHZ;
}

static u64 ppdu_ns(const struct wt_radio *r, const struct wt_ppdu *p)
{
	return wt_phy_ppdu_ns(band_of(r), &p->rates[p->chain], p->bytes);
}

static u32 answer_bytes(const struct wt_ppdu *p)
{
	return p->aggr || p->bar || p->back_req ? 32 : 14;
}

/* What the head of a queue takes: what its sender sends (with `alone`, all of RTS SIFS CTS SIFS before it), and its answer. */
static u64 sent_ns(const struct wt_radio *r, const struct wt_ppdu *p, bool alone, u64 *answer)
{
	u32 ctl = wt_phy_response_rate(band_of(r), &p->rates[p->chain]);
	u64 rts = wt_phy_control_ns(ctl, 20), cts = wt_phy_control_ns(ctl, 14);
	u64 ns = p->bar ? wt_phy_control_ns(ctl, 24) : ppdu_ns(r, p);

	*answer = p->no_ack ? 0 : WT_SIFS_NS + wt_phy_control_ns(ctl, answer_bytes(p));
	if (!wants_rts(p))
		return ns;
	return alone ? rts + WT_SIFS_NS + cts + WT_SIFS_NS + ns : rts;
}

/* How far the channel has walked, in MCSs. */
static int walked(void)
{
	return wt_p.n_walk ? wt_p.walk[(u32)div_u64(wt_air.now, wt_p.walk_ms * 1000000u) % wt_p.n_walk] : 0;
}

/* Whether octets sent now get through the channel. */
static bool survives(struct wt_radio *from, struct wt_radio *to, bool ofdm, u32 idx, u32 bytes)
{
	return prandom_u32_state(&from->rnd_error) < wt_channel_survives(from, to, wt_air.now, ofdm, idx, bytes);
}

/* Lost MPDUs that come in runs are a chain of two states (Gilbert's), which begins anew with every PPDU: how likely, in ppm, the next one
 * is lost after one that was (or was not), where `ppm` of all are, `milli` / 1000 in a row in the mean. The model: wifi/loss.rs.
 */
static u32 in_run(u32 ppm, u32 milli, bool lost)
{
	if (lost)
		return 1000000 - 1000000000 / milli;
	return div_u64(1000000000ULL * ppm, milli) / (1000000 - ppm);
}

/* Which MPDUs arrive. */
static void draw_errors(struct wt_radio *r, struct wt_ppdu *p)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	struct wt_radio *to = p->no_ack ? NULL : wt_rx_receiver(r, ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1);
	bool channel = p->tid && wt_channel_present(r, to), ofdm = !(rate->flags & IEEE80211_TX_RC_MCS);
	u32 ppm = 0, run = 0, idx = ofdm ? wt_phy_ofdm_index(band_of(r), rate) : rate->idx;
	bool lost = false;
	int i;

	p->acked = 0;
	if (!p->no_ack && !to)
		return;
	if (wt_p.n_error && (!wt_p.ht || !ofdm))
		ppm = wt_p.error_ppm[clamp(rate->idx + walked(), 0, (int)wt_p.n_error - 1)];
	if (p->tid && to && r->vif && r->vif->type == NL80211_IFTYPE_AP) {
		if (wt_p.n_error_down)
			ppm = wt_p.error_down_ppm[min_t(u32, to->index, wt_p.n_error_down - 1)];
		if (wt_p.n_error_run)
			run = wt_p.error_run_milli[min_t(u32, to->index, wt_p.n_error_run - 1)];
	} else if (wt_p.n_error_up && p->tid) {
		ppm = wt_p.error_up_ppm[min_t(u32, r->index, wt_p.n_error_up - 1)];
	}
	for (i = 0; i < p->n; i++) {
		u32 likely = run >= 1000 && ppm < 1000000 && i ? in_run(ppm, run, lost) : ppm;

		lost = p->tid && ppm && prandom_u32_state(&r->rnd_error) % 1000000 < likely;
		if (lost)
			continue;
		if (channel && !survives(r, to, ofdm, idx, p->mpdu[i]->len + FCS_LEN))
			continue;
		if (wt_debug_drop(r, p, i))
			continue;
		p->acked |= BIT_ULL(i);
	}
}

/* Whether the answer to what was just sent gets back. */
static bool answer_lost(struct wt_radio *r, const struct wt_ppdu *p)
{
	struct wt_radio *to = wt_rx_receiver(r, ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1);
	u32 rate = wt_phy_response_rate(band_of(r), &p->rates[p->chain]);

	if (to && (p->tid || p->bar || p->back_req) && wt_p.answer_error_ppm &&
	    prandom_u32_state(&to->rnd_answer) % 1000000 < wt_p.answer_error_ppm)
		return true;
	return p->tid && to && wt_channel_present(to, r) &&
	       !survives(to, r, true, wt_phy_ofdm_of(rate), answer_bytes(p));
}

static void count_data(struct wt_radio *r, const struct wt_ppdu *p)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	u32 k = (rate->idx & 31) * 4 + !!(rate->flags & IEEE80211_TX_RC_40_MHZ_WIDTH) * 2 +
		!!(rate->flags & IEEE80211_TX_RC_SHORT_GI);

	r->count.ht_ampdu[p->n]++;
	if (!(rate->flags & IEEE80211_TX_RC_MCS))
		return;
	r->count.mode_ppdus[k]++;
	r->count.mode_mpdus[k] += p->n;
}

/* Those of wt_air.tx go on the air. */
static void transmit(u64 at)
{
	bool alone = wt_air.n_tx == 1;
	u64 end = at;
	int i;

	for (i = 0; i < wt_air.n_tx; i++) {
		struct wt_radio *r = wt_air.tx[i].radio;
		struct wt_ppdu *p = head_of(&r->ac[wt_air.tx[i].q]);
		u64 answer, ns = sent_ns(r, p, alone, &answer);

		wt_air.tx[i].end = wt_air.tx[i].start + ns;
		end = max(end, wt_air.tx[i].end);
		p->acked = 0;
		wt_air.rides = wt_hack_head(r, wt_air.tx[i].q, p);
		if (alone) {
			if (!p->bar)
				draw_errors(r, p);
			wt_air.response = p->bar || (!p->no_ack && p->acked);
			wt_air.deaf = wt_air.response && answer_lost(r, p);
			wt_air.response_ns = answer;
			if (wt_air.last_tx == r && r->ac[wt_air.tx[i].q].depth > 1)
				r->count.back_to_back++;
			wt_air.last_tx = r;
		}
		if (!p->bar)
			r->count.airtime_ns += ns;
		if (wants_rts(p) && !alone) {
			p->rts_failures++;	/* nothing of the PPDU itself was sent */
		} else if (!p->bar) {
			p->attempts++;
			p->tries++;
			r->count.ppdus++;
			r->count.mpdus += p->n;
			if (p->tid)	/* data, voice's frames outside any session included */
				count_data(r, p);
		}
		wt_debug_ppdu(r, wt_air.tx[i].q, p, wt_air.tx[i].start, ns, !alone);
	}
	if (!alone)
		wt_air.collision_ns += end - at;
	wt_air.busy_since = at;
	wt_air.state = WT_DATA;
	wt_air.until = end;
}

/* The medium is idle and at least one category may send at `at`. */
static void start_exchange(u64 at)
{
	u8 lost[WT_MAX_RADIOS] = {};	/* categories that lost an internal collision */
	unsigned int i;
	int q;

	wt_air.n_tx = 0;
	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];
		int winner = -1;
		u64 start = 0;

		if (r->late_at)
			continue;
		for (q = 0; q < WT_NUM_Q; q++) {
			/* the beacon's queue is above all others */
			int k = q ? q - 1 : WT_BEACON_Q;
			struct wt_edcaf *e = &r->ac[k];

			if (list_empty(&e->hwq) || wt_edcaf_access(r, e) > at + wt_p.cca_ns)
				continue;
			if (winner < 0) {
				winner = k;
				start = max(wt_edcaf_access(r, e), at);
			} else {
				r->count.internal_collisions++;
				lost[i] |= BIT(k);
			}
		}
		if (winner >= 0) {
			wt_air.tx[wt_air.n_tx].radio = r;
			wt_air.tx[wt_air.n_tx].q = winner;
			wt_air.tx[wt_air.n_tx++].start = start;
			r->ac[winner].slots = 0;
		}
	}
	for (i = 0; i < wt_n_radios; i++)
		for (q = 0; q < WT_NUM_Q; q++)
			if (lost[i] & BIT(q))
				wt_edcaf_failed(&wt_radios[i]->ac[q]);
			else
				wt_edcaf_freeze(wt_radios[i], &wt_radios[i]->ac[q], at);

	if (wt_air.n_tx == 1)
		wt_air.txop_end = wt_air.tx[0].start + wt_air.tx[0].radio->ac[wt_air.tx[0].q].txop_us * 1000ull;
	transmit(at);
}

/* The sender's hardware has its answer, or knows that none will come. */
static void finish(struct wt_radio *r, int q, bool response)
{
	struct wt_edcaf *e = &r->ac[q];
	struct wt_ppdu *p = head_of(e);

	if (!response && p->aggr && wt_p.explicit_bar) {
		p->bar = true;
		return;
	}
	if (!response && !p->no_ack && p->rts_failures < wt_p.rts_limit) {
		if (p->tries < p->rates[p->chain].count)
			return;		/* again at the same rate */
		if (p->chain + 1 < IEEE80211_TX_MAX_RATES && p->rates[p->chain + 1].idx >= 0 &&
		    p->rates[p->chain + 1].count) {
			p->chain++;
			p->tries = 0;
			return;
		}
	}
	list_del(&p->list);
	wt_hack_head_gone(r, q);
	e->depth--;
	if (p->ampdu && !p->probe)
		e->ampdu_depth--;
	wt_rx_interrupt(r);	/* ath9k_tasklet receives before it completes */
	if (!response && !p->no_ack)
		wt_edcaf_succeeded(e);		/* given up: the window is reset (edca.c) */
	if (p->unit) {
		wt_htc_done(r, q, p, response, wt_air.now);
		return;
	}
	wt_ba_response(r, p, response);		/* moves the window, keeps what failed, collects what is done */
	wt_ppdu_free(p);
	if (q != WT_BEACON_Q)
		wt_tx_schedule(r, q);		/* the next PPDU is formed before the freed skbs wake TCP */
}

/* The winner's next PPDU, if it and its answer still fit into the TXOP. */
static void continue_txop(struct wt_radio *r, int q, u64 at)
{
	struct wt_ppdu *p = head_of(&r->ac[q]);
	u64 answer;

	if (!r->ac[q].txop_us || !p || at + sent_ns(r, p, true, &answer) + answer > wt_air.txop_end)
		return;
	wt_air.tx[0].start = at;
	transmit(at);
}

/* 10.3.2.3.7: EIFS = SIFS + an Ack at the lowest rate + DIFS */
static u64 eifs_less_difs(void)
{
	return WT_SIFS_NS + wt_phy_control_ns(60, 14);
}

static void end_exchange(u64 at, bool response)
{
	struct wt_radio *to;
	unsigned int i;
	int k;

	wt_air.busy_ns += at - wt_air.busy_since;
	wt_air.state = WT_IDLE;
	for (i = 0; i < wt_n_radios; i++)
		wt_radios[i]->base = at + WT_SIFS_NS;
	if (wt_air.n_tx == 1) {
		struct wt_radio *r = wt_air.tx[0].radio;
		struct wt_edcaf *e = &r->ac[wt_air.tx[0].q];
		struct wt_ppdu *p = head_of(e);

		if (response || p->no_ack) {
			wt_edcaf_succeeded(e);
			finish(r, wt_air.tx[0].q, response);
			continue_txop(r, wt_air.tx[0].q, at + WT_SIFS_NS);
			return;
		}
		r->count.no_response++;
		if (wt_air.response) {
			/* the sender heard an answer that it could not decode */
			wt_edcaf_failed(e);
			r->late_at = at;
			r->late_q = wt_air.tx[0].q;
			r->base = at + WT_SIFS_NS + eifs_less_difs();
			return;
		}
		/* nothing arrived: bystanders keep to the NAV, the receiver waits EIFS, the sender for its timeout */
		for (i = 0; i < wt_n_radios; i++)
			wt_radios[i]->base += wt_air.response_ns;
		to = wt_rx_receiver(r, ((struct ieee80211_hdr *)p->mpdu[0]->data)->addr1);
		if (to)
			to->base = at + WT_SIFS_NS + eifs_less_difs();
		wt_edcaf_failed(e);
		r->late_at = wt_air.tx[0].end + WT_TIMEOUT_NS;
		r->late_q = wt_air.tx[0].q;
		r->base = r->late_at + WT_SIFS_NS;
		return;
	}
	if (wt_p.eifs)
		for (i = 0; i < wt_n_radios; i++)
			wt_radios[i]->base += eifs_less_difs();
	for (k = 0; k < wt_air.n_tx; k++) {
		struct wt_radio *r = wt_air.tx[k].radio;
		struct wt_edcaf *e = &r->ac[wt_air.tx[k].q];
		struct wt_ppdu *p = head_of(e);

		r->count.collisions++;
		r->base = at + WT_SIFS_NS;
		if (p->no_ack) {
			wt_edcaf_succeeded(e);	/* nobody will tell it */
			finish(r, wt_air.tx[k].q, false);
			continue;
		}
		wt_edcaf_failed(e);
		r->late_at = wt_air.tx[k].end + WT_TIMEOUT_NS;
		r->base = max(r->base, r->late_at + WT_SIFS_NS);
		r->late_q = wt_air.tx[k].q;
	}
}

/* One event, at the time it was due. */
static void step(u64 at)
{
	unsigned int i;

	wt_air.now = at;
	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (r->late_at && r->late_at <= at) {
			r->late_at = 0;
			finish(r, r->late_q, false);
			return;
		}
		if (r->mode == WT_ATH9K_HTC && wt_htc_due(r) <= at) {
			wt_htc_step(r, at);
			return;
		}
		if (!skb_queue_empty(&r->held_q) && wt_rx_interrupt_at(r) <= at) {
			wt_rx_interrupt(r);
			return;
		}
		if (r->rx_at && r->rx_at <= at) {
			wt_rx_processed(r, at);
			return;
		}
		if (r->hack.deadline <= at) {
			wt_hack_due(r, at);
			return;
		}
		if (r->tbtt && r->tbtt <= at) {
			wt_beacon_due(r, at);
			return;
		}
	}
	switch (wt_air.state) {
	case WT_IDLE:
		start_exchange(at);
		break;
	case WT_DATA:
		if (wt_air.n_tx == 1) {
			struct wt_radio *r = wt_air.tx[0].radio;
			struct wt_ppdu *p = head_of(&r->ac[wt_air.tx[0].q]);

			wt_rx_deliver(r, p);
			if (wt_air.response) {
				wt_air.state = WT_RESPONSE;
				if (wt_air.rides)
					wt_air.response_ns += wt_hack_answer(wt_air.rides, wt_phy_response_rate(band_of(r), &p->rates[p->chain]),
									     answer_bytes(p), p->attempts > 1);
				wt_air.until = at + wt_air.response_ns;
				break;
			}
		}
		end_exchange(at, false);
		break;
	case WT_RESPONSE:
		if (wt_air.rides && !wt_air.deaf)
			wt_hack_heard(wt_air.rides);
		end_exchange(at, !wt_air.deaf);
		break;
	}
}

static enum hrtimer_restart wt_timer(struct hrtimer *t)
{
	u64 at;

	for (;;) {
		spin_lock_bh(&wt_air.lock);
		at = next_event();
		if (at > ktime_get_ns())
			break;
		step(max(at, wt_air.now));
		spin_unlock_bh(&wt_air.lock);
		wt_medium_flush_lists();
	}
	wt_medium_rearm();
	spin_unlock_bh(&wt_air.lock);
	return HRTIMER_NORESTART;
}

/* What calls back into the driver: first what arrived, then what was completed. */
void wt_medium_flush_lists(void)
{
	struct sk_buff_head done;
	struct list_head bars;
	unsigned int i;

	__skb_queue_head_init(&done);
	INIT_LIST_HEAD(&bars);
	spin_lock_bh(&wt_air.lock);
	skb_queue_splice_init(&wt_air.done_q, &done);
	list_splice_init(&wt_air.bars, &bars);
	spin_unlock_bh(&wt_air.lock);
	local_bh_disable();
	wt_rx_flush();
	while (!skb_queue_empty(&done)) {
		struct sk_buff *skb = __skb_dequeue(&done);
		struct ieee80211_tx_info *info = IEEE80211_SKB_CB(skb);
		struct wt_radio *r = info->status.status_driver_data[1];

		ieee80211_tx_status_skb(r->hw, skb);
	}
	for (i = 0; i < wt_n_radios; i++)
		if (wt_radios[i]->mode != WT_ATH9K) {
			spin_lock(&wt_air.lock);
			wt_fifo_completed(wt_radios[i]);
			spin_unlock(&wt_air.lock);
		}
	wt_ba_send_bars(&bars);
	wt_hack_flush_lists();
	local_bh_enable();
}
