// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the kernel module's decisions (modules/wavetank_aasrc/aasrc.c, the very file) outside the kernel, on units whose fates are drawn, and prints
 * what was decided: vectors that the model's half must repeat (crates/core/tests/worlds/aasrc_vectors.rs).
 *
 *   machine KIND
 *   c TIME RATE LINKS        at TIME ns a unit is asked for: the MCS of its first link, and how many links
 *   r TIME AT TRIED FRAMES BAD CURRENT      the unit that was asked for at AT is over; the current MCS afterwards
 *   f TIME BPSK QPSK QAM16 QAM64 SNR        feedback, 1/100 dB
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* what aasrc.c needs of the kernel */
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
typedef int8_t s8; typedef int16_t s16; typedef int32_t s32;
#define READ_ONCE(x) (x)
#define NSEC_PER_MSEC 1000000ull
#define min_t(t, a, b) ((t)(a) < (t)(b) ? (t)(a) : (t)(b))
#define ilog2(x) (31 - __builtin_clz(x))
#define div_u64(a, b) ((u64)(a) / (b))
#define div64_u64(a, b) ((u64)(a) / (b))
#define WAVETANK_AASRC_OUTSIDE
#include "../../modules/wavetank_aasrc/aasrc.h"
#include "../../modules/wavetank_aasrc/aasrc.c"

struct aasrc_params aasrc_p = {
	.max_backoff_ms = { 32, 256, 256 }, .threshold = 100, .pkt_bytes = 1200, .overhead_ns = 117500, .window = 256,
};

static u64 state = 1;

static u32 draw(u32 below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

static const u32 kbps[8] = { 15000, 30000, 45000, 60000, 90000, 120000, 135000, 150000 };
static const u8 modulations[8] = { 0, 1, 1, 2, 2, 3, 3, 3 };

struct flight { u64 asked; int rate[3]; int links; bool probe, forced; };

static void run(enum aasrc_kind kind, int units)
{
	static const char *const names[] = { "aasrc", "aarc", "aarc_snr" };
	struct flight air[2];
	struct aasrc a = { .n = 8 };
	int flying = 0, i, unit, best = 4, quality = 1500;
	bool out = false;
	u64 now = 1000000000;

	for (i = 0; i < 8; i++)
		a.rate[i] = (struct aasrc_rate){ .idx = i, .kbps = kbps[i], .modulation = modulations[i] };
	aasrc_start(&a, kind);
	printf("machine %s\n", names[kind]);
	for (unit = 0; unit < units; ) {
		if (flying < 2) {
			struct flight *f = &air[flying++];
			int probe = out ? AASRC_NONE : aasrc_probe(&a, now), at = a.current_rate;

			*f = (struct flight){ .asked = now, .probe = probe >= 0 };
			if (probe >= 0) {
				f->rate[f->links++] = probe;
				f->forced = a.forced;
				a.forced = false;
				out = true;
			}
			f->rate[f->links++] = at;
			if (at)
				f->rate[f->links++] = at - 1;
			printf("c %llu %d %d\n", (unsigned long long)now, f->rate[0], f->links);
			continue;
		}
		/* the first one ends; the channel walks */
		now += 200000 + draw(4000000);
		if (!draw(8)) {
			int step = (int)draw(5) - 2;

			quality += 60 * step;
			best += step > 1 ? best < 7 : step < -1 ? -(best > 0) : 0;
		}
		if (kind != AASRC && draw(4)) {
			s16 v[5];

			for (i = 0; i < 5; i++)
				v[i] = quality + 20 * i + (int)draw(80) - 40;
			printf("f %llu %d %d %d %d %d\n", (unsigned long long)now, v[0], v[1], v[2], v[3], v[4]);
			for (i = 0; kind == AARC && i < 4; i++)
				aasrc_feedback(&a, now, i, v[i]);
			if (kind == AARC_SNR)
				aasrc_feedback(&a, now, 0, v[4]);
		}
		struct flight f = air[0];
		struct aasrc_unit u = { .frames = 1 + draw(draw(4) ? 40 : 4), .probe = f.probe, .forced = f.forced };
		int tried = 0, bad = 0;

		for (;;) {
			int over = f.rate[tried] - best;
			bool through = over <= 0 ? draw(50) != 0 : over == 1 ? draw(3) == 0 : false;

			u.link[tried].rate = f.rate[tried];
			if (through) {
				bad = over < 0 ? draw(2) : over == 0 ? draw(u.frames / 4 + 1) : draw(u.frames);
				if (bad == (int)u.frames)
					bad--;
				u.link[tried].answered = true;
			}
			tried++;
			if (through || tried == f.links)
				break;
		}
		air[0] = air[1];
		flying--;
		u.links = tried;
		if (!u.link[tried - 1].answered)
			bad = u.frames;
		u.acked = u.frames - bad;
		if (f.probe)
			out = false;
		aasrc_report(&a, now, &u);
		printf("r %llu %llu %d %u %d %d\n", (unsigned long long)now, (unsigned long long)f.asked, tried, u.frames, bad,
		       a.current_rate);
		unit++;
	}
}

int main(void)
{
	run(AASRC, 600);
	run(AARC, 600);
	run(AARC_SNR, 600);
	return 0;
}
