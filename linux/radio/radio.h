/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wavetank_radio: a virtual 802.11a/n card whose air is modelled, under the real mac80211.
 *
 * A packet's way:
 *
 *   mac80211's TXQs --(tx.c pulls)--> ampdu.c forms a PPDU --> the hardware queue of an access category
 *     --> medium.c: who may send, when, and what comes of it (edca.c: backoff; phy.c: durations)
 *     --> rx.c copies what arrived to the receiving radio;  block_ack.c: what is acknowledged, retried, given up
 *
 * Time is one absolute line of nanoseconds of CLOCK_MONOTONIC, owned by the medium: an event happens at the
 * time it was due, whatever the clock says when its timer runs. Reading the clock costs time in virtual time, so
 * sums of ktime_get() would drift.
 *
 * Locking: one lock (wt_medium.lock, softirq-safe) guards radios, queues and the medium. What calls back into us
 * (transmit status, received frames, BARs) is put on lists and called after unlocking.
 */
#ifndef WAVETANK_RADIO_H
#define WAVETANK_RADIO_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <net/mac80211.h>

#define WT_MAX_RADIOS	33
#define WT_MAX_MPDUS	64	/* of one A-MPDU: the Block Ack window */
#define WT_BAW_BITS	128	/* twice the window, as ath9k's ATH_TID_MAX_BUFS */
#define WT_BEACON_Q	IEEE80211_NUM_ACS
#define WT_MODES_HT	(32 * 4)
#define WT_NUM_Q	(IEEE80211_NUM_ACS + 1)
#define WT_MAX_SUBCARRIERS	114	/* 40 MHz */
#define WT_OFDM_RATES	8
#define WT_NOISE_DBM	(-95)	/* of a 40 MHz channel: what an SNR is told of as a signal */
#define WT_SIGNAL_DBM	(-40)	/* where no channel says otherwise */

enum wt_mode { WT_ATH9K, WT_ATH9K_HTC, WT_ATH10K, WT_TIDQ, WT_MODES };
/* hack.c: when a TCP ACK waits; NATIVE counts only */
enum wt_hack_policy { WT_HACK_OFF, WT_HACK_NATIVE, WT_HACK_TIMER, WT_HACK_OPPORTUNISTIC, WT_HACK_MORE_DATA, WT_HACK_POLICIES };

