//! CSI matrices a second (1x1, 114 sub-carriers, four modulations) on one core.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

fn main() {
    divan::main();
}

const N: usize = 1_000;

#[divan::bench]
fn matrices(bencher: Bencher<'_, '_>) {
    // A channel with a slope and a fade; its shape does not matter, there is no branch on it.
    let csi: Vec<Vec<i16>> = (0..N)
        .map(|k| {
            (0..114).flat_map(|i| [((i * 7 + k * 13) % 400) as i16 - 150, ((i * 3 + k) % 300) as i16 - 100]).collect()
        })
        .collect();
    bencher.counter(ItemsCount::new(N)).bench_local(|| {
        for c in &csi {
            black_box(wavetank_csi::effective_db(black_box(c), 24.0));
        }
    });
}
