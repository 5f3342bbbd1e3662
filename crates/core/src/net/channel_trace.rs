//! The channel of a scenario, written down for the real kernel's virtual radio: what [`World`](super::World) would draw, step by step.

use super::air;
use crate::phy::channel::Trace;
use crate::phy::{Ht, Mode};
use crate::scenario::Scenario;
use crate::scenario::keys::Standard;
use crate::sim::{Span, Streams};

/// Steps while interference comes and goes at any time.
const FINE: Span = Span::from_us(250);

/// None: the scenario has no channel. Losses are of the HT modes of the scenario's streams, over its width and over 20 MHz of 40, then of 802.11a's; see
/// [`Trace`] for the bytes. `csi`: with reports of CSI.
pub fn channel_trace(s: &Scenario, csi: bool) -> Result<Option<Vec<u8>>, String> {
    if matches!(s.wifi.standard, Standard::Ac | Standard::Ax) {
        return Err(format!("wifi.standard: {}; the virtual radio is of 802.11a and n", s.wifi.standard.name()));
    }
    let streams = if s.wifi.standard == Standard::N { s.wifi.mcs / 8 + 1 } else { 0 };
    // rate control goes down to 20 MHz of a channel of 40, where all the power is in half the width
    let wide = s.wifi.width_mhz == 40;
    let widths: &[bool] = if wide { &[true, false] } else { &[false] };
    let ht = |mhz40| (0..8 * streams).filter_map(move |mcs| Ht::new(mcs, mhz40, true).map(Mode::Ht));
    let modes: Vec<Mode> = widths.iter().flat_map(|&w| ht(w)).collect();
    let widths = widths.len() as u16;
    let mut step = s.channel.step.ns();
    if s.channel.power_step > Span::ZERO {
        step = common(step, s.channel.power_step.ns());
    }
    if s.channel.burst_every > Span::ZERO {
        step = common(step, FINE.ns());
    }
    let span = s.time.lead_in + s.time.flows + s.time.tail;
    let channel = air::config(s)?.channel(&Streams::new(s.seed));
    Ok(channel.map(|c| c.trace(&Trace { modes: &modes, widths, step: Span::from_ns(step), span, csi })))
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
        assert_eq!(
            channel_trace(&scenario("name = \"t\"\n[topology]\nkind = \"wifi\"\n[wifi]\nmcs = 7\n"), false).unwrap(),
            None
        );
    }
}