/* ---- parameters (main.c): read-only after loading ---- */
struct wt_params {
	unsigned int radios;		/* how many cards */
	unsigned int seed;		/* of every random stream */
	unsigned int max_frames;	/* MPDUs an aggregate may hold */
	unsigned int max_bytes;		/* its length */
	unsigned int max_us;		/* its duration at the slowest rate of the chain */
	unsigned int mode[WT_MAX_RADIOS];	/* enum wt_mode, a radio */
	unsigned int n_mode;
	unsigned int fifo[WT_MODES];	/* MSDUs that the device takes from mac80211 */
	unsigned int htc_buffers;	/* ath9k_htc: frames in the device */
	unsigned int htc_frames;	/* ath9k_htc: MPDUs an aggregate may hold */
	unsigned int cpu_frame_ns, cpu_ppdu_ns, cpu_turn_ns;	/* ath9k_htc: the device's CPU */
	unsigned int host_irq_ns;	/* ath9k_htc: least time between two interrupts of the host's USB controller */
	bool htc_qdisc;			/* ath9k_htc: a qdisc above it, which the radio stops; else TXQs */
	unsigned int rx_ns[WT_MAX_RADIOS];	/* the host's time for a received frame, a radio */
	unsigned int n_rx;
	unsigned int rimt_first_us;	/* ath9k: a receive interrupt comes so long after the first frame that it tells of, */
	unsigned int rimt_last_us;	/* or so long after the last; 0: every frame is told of at once */
	bool tao;			/* stations hold TCP ACKs back (tao.c) */
	unsigned int tao_leave;		/* segments that may be without an ACK when they go */
	unsigned int hack;		/* enum wt_hack_policy */
	unsigned int hack_timer_us, hack_guard_us;	/* an ACK waits at most; a promise is believed */
	unsigned int hack_load_ns;	/* from the stack to the card, compressed */
	unsigned int hack_bytes;	/* that ride on one response at most */
	unsigned int hw_depth;		/* aggregates the hardware holds */
	unsigned int sw_retries;	/* attempts in all that an MPDU gets */
	unsigned int max_pending;	/* mode 3: frames of a category above which the netdev's queue is stopped */
	bool keep_turn;			/* mode 3: a TID that finds the hardware full stays first in its round */
	unsigned int streams;		/* spatial streams */
	unsigned int density;		/* A-MPDU density field, 0..7 */
	int pacing_shift;		/* TSQ's time at this device; -1: mac80211's own */
	bool ampdu;			/* aggregate at all */
	bool dcf;			/* the BSS has no QoS */
	bool ht;			/* 802.11n, else a/g only */
	char *rc[WT_MAX_RADIOS];	/* rate control, a radio; "fixed": none, the fixed rate */
	unsigned int n_rc;
	int fixed_mcs[WT_MAX_RADIOS];	/* of the link of radio i with the AP, both ways; -1: ask rate control */
	unsigned int n_fixed;
	int fixed_legacy;		/* -1, else bitrate index: all data at this legacy rate */
	bool fixed_40;
	bool fixed_sgi;
	unsigned int fixed_tries;	/* of the hardware at a fixed rate */
	unsigned int ctl_rate;		/* 100 kbit/s; 0: by the standard's rule */
	bool rts;
	unsigned int rts_limit;		/* RTSs without CTS after which a PPDU is given up */
	unsigned int window_limit;	/* failures in a row after which the contention window starts over */
	unsigned int answer_error_ppm;	/* answers to data that are lost, of a million */
	bool explicit_bar;		/* ask with a BAR after an aggregate without answer */
	bool eifs;			/* bystanders of a collision wait EIFS */
	unsigned int cca_ns;		/* two that start closer than this do not hear each other */
	unsigned int error_ppm[32];	/* per MPDU, by MCS (without 802.11n by bitrate index) */
	unsigned int n_error;
	char *channel;			/* file that says what each link does to a PPDU (channel.c) */
	int walk[64];			/* what is added to the MCS before error_ppm is asked, a step */
	unsigned int n_walk;
	unsigned int walk_ms;		/* a step of it */
	unsigned int minstrel_kib;	/* room of Minstrel's recording (minstrel.c) */
	unsigned long minstrel_table;
	unsigned int error_down_ppm[WT_MAX_RADIOS];	/* of what the AP sends to radio i, in place of that */
	unsigned int n_error_down;
	unsigned int error_run_milli[WT_MAX_RADIOS];	/* MPDUs in a row that are lost to radio i, mean, in thousandths; 0: each by itself */
	unsigned int n_error_run;
	unsigned int error_up_ppm[WT_MAX_RADIOS];	/* of what radio i sends to the AP, likewise */
	unsigned int n_error_up;
};
extern struct wt_params wt_p;

static inline bool wt_hack_on(void)
{
	return wt_p.hack != WT_HACK_OFF;
}

static inline bool wt_hack_rides(void)
{
	return wt_p.hack > WT_HACK_NATIVE;
}

/* ---- what the driver keeps in mac80211's structures ---- */
struct wt_tid {				/* ieee80211_txq.drv_priv */
	struct ieee80211_txq *txq;	/* NULL until first seen */
	struct sk_buff_head fw_q;	/* in the firmware, not yet sent (fifo.c) */
	struct list_head fw_list;	/* in wt_radio.fw_tids, if fw_q or retry_q holds something */
	struct sk_buff_head retry_q;	/* to be sent again, or pulled and not fitted */
	DECLARE_BITMAP(baw, WT_BAW_BITS);	/* MPDUs of the window that are not completed */
	u16 baw_head, baw_tail;
	u16 seq_start;			/* the window's first sequence number */
	u16 baw_size;
	u16 bar_seq;
	bool active;			/* a Block Ack session runs */
	u16 unused;			/* numbers of mac80211's that were given back (seize.c) */
	bool bar_due;			/* everything before bar_seq was given up */
	/* tidq.c */
	struct list_head turn;		/* in wt_turn.tids, if it waits for its turn */
	u32 id;				/* towards the discipline above; 0: not yet */
	u32 allowed;			/* octets of an aggregate at the present rate; 0: not yet known */
	u32 held_bytes;			/* what fw_q and retry_q would take on the air */
	u16 held;			/* frames in them */
	u16 seq_next;			/* the number after the last one that was looked at */
	bool numbered;			/* the first of fw_q was looked at */
	bool paused, more;		/* the discipline was told to PAUSE; it has announced more */
};

