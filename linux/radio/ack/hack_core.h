/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hack_core: between hack.c (a card), hack_stack.c (Linux's stack) and the machines (hack/src/lib.rs).
 */
#ifndef WAVETANK_RADIO_HACK_CORE_H
#define WAVETANK_RADIO_HACK_CORE_H

#include "radio.h"

#define WT_HACK_HEADER	80	/* IPv4 20, TCP 60 */
#define WT_HACK_FLUSH	0x88b5	/* ETH_P_802_EX1 */

struct wt_hack_pair;			/* both drivers' machines */

struct wt_hack_seen {
	u64 made, compressed, compressed_bytes, riding_bytes, responses, failures, not_ready, repairs, flushes, restored, refused;
};

struct wt_hack {			/* of a station */
	struct wt_hack_pair *pair;	/* NULL: none */
	u64 deadline;			/* when its timer is due, U64_MAX if it is not */
	int (*okfn)(struct net *net, struct sock *sk, struct sk_buff *skb);	/* where a held packet goes on */
	struct sk_buff_head back, done;	/* go down natively; are over: after unlocking */
	u64 native, native_bytes, riding_ns, beyond_difs;
};

static inline bool wt_hack_station(const struct wt_radio *r)
{
	return r->hack && r->hack->pair && wt_is_station(r);
}

/* ---- the machines ---- */

struct wt_hack_rules {
	bool rides;
	u8 waits;
	u16 bytes;
	u64 timer, guard, load;
};

struct wt_hack_flush {
	u32 end, bytes;
};

struct wt_hack_pair *wt_hack_pair_new(struct wt_radio *owner, const struct wt_hack_rules *rules);
void wt_hack_pair_free(struct wt_hack_pair *p);
bool wt_hack_sent(struct wt_hack_pair *p, u64 now, struct sk_buff *skb, const u8 *header, u32 len);
void wt_hack_sends(struct wt_hack_pair *p, bool more_data);
u32 wt_hack_answers(struct wt_hack_pair *p, u64 now, bool repeats);
void wt_hack_answered(struct wt_hack_pair *p);
u64 wt_hack_deadline(const struct wt_hack_pair *p);
bool wt_hack_timer(struct wt_hack_pair *p, u64 now, struct wt_hack_flush *flush);
void wt_hack_native(struct wt_hack_pair *p, const u8 *header, u32 len);
void wt_hack_flush_came(struct wt_hack_pair *p, u32 end);
void wt_hack_ended(struct wt_hack_pair *p, const u8 *header, u32 len, bool arrived);
void wt_hack_flushed(struct wt_hack_pair *p, u32 end, bool arrived);
bool wt_hack_seize(struct wt_hack_pair *p, u64 now, struct sk_buff *skb, const u8 *header, u32 len);
void wt_hack_forget(struct wt_hack_pair *p);
void wt_hack_seen(const struct wt_hack_pair *p, struct wt_hack_seen *out);

/* After anything that may move its timer. */
static inline void wt_hack_look(struct wt_radio *r)
{
	r->hack->deadline = wt_hack_deadline(r->hack->pair);
}

/* ---- what they ask for (hack_stack.c) ---- */

void *wt_hack_alloc(size_t bytes);
void wt_hack_free(void *at);
void __noreturn wt_hack_panic(const char *file, size_t len, u32 line);
u32 wt_hack_header(struct sk_buff *skb, u8 *out);
void wt_hack_back(struct wt_radio *r, struct sk_buff *skb);
void wt_hack_done(struct wt_radio *r, struct sk_buff *skb);
bool wt_hack_up(struct wt_radio *r, const u8 *header, u32 len);

/* ---- hack_stack.c, for hack.c ---- */

int wt_hack_stack_hook(void);
void wt_hack_stack_unhook(void);
void wt_hack_stack_queue_flush(struct wt_radio *r, const struct wt_hack_flush *f);
void wt_hack_stack_went_up(struct sk_buff *skb);
void wt_hack_stack_flush(void);

#endif
