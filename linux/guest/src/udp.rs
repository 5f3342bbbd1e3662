// SPDX-License-Identifier: GPL-2.0
//! UDP flood: a socket that is never let run dry, and a sink that counts.