struct wt_turn {			/* one station in one category: 3.18's ath_atx_ac */
	struct list_head list;		/* in wt_tidq.round */
	struct list_head tids;
};

struct wt_sta {				/* ieee80211_sta.drv_priv */
	u32 max_ampdu;
	u32 density_ns;
	struct wt_turn turn[IEEE80211_NUM_ACS];
};

struct wt_vif {				/* ieee80211_vif.drv_priv */
	u32 beacon_tu;
	bool beaconing;
	struct wt_turn turn[IEEE80211_NUM_ACS];
};

struct wt_frame {			/* tx_info->status.status_driver_data, as ath9k's ath_frame_info */
	u16 seq;
	u8 attempts;
	u8 urb;				/* ath9k_htc: the request that it came with */
	bool baw_tracked;
	bool in_fifo;			/* counted in wt_radio.fifo_used */
};

static inline struct wt_frame *wt_frame(struct sk_buff *skb)
{
	return (struct wt_frame *)&IEEE80211_SKB_CB(skb)->status.status_driver_data[0];
}

static inline void wt_frame_init(struct sk_buff *skb)
{
	struct wt_frame *f = wt_frame(skb);

	memset(f, 0, sizeof(*f));
	f->seq = IEEE80211_SEQ_TO_SN(le16_to_cpu(((struct ieee80211_hdr *)skb->data)->seq_ctrl));
}

/* ---- a PPDU: what the hardware is given ---- */
struct wt_ppdu {
	struct list_head list;
	struct wt_tid *tid;		/* NULL: not a data frame of a known station */
	struct ieee80211_sta *sta;
	struct ieee80211_vif *vif;
	struct ieee80211_tx_rate rates[IEEE80211_TX_MAX_RATES];
	u64 ready;			/* when it was handed to the hardware */
	u32 bytes;			/* PSDU: delimiters, MPDUs, padding */
	u8 chain;			/* rate in use */
	u8 tries;			/* at that rate */
	u8 attempts;			/* in all */
	u8 rts_failures;
	u8 n;
	bool back_req;			/* the frame is a BAR of mac80211's */
	bool probe;			/* goes out alone, to try a rate */
	bool unit;			/* of ath9k_htc's firmware, which completes it */
	bool answered;			/* what the hardware said of it, until then */
	u8 ac;
	bool ampdu;			/* MPDUs of a Block Ack session (even if only one) */
	bool aggr;			/* an A-MPDU: answered by a Block Ack */
	bool no_ack;
	bool beacon;
	bool bar;			/* its turn is used for a BAR: the last aggregate got no answer */
	u64 acked;			/* bit i: mpdu[i] arrived */
	struct sk_buff *mpdu[WT_MAX_MPDUS];
};

/* ---- one access category's contention (edca.c) ---- */
struct wt_edcaf {
	u16 aifsn, cw_min, cw_max, txop_us;
	u16 cw;
	u16 slots;			/* of backoff that remain */
	u16 failures;			/* in a row: QSRC[AC] */
	struct list_head hwq;
	u16 depth, ampdu_depth;
	struct rnd_state rnd;
};

/* ---- ath9k_htc's USB and firmware (htc.c) ---- */
#define WT_HTC_EVENTS	8	/* wlan_cfg.h ATH_WMI_MAX_EVENTS */
#define WT_HTC_UPLOADS	16
#define WT_HTC_POSTS	32

enum wt_htc_job { WT_HTC_IDLE, WT_HTC_RECEIVE, WT_HTC_COMPLETE, WT_HTC_FORM, WT_HTC_REPORT };
enum wt_htc_what { WT_HTC_REQUEST, WT_HTC_STATUS, WT_HTC_FRAMES };

