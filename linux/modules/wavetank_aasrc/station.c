// SPDX-License-Identifier: GPL-2.0
/*
 * station: between mac80211 and aasrc.c. A station's table of rates, its probes, its reports, its silence.
 *
 * Source: include/net/mac80211.h struct rate_control_ops; net/mac80211/rate.c; how the one driver that it was made for reads the
 *   table: drivers/net/wireless/ath/ath9k/xmit.c ath_tx_sched_aggr, ath_set_rates (once for each unit that it forms, after it has
 *   pulled the unit's first frame and before the second), ath_tx_complete_aggr, ath_tx_rc_status.
 *
 * A probe is one unit, and only the driver knows where one unit ends and the next begins. So the table says "probe" from the
 * moment that one is due (a report, or the end of a bar) and "current" again once two frames more were pulled: a unit's first
 * frame is pulled before the table is read for it, so the second of a TID is this unit's own or the next one's, which then reads
 * "current". One frame of a TID may be pulled for no unit at all: ath9k pulls one to find that its hardware queue or the Block Ack
 * window is full, puts it among those to send again (ath_tx_sched_aggr, ath_tx_get_tid_subframe), and pulls no other of this TID as
 * long as that one is there. So one frame of a TID, however long ago, says nothing, and two of two TIDs little. A driver without a
 * table of its own takes the rates that each frame was given; there as many frames are marked as a unit has on average.
 *
 * Units of retries alone pull no frame. At the report of an aggregate that lost frames the driver has formed the next unit of that
 * hardware queue already (ath_tx_process_buffer: ath_txq_schedule, before mac80211 is told). Where no other station's frame was pulled
 * for that queue since this one's, that unit was this station's, and may be the probe: the table says "current" again. Where another's
 * was, it was mostly that one's turn, and this station's next unit is still to probe.
 *
 * If the table says "current" again and no TID had two frames pulled, the probe may not have been sent: it is in doubt on some
 * hardware queues. Each reports units in the order in which they were formed, and tables have numbers (formed.c): after one that was
 * formed later no probe comes. Where none came on any of them, the next unit probes.
 *
 * Silence is that of a rate which does not carry, or of a unit that waits for the air behind others' (with several stations for
 * longer than silence_ms). Units of retries pull no frame, so that a timer has to give them the lower rate; which of the two it was,
 * the next report tells: it is of a unit that was formed with that table, or of one before it.
 *
 * Differs (from docs/mechanisms/aasrc.md):
 *   D1  mac80211 is told of a unit after the next one is formed: decisions come into force one unit later than where the
 *       algorithm sits below the aggregation.
 *   D2  silence is timed from the second frame pulled after a report, not from the first unit formed.
 *   D3  units of stations without HT count, at the band's own rates.
 *   D4  a unit that pulls no frame (of retries alone, where the report that they were born with did not come), or one alone, may be
 *       followed by a second one, of retries or of another TID, that goes at its rate and is no probe.
 *   D7  aarc_snr without feedback takes the strength of Block Acks.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include "aasrc.h"

LIST_HEAD(aasrc_stations);
DEFINE_SPINLOCK(aasrc_stations_lock);

/*
 * A probe, or a unit of silence's table, is known by its report: drivers hand back a rate's flags as they were given them. This one
 * means nothing with an MCS (preambles of HT have one length); ath9k's xmit.c ath_buf_set_rate hands it to ath_pkt_duration, which
 * does not look at it.
 */
#define MARK	IEEE80211_TX_RC_USE_SHORT_PREAMBLE

static void link_of(struct ieee80211_sta_rates *t, int i, const struct aasrc_rate *r, u8 tries)
{
	t->rate[i].idx = r->idx;
	t->rate[i].flags = r->flags;
	t->rate[i].count = t->rate[i].count_rts = t->rate[i].count_cts = tries;
}

