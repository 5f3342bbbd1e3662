//! What duration formulas of all OFDM PPDUs share: the bits around a PSDU, and how many training fields streams have.
//! src: 802.11-2020 17.3.5.2 (SERVICE), 17.3.5.3 (tail)

/// Bits of the SERVICE field.
pub(super) const SERVICE: u32 = 16;
/// Tail bits of one convolutional encoder.
pub(super) const TAIL: u32 = 6;

/// Long training fields of so many VHT or HE streams. src: 802.11-2020 table 21-13; 802.11ax-2021 27.3.11.10
pub(super) const fn training_fields(streams: u32) -> i64 {
    if streams > 2 { streams.next_multiple_of(2) as i64 } else { streams as i64 }
}
