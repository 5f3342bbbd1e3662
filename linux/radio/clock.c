// SPDX-License-Identifier: GPL-2.0
/*
 * clock: what happens next, at the time it is due; and what is said after the lock is dropped.
 */
#include <linux/hrtimer.h>
#include "air/medium.h"
#include "air/rx.h"
#include "beacon.h"
#include "clock.h"
#include "driver.h"
#include "mpdu/block_ack.h"
#include "mpdu/status.h"
#include "rider.h"

static struct hrtimer timer;

static u64 driver_due(const struct wt_radio *r)
{
	return r->driver->due ? r->driver->due(r) : U64_MAX;
}

static u64 rider_due(const struct wt_radio *r)
{
	return wt_rider ? wt_rider->due(r) : U64_MAX;
}

/* The earliest thing that will happen. */
static u64 next_event(void)
{
	u64 at = wt_medium_due();
	unsigned int i;

	for (i = 0; i < wt_n_radios; i++) {
		const struct wt_radio *r = wt_radios[i];

		if (r->tbtt)
			at = min(at, r->tbtt);
		at = min3(at, driver_due(r), min(wt_rx_due(r), rider_due(r)));
	}
	return at;
}

/* One event, at the time it was due. */
static void step(u64 at)
{
	unsigned int i;

	wt_now = at;
	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];

		if (wt_medium_late(r, at))
			return;
		if (driver_due(r) <= at) {
			r->driver->step(r, at);
			return;
		}
		if (wt_rx_due(r) <= at) {
			wt_rx_step(r, at);
			return;
		}
		if (rider_due(r) <= at) {
			wt_rider->step(r, at);
			return;
		}
		if (r->tbtt && r->tbtt <= at) {
			wt_beacon_due(r, at);
			return;
		}
	}
	wt_medium_step(at);
}

/* After anything under the lock that may bring an event nearer. */
void wt_clock_rearm(void)
{
	u64 at = next_event();

	if (at == U64_MAX)
		hrtimer_try_to_cancel(&timer);
	else if (!hrtimer_is_queued(&timer) || hrtimer_get_expires_ns(&timer) != at)
		hrtimer_start(&timer, ns_to_ktime(at), HRTIMER_MODE_ABS_SOFT);
}

static enum hrtimer_restart ring(struct hrtimer *t)
{
	u64 at;

	for (;;) {
		spin_lock_bh(&wt_lock);
		at = next_event();
		if (at > ktime_get_ns())
			break;
		step(max(at, wt_now));
		spin_unlock_bh(&wt_lock);
		wt_clock_flush();
	}
	wt_clock_rearm();
	spin_unlock_bh(&wt_lock);
	return HRTIMER_NORESTART;
}

/* Without the lock, what calls back into the driver: first what arrived, then what was completed. */
void wt_clock_flush(void)
{
	struct sk_buff_head done;
	struct list_head bars;
	unsigned int i;

	__skb_queue_head_init(&done);
	INIT_LIST_HEAD(&bars);
	spin_lock_bh(&wt_lock);
	wt_status_take(&done);
	wt_ba_take_bars(&bars);
	spin_unlock_bh(&wt_lock);
	local_bh_disable();
	wt_rx_flush();
	wt_status_tell(&done);
	for (i = 0; i < wt_n_radios; i++) {
		struct wt_radio *r = wt_radios[i];
		bool polled = r->polled, freed = r->freed;

		r->polled = r->freed = false;
		spin_lock(&wt_lock);
		if (r->driver->completed)
			r->driver->completed(r);
		if (r->driver->polled && polled)
			r->driver->polled(r);
		if (r->driver->freed && freed)
			r->driver->freed(r);
		spin_unlock(&wt_lock);
	}
	wt_ba_send_bars(&bars);
	if (wt_rider)
		wt_rider->flush();
	local_bh_enable();
}

/* What a driver has put off by scheduling its tasklet. */
void wt_clock_work(struct tasklet_struct *t)
{
	struct wt_radio *r = from_tasklet(r, t, worker);

	spin_lock(&wt_lock);
	r->driver->work(r);
	wt_clock_rearm();
	spin_unlock(&wt_lock);
}

void wt_clock_init(void)
{
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_SOFT);
	timer.function = ring;
}

void wt_clock_stop(void)
{
	hrtimer_cancel(&timer);
}
