//! The channel of a scenario, written down for the real kernel's virtual radio: what [`World`](super::World) would draw, step by step.

use super::air;
use crate::phy::channel::{LinkModes, Trace};
use crate::phy::{Band, He, Ht, Mode, Vht, he, vht};
use crate::scenario::Scenario;
use crate::sim::{Span, Streams};

/// Steps while interference comes and goes at any time.
const FINE: Span = Span::from_us(250);

/// None: the scenario has no channel. Losses are of all MCSs of each link's standard, with at most its streams, at its width (of 40 MHz of 802.11n, of 20 of them, too), then of
/// 802.11a's rates and, at 2.4 GHz, of 802.11b's; see [`Trace`] for the bytes. `csi`: with reports of CSI.
pub fn channel_trace(s: &Scenario, csi: bool) -> Result<Option<Vec<u8>>, String> {
    let cfg = air::config(s)?;
    let modes: Vec<LinkModes> = cfg.stations.iter().skip(1).map(|of| link_modes(of.mode, of.mode_up)).collect();
    let mut step = s.channel.step.ns();
    if s.channel.power_step > Span::ZERO {
        step = common(step, s.channel.power_step.ns());
    }
    if s.channel.burst_every > Span::ZERO {
        step = common(step, FINE.ns());
    }
    let span = s.time.lead_in + s.time.flows + s.time.tail;
    let dsss = cfg.band == Band::Ghz2;
    let channel = cfg.channel(&Streams::new(s.seed));
    Ok(channel.map(|c| c.trace(&Trace { modes: &modes, step: Span::from_ns(step), span, csi, dsss })))
}

/// The modes of a link that may be used on it, one of which is `down` and one `up`.
fn link_modes(down: Mode, up: Mode) -> LinkModes {
    let streams = down.streams().max(up.streams()) as u8;
    match down {
        Mode::Dsss(_) | Mode::Ofdm(_) => LinkModes { modes: Vec::new(), widths: 1 },
        Mode::Ht(h) => {
            // rate control goes down to 20 MHz of a channel of 40, where all the power is in half the width
            let widths: &[bool] = if h.mhz40 { &[true, false] } else { &[false] };
            let of = |wide| (0..8 * streams).map(move |mcs| Ht::new(mcs, wide, true).map(Mode::Ht));
            LinkModes { modes: widths.iter().flat_map(|&w| of(w)).collect(), widths: widths.len() as u16 }
        }
        Mode::Vht(v) => {
            let of = |n| (0..=vht::MCS).map(move |mcs| Vht::new(mcs, n, v.width, true).map(Mode::Vht));
            LinkModes { modes: (1..=streams).flat_map(of).collect(), widths: 1 }
        }
        Mode::He(h) => {
            let of = |n| (0..=he::MCS).map(move |mcs| He::new(mcs, n, h.width, h.gi).map(Mode::He));
            LinkModes { modes: (1..=streams).flat_map(of).collect(), widths: 1 }
        }
    }
}

/// Greatest common divisor.
fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Source, read};

    fn scenario(text: &str) -> Scenario {
        read(&Source { path: "test", text }, &[]).unwrap()
    }

    #[test]
    fn steps_meet_all_that_changes() {
        let text = "name = \"t\"\n[topology]\nkind = \"wifi\"\n[channel]\non = true\nstep = \"2 ms\"\npower_step = \"3 ms\"\n[time]\nlead_in = \"0 s\"\nflows = \"1 s\"\ntail = \"0 s\"\nwarmup = \"0 s\"\n[wifi]\nmcs = 7\n";
        let bytes = channel_trace(&scenario(text), false).unwrap().unwrap();
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        assert_eq!(word(16), 1_000_000, "1 ms divides 2 and 3");
        assert_eq!(bytes.len(), 32 + 2 * (8 + 1001 * (4 + 4 * 24)));
        // At 2.4 GHz 802.11b's rates are there, too.
        let ghz2 = text.replace("mcs = 7", "mcs = 7\nband = \"2.4 GHz\"");
        let bytes = channel_trace(&scenario(&ghz2), false).unwrap().unwrap();
        assert_eq!((bytes.len(), bytes[28]), (32 + 2 * (8 + 1001 * (4 + 4 * 28)), 4));
        // Of 802.11ac and ax a link has the MCSs of its one width.
        let ac = text.replace(
            "mcs = 7",
            "standard = \"ac\"\nmcs = 4\nwidth_mhz = 80\n[ap]\ndriver = \"ath10k\"\n[sta]\ndriver = \"ath10k\"",
        );
        let bytes = channel_trace(&scenario(&ac), false).unwrap().unwrap();
        assert_eq!((bytes.len(), bytes[36]), (32 + 2 * (8 + 1001 * (4 + 4 * 18)), 10));
        assert_eq!(
            channel_trace(&scenario("name = \"t\"\n[topology]\nkind = \"wifi\"\n[wifi]\nmcs = 7\n"), false).unwrap(),
            None
        );
    }
}
