const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i;
const PLACES = 17;

/** `units` times ten to the power of minus `places`. */
interface Decimal {
  readonly units: bigint;
  readonly places: number;
}

/**
 * Adds two decimals exactly and writes the sum with at most 17 places, without an exponent, as INCRBYFLOAT answers.
 * Redis adds in extended precision: where its sum shows a rounding error in the 17th place, this one shows none.
 *
 * @returns undefined when one of them is not a finite decimal
 */
export function addDecimals(left: string, right: string): string | undefined {
  const first = parseDecimal(left);
  const second = parseDecimal(right);
  if (first === undefined || second === undefined) return undefined;
  const places = Math.max(first.places, second.places);
  return formatDecimal({ units: scaled(first, places) + scaled(second, places), places });
}

function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  if (whole + fraction === '') return undefined;
  const size = BigInt(whole + fraction);
  const places = fraction.length - Number(exponent);
  const units = sign === '-' ? -size : size;
  return places >= 0 ? { units, places } : { units: units * 10n ** BigInt(-places), places: 0 };
}

function scaled({ units, places }: Decimal, to: number): bigint {
  return units * 10n ** BigInt(to - places);
}

function formatDecimal(decimal: Decimal): string {
  const { units, places } = rounded(decimal);
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  const fraction = digits.slice(digits.length - places).replace(/0+$/, '');
  const size = fraction === '' ? whole : `${whole}.${fraction}`;
  return units < 0n && size !== '0' ? `-${size}` : size;
}

function rounded({ units, places }: Decimal): Decimal {
  if (places <= PLACES) return { units, places };
  const divisor = 10n ** BigInt(places - PLACES);
  const half = units < 0n ? -divisor / 2n : divisor / 2n;
  return { units: (units + half) / divisor, places: PLACES };
}
