// SPDX-License-Identifier: GPL-2.0
/*
 * medium: the air. Who sends next, what of it arrives, and when the medium is idle again.
 *
 * Source: IEEE 802.11-2016, 10.3.2.9 (acknowledgement), 10.3.2.3 (interframe spaces), 10.22.2 (EDCA).
 * Every radio hears every other. An exchange is
 *
 *     [ RTS SIFS CTS SIFS | CTS SIFS ] PPDU [ SIFS Ack | Block Ack ]
 *
 * A frame's fate is drawn when it starts; arrivals are handed to the receiver when the PPDU ends, its signal extension
 * included (802.11-2020, 19.3.2: that is when PHY-RXEND.indication comes), the sender
 * learns at the end of the response, or, without one, after SIFS + slot + aRxPHYStartDelay; from then it waits SIFS and
 * its AIFSN slots (10.22.2.4 c). Who wins a category with a TXOP limit goes on, SIFS after the response, as long as a whole
 * exchange more ends within it.
 * Differs:
 *   D1  no hidden stations, no capture: frames that overlap are all lost.
 *   D2  frames collide if they start less than cca_ns (aCCATime) apart; who would start later hears the first and defers to it.
 *   D3  bystanders of a collision wait EIFS only with eifs=1: signals of equal power hide each other's preamble, so
 *       no reception starts that could end in error (10.3.2.3.7 ties EIFS to PHY-RXEND with an error).
 *   D4  a response comes if any MPDU arrived; it is lost only by a channel (channel.c), or by answer_error_ppm. What rides on it
 *       (rider.h) makes it no likelier to be lost.
 *   D5  a TXOP that an exchange without answer interrupts is over (10.22.2.7 lets its holder go on after PIFS); where
 *       there is no TXOP limit it is one exchange.
 *   D6  all channels are one: frames of another primary channel take airtime here, but are not received.
 *   D7  explicit_bar=1 asks with a BAR after an aggregate without answer (10.24.7.7 allows it, ns-3 does it); its answer
 *       resets the window before the aggregate is sent again. Default: the aggregate itself again, as ath9k's hardware.
 *   D8  the NAV is the exchange's own length; bystanders decode what its receiver does not, so that they keep to the NAV
 *       where the receiver waits EIFS.
 */
#include "air/capture.h"
#include "air/edca.h"
#include "air/loss.h"
#include "air/medium.h"
#include "air/phy.h"
#include "air/rx.h"
#include "air/trace.h"
#include "driver.h"
#include "rider.h"

struct wt_medium wt_air;
const struct wt_rider *wt_rider;

static struct wt_ppdu *head_of(struct wt_edcaf *e)
{
	return list_first_entry_or_null(&e->hwq, struct wt_ppdu, list);
}

/* A PPDU for the hardware queue q. */
void wt_medium_offer(struct wt_radio *r, int q, struct wt_ppdu *p)
{
	struct wt_edcaf *e = &r->ac[q];

	p->ready = wt_time();
	/* 10.22.2.2 a: a frame that finds its queues empty, the medium busy and no backoff running draws one */
	if (list_empty(&e->hwq) && !e->follows && (wt_air.state != WT_IDLE || p->ready < r->nav) && !e->slots && q != WT_BEACON_Q)
		wt_edcaf_draw(e);
	list_add_tail(&p->list, &e->hwq);
	e->depth++;
	if (p->ampdu && !p->probe)	/* bf_is_ampdu_not_probing */
		e->ampdu_depth++;
}

/* The earliest thing that will happen on the air, U64_MAX: nothing will. */
u64 wt_medium_due(void)
{
	u64 at = wt_air.state == WT_IDLE ? U64_MAX : wt_air.until;
	unsigned int i;
	int q;

	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (r->late_at)
			at = min(at, r->late_at);
		if (wt_air.state != WT_IDLE || r->late_at)
			continue;
		for (q = 0; q < WT_NUM_Q; q++)
			if (!list_empty(&r->ac[q].hwq))
				at = min(at, wt_edcaf_access(r, &r->ac[q]));
	}
	return at;
}

