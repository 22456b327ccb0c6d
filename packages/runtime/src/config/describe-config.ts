import { z } from 'zod';

/** One environment variable, as documented. */
export interface ConfigVariable {
  readonly name: string;
  /** From the schema's metadata. */
  readonly description: string;
  readonly required: boolean;
  /** The default in text form; absent when there is none. */
  readonly defaultText?: string;
  /** What a number counts, and from where to where; absent for all else. */
  readonly rangeText?: string;
}

/** Lists the variables of a schema in the order in which it declares them. */
export function describeConfig(schema: z.ZodObject): readonly ConfigVariable[] {
  return Object.entries(schema.shape).map(([name, type]) => describeVariable(name, type as z.ZodType));
}

function describeVariable(name: string, type: z.ZodType): ConfigVariable {
  const absent = type.safeParse(undefined);
  const rangeText = rangeOf(type.meta() ?? {});
  const described = {
    name,
    description: type.description ?? '',
    required: !absent.success,
    ...(rangeText !== undefined && { rangeText }),
  };
  if (!absent.success || absent.data === undefined) return described;
  return { ...described, defaultText: textOf(absent.data) };
}

function rangeOf({ unit, min, max }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof min !== 'number' || typeof max !== 'number') return undefined;
  const range = `${min} to ${max}`;
  return typeof unit === 'string' ? `${unit}, ${range}` : range;
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
