// SPDX-License-Identifier: GPL-2.0
/*
 * edca: one access category's wait for the medium: AIFS, contention window, backoff.
 *
 * Source: IEEE 802.11-2016, 10.22.2.2 to 10.22.2.4. A category transmits at a slot boundary at which its backoff
 *   is zero; the first boundary lies AIFSN slots after SIFS after the medium fell idle; at each boundary, the first
 *   included, a backoff above zero falls by one. So a category that finds another transmitting at boundary j has
 *   counted j + 1 down (DCF of 10.3.4.3, used by a BSS
 *   without QoS, counts j).
 * Differs:
 *   D1  backoff is computed from elapsed time, never ticked.
 *   D2  one counter a category (QSRC) for short and long frames; as in Atheros' cards the window starts over when the hardware
 *       is done with a frame, given up or not (ath9k sets neither AR_D_MISC_CW_RESET_EN nor AR_D_MISC_RETRY_CNT_RESET_EN, which
 *       would do so between the links of a rate chain), and after window_limit failures in a row (a card
 *       of another kind: as many as the standard has, driver.h short_retries).
 *   D3  an internal collision counts as a failure for the window, but not as an attempt of the frame: no rate falls for it.
 */
#include "air/edca.h"
#include "air/phy.h"
#include "driver.h"

void wt_edcaf_init(struct wt_radio *r, int q)
{
	/* table 9-137, until mac80211 says otherwise (mac.c conf_tx); the beacon queue: ath9k beaconq_config */
	static const u16 defaults[WT_NUM_Q][3] = { { 2, 3, 7 }, { 2, 7, 15 }, { 3, 15, 1023 }, { 7, 15, 1023 }, { 1, 0, 0 } };
	struct wt_edcaf *e = &r->ac[q];

	INIT_LIST_HEAD(&e->hwq);
	e->aifsn = defaults[q][0];
	e->cw = e->cw_min = defaults[q][1];
	e->cw_max = defaults[q][2];
	wt_seed(&e->rnd, r->index, q);
}

/* When the category will transmit, if the medium stays idle. */
u64 wt_edcaf_access(const struct wt_radio *r, const struct wt_edcaf *e)
{
	u64 t = r->base + (e->aifsn + e->slots) * wt_phy_slot_ns(r);
	const struct wt_ppdu *p = list_first_entry(&e->hwq, struct wt_ppdu, list);

	if (p->ready <= t)
		return t;
	/* it came when the medium was long idle: DCF sends at once, EDCA at the next boundary */
	return r->dcf ? p->ready : t + DIV_ROUND_UP_ULL(p->ready - t, wt_phy_slot_ns(r)) * wt_phy_slot_ns(r);
}

/* The medium became busy at `at`: what was counted down until then. */
void wt_edcaf_freeze(const struct wt_radio *r, struct wt_edcaf *e, u64 at)
{
	u64 first = r->base + e->aifsn * wt_phy_slot_ns(r);

	if (e->slots && at >= first)
		e->slots -= min_t(u64, e->slots, div64_u64(at - first, wt_phy_slot_ns(r)) + !r->dcf);
}

void wt_edcaf_draw(struct wt_edcaf *e)
{
	e->slots = e->cw ? (prandom_u32_state(&e->rnd) >> 8) % (e->cw + 1) : 0;
}

void wt_edcaf_succeeded(struct wt_edcaf *e)
{
	e->failures = 0;
	e->cw = e->cw_min;
	wt_edcaf_draw(e);
}

/* 802.11-2020, 10.23.2.2: the window doubles as often as the retry limit says, the next failure starts again (by 10.22.2.2 of 2016 the last of these) */
void wt_edcaf_failed(const struct wt_radio *r, struct wt_edcaf *e)
{
	if (e->failures < (r->driver->short_retries ?: wt_p.window_limit)) {
		e->failures++;
		e->cw = min_t(u16, 2 * e->cw + 1, e->cw_max);
	} else {
		e->failures = 0;
		e->cw = e->cw_min;
	}
	wt_edcaf_draw(e);
}
