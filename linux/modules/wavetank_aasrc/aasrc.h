/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wavetank_aasrc: three rate controls for mac80211 that probe with whole aggregates: aasrc, aarc, aarc_snr.
 *
 *   aasrc.c     what is decided, and why: no clock, no lock, no mac80211
 *   ladder.c    the rates that a station can be sent at, slowest first
 *   station.c   mac80211's questions and reports; the table of rates; one probe at a time
 *   formed.c    which units the driver has formed, and with which table
 *   table.c     debugfs: rc_stats, rc_stats_csv
 *   feedback.c  generic netlink: the receiver's effective SNR
 *   main.c      parameters, loading
 */
#ifndef WAVETANK_AASRC_H
#define WAVETANK_AASRC_H

#ifndef WAVETANK_AASRC_OUTSIDE		/* tests/vectors runs aasrc.c outside the kernel */
#include <linux/hrtimer.h>
#include <linux/types.h>
#include <net/mac80211.h>
#endif

#define AASRC_MAX_RATES	32
#define AASRC_NONE	(-1)

enum aasrc_kind { AASRC, AARC, AARC_SNR, AASRC_KINDS };

/* ---- parameters (main.c): may change at any time ---- */
struct aasrc_params {
	unsigned int max_backoff_ms[AASRC_KINDS];	/* powers of two */
	unsigned int threshold;		/* AARC: by how much better, 1/100 dB */
	unsigned int pkt_bytes;		/* equation 5.3 */
	unsigned int overhead_ns;	/* equation 5.2 */
	unsigned int window;		/* frames after which counts are halved */
	unsigned int feedback_ms;	/* older feedback is dropped */
	unsigned int streams;		/* at most; 0: what both ends have */
	unsigned int silence_ms;	/* without a report, though frames were sent */
	bool ack_snr;			/* aarc_snr without feedback: of the acknowledgements */
};
extern struct aasrc_params aasrc_p;

/* ---- one rate of the ladder ---- */
struct aasrc_rate {
	s8 idx;				/* ieee80211_tx_rate.idx */
	u16 flags;			/* IEEE80211_TX_RC_* */
	u32 kbps;			/* PHY rate */
	u8 modulation;			/* 0 BPSK, 1 QPSK, 2 16-QAM, 3 64-QAM: index of the eSNR that is its own */
	u32 sent, failed;		/* frames */
	u32 avg;			/* frames a unit, 8 fractional bits; 0: nothing known */
	u8 b;				/* equation 5.1 */
	bool referred;			/* reference is set */
	u64 barred_until;		/* ns */
	s32 reference;			/* AARC: feedback when it was barred, 1/100 dB */
	struct {
		u64 units, frames, acked, probes, forced, succeeded, forced_succeeded, lost;
	} count;
};

/* ---- one station ---- */
struct aasrc {
	enum aasrc_kind kind;
	int n;				/* rates */
	int current_rate;
	bool forced;			/* the next probe is one that feedback asked for */
	bool heard[4];			/* feedback has come, by modulation */
	s32 last[4];			/* it, 1/100 dB; aarc_snr has one for all */
	u64 steps_down;
	struct aasrc_rate rate[AASRC_MAX_RATES];
};

/* A link of a unit's chain that was tried. */
struct aasrc_tried {
	int rate;			/* of the ladder */
	bool answered;
};

struct aasrc_unit {
	struct aasrc_tried link[4];
	int links;
	u32 frames, acked;
	bool probe;			/* the first link is one */
	bool forced;
};

/* aasrc.c */
void aasrc_start(struct aasrc *a, enum aasrc_kind kind);
int aasrc_probe(const struct aasrc *a, u64 now);
void aasrc_report(struct aasrc *a, u64 now, const struct aasrc_unit *u);
void aasrc_lost(struct aasrc *a, u64 now, int rate);
void aasrc_silent(struct aasrc *a);
bool aasrc_feedback(struct aasrc *a, u64 now, int modulation, s32 value);
u32 aasrc_throughput(const struct aasrc_rate *r, u32 avg);

#ifndef WAVETANK_AASRC_OUTSIDE
/* ladder.c */
int aasrc_ladder(struct aasrc_rate *out, const struct ieee80211_supported_band *sband, const struct ieee80211_sta *sta);
int aasrc_find(const struct aasrc *a, int idx, u16 flags);

/* formed.c */
#define AASRC_UNIT	2		/* frames of a TID pulled that tell of one; a single one may be for none: station.c */

/* Frames that the driver has pulled for units, or for none. */
struct aasrc_pulled {
	u8 of[IEEE80211_NUM_TIDS];	/* by TID, two at most */
	u32 all;
	u16 queues;			/* hardware queues that they were for */
	bool unit;			/* two were of one TID: one was for a unit */
};

u16 aasrc_mark(struct ieee80211_sta_rates *t, u16 before);
u16 aasrc_number(const struct ieee80211_tx_info *info);
bool aasrc_later(u16 number, u16 than);
void aasrc_pull(struct aasrc_pulled *p, u32 priority, u8 queue);
void aasrc_forget(struct aasrc_pulled *p);

/* station.c */
#define AASRC_QUEUES	16		/* ieee80211_tx_info.hw_queue has four bits */

struct aasrc_sta;

struct aasrc_card {			/* rate_control_ref.priv */
	struct ieee80211_hw *hw;
	enum aasrc_kind kind;
	const struct aasrc_sta *last[AASRC_QUEUES];	/* whose frame was pulled last, by hardware queue; compared, not followed */
};

enum aasrc_probing {
	AASRC_IDLE,			/* units go at the current rate */
	AASRC_ARMED,			/* the table says: probe; the next unit will read it */
	AASRC_OUT,			/* a unit has read it, the table says current again; its report is awaited */
};

struct aasrc_sta {
	struct list_head list;		/* aasrc_stations */
	struct aasrc_card *card;
	struct ieee80211_hw *hw;
	struct ieee80211_sta *sta;	/* NULL until rate_init */
	spinlock_t lock;		/* what follows */
	struct aasrc a;
	enum aasrc_probing probing;
	bool forced;			/* that probe */
	int probed;			/* its rate */
	u16 table, probe_table;		/* number of the table in force, and of the last that said probe: formed.c */
	struct aasrc_pulled pulled;	/* since it was armed */
	u16 doubt;			/* hardware queues on which it may be out, where none is certain */
	u64 out_since;			/* ns */
	struct aasrc_pulled unheard;	/* since the last report */
	struct hrtimer silence;		/* then, with a unit among them, no report came for long */
	bool lowered;			/* since then the table is of the rate below the current one */
	struct hrtimer unbar;		/* then the next higher rate may be probed */
	bool fed_back;			/* somebody sends feedback */
	bool ack_heard;
	s32 ack_snr;			/* smoothed, 1/100 dB */
};
extern struct list_head aasrc_stations;
extern spinlock_t aasrc_stations_lock;
extern const struct rate_control_ops aasrc_ops[AASRC_KINDS];
void aasrc_told(struct aasrc_sta *s, const s16 *esnr, s16 snr);

/* table.c */
void aasrc_add_sta_debugfs(void *priv, void *priv_sta, struct dentry *dir);

/* feedback.c */
int aasrc_feedback_init(void);
void aasrc_feedback_exit(void);
#endif

#endif