static bool wants_rts(const struct wt_radio *r, const struct wt_ppdu *p)
{
	bool asked = p->rates[p->chain].flags & IEEE80211_TX_RC_USE_RTS_CTS;	/* rate control: every link after the first */

	bool by_length = wt_p.rts && r->driver->rts;
	bool agreed = IEEE80211_SKB_CB(p->mpdu[0])->flags & IEEE80211_TX_CTL_AMPDU;

	/*
	 * ath9k has it for what is under an agreement alone, and of that not for a frame alone at a rate without MCS (ath_tx_fill_desc,
	 * ath_buf_set_rate); before 5.17 mac80211 asked for it elsewhere, too
	 */
	if (r->driver->mode != WT_TIDQ && (!agreed || !wt_phy_aggregates(&p->rates[p->chain])))
		by_length = false;
	return (by_length || asked) && !p->no_ack && p->tid && !p->bar;
}

/* ath9k's RTS: the rate that mac80211 leaves at 0 for a driver with a table of rates (xmit.c setup_frame_info; rate.c rate_control_get_rate) */
static u32 rts_rate(const struct wt_radio *r, const struct wt_ppdu *p)
{
	return wt_p.rts_lowest && r->driver->rts ? wt_phy_lowest_rate(wt_band(r)) :
						   wt_phy_response_rate(r, &p->rates[p->chain]);
}

/* What an OFDM frame stands behind where stations of 802.11b are about (10.27.2): a CTS to its own sender; 0: nothing. */
static u64 cts_to_self_ns(const struct wt_radio *r, const struct wt_ppdu *p)
{
	bool asked = wt_p.erp_protection && p->tid && !p->bar && p->vif->bss_conf.use_cts_prot;

	if (!asked || wants_rts(r, p) || wt_phy_dsss_of(wt_phy_rate(wt_band(r), &p->rates[p->chain])) >= 0)
		return 0;
	return wt_phy_control_ns(wt_phy_dsss_protection_rate(r), 14);
}

/* With what its sender sends before it. */
static u64 ppdu_ns(const struct wt_radio *r, const struct wt_ppdu *p)
{
	u64 cts = cts_to_self_ns(r, p);

	return wt_phy_ppdu_ns(wt_band(r), &p->rates[p->chain], p->bytes) + (cts ? cts + wt_phy_sifs_ns(wt_band(r)) : 0);
}

static u32 block_ack_bytes(const struct wt_ppdu *p)
{
	return p->wide ? 56 : 32;	/* 802.11ax-2021, table 9-30a */
}

static u32 answer_bytes(const struct wt_ppdu *p)
{
	return p->aggr || p->bar || p->back_req ? block_ack_bytes(p) : 14;
}

/*
 * What an exchange of a firmware's aggregate takes beside it at a rate of its chain: RTS SIFS CTS SIFS, if the rate asks for them, SIFS, Block Ack.
 * The extensions of what comes before a SIFS are in it.
 */
u64 wt_medium_around_ns(const struct wt_radio *r, const struct wt_ppdu *p, const struct ieee80211_tx_rate *rate)
{
	u32 ctl = wt_phy_response_rate(r, rate);
	u64 gap = wt_phy_gap_ns(wt_band(r), ctl);
	u64 ns = gap + wt_phy_control_ns(ctl, block_ack_bytes(p)) + wt_phy_extension_ns(wt_band(r), ctl);

	if (rate->flags & IEEE80211_TX_RC_USE_RTS_CTS)
		ns += wt_phy_control_ns(ctl, 20) + wt_phy_control_ns(ctl, 14) + 2 * gap;
	return ns;
}

/* What the head of a queue takes: what its sender sends (with `alone`, all of RTS SIFS CTS SIFS before it), and its answer. */
static u64 sent_ns(const struct wt_radio *r, const struct wt_ppdu *p, bool alone, u64 *answer)
{
	u32 ctl = wt_phy_response_rate(r, &p->rates[p->chain]), rate = rts_rate(r, p);
	u64 rts = wt_phy_control_ns(rate, 20), cts = wt_phy_control_ns(rate, 14);
	u64 sifs = wt_phy_gap_ns(wt_band(r), rate), ns = p->bar ? wt_phy_control_ns(ctl, 24) : ppdu_ns(r, p);

	*answer = p->no_ack ? 0 : wt_phy_gap_ns(wt_band(r), ctl) + wt_phy_control_ns(ctl, answer_bytes(p));
	if (!wants_rts(r, p))
		return ns;
	return alone ? rts + sifs + cts + sifs + ns : rts;
}

