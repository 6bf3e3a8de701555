//! More of decoding.
