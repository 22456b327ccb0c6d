import type { Answered } from '../synthetic/compare.ts';

type Path = readonly (string | number)[];

/** Where an error without a path is. */
export const NOWHERE = 'nowhere';

/**
 * Where errors are, each place once: at the null that took their field along, or at their path where there is none.
 * Of errors below one null, an executor need report one only (GraphQL, October 2021, §6.4.4).
 */
export function errorPlaces({ data, errors = [] }: Answered): readonly string[] {
  const places = errors.map(({ path }) => (path ? JSON.stringify(nullAbove(path, data)) : NOWHERE));
  return [...new Set(places)].toSorted();
}

function nullAbove(path: Path, data: unknown): Path {
  let value = data;
  for (const [index, key] of path.entries()) {
    if (value === null || value === undefined) return path.slice(0, index);
    value = (value as Record<string | number, unknown>)[key];
  }
  return path;
}

/** Where a response differs from the right one. */
export interface Hole {
  readonly path: Path;
  /** Whether it has a null there; else another value. */
  readonly isNull: boolean;
}

/** Every place where a response has less, or other things, than the right one. */
export function holesIn(data: unknown, right: unknown, path: Path = []): readonly Hole[] {
  if (data === null || data === undefined) return right === null ? [] : [{ path, isNull: data === null }];
  if (typeof data !== 'object' || typeof right !== 'object' || right === null)
    return data === right ? [] : [{ path, isNull: false }];
  const keys = Object.keys(data);
  const isSameList = Array.isArray(data) === Array.isArray(right);
  if (!isSameList || keys.join('\n') !== Object.keys(right).join('\n')) return [{ path, isNull: false }];
  return keys.flatMap((key) =>
    holesIn(valueAt(data, key), valueAt(right, key), [...path, Array.isArray(data) ? Number(key) : key]),
  );
}

function valueAt(data: object, key: string): unknown {
  return (data as Record<string, unknown>)[key];
}

/** Whether an error is at a place, above it or below it. */
export function isReported({ path: place }: Hole, { errors = [] }: Answered): boolean {
  return errors.some(({ path = [] }) => {
    const length = Math.min(path.length, place.length);
    return path.slice(0, length).join('\n') === place.slice(0, length).join('\n');
  });
}