/* The class of what a sender has on the air last, before any answer: a rate of it. Of what collides that is its RTS. */
static u32 last_rate(const struct wt_radio *r, const struct wt_ppdu *p, bool alone)
{
	return wants_rts(r, p) && !alone ? rts_rate(r, p) : wt_phy_response_rate(r, &p->rates[p->chain]);
}

/* For who looks at the air afterwards. `ns` is what its sender sends of it. Each frame has its signal extension there. */
static void capture(struct wt_radio *r, int q, const struct wt_ppdu *p, u64 start, u64 ns, u64 answer, bool alone)
{
	u64 extension = wt_phy_extension_ns(wt_band(r), wt_phy_response_rate(r, &p->rates[p->chain]));
	struct wt_exchange x = {
		.start = start, .base = r->base, .data_ns = ns + extension,
		.answer_ns = answer ? answer - wt_phy_sifs_ns(wt_band(r)) : 0, .collided = !alone,
		.response = alone && wt_air.response, .answered = alone && wt_air.response && !wt_air.deaf,
	};

	if (wants_rts(r, p)) {
		u64 of_rts;

		x.rts_rate = rts_rate(r, p);
		of_rts = wt_phy_extension_ns(wt_band(r), x.rts_rate);
		x.rts_ns = wt_phy_control_ns(x.rts_rate, 20) + of_rts;
		x.cts_ns = wt_phy_control_ns(x.rts_rate, 14) + of_rts;
		x.data_ns = alone ? x.data_ns - x.rts_ns - x.cts_ns - 2 * wt_phy_sifs_ns(wt_band(r)) : 0;
	} else if (cts_to_self_ns(r, p)) {	/* which nothing answers */
		x.rts_rate = wt_phy_dsss_protection_rate(r);
		x.rts_ns = cts_to_self_ns(r, p);
		x.data_ns -= x.rts_ns + wt_phy_sifs_ns(wt_band(r));
	}
	wt_capture_exchange(r, q, p, &x);
}

static void count_data(struct wt_radio *r, const struct wt_ppdu *p)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	struct wt_radio *to = wt_receiver(r, wt_ppdu_to(p));
	u32 k = wt_phy_modulation(wt_band(r), rate);

	r->count.ht_ampdu[p->n]++;
	if (to) {
		to->count.rx_ampdu[p->n]++;
		to->count.rx_bad[p->n - wt_ppdu_acked(p)]++;
	}
	r->count.mode_ppdus[k]++;
	r->count.mode_mpdus[k] += p->n;
	if (to) {
		to->count.rx_mode_ppdus[k]++;
		to->count.rx_mode_mpdus[k] += p->n;
	}
}

/* What an exchange takes of the air, its answer with it, is its sender's, and is sent to its receiver. Beacons and BARs are nobody's. */
static void count_airtime(struct wt_radio *r, const struct wt_ppdu *p, u64 ns)
{
	struct wt_radio *to = p->no_ack || p->bar ? NULL : wt_receiver(r, wt_ppdu_to(p));

	if (!to)
		return;
	r->count.airtime_ns += ns;
	to->count.rx_airtime_ns += ns;
}

/* From the end of what was sent at `rate`'s class until its sender knows that nobody answers: SIFS, a slot, aRxPHYStartDelay. */
static u64 timeout_ns(const struct wt_radio *r, u32 rate)
{
	return wt_phy_gap_ns(wt_band(r), rate) + wt_phy_slot_ns(r) + wt_phy_start_ns(rate);
}

/*
 * Who collides knows of it when its own frame is over and nothing begins in time (802.11-2020 10.3.2.11: AckTimeout counts from PHY-TXEND.confirm, and
 * it was sending when the other's preamble came), however long the other's lasts: what it sends again is formed then.
 */
static void collide(struct wt_tx *tx)
{
	struct wt_radio *r = tx->radio;
	struct wt_edcaf *e = &r->ac[tx->q];
	struct wt_ppdu *p = head_of(e);

	if (!wants_rts(r, p))	/* else its RTS collided, and nothing of the PPDU was sent */
		r->count.collisions++;
	tx->knows = p->no_ack ? 0 : tx->end + timeout_ns(r, last_rate(r, p, false));
	if (!tx->knows)
		return;
	wt_edcaf_failed(r, e);
	r->late_at = tx->knows;
	r->late_q = tx->q;
}