struct wt_htc {
	struct sk_buff_head skbs;	/* for the next request */
	struct sk_buff_head request;	/* of the one in flight: not yet with the device */
	u8 urb;				/* the last request's number */
	bool in_flight;
	unsigned int buffers;		/* free */
	u64 arrive_at;			/* the first of request has arrived, 0 if none is on its way */
	u8 job;				/* enum wt_htc_job: what the CPU is busy with */
	bool forming;
	u64 cpu_at;			/* when it is done, 0 if idle */
	u64 idle;			/* since when */
	struct sk_buff *job_skb;
	struct wt_ppdu *job_ppdu;
	struct sk_buff_head inbox;	/* came by USB, wait for the CPU */
	struct list_head done;		/* units that the hardware is done with */
	unsigned int depth[IEEE80211_NUM_ACS];	/* units with the hardware or in done */
	struct sk_buff_head settled;	/* over, of the present pass */
	struct sk_buff_head statuses;	/* in events */
	u8 event[WT_HTC_EVENTS];	/* how many each has */
	unsigned int n_events;
	u64 poll_at;			/* the first is fetched, 0 if there is none */
	struct sk_buff_head early;	/* their status came before their request was complete */
	u64 clean_at;			/* those are looked at, 0 if there are none */
	struct sk_buff_head up;		/* received, not yet with the host */
	struct wt_htc_upload {
		u64 at;
		u16 n;
	} upload[WT_HTC_UPLOADS];	/* transfers that have ended or will */
	unsigned int n_uploads;
	u16 open_frames;		/* of the open one */
	u32 open_octets;
	u64 up_cpu, up_bus;		/* received frames occupy the CPU, uploads the bus until then */
	struct wt_htc_post {
		u8 what;		/* enum wt_htc_what */
		u16 n;
	} post[WT_HTC_POSTS];		/* what the interrupt will tell of */
	unsigned int n_posts;
	u64 irq_at, irq_last;		/* 0: none */
};

struct wt_counters {
	u64 ppdus, mpdus, acked_mpdus, failed_mpdus, dropped_mpdus;
	u64 collisions, no_response, internal_collisions, aggregates, singles;
	u64 airtime_ns, ht_ampdu[WT_MAX_MPDUS + 1];
	u64 mode_ppdus[WT_MODES_HT], mode_mpdus[WT_MODES_HT];	/* data by HT mode: MCS, 40 MHz, short guard interval */
	u64 rx_mpdus, rx_bytes, back_to_back, fifo_max, netdev_stops;
	u64 tao_held, tao_releases, tao_expired;
};

struct wt_tidq {			/* a category of mode 3 */
	struct list_head round;		/* stations with TIDs that hold frames */
	unsigned int pending;		/* frames below the qdisc */
	bool stopped;
};

/* ---- a station's held TCP ACKs (tao.c) ---- */
struct wt_tao {
	spinlock_t lock;
	bool inside;			/* a received frame is on its way up */
	int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);	/* where a held packet goes on */
	struct timer_list patience;
	struct wt_tao_tid {
		u32 data_to_ack;
		bool more_data;		/* its A-MPDU's last frame has yet to go up */
		unsigned long since;	/* the first of held was held, jiffies */
		struct sk_buff_head held;
	} tid[8];
	struct wt_tao_flow {
		__be32 near, far;
		__be16 near_port, far_port;
		u32 segments;		/* that went up since its last ACK */
		u8 tid;			/* of its data */
		bool used;
		unsigned long last;	/* data came, jiffies */
	} flows[32];
};

struct wt_tao_frame {			/* a received frame on its way up */
	bool data, last;
	u8 tid;
};

/* ---- TCP/HACK (hack.c) ---- */
struct wt_hack_pair;			/* both drivers' machines: hack/src/lib.rs */

struct wt_hack {			/* of a station */
	struct wt_hack_pair *pair;	/* NULL: none */
	u64 deadline;			/* when its timer is due, U64_MAX if it is not */
	u8 tried;			/* categories whose head was on the air */
	int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);	/* where a held packet goes on */
	struct sk_buff_head back, done;	/* go down natively; are over: after unlocking */
	u64 native, native_bytes, riding_ns, beyond_difs;
};

struct wt_hack_seen {
	u64 made, compressed, compressed_bytes, riding_bytes, responses, failures, not_ready, repairs, flushes, restored, refused;
};

