// SPDX-License-Identifier: GPL-2.0
/*
 * loss: which MPDUs of a PPDU arrive, and whether its answer does.
 *
 * By a channel (channel.c) where the link has one; else by error_ppm and its like. A PPDU's fate is drawn when it starts.
 */
#include "air/channel.h"
#include "air/loss.h"
#include "air/phy.h"

static int drop_radio = -1, drop_index;

/* Of the next aggregate of that radio the MPDU `index` is lost, once. */
void wt_loss_plant(int radio, int index)
{
	drop_index = index;
	drop_radio = radio;
}

static bool planted(struct wt_radio *r, const struct wt_ppdu *p, int index)
{
	if (drop_radio != r->index || drop_index != index || !p->aggr)
		return false;
	drop_radio = -1;
	return true;
}

/* How far the channel has walked, in MCSs. */
static int walked(void)
{
	return wt_p.n_walk ? wt_p.walk[(u32)div_u64(wt_now, wt_p.walk_ms * 1000000u) % wt_p.n_walk] : 0;
}

/* Whether octets sent now get through the channel. */
static bool survives(struct wt_radio *from, struct wt_radio *to, enum wt_channel_modes of, u32 idx, u32 bytes)
{
	return prandom_u32_state(&from->rnd_error) < wt_channel_survives(from, to, wt_now, of, idx, bytes);
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

/* What a channel's file calls it. */
static enum wt_channel_modes mode_of(enum nl80211_band band, const struct ieee80211_tx_rate *rate)
{
	if (!wt_phy_aggregates(rate))
		return wt_phy_dsss_of(wt_phy_rate(band, rate)) < 0 ? WT_OFDM : WT_DSSS;
	return !wt_phy_is_vht(rate) && wt_phy_mhz(rate) == 20 ? WT_NARROW : WT_WHOLE;
}

/* Its place there: an MCS, one of 802.11a's rates or of 802.11b's. */
static u32 index_of(enum nl80211_band band, const struct ieee80211_tx_rate *rate)
{
	u32 legacy;

	if (wt_phy_aggregates(rate))
		return wt_phy_mcs_over_streams(rate);
	legacy = wt_phy_rate(band, rate);
	return wt_phy_dsss_of(legacy) < 0 ? wt_phy_ofdm_of(legacy) : wt_phy_dsss_of(legacy);
}

/* Which MPDUs arrive. */
void wt_loss_draw(struct wt_radio *r, struct wt_ppdu *p)
{
	const struct ieee80211_tx_rate *rate = &p->rates[p->chain];
	struct wt_radio *to = p->no_ack ? NULL : wt_receiver(r, wt_ppdu_to(p));
	bool channel = p->tid && wt_channel_present(r, to);
	enum wt_channel_modes of = mode_of(wt_band(r), rate);
	u32 ppm = 0, run = 0, idx = index_of(wt_band(r), rate);
	bool lost = false;
	int i;

	bitmap_zero(p->acked, WT_MAX_MPDUS);
	if (!p->no_ack && !to)
		return;
	if (channel && wt_p.ideal)
		wt_channel_learn(r, to, wt_now);
	if (wt_p.n_error && (!wt_p.ht || of != WT_OFDM))
		ppm = wt_p.error_ppm[clamp((int)idx + walked(), 0, (int)wt_p.n_error - 1)];
	if (p->tid && to && wt_is_ap(r)) {
		if (wt_p.n_error_down)
			ppm = wt_listed(error_down_ppm, n_error_down, to->index);
		if (wt_p.n_error_run)
			run = wt_listed(error_run_milli, n_error_run, to->index);
	} else if (wt_p.n_error_up && p->tid) {
		ppm = wt_listed(error_up_ppm, n_error_up, r->index);
	}
	for (i = 0; i < p->n; i++) {
		u32 likely = run >= 1000 && ppm < 1000000 && i ? in_run(ppm, run, lost) : ppm;

		lost = p->tid && ppm && prandom_u32_state(&r->rnd_error) % 1000000 < likely;
		if (lost)
			continue;
		if (channel && !survives(r, to, of, idx, wt_mpdu_len(p->mpdu[i])))
			continue;
		if (planted(r, p, i))
			continue;
		__set_bit(i, p->acked);
	}
}

/* Whether the answer to what was just sent, of so many bytes, does not get back. */
bool wt_loss_answer(struct wt_radio *r, const struct wt_ppdu *p, u32 bytes)
{
	struct wt_radio *to = wt_receiver(r, wt_ppdu_to(p));
	u32 rate = wt_phy_response_rate(r, &p->rates[p->chain]);
	int dsss = wt_phy_dsss_of(rate);

	if (to && (p->tid || p->bar || p->back_req) && wt_p.answer_error_ppm &&
	    prandom_u32_state(&to->rnd_answer) % 1000000 < wt_p.answer_error_ppm)
		return true;
	return p->tid && to && wt_channel_present(to, r) &&
	       !survives(to, r, dsss < 0 ? WT_OFDM : WT_DSSS, dsss < 0 ? wt_phy_ofdm_of(rate) : dsss, bytes);
}