/* Those of wt_air.tx go on the air. */
static void transmit(u64 at)
{
	bool alone = wt_air.n_tx == 1;
	u64 end = at, until = at;
	int i;

	for (i = 0; i < wt_air.n_tx; i++) {
		struct wt_radio *r = wt_air.tx[i].radio;
		struct wt_ppdu *p = head_of(&r->ac[wt_air.tx[i].q]);
		u64 extension = wt_phy_extension_ns(wt_band(r), last_rate(r, p, alone));
		u64 answer, ns = sent_ns(r, p, alone, &answer);

		wt_air.tx[i].end = wt_air.tx[i].start + ns;
		end = max(end, wt_air.tx[i].end);
		until = max(until, wt_air.tx[i].end + extension);
		bitmap_zero(p->acked, WT_MAX_MPDUS);
		wt_air.rides = wt_rider ? wt_rider->head(r, wt_air.tx[i].q, p) : NULL;
		r->ac[wt_air.tx[i].q].tried = true;
		if (alone) {
			if (!p->bar) {
				wt_loss_draw(r, p);
				wt_rx_lands(r, p, wt_air.tx[i].end + extension);
			}
			wt_air.response = p->bar || (!p->no_ack && wt_ppdu_acked(p));
			wt_air.deaf = wt_air.response && wt_loss_answer(r, p, answer_bytes(p));
			wt_air.response_ns = answer;
			if (wt_air.last_tx == r && r->ac[wt_air.tx[i].q].depth > 1)
				r->count.back_to_back++;
			wt_air.last_tx = r;
		}
		count_airtime(r, p, (alone ? ns + answer : ns) + extension);
		if (wants_rts(r, p) && !alone) {
			p->rts_failures++;	/* nothing of the PPDU itself was sent */
		} else if (!p->bar) {
			p->attempts++;
			p->tries++;
			r->count.ppdus++;
			r->count.mpdus += p->n;
			if (p->tid)	/* data, voice's frames outside any session included */
				count_data(r, p);
		}
		wt_trace_ppdu(r, wt_air.tx[i].q, p, wt_air.tx[i].start, ns, !alone);
		if (wt_capture_wants(wt_air.tx[i].start))
			capture(r, wt_air.tx[i].q, p, wt_air.tx[i].start, ns, answer, alone);
	}
	for (i = 0; !alone && i < wt_air.n_tx; i++)
		collide(&wt_air.tx[i]);
	if (!alone)
		wt_air.collision_ns += end - at;
	wt_air.busy_since = at;
	wt_air.state = WT_DATA;
	wt_air.until = until;
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

			/* aCCATime is less than 4 us; at 2.4 GHz the slots of receiver and sender of what was lost are just 4 apart */
			if (list_empty(&e->hwq) || wt_edcaf_access(r, e) >= at + wt_p.cca_ns)
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
				wt_edcaf_failed(wt_radios[i], &wt_radios[i]->ac[q]);
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

	/* of an aggregate whose RTS alone was on the air nobody has to ask */
	if (!response && p->aggr && p->attempts && wt_p.explicit_bar) {
		p->bar = true;
		return;
	}
	if (!response && !p->no_ack && p->rts_failures < (r->driver->short_retries ?: wt_p.rts_limit)) {
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
	e->tried = false;
	e->depth--;
	if (p->ampdu && !p->probe)
		e->ampdu_depth--;
	if (!p->beacon || wt_p.edma)	/* mac.c ath9k_hw_beaconq_setup: TXQ_FLAG_TXINT_ENABLE */
		wt_rx_interrupt(r);	/* ath9k_tasklet receives before it completes */
	if (!response && !p->no_ack && !(r->driver->sent_once && p->ampdu))
		wt_edcaf_succeeded(e);		/* given up: the window is reset (edca.c) */
	e->follows = true;
	r->driver->done(r, q, p, response);
	e->follows = false;
}

/* The winner's next PPDU, if it and its answer still fit into the TXOP. */
static void continue_txop(struct wt_radio *r, int q, u64 at)
{
	struct wt_ppdu *p = head_of(&r->ac[q]);
	u64 answer, ns;

	if (!r->ac[q].txop_us || !p)
		return;
	ns = sent_ns(r, p, true, &answer);
	ns += answer + wt_phy_extension_ns(wt_band(r), wt_phy_response_rate(r, &p->rates[p->chain]));
	if (at + ns > wt_air.txop_end)
		return;
	wt_air.tx[0].start = at;
	transmit(at);
}

/* 10.3.7: EIFS = SIFS + an Ack at the lowest mandatory rate + DIFS. */
static u64 eifs_less_difs(const struct wt_radio *r)
{
	return wt_phy_sifs_ns(wt_band(r)) + wt_phy_control_ns(wt_phy_lowest_rate(wt_band(r)), 14);
}

/* The last of what was on the air is over at `at`, with its extension. */
static void end_exchange(u64 at, bool response)
{
	u64 sifs = wt_phy_sifs_ns(wt_band(wt_air.tx[0].radio));
	struct wt_radio *to;
	unsigned int i;
	int k;

	wt_air.busy_ns += at - wt_air.busy_since;
	wt_air.state = WT_IDLE;
	for (i = 0; i < wt_n_radios; i++)
		wt_radios[i]->base = at + sifs;
	if (wt_air.n_tx == 1) {
		struct wt_radio *r = wt_air.tx[0].radio;
		struct wt_edcaf *e = &r->ac[wt_air.tx[0].q];
		struct wt_ppdu *p = head_of(e);

		if (response || p->no_ack) {
			wt_edcaf_succeeded(e);
			finish(r, wt_air.tx[0].q, response);
			continue_txop(r, wt_air.tx[0].q, at + sifs);
			return;
		}
		r->count.no_response++;
		if (wt_air.response) {
			/* the sender heard an answer that it could not decode */
			wt_edcaf_failed(r, e);
			r->late_at = at;
			r->late_q = wt_air.tx[0].q;
			r->base = at + sifs + eifs_less_difs(r);
			return;
		}
		/* nothing arrived: bystanders keep to the NAV, the receiver waits EIFS, the sender for its timeout */
		for (i = 0; i < wt_n_radios; i++) {
			wt_radios[i]->base += wt_air.response_ns;
			wt_radios[i]->nav = at + wt_air.response_ns;
		}
		r->nav = 0;
		to = wt_receiver(r, wt_ppdu_to(p));
		if (to) {
			to->base = at + sifs + eifs_less_difs(to);
			to->nav = 0;
		}
		wt_edcaf_failed(r, e);
		r->late_at = wt_air.tx[0].end + timeout_ns(r, last_rate(r, p, true));
		r->late_q = wt_air.tx[0].q;
		r->base = r->late_at + sifs;
		return;
	}
	if (wt_p.eifs)
		for (i = 0; i < wt_n_radios; i++)
			wt_radios[i]->base += eifs_less_difs(wt_radios[i]);
	for (k = 0; k < wt_air.n_tx; k++) {
		struct wt_radio *r = wt_air.tx[k].radio;
		struct wt_edcaf *e = &r->ac[wt_air.tx[k].q];

		r->base = at + sifs;
		if (wt_air.tx[k].knows) {
			r->base = max(r->base, wt_air.tx[k].knows + sifs);
		} else {
			wt_edcaf_succeeded(e);	/* nobody will tell it */
			finish(r, wt_air.tx[k].q, false);
		}
	}
}

/* A radio's answer did not come in time: true if it was so. */
bool wt_medium_late(struct wt_radio *r, u64 at)
{
	if (!r->late_at || r->late_at > at)
		return false;
	r->late_at = 0;
	finish(r, r->late_q, false);
	return true;
}

/* The medium's state ends, or a backoff does. */
void wt_medium_step(u64 at)
{
	switch (wt_air.state) {
	case WT_IDLE:
		start_exchange(at);
		break;
	case WT_DATA:
		if (wt_air.n_tx == 1) {
			struct wt_radio *r = wt_air.tx[0].radio;
			struct wt_ppdu *p = head_of(&r->ac[wt_air.tx[0].q]);

			wt_rx_deliver(r, p, wt_air.busy_since);
			if (wt_air.response) {
				wt_air.state = WT_RESPONSE;
				if (wt_air.rides) {
					u64 longer = wt_rider->answer(wt_air.rides,
								      wt_phy_response_rate(r, &p->rates[p->chain]),
								      answer_bytes(p), p->attempts > 1);

					wt_air.response_ns += longer;
					wt_capture_rides(longer);
					count_airtime(r, p, longer);
				}
				wt_air.until = at + wt_air.response_ns;
				break;
			}
		}
		end_exchange(at, false);
		break;
	case WT_RESPONSE:
		if (wt_air.rides && !wt_air.deaf)
			wt_rider->heard(wt_air.rides);
		end_exchange(at, !wt_air.deaf);
		break;
	}
}
