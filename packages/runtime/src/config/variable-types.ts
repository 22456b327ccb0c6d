import { z } from 'zod';

/** `true` or `false`, also `1` and `0`. */
export function flag(defaultValue: boolean): z.ZodType<boolean> {
  return z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === '1')
    .default(defaultValue);
}

/** A TCP port, 0 (any free one) to 65535. */
export function port(defaultValue: number): z.ZodType<number> {
  return wholeNumber(0, 65_535, defaultValue);
}

/** A time span in whole seconds. */
export function seconds(min: number, max: number, defaultValue: number): z.ZodType<number> {
  return wholeNumber(min, max, defaultValue);
}

/** A time span in whole milliseconds. */
export function milliseconds(min: number, max: number, defaultValue: number): z.ZodType<number> {
  return wholeNumber(min, max, defaultValue);
}

/** Items separated by white space. */
export function list(defaultValue: readonly string[]): z.ZodType<readonly string[]> {
  return z
    .string()
    .transform((text): readonly string[] => text.split(/\s+/).filter((item) => item !== ''))
    .default(defaultValue);
}

/** An absolute URL of one of the given schemes (`http`, `https`, …), stored as it was written. */
export function url(...schemes: readonly string[]): z.ZodType<string, string> {
  const expected = `must be an absolute URL with the scheme ${schemes.join(' or ')}`;
  return z
    .string()
    .refine((text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)), {
      error: expected,
    });
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number, defaultValue: number): z.ZodType<number> {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce
    .number({ error })
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .default(defaultValue);
}
