/** The part of a conversion of printf between `%` and its letter. */
export interface NumberStyle {
  /** Any of `-+ #0`. */
  readonly flags: string;
  readonly width: number;
  /** Undefined: what the letter means by default. */
  readonly precision: number | undefined;
}

const DEFAULT_PRECISION = 6;

/**
 * Writes a number as printf does for `f` or `g`.
 *
 * @see ISO C §7.21.6.1
 */
export function formatFloat(value: number, letter: 'f' | 'g', style: NumberStyle): string {
  const digits = Number.isFinite(value)
    ? finiteDigits(Math.abs(value), letter, style)
    : Number.isNaN(value)
      ? 'nan'
      : 'inf';
  const negative = value < 0 || Object.is(value, -0) || Number.isNaN(value); // 0/0 is a negative NaN on a PC
  return pad(signOf(negative, style), digits, Number.isFinite(value) ? style : withoutZeros(style));
}

/** Writes a number, its fraction cut off, as printf does for `d` of 64 bits. */
export function formatInteger(value: number, style: NumberStyle): string {
  const whole = castInteger(value);
  const size = whole < 0n ? -whole : whole;
  const digits = size.toString().padStart(style.precision ?? 1, '0');
  return pad(signOf(whole < 0n, style), digits, style.precision === undefined ? style : withoutZeros(style));
}

/** Fills a text up to the width: with blanks before or after it. */
export function padText(text: string, { flags, width }: NumberStyle): string {
  return flags.includes('-') ? text.padEnd(width) : text.padStart(width);
}

/** As a processor casts: what does not fit becomes the lowest number. */
function castInteger(value: number): bigint {
  const fits = value >= -(2 ** 63) && value < 2 ** 63;
  return fits ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

function signOf(negative: boolean, { flags }: NumberStyle): string {
  if (negative) return '-';
  if (flags.includes('+')) return '+';
  return flags.includes(' ') ? ' ' : '';
}

function withoutZeros(style: NumberStyle): NumberStyle {
  return { ...style, flags: style.flags.replaceAll('0', '') };
}

function pad(prefix: string, digits: string, style: NumberStyle): string {
  const zeros = style.flags.includes('0') && !style.flags.includes('-');
  const filled = zeros ? digits.padStart(style.width - prefix.length, '0') : digits;
  return padText(prefix + filled, style);
}

function finiteDigits(
  value: number,
  letter: 'f' | 'g',
  { precision = DEFAULT_PRECISION, flags }: NumberStyle,
): string {
  const alternate = flags.includes('#');
  if (letter === 'f') return fixed(value, precision, alternate);
  const significant = precision || 1;
  const { exponent } = significantDigits(value, significant);
  const text =
    exponent < -4 || exponent >= significant
      ? exponential(value, significant - 1, alternate)
      : fixed(value, significant - 1 - exponent, alternate);
  return alternate ? text : text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
}

function fixed(value: number, places: number, point: boolean): string {
  const digits = scaledDigits(value, places)
    .toString()
    .padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return places > 0 || point ? `${whole}.${digits.slice(digits.length - places)}` : whole;
}

function exponential(value: number, places: number, point: boolean): string {
  const { digits, exponent } = significantDigits(value, places + 1);
  const mantissa = places > 0 || point ? `${digits.charAt(0)}.${digits.slice(1)}` : digits;
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${size}`;
}

/** The first digits of a number, rounded, and the power of ten of the first. */
function significantDigits(value: number, count: number): { digits: string; exponent: number } {
  if (value === 0) return { digits: '0'.repeat(count), exponent: 0 };
  let exponent = Math.floor(Math.log10(value));
  for (;;) {
    const digits = scaledDigits(value, count - 1 - exponent).toString();
    if (digits.length === count) return { digits, exponent };
    exponent += digits.length - count; // the logarithm was off, or the number was rounded up to the next power
  }
}

/** value · 10^places as an integer; the exact value of the double is rounded, half to even, as C does. */
function scaledDigits(value: number, places: number): bigint {
  const { mantissa, exponent } = decompose(value);
  const numerator =
    mantissa * (places > 0 ? 10n ** BigInt(places) : 1n) * (exponent > 0 ? 2n ** BigInt(exponent) : 1n);
  const denominator =
    (places < 0 ? 10n ** BigInt(-places) : 1n) * (exponent < 0 ? 2n ** BigInt(-exponent) : 1n);
  const quotient = numerator / denominator;
  const twice = (numerator % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

/** value = mantissa · 2^exponent */
function decompose(value: number): { mantissa: bigint; exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const fraction = bits & (2n ** 52n - 1n);
  const biased = Number((bits >> 52n) & 0x7ffn);
  return biased === 0
    ? { mantissa: fraction, exponent: -1_074 }
    : { mantissa: fraction | (2n ** 52n), exponent: biased - 1_075 };
}
