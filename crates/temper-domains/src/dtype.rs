//! numpy's scalar types, and what the bytes of a cell stand for.

use serde::Deserialize;
use temper::choices::Width;

/// A scalar type of numpy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names are numpy's own")]
pub enum DType {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

impl DType {
    /// The bytes of one cell.
    pub fn size(self) -> usize {
        use DType::*;
        match self {
            Bool | Int8 | Uint8 => 1,
            Int16 | Uint16 | Float16 => 2,
            Int32 | Uint32 | Float32 => 4,
            Int64 | Uint64 | Float64 | Complex64 => 8,
            Complex128 => 16,
        }
    }

    /// numpy's name for it.
    pub fn name(self) -> &'static str {
        use DType::*;
        match self {
            Bool => "bool",
            Int8 => "int8",
            Int16 => "int16",
            Int32 => "int32",
            Int64 => "int64",
            Uint8 => "uint8",
            Uint16 => "uint16",
            Uint32 => "uint32",
            Uint64 => "uint64",
            Float16 => "float16",
            Float32 => "float32",
            Float64 => "float64",
            Complex64 => "complex64",
            Complex128 => "complex128",
        }
    }

    /// Least and greatest value of the whole-number types.
    pub fn whole_range(self) -> Option<(i128, i128)> {
        use DType::*;
        let signed = |bits: u32| (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
        Some(match self {
            Bool => (0, 1),
            Int8 => signed(8),
            Int16 => signed(16),
            Int32 => signed(32),
            Int64 => signed(64),
            Uint8 => (0, 0xff),
            Uint16 => (0, 0xffff),
            Uint32 => (0, 0xffff_ffff),
            Uint64 => (0, i128::from(u64::MAX)),
            _ => return None,
        })
    }

    /// The floats of its cells.
    pub fn width(self) -> Width {
        match self {
            DType::Float16 => Width::F16,
            DType::Float32 | DType::Complex64 => Width::F32,
            _ => Width::F64,
        }
    }
}

/// The one or two floats of a cell.
pub fn cell_parts(dtype: DType, cell: &[u8]) -> Vec<f64> {
    let part = if dtype == DType::Complex64 { DType::Float32 } else { DType::Float64 };
    cell.chunks_exact(part.size()).map(|bytes| cell_number(part, bytes)).collect()
}

/// A cell as a float; exact for all but 64-bit whole numbers.
pub fn cell_number(dtype: DType, cell: &[u8]) -> f64 {
    macro_rules! read {
        ($kind:ty) => {{
            let mut bytes = [0u8; size_of::<$kind>()];
            bytes.copy_from_slice(&cell[..size_of::<$kind>()]);
            <$kind>::from_ne_bytes(bytes)
        }};
    }
    match dtype {
        DType::Bool | DType::Uint8 => f64::from(cell[0]),
        DType::Int8 => f64::from(cell[0] as i8),
        DType::Int16 => f64::from(read!(i16)),
        DType::Uint16 => f64::from(read!(u16)),
        DType::Int32 => f64::from(read!(i32)),
        DType::Uint32 => f64::from(read!(u32)),
        DType::Int64 => read!(i64) as f64,
        DType::Uint64 => read!(u64) as f64,
        DType::Float16 => half_value(read!(u16)),
        DType::Float32 | DType::Complex64 => f64::from(read!(f32)),
        DType::Float64 | DType::Complex128 => read!(f64),
    }
}

/// A cell as a whole number.
pub fn whole_cell(dtype: DType, cell: &[u8]) -> i128 {
    let mut bytes = [0u8; 8];
    bytes[..cell.len()].copy_from_slice(cell);
    let bits = u64::from_ne_bytes(bytes);
    match dtype {
        DType::Int8 => i128::from(bits as u8 as i8),
        DType::Int16 => i128::from(bits as u16 as i16),
        DType::Int32 => i128::from(bits as u32 as i32),
        DType::Int64 => i128::from(bits as i64),
        _ => i128::from(bits),
    }
}

/// The bits of a value that is exact in half precision (IEEE 754, 1-5-10).
pub fn half_bits(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return 0x7e00;
    }
    if magnitude.is_infinite() {
        return sign | 0x7c00;
    }
    let smallest_normal = 2f64.powi(-14);
    if magnitude < smallest_normal {
        return sign | (magnitude * 2f64.powi(24)) as u16;
    }
    let exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
    let fraction = (magnitude.to_bits() >> 42) as u16 & 0x3ff;
    sign | (((exponent + 15) as u16) << 10) | fraction
}

/// The value of half-precision bits.
pub fn half_value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 != 0 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2f64.powi(-24),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    };
    sign * magnitude
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_precision_value_keeps_its_bits() {
        for bits in 0..=u16::MAX {
            let value = half_value(bits);
            if value.is_nan() {
                continue;
            }
            assert_eq!(half_bits(value), bits, "{value}");
        }
    }
}