/* {current 2, below 2}, {lowest 4}; before them a probe's one try. In silence the same of the rate below. */
static void set_table(struct aasrc_sta *s, int probe)
{
	struct ieee80211_sta_rates *t = kzalloc(sizeof(*t), GFP_ATOMIC);
	int most = min_t(int, s->hw->max_rates, IEEE80211_TX_RATE_TABLE_SIZE), n = 0, at = s->a.current_rate - s->lowered;

	if (!t)
		return;
	if (probe >= 0)
		link_of(t, n++, &s->a.rate[probe], 1);
	if (n < most)
		link_of(t, n++, &s->a.rate[at], at ? 2 : 4);
	if ((probe >= 0 || s->lowered) && t->rate[0].flags & IEEE80211_TX_RC_MCS)
		t->rate[0].flags |= MARK;
	if (at && n < most)
		link_of(t, n++, &s->a.rate[at - 1], 2);
	for (; n < IEEE80211_TX_RATE_TABLE_SIZE; n++)
		t->rate[n].idx = -1;
	s->table = aasrc_mark(t, s->table);
	rcu_read_lock();
	rate_control_set_rates(s->hw, s->sta, t);
	rcu_read_unlock();
}

/* The next unit: a probe, if one is due. */
static void arm(struct aasrc_sta *s, u64 now)
{
	int probe = aasrc_probe(&s->a, now);

	if (s->probing != AASRC_IDLE || s->lowered)
		return;
	if (probe < 0) {
		int up = s->a.current_rate + 1;

		if (up < s->a.n)
			hrtimer_start(&s->unbar, ns_to_ktime(s->a.rate[up].barred_until), HRTIMER_MODE_ABS_SOFT);
		return;
	}
	s->probing = AASRC_ARMED;
	s->probed = probe;
	s->forced = s->a.forced;
	s->a.forced = false;
	aasrc_forget(&s->pulled);
	set_table(s, probe);
	s->probe_table = s->table;
}

/* The probe's unit has read the table; or, on the hardware queues of `doubt`, may have. */
static void probe_is_out(struct aasrc_sta *s, u16 doubt)
{
	s->probing = AASRC_OUT;
	s->doubt = doubt;
	s->out_since = ktime_get_ns();
	set_table(s, AASRC_NONE);
}

/* A frame is on its way to a unit. */
static void pulled(struct aasrc_sta *s, const struct sk_buff *skb)
{
	const struct ieee80211_vif *vif = IEEE80211_SKB_CB(skb)->control.vif;
	u8 queue = vif->hw_queue[skb_get_queue_mapping(skb)] % AASRC_QUEUES;
	bool table = ieee80211_hw_check(s->hw, SUPPORTS_RC_TABLE), heard = !s->unheard.unit;
	u32 enough = table ? AASRC_UNIT : max_t(u32, AASRC_UNIT, s->a.rate[s->a.current_rate].avg >> 8);

	WRITE_ONCE(s->card->last[queue], s);
	aasrc_pull(&s->unheard, skb->priority, queue);
	if (heard && s->unheard.unit)
		hrtimer_start(&s->silence, ms_to_ktime(READ_ONCE(aasrc_p.silence_ms)), HRTIMER_MODE_REL_SOFT);
	if (s->probing != AASRC_ARMED)
		return;
	aasrc_pull(&s->pulled, skb->priority, queue);
	if (s->pulled.all >= enough)
		probe_is_out(s, table && !s->pulled.unit ? s->pulled.queues : 0);
}

/* A bar has ended. */
static enum hrtimer_restart unbar(struct hrtimer *t)
{
	struct aasrc_sta *s = container_of(t, struct aasrc_sta, unbar);

