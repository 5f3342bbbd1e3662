//! The papers' closed forms, and Bianchi's: pure functions of floating-point numbers, and a list of them.
//!
//! Nothing of the simulator is here, and nothing of the simulator uses it: `wavetank theory` evaluates the forms, and
//! `validate` and `reproduce` lay their curves beside what was measured. Times are microseconds, rates Mbit/s (so that
//! their product is bits) unless a name says otherwise. Where the print is damaged, the file says how it is
//! read.

pub mod bianchi;
pub mod csi_feedback;
pub mod exchange;
pub mod goodput11n;
pub mod hack;
pub mod hard_times;
pub mod overhead;
pub mod sora;
pub mod tcp_dcf;
pub mod tsq_limit;

/// An input of a [`Form`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Input {
    /// The symbol, as the source prints it.
    pub symbol: &'static str,
    /// The default: the source's value.
    pub default: f64,
    /// The unit.
    pub unit: &'static str,
    /// The least that is asked for.
    pub low: f64,
    /// The most: beyond it the form says nothing, or takes too long to work out.
    pub high: f64,
    /// A count, which has no fractions.
    pub whole: bool,
    /// What it is.
    pub doc: &'static str,
}

/// A closed form that can be listed and evaluated.
#[derive(Clone, Debug)]
pub struct Form {
    /// A name for the command line.
    pub name: &'static str,
    /// What it gives, in a line.
    pub title: &'static str,
    /// Paper and equation.
    pub source: &'static str,
    /// Its inputs, in the order in which `eval` takes them.
    pub inputs: Vec<Input>,
    /// Its outputs, each with its unit, in the order in which `eval` gives them.
    pub outputs: Vec<&'static str>,
    /// Evaluates it; takes as many numbers as there are inputs.
    pub eval: fn(&[f64]) -> Vec<f64>,
}

impl Form {
    /// Evaluates it at its defaults.
    pub fn at_defaults(&self) -> Vec<f64> {
        (self.eval)(&self.inputs.iter().map(|i| i.default).collect::<Vec<_>>())
    }
}

/// Every closed form.
pub fn forms() -> Vec<Form> {
    let mut all = hard_times::forms();
    all.extend(hack::forms());
    all.extend(sora::forms());
    all.extend(tcp_dcf::forms());
    all.extend(tsq_limit::forms());
    all.extend(goodput11n::forms());
    all.extend(overhead::forms());
    all.extend(csi_feedback::forms());
    all.extend(bianchi::forms());
    all
}

/// Declares a struct of inputs, each with its default, range (`in`, of a count `whole`), unit and meaning in one place, and its two
/// conversions.
macro_rules! inputs {
    (@whole in) => { false };
    (@whole whole) => { true };
    ($(#[$m:meta])* pub struct $name:ident {
        $( $(#[doc = $doc:literal])+ $f:ident ($sym:literal, $unit:literal) = $d:expr, $kind:tt $low:literal => $high:literal; )*
    }) => {
        $(#[$m])*
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name { $( $(#[doc = $doc])+ pub $f: f64, )* }
        impl Default for $name {
            fn default() -> Self { $name { $( $f: $d, )* } }
        }
        impl $name {
            /// One row an input, in the order of declaration.
            pub fn rows() -> Vec<$crate::theory::Input> {
                vec![ $( $crate::theory::Input {
                    symbol: $sym, default: $d, unit: $unit,
                    low: $low as f64, high: $high as f64, whole: inputs!(@whole $kind),
                    doc: concat!($($doc),+).trim_ascii(),
                }, )* ]
            }
            /// Reads them in that order. Panics if there are fewer.
            pub fn read(values: &[f64]) -> Self {
                let mut v = values.iter().copied();
                $name { $( $f: v.next().expect("one number for each input"), )* }
            }
        }
    };
}
pub(crate) use inputs;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each input at both ends of its range, the others at their defaults; all at the low and all at the high end.
    #[test]
    fn every_range_holds_its_default_and_gives_numbers_to_its_ends() {
        for f in forms() {
            let mut base: Vec<f64> = f.inputs.iter().map(|i| i.default).collect();
            for (i, x) in f.inputs.iter().zip(&mut base) {
                assert!(i.low < i.high && (i.low..=i.high).contains(&i.default), "{} {}", f.name, i.symbol);
                assert!(
                    !i.whole || [i.low, i.default, i.high].iter().all(|x| x % 1.0 == 0.0),
                    "{} {}",
                    f.name,
                    i.symbol
                );
                // the chain of tcp-dcf is solved quickly where windows are small
                if f.name == "tcp-dcf" && i.symbol.starts_with("CW") {
                    *x = 1.0;
                }
            }
            let ends: [fn(&Input) -> f64; 2] = [|i| i.low, |i| i.high];
            let mut all = Vec::new();
            for end in ends {
                for (n, i) in f.inputs.iter().enumerate() {
                    let mut one = base.clone();
                    one[n] = end(i);
                    all.push(one);
                }
                let slow = f.name == "tcp-dcf";
                all.extend((!slow).then(|| f.inputs.iter().map(end).collect::<Vec<_>>()));
            }
            for x in all {
                let out = (f.eval)(&x);
                assert!(out.iter().all(|y| y.is_finite()), "{} {x:?} {out:?}", f.name);
            }
        }
    }

    #[test]
    fn every_form_evaluates_and_says_what_it_is() {
        let forms = forms();
        for f in &forms {
            let out = f.at_defaults();
            assert_eq!(out.len(), f.outputs.len(), "{}", f.name);
            assert!(out.iter().all(|x| x.is_finite()), "{} {out:?}", f.name);
            assert!(!f.title.is_empty() && !f.source.is_empty());
            assert!(f.inputs.iter().all(|i| !i.doc.is_empty() && !i.unit.is_empty()), "{}", f.name);
        }
        let mut names: Vec<_> = forms.iter().map(|f| f.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), forms.len(), "names are unique");
    }
}
