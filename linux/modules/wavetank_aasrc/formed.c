// SPDX-License-Identifier: GPL-2.0
/*
 * formed: what tells that the driver has formed a unit, and with which table of rates: the frames that it pulls, and tables' numbers,
 * which reports hand back.
 *
 * Source: drivers/net/wireless/ath/ath9k/xmit.c ath_tx_sched_aggr, ath_tx_get_tid_subframe (which frames are pulled), ath_merge_ratetbl
 *   (all four links of a table are copied, with their flags), ath_tx_rc_status (those that were not tried lose index and count alone).
 */
#include <linux/string.h>
#include "aasrc.h"

/*
 * A number stands among the flags of the link behind all that a chain has, which has no rate: 1 to 2047 and anew, for
 * ieee80211_tx_rate.flags has 11 bits.
 */
#define LAST	(IEEE80211_TX_RATE_TABLE_SIZE - 1)
#define NUMBERS	GENMASK(10, 0)

/* Gives a table the number after `before`, and answers it. */
u16 aasrc_mark(struct ieee80211_sta_rates *t, u16 before)
{
	return t->rate[LAST].flags = before % NUMBERS + 1;
}

/* The number of the table that a report's unit was formed with; 0: the driver does not hand it back. */
u16 aasrc_number(const struct ieee80211_tx_info *info)
{
	const struct ieee80211_tx_rate *r = &info->status.rates[LAST];

	return r->idx < 0 ? r->flags & NUMBERS : 0;
}

/* Whether `number` was given after `than`; false where the driver does not tell. */
bool aasrc_later(u16 number, u16 than)
{
	return number && number != than && ((number - than) & NUMBERS) <= NUMBERS / 2;
}

/* A frame is pulled for a hardware queue: the second of its TID tells of a unit. */
void aasrc_pull(struct aasrc_pulled *p, u32 priority, u8 queue)
{
	u8 *of = &p->of[priority & IEEE80211_QOS_CTL_TID_MASK];

	p->all++;
	*of = min(*of + 1, AASRC_UNIT);
	p->unit |= *of == AASRC_UNIT;
	p->queues |= BIT(queue);
}

void aasrc_forget(struct aasrc_pulled *p)
{
	memset(p, 0, sizeof(*p));
}