	spin_lock_bh(&s->lock);
	if (s->a.n && s->probing == AASRC_IDLE && aasrc_probe(&s->a, ktime_get_ns()) >= 0)
		arm(s, ktime_get_ns());
	spin_unlock_bh(&s->lock);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart silent(struct hrtimer *t)
{
	struct aasrc_sta *s = container_of(t, struct aasrc_sta, silence);
	enum hrtimer_restart again = HRTIMER_NORESTART;

	spin_lock_bh(&s->lock);
	/* queued: a report came while this waited for the lock, and a frame after it */
	if (s->unheard.unit && !hrtimer_is_queued(t) && s->a.n && s->a.current_rate) {
		if (s->probing == AASRC_ARMED)
			s->probing = AASRC_IDLE;
		if (s->lowered)
			aasrc_silent(&s->a);	/* the rate below was silent for as long */
		s->lowered = s->a.current_rate > 0;
		set_table(s, AASRC_NONE);
		hrtimer_forward_now(t, ms_to_ktime(READ_ONCE(aasrc_p.silence_ms)));
		again = HRTIMER_RESTART;
	}
	spin_unlock_bh(&s->lock);
	return again;
}

static void get_rate(void *priv, struct ieee80211_sta *sta, void *priv_sta, struct ieee80211_tx_rate_control *txrc)
{
	struct aasrc_sta *s = priv_sta;

	spin_lock_bh(&s->lock);
	if (s->sta && s->a.n)
		pulled(s, txrc->skb);
	spin_unlock_bh(&s->lock);
}

/* Whether the first link of a report's unit is that of a table with a mark. */
static bool marked(const struct ieee80211_tx_info *info)
{
	const struct ieee80211_tx_rate *r = info->status.rates;

	return r->flags & MARK || !(r->flags & IEEE80211_TX_RC_MCS);
}

/* What a report says, in rates of the ladder; false if it says nothing that counts. */
static bool read_report(struct aasrc_sta *s, const struct ieee80211_tx_info *info, struct aasrc_unit *u)
{
	const struct ieee80211_tx_rate *r = info->status.rates;
	int i;

	for (i = 0; i < IEEE80211_TX_MAX_RATES && r[i].idx >= 0 && r[i].count; i++) {
		int rate = aasrc_find(&s->a, r[i].idx, r[i].flags);

		if (rate < 0)
			return false;
		u->link[i] = (struct aasrc_tried){ .rate = rate };
	}
	if (!i)
		return false;
	u->links = i;
	u->probe = s->probing != AASRC_IDLE && u->link[0].rate == s->probed && marked(info) &&
		   (!aasrc_number(info) || aasrc_number(info) == s->probe_table);
	if (info->flags & IEEE80211_TX_STAT_AMPDU) {
		u->frames = info->status.ampdu_len;
		u->acked = info->status.ampdu_ack_len;
	} else {
		u->frames = 1;
		u->acked = !!(info->flags & IEEE80211_TX_STAT_ACK);
	}
	u->link[i - 1].answered = u->acked;
	return u->frames && u->acked <= u->frames;
}

/* aarc_snr where nobody sends feedback: how strong the acknowledgements are (the channel is the same both ways) */
static void heard(struct aasrc_sta *s, u64 now, const struct ieee80211_tx_info *info)
{
	s32 snr = info->status.ack_signal * 100;

	if (s->a.kind != AARC_SNR || s->fed_back || !info->status.ack_signal || !READ_ONCE(aasrc_p.ack_snr))
		return;
	s->ack_snr = s->ack_heard ? s->ack_snr + (snr - s->ack_snr) / 8 : snr;
	s->ack_heard = true;
	aasrc_feedback(&s->a, now, 0, s->ack_snr);
}

/* A report that is not the probe's: it was not sent, or is lost, or there is more to come. */
static void settle(struct aasrc_sta *s, const struct ieee80211_tx_info *info, u64 now)
{
	bool late = now - s->out_since >= READ_ONCE(aasrc_p.silence_ms) * (u64)NSEC_PER_MSEC;

	if (s->doubt) {
		if (aasrc_later(aasrc_number(info), s->probe_table))
			s->doubt &= ~BIT(info->hw_queue);
		if (s->doubt && !late)
			return;
		s->a.forced = s->forced && s->probed == s->a.current_rate + 1;
	} else if (!late) {
		return;
	} else {
		aasrc_lost(&s->a, now, s->probed);
	}
	s->probing = AASRC_IDLE;
}

static void report(struct aasrc_sta *s, const struct ieee80211_tx_info *info)
{
	u64 now = ktime_get_ns();
	int before = s->a.current_rate;
	bool lowered = s->lowered;
	struct aasrc_unit u = {};

	if (!read_report(s, info, &u))
		return;
	aasrc_forget(&s->unheard);
	hrtimer_try_to_cancel(&s->silence);	/* if it runs, it waits for the lock and finds nothing to do */
	/* formed in silence, and heard before what was formed earlier: that was lost. Else it was late. */
	if (lowered && u.link[0].rate == before - 1 && marked(info))
		aasrc_silent(&s->a);
	s->lowered = false;
	/* where it was this station's turn, the frames that failed made a unit before this report, which may have pulled none */
	if (s->probing == AASRC_ARMED && !u.probe && u.acked < u.frames && info->flags & IEEE80211_TX_STAT_AMPDU &&
	    READ_ONCE(s->card->last[info->hw_queue]) == s && ieee80211_hw_check(s->hw, SUPPORTS_RC_TABLE))
		probe_is_out(s, s->pulled.queues | BIT(info->hw_queue));
	if (u.probe) {
		u.forced = s->forced;
		s->probing = AASRC_IDLE;
	} else if (s->probing == AASRC_OUT) {
		settle(s, info, now);
	}
	aasrc_report(&s->a, now, &u);
	if (u.acked)
		heard(s, now, info);
	if (s->a.current_rate != before && s->probing == AASRC_ARMED)
		s->probing = AASRC_IDLE;	/* of another rate then; one that is out will be reported */
	if (s->a.current_rate != before || u.probe || lowered)
		set_table(s, AASRC_NONE);
	arm(s, now);
}

static void tx_status(void *priv, struct ieee80211_supported_band *sband, void *priv_sta, struct ieee80211_tx_status *st)
{
	const struct ieee80211_tx_info *info = st->info;
	struct aasrc_sta *s = priv_sta;

	if (info->flags & IEEE80211_TX_CTL_NO_ACK)
		return;
	/* one frame of an aggregate tells of all */
	if (info->flags & IEEE80211_TX_CTL_AMPDU && !(info->flags & IEEE80211_TX_STAT_AMPDU))
		return;
	spin_lock_bh(&s->lock);
	if (s->sta && s->a.n)
		report(s, info);
	spin_unlock_bh(&s->lock);
}

/* Feedback for a station, 1/100 dB: of each modulation, and the SNR. */
void aasrc_told(struct aasrc_sta *s, const s16 *esnr, s16 snr)
{
	u64 now = ktime_get_ns();
	bool fell = false;
	int m;

	spin_lock_bh(&s->lock);
	if (s->sta && s->a.n && s->a.kind != AASRC) {
		s->fed_back = true;
		if (s->a.kind == AARC_SNR)
			fell = aasrc_feedback(&s->a, now, 0, snr);
		for (m = 0; s->a.kind == AARC && m < 4; m++)
			fell |= aasrc_feedback(&s->a, now, m, esnr[m]);
		if (fell)
			arm(s, now);
	}
	spin_unlock_bh(&s->lock);
}

static void *alloc(struct ieee80211_hw *hw, enum aasrc_kind kind)
{
	struct aasrc_card *c;

	/*
	 * A status of such a driver is of one MPDU, and none says where an A-MPDU ends (mt76/mt7603/init.c, mt7615/init.c): units of one
	 * frame, of which no probe would ever have enough to tell. Without a rate control mac80211 does not register the card.
	 */
	if (ieee80211_hw_check(hw, TX_STATUS_NO_AMPDU_LEN)) {
		wiphy_err(hw->wiphy, "wavetank_aasrc: this driver does not tell of A-MPDUs (TX_STATUS_NO_AMPDU_LEN): write "
			  "minstrel_ht to mac80211's ieee80211_default_rc_algo and load the driver again\n");
		return NULL;
	}
	/* mac80211 takes no reference to who registered a rate control: as long as a card uses it, it stays */
	if (!try_module_get(THIS_MODULE))
		return NULL;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c) {
		module_put(THIS_MODULE);
		return NULL;
	}
	c->hw = hw;
	c->kind = kind;
	return c;
}

