/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire: what a host gets over the wire lies in a card's buffer.
 */
#ifndef WAVETANK_RADIO_WIRE_H
#define WAVETANK_RADIO_WIRE_H

int wt_wire_hook(void);
void wt_wire_unhook(void);

#endif