struct wt_radio {
	struct ieee80211_hw *hw;
	int index;
	bool started;
	bool own_rc;			/* its rate control was named: no fixed rate for what it sends */
	bool dcf;			/* a BSS without QoS: DCF's count at the first boundary (edca.c) */
	struct ieee80211_vif *vif;	/* one interface a radio */
	u32 freq;			/* of the primary channel, MHz */
	struct wt_edcaf ac[WT_NUM_Q];	/* IEEE80211_AC_VO.. first is the highest; then the beacon's */
	u64 base;			/* AIFSN slots are counted from here: end of the last frame + SIFS */
	u64 tbtt;			/* next beacon, 0 if none */
	u64 late_at;			/* when a response that did not come is given up, 0 if none waits */
	int late_q;
	struct sk_buff_head held_q;	/* arrived, the receive interrupt has yet to come */
	u64 held_first, held_last;	/* when the first and the last of them ended */
	struct sk_buff_head rx_q;	/* arrived, the host has yet to get to them */
	struct sk_buff_head rx_ready;	/* to be handed to mac80211 after unlocking */
	u64 rx_at;			/* when the host is done with the first of rx_q, 0 if none */
	enum wt_mode mode;
	struct list_head fw_tids[IEEE80211_NUM_ACS];	/* TIDs with frames in the firmware, in turn */
	unsigned int fifo_used;
	bool netdev_stopped;
	struct wt_tidq tidq[IEEE80211_NUM_ACS];
	u32 tid_ids;
	struct wt_tao tao;
	struct wt_hack hack;
	bool corked;			/* several frames come down as one: they are looked at when all are there */
	struct wt_htc htc;
	struct rnd_state rnd_error, rnd_answer;
	u32 csi_count;
	struct wt_counters count;
	struct dentry *debug;
};

/* ---- the air (medium.c) ---- */
enum wt_state { WT_IDLE, WT_DATA, WT_RESPONSE };

struct wt_medium {
	spinlock_t lock;
	struct hrtimer timer;
	u64 now;			/* of the last event */
	enum wt_state state;
	u64 until;			/* end of the present state */
	struct {
		struct wt_radio *radio;
		int q;
		u64 start, end;
	} tx[WT_MAX_RADIOS];		/* who sends now */
	int n_tx;
	bool response;			/* the receiver will answer */
	bool deaf;			/* its answer does not arrive */
	u64 response_ns;
	struct wt_radio *rides;		/* on whose answer TCP ACKs may ride */
	u64 txop_end;			/* of who sends now */
	u64 busy_ns, collision_ns, busy_since;
	struct wt_radio *last_tx;
	u64 last_end;
	/* called after unlocking */
	struct sk_buff_head done_q;
	struct list_head bars;
};

extern struct wt_medium wt_air;
extern struct wt_radio *wt_radios[WT_MAX_RADIOS];
extern unsigned int wt_n_radios;

/* phy.c */
u64 wt_phy_ppdu_ns(enum nl80211_band band, const struct ieee80211_tx_rate *r, u32 bytes);
u32 wt_phy_bytes_in(const struct ieee80211_tx_rate *r, u32 us);
u32 wt_phy_bytes_per_ns_gap(const struct ieee80211_tx_rate *r, u32 ns);
u64 wt_phy_control_ns(u32 rate_100k, u32 bytes);
u32 wt_phy_ofdm_index(enum nl80211_band band, const struct ieee80211_tx_rate *r);
u32 wt_phy_ofdm_of(u32 rate_100k);
u32 wt_phy_response_rate(enum nl80211_band band, const struct ieee80211_tx_rate *r);
#define WT_SLOT_NS	9000ull
#define WT_SIFS_NS	16000ull
/* ack timeout: SIFS + slot + aRxPHYStartDelay (20 us for OFDM) */
#define WT_TIMEOUT_NS	(WT_SIFS_NS + WT_SLOT_NS + 20000ull)
extern struct ieee80211_supported_band wt_band_5ghz, wt_band_2ghz;
void wt_phy_init(void);

/* edca.c */
void wt_seed(struct rnd_state *rnd, u32 radio, u32 purpose);
void wt_edcaf_init(struct wt_radio *r, int q);
u64 wt_edcaf_access(const struct wt_radio *r, const struct wt_edcaf *e);
void wt_edcaf_freeze(const struct wt_radio *r, struct wt_edcaf *e, u64 at);
void wt_edcaf_draw(struct wt_edcaf *e);
void wt_edcaf_succeeded(struct wt_edcaf *e);
void wt_edcaf_failed(struct wt_edcaf *e);

/* medium.c */
void wt_medium_init(void);
void wt_medium_stop(void);
u64 wt_medium_time(void);
void wt_medium_offer(struct wt_radio *r, int q, struct wt_ppdu *p);
void wt_medium_rearm(void);
void wt_medium_flush_lists(void);

