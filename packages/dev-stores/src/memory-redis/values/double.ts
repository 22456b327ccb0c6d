const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;

/** Reads a floating point number, `inf` and `-inf` included; a text with anything else in it is none. */
export function parseDouble(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  const sign = INFINITE.exec(text)?.[1];
  if (sign === undefined) return undefined;
  return sign === '-' ? -Infinity : Infinity;
}

/** The shortest decimal that reads back as the same number, with an exponent as C writes it. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e17)) return String(value);
  return padExponent(value.toExponential());
}

/** C writes at least two digits of exponent: `1e+5` becomes `1e+05`. */
export function padExponent(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
