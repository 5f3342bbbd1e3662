// SPDX-License-Identifier: GPL-2.0
/*
 * BBR+ as a BPF program: BBR v1 with every gain a parameter, and its pacing rate as a part of what BBR asks for.
 *
 *   pacing rate = pace / 100 * gain * bandwidth; gains in 1/256. With its defaults it is BBR.
 *
 * Stands for: the patch of Hard Times (section VI-E); the model's tcp/cc/bbr_plus.rs. The rest: bbr.bpf.h.
 * Differs: D1 as the model's, pace multiplies the rate in every phase, while BBR's decisions see the gain alone. D2 as the model's, the
 * gain of the six phases that neither probe nor drain stays 1.
 */
#ifndef SET_PACE
#define SET_PACE 100 /* 1 to 1000: percent of BBR's pacing rate that is paced */
#endif
#ifndef SET_STARTUP_GAIN
#define SET_STARTUP_GAIN 739 /* 257 to 2047: pacing gain of Startup */
#endif
#ifndef SET_STARTUP_CWND_GAIN
#define SET_STARTUP_CWND_GAIN 739 /* 257 to 2047: window's gain in Startup and Drain */
#endif
#ifndef SET_DRAIN_GAIN
#define SET_DRAIN_GAIN 88 /* 1 to 256: pacing gain of Drain */
#endif
#ifndef SET_CWND_GAIN
#define SET_CWND_GAIN 512 /* 256 to 2047: window's gain in ProbeBW */
#endif
#ifndef SET_PROBE_GAIN
#define SET_PROBE_GAIN 320 /* 257 to 2047: pacing gain of the phase that probes */
#endif
#ifndef SET_DRAIN_PHASE_GAIN
#define SET_DRAIN_PHASE_GAIN 192 /* 1 to 255: pacing gain of the phase that drains */
#endif

#define PACE_PERCENT SET_PACE
#define STARTUP_GAIN SET_STARTUP_GAIN
#define STARTUP_CWND_GAIN SET_STARTUP_CWND_GAIN
#define DRAIN_GAIN SET_DRAIN_GAIN
#define CWND_GAIN SET_CWND_GAIN
#define PROBE_GAIN SET_PROBE_GAIN
#define DRAIN_PHASE_GAIN SET_DRAIN_PHASE_GAIN

#include "bbr.bpf.h"

CONTROL(bbr_plus);
