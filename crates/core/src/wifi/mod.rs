//! The medium (DCF/EDCA), A-MPDU, Block Ack, reordering.
