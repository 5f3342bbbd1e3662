/* SPDX-License-Identifier: GPL-2.0 */
/*
 * minstrel: what Minstrel-HT is told and decides, written down.
 */
#ifndef WAVETANK_RADIO_MINSTREL_H
#define WAVETANK_RADIO_MINSTREL_H

#include "kernel.h"

struct dentry;
#if WT_BEFORE(5, 13)	/* another Minstrel-HT than this writes down */
static inline int wt_minstrel_init(struct dentry *root)
{
	return 0;
}

static inline void wt_minstrel_record(struct ieee80211_hw *hw)
{
}

static inline void wt_minstrel_release(struct ieee80211_hw *hw)
{
}

static inline void wt_minstrel_exit(void)
{
}
#else
int wt_minstrel_init(struct dentry *root);
void wt_minstrel_record(struct ieee80211_hw *hw);
void wt_minstrel_release(struct ieee80211_hw *hw);
void wt_minstrel_exit(void);
#endif

#endif
