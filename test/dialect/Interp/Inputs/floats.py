# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Float formats that numpy does not have, as exact rounding of float64, and .npy files of them.
import numpy as np

# name: (precision in bits, least exponent of a normal number, largest finite number, has infinities)
FORMATS = {
    "f64": (53, -1022, np.finfo(np.float64).max, True),
    "f32": (24, -126, float(np.finfo(np.float32).max), True),
    "f16": (11, -14, 65504.0, True),
    "bf16": (8, -126, float.fromhex("0x1.fep127"), True),
    "f8E4M3FN": (4, -6, 448.0, False),
    "f8E5M2": (3, -14, 57344.0, True),
}
INTEGERS = {"i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}


def rounded(values, name):
    """The nearest numbers of the format, ties to even, as float64; integers stay."""
    if name in INTEGERS:
        return np.asarray(values).astype(INTEGERS[name])
    precision, least, largest, has_inf = FORMATS[name]
    values = np.asarray(values, np.float64)
    if name == "f64":
        return values
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(values)  # |value| in [2^(e-1), 2^e)
        quantum = np.ldexp(1.0, np.maximum(exponent - precision, least - precision + 1))
        nearest = np.rint(values / quantum) * quantum
        overflow = np.sign(values) * np.inf if has_inf else np.full(values.shape, np.nan)
        result = np.where(np.abs(nearest) > largest, overflow, nearest)
    return np.where(np.isfinite(values), result, values if has_inf else np.nan)


def bits(values, name):
    """uint16 or uint8 bits of numbers that the format has."""
    precision, least, _, has_inf = FORMATS[name]
    width = 8 if name.startswith("f8") else 16
    fraction_bits = precision - 1
    top = (1 << (width - 1 - fraction_bits)) - 1
    out = np.zeros(np.shape(values), np.uint32)
    for where in np.ndindex(*np.shape(values)):
        value = float(values[where])
        sign = int(np.signbit(value)) << (width - 1)
        if np.isnan(value):
            out[where] = (1 << (width - 1)) - 1
        elif np.isinf(value):
            out[where] = sign | top << fraction_bits
        elif value == 0:
            out[where] = sign
        else:
            exponent = max(int(np.frexp(abs(value))[1]) - 1, least)
            steps = int(abs(value) / 2.0 ** (exponent - fraction_bits))
            biased = exponent - least + 1
            out[where] = sign | ((biased << fraction_bits) + steps - (1 << fraction_bits))
    return out.astype(np.uint8 if width == 8 else np.uint16)


def values_of(raw, name):
    """float64 of raw bits."""
    precision, least, _, has_inf = FORMATS[name]
    width = 8 if name.startswith("f8") else 16
    raw = raw.astype(np.int64)
    fraction_bits = precision - 1
    fraction = raw & ((1 << fraction_bits) - 1)
    top = (1 << (width - 1 - fraction_bits)) - 1
    biased = raw >> fraction_bits & top
    sign = np.where(raw >> (width - 1), -1.0, 1.0)
    normal = np.ldexp(1.0 + fraction / 2.0**fraction_bits, (biased + least - 1).astype(int))
    value = sign * np.where(biased > 0, normal, np.ldexp(fraction / 2.0**fraction_bits, least))
    if has_inf:
        return np.where(biased == top, np.where(fraction == 0, sign * np.inf, np.nan), value)
    return np.where((biased == top) & (fraction == (1 << fraction_bits) - 1), np.nan, value)


NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def save(path, values, name):
    """Writes a .npy that helion-run reads as the format; the dtype hint it needs, or None."""
    if name in INTEGERS:
        np.save(path, np.asarray(values, INTEGERS[name]))
    elif name in NUMPY:
        np.save(path, np.asarray(values, NUMPY[name]))
    else:
        np.save(path, bits(np.asarray(values, np.float64), name))
        return name
    return None


def load(path, name):
    raw = np.load(path)
    if name in INTEGERS:
        return raw
    if name in NUMPY:
        return raw.astype(np.float64)
    return values_of(raw.view(np.uint8 if name.startswith("f8") else np.uint16), name)


def ulp(values, name):
    """Distance to the next number of the format."""
    precision, least, _, _ = FORMATS[name]
    _, exponent = np.frexp(np.abs(np.where(np.isfinite(values), values, 0)))
    return np.ldexp(1.0, np.maximum(exponent - precision, least - precision + 1))


def mismatch(got, want, name, ulps=1, absolute=0.0):
    """Index of the first element further from `want` than the given units in the last place, or None."""
    if got.shape != want.shape:
        return f"shape {got.shape}, not {want.shape}"
    if name in INTEGERS:
        bad = got != want
    else:
        with np.errstate(all="ignore"):
            close = np.abs(got - want) <= ulps * ulp(want, name) + absolute
        bad = ~((got == want) | close | (np.isnan(got) & np.isnan(want)))
    if not bad.any():
        return None
    index = tuple(int(i[0]) for i in np.nonzero(bad)) if bad.ndim else ()
    return f"element {index} is {got[index]}, not {want[index]}"