static void *alloc_aasrc(struct ieee80211_hw *hw) { return alloc(hw, AASRC); }
static void *alloc_aarc(struct ieee80211_hw *hw) { return alloc(hw, AARC); }
static void *alloc_aarc_snr(struct ieee80211_hw *hw) { return alloc(hw, AARC_SNR); }

static void free_card(void *priv)
{
	kfree(priv);
	module_put(THIS_MODULE);
}

static void *alloc_sta(void *priv, struct ieee80211_sta *sta, gfp_t gfp)
{
	struct aasrc_card *c = priv;
	struct aasrc_sta *s = kzalloc(sizeof(*s), gfp);

	if (!s)
		return NULL;
	s->card = c;
	s->hw = c->hw;
	s->a.kind = c->kind;
	spin_lock_init(&s->lock);
	hrtimer_init(&s->silence, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	s->silence.function = silent;
	hrtimer_init(&s->unbar, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	s->unbar.function = unbar;
	spin_lock_bh(&aasrc_stations_lock);
	list_add_tail(&s->list, &aasrc_stations);
	spin_unlock_bh(&aasrc_stations_lock);
	return s;
}

static void free_sta(void *priv, struct ieee80211_sta *sta, void *priv_sta)
{
	struct aasrc_sta *s = priv_sta;

	spin_lock_bh(&aasrc_stations_lock);
	list_del(&s->list);
	spin_unlock_bh(&aasrc_stations_lock);
	hrtimer_cancel(&s->silence);
	hrtimer_cancel(&s->unbar);
	kfree(s);
}

static void start(struct aasrc_sta *s, struct ieee80211_supported_band *sband, struct ieee80211_sta *sta)
{
	enum aasrc_kind kind = s->a.kind;

	spin_lock_bh(&s->lock);
	s->sta = sta;
	memset(&s->a, 0, sizeof(s->a));
	s->a.n = aasrc_ladder(s->a.rate, sband, sta);
	aasrc_start(&s->a, kind);
	s->probing = AASRC_IDLE;
	s->lowered = false;
	if (s->a.n)
		set_table(s, AASRC_NONE);
	spin_unlock_bh(&s->lock);
}

static void rate_init(void *priv, struct ieee80211_supported_band *sband, struct cfg80211_chan_def *chandef,
		      struct ieee80211_sta *sta, void *priv_sta)
{
	start(priv_sta, sband, sta);
}

/* The width, the streams or power save of its antennas have changed: another ladder, from its foot. */
static void rate_update(void *priv, struct ieee80211_supported_band *sband, struct cfg80211_chan_def *chandef,
			struct ieee80211_sta *sta, void *priv_sta, u32 changed)
{
	if (changed & (IEEE80211_RC_BW_CHANGED | IEEE80211_RC_SMPS_CHANGED | IEEE80211_RC_SUPP_RATES_CHANGED |
		       IEEE80211_RC_NSS_CHANGED))
		start(priv_sta, sband, sta);
}

static u32 expected_throughput(void *priv_sta)
{
	struct aasrc_sta *s = priv_sta;
	u32 kbps = 0;

	spin_lock_bh(&s->lock);
	if (s->a.n) {
		struct aasrc_rate *r = &s->a.rate[s->a.current_rate];

		kbps = r->avg ? aasrc_throughput(r, r->avg) : r->kbps;
	}
	spin_unlock_bh(&s->lock);
	return kbps;
}

/* Nothing of the card's own; but only who has this gets the file rc/name (rate.h rate_control_add_debugfs). */
static void add_debugfs(struct ieee80211_hw *hw, void *priv, struct dentry *dir)
{
}

#define OPS(_kind, _name, _alloc) \
	[_kind] = { \
		.name = _name, \
		.capa = RATE_CTRL_CAPA_AMPDU_TRIGGER,	/* without it no Block Ack session starts */ \
		.alloc = _alloc, .free = free_card, .alloc_sta = alloc_sta, .free_sta = free_sta, \
		.rate_init = rate_init, .rate_update = rate_update, \
		.get_rate = get_rate, .tx_status_ext = tx_status, \
		.add_debugfs = add_debugfs, .add_sta_debugfs = aasrc_add_sta_debugfs, .get_expected_throughput = expected_throughput, \
	}

const struct rate_control_ops aasrc_ops[AASRC_KINDS] = {
	OPS(AASRC, "aasrc", alloc_aasrc),
	OPS(AARC, "aarc", alloc_aarc),
	OPS(AARC_SNR, "aarc_snr", alloc_aarc_snr),
};