/* tx.c */
int wt_tx_fixed_mcs(struct wt_radio *r, const u8 *to);
struct wt_tid *wt_tid_of(struct ieee80211_txq *txq);
void wt_tx_schedule(struct wt_radio *r, int ac);
bool wt_tx_tid(struct wt_radio *r, int ac, struct wt_tid *tid);
void wt_tx_single(struct wt_ppdu *p, struct sk_buff *skb);
void wt_tx_one(struct wt_radio *r, struct ieee80211_sta *sta, struct sk_buff *skb);
void wt_tx_flush_sta(struct wt_radio *r, struct ieee80211_sta *sta);
void wt_tx_flush_radio(struct wt_radio *r);
void wt_tx_rates(struct wt_radio *r, struct wt_ppdu *p, struct sk_buff *skb);
void wt_tx_done(struct wt_radio *r, struct sk_buff *skb, bool acked);
struct wt_ppdu *wt_ppdu_new(void);
void wt_ppdu_free(struct wt_ppdu *p);

/* ampdu.c */
struct wt_ampdu_size {
	u32 bytes, pad;
};
u32 wt_ampdu_limit(const struct wt_radio *r, struct wt_edcaf *e, struct wt_ppdu *p, struct sk_buff *first);
bool wt_ampdu_fits(const struct wt_radio *r, const struct wt_ampdu_size *size, const struct wt_ppdu *p, struct sk_buff *skb,
		   u32 limit, u32 frames);
void wt_ampdu_add(struct wt_ampdu_size *size, struct wt_ppdu *p, struct sk_buff *skb);
void wt_ampdu_formed(struct wt_radio *r, const struct wt_ampdu_size *size, struct wt_ppdu *p);
int wt_ampdu_next(struct wt_radio *r, struct wt_tid *tid, struct sk_buff **out);
void wt_ampdu_form(struct wt_radio *r, struct wt_edcaf *e, struct wt_tid *tid, struct wt_ppdu *p,
		   struct sk_buff *first);

/* block_ack.c */
void wt_ba_start(struct wt_tid *tid, u16 ssn);
bool wt_ba_given_up(struct wt_tid *tid, u16 seq);
bool wt_ba_within(const struct wt_tid *tid, u16 seq);
void wt_ba_add(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_unassign(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_complete(struct wt_tid *tid, struct sk_buff *skb);
void wt_ba_response(struct wt_radio *r, struct wt_ppdu *p, bool response);
void wt_ba_send_bars(struct list_head *bars);
void wt_ba_flush(struct wt_radio *r, struct wt_tid *tid);

/* rx.c */
void wt_rx_deliver(struct wt_radio *from, struct wt_ppdu *p);
s8 wt_rx_signal(s16 ctl, s16 ext);
struct wt_radio *wt_rx_receiver(struct wt_radio *from, const u8 *addr);
void wt_rx_host(struct wt_radio *to, struct sk_buff *skb);
void wt_rx_came(struct wt_radio *to, struct sk_buff *skb, u64 ended);
void wt_rx_flush(void);
u64 wt_rx_interrupt_at(const struct wt_radio *r);
void wt_rx_interrupt(struct wt_radio *r);
void wt_rx_processed(struct wt_radio *r, u64 now);

/* fifo.c */
void wt_fifo_pull(struct wt_radio *r, int ac);
void wt_fifo_release(struct wt_radio *r);
void wt_fifo_completed(struct wt_radio *r);
void wt_fifo_flush(struct wt_radio *r, struct wt_tid *tid);

/* htc.c */
void wt_htc_init(struct wt_radio *r);
void wt_htc_purge(struct wt_radio *r);
bool wt_htc_takes(struct wt_radio *r);
void wt_htc_take(struct wt_radio *r, struct wt_tid *tid, struct sk_buff *skb);
void wt_htc_check_queues(struct wt_radio *r);
void wt_htc_formed(struct wt_radio *r, int ac, struct wt_ppdu *p);
void wt_htc_done(struct wt_radio *r, int ac, struct wt_ppdu *p, bool response, u64 now);
void wt_htc_forget(struct wt_radio *r, struct ieee80211_sta *sta);
void wt_htc_settled(struct wt_radio *r, struct sk_buff *skb);
void wt_htc_receive(struct wt_radio *r, struct sk_buff *skb, u64 ended);
u64 wt_htc_due(const struct wt_radio *r);
void wt_htc_step(struct wt_radio *r, u64 now);
void wt_htc_flush(struct wt_radio *r, struct wt_tid *tid);

/* channel.c */
int wt_channel_load(const char *path);
void wt_channel_unload(void);
void wt_channel_start(u64 at);
bool wt_channel_present(const struct wt_radio *from, const struct wt_radio *to);
u32 wt_channel_survives(const struct wt_radio *from, const struct wt_radio *to, u64 at, bool ofdm, u32 idx, u32 bytes);
bool wt_channel_snr(const struct wt_radio *from, const struct wt_radio *to, u64 at, s16 *ctl, s16 *ext);
u32 wt_channel_csi(const struct wt_radio *from, const struct wt_radio *to, u64 at, const __le16 **csi);

/* csi.c */
int wt_csi_init(void);
void wt_csi_exit(void);
void wt_csi_report(struct wt_radio *to, const struct wt_radio *from, const struct wt_ppdu *p, s16 ctl, s16 ext);
/* tidq.c */
void wt_tidq_init_turns(struct wt_turn *turn);
void wt_tidq_pull(struct wt_radio *r, struct ieee80211_txq *txq);
void wt_tidq_schedule(struct wt_radio *r, int ac);
void wt_tidq_done(struct wt_radio *r, struct sk_buff *skb);
void wt_tidq_completed(struct wt_radio *r, struct wt_tid *tid, struct sk_buff_head *failed, unsigned int len);
u16 wt_tidq_session(struct wt_tid *tid, u16 ssn);
void wt_tidq_session_over(struct wt_radio *r, struct wt_tid *tid);
void wt_tidq_forget(struct wt_radio *r, struct wt_tid *tid);

/* tao.c */
int wt_tao_hook(void);
void wt_tao_unhook(void);
void wt_tao_init(struct wt_radio *r);
void wt_tao_stop(struct wt_radio *r);
void wt_tao_begin(struct wt_radio *r, struct sk_buff *skb, struct wt_tao_frame *f);
void wt_tao_end(struct wt_radio *r, const struct wt_tao_frame *f);

/* hack.c */
int wt_hack_hook(void);
void wt_hack_unhook(void);
void wt_hack_init(struct wt_radio *r);
void wt_hack_start(struct wt_radio *r);
void wt_hack_stop(struct wt_radio *r);
bool wt_hack_down(struct net_device *dev, struct sk_buff *skb,
		  int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb));
void wt_hack_settled(struct wt_radio *r, struct sk_buff *skb, bool acked);
void wt_hack_came(struct wt_radio *r, struct sk_buff *skb);
struct wt_radio *wt_hack_head(struct wt_radio *r, int q, const struct wt_ppdu *p);
void wt_hack_head_gone(struct wt_radio *r, int q);
u64 wt_hack_answer(struct wt_radio *r, u32 rate, u32 plain, bool repeats);
void wt_hack_heard(struct wt_radio *r);
bool wt_hack_takes(struct wt_radio *r, struct sk_buff *skb);
bool wt_hack_pure(struct sk_buff *skb);
void wt_hack_due(struct wt_radio *r, u64 now);
void wt_hack_flush_lists(void);
void wt_hack_show(const struct wt_radio *r, struct wt_hack_seen *s);
void wt_hack_amnesia(unsigned int radio);
void wt_hack_went_up(struct sk_buff *skb);

/* seize.c */
void wt_tx_number(struct wt_tid *tid, struct sk_buff *skb);
void wt_tx_seize(struct wt_radio *r);

/* beacon.c */
void wt_beacon_due(struct wt_radio *r, u64 now);

/* debug.c */
int wt_debug_init(void);
void wt_debug_exit(void);
void wt_debug_radio(struct wt_radio *r);
enum wt_ack_fate { WT_ACK_MADE, WT_ACK_CAME, WT_ACK_RESTORED, WT_ACK_RODE, WT_ACK_HEARD };
void wt_debug_ack(const struct wt_radio *r, enum wt_ack_fate what, const void *header, u32 len);
void wt_debug_ppdu(struct wt_radio *r, int q, const struct wt_ppdu *p, u64 start, u64 ns, bool collided);
bool wt_debug_drop(struct wt_radio *r, const struct wt_ppdu *p, int index);

/* minstrel.c */
struct dentry;
int wt_minstrel_init(struct dentry *root);
void wt_minstrel_record(struct ieee80211_hw *hw);
void wt_minstrel_release(struct ieee80211_hw *hw);
void wt_minstrel_exit(void);

/* mac.c */
struct net_device *wt_netdev_of(struct wt_radio *r);
struct wt_radio *wt_mac_add(int index);
void wt_mac_remove(struct wt_radio *r);

#endif
