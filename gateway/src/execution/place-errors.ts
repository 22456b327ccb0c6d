import { Failure, type DataObject, type FailureReason, type PathKey } from './failure.ts';
import type { BroughtKeys } from '../plan/fetch-fields.ts';

/**
 * Puts a subgraph's errors where they made values null, deepest first reached: there they explain the null, whatever path
 * the client knows the place by.
 *
 * @param brings what was asked for: elsewhere nobody would read an error
 * @returns those that explain no null of the data
 */
export function placeErrors(
  root: DataObject | unknown[],
  errors: readonly FailureReason[],
  brings: BroughtKeys,
  skip = 0,
): FailureReason[] {
  return errors.filter((error) => !placeError(root, error, brings, skip));
}

function placeError(
  root: DataObject | unknown[],
  error: FailureReason,
  brings: BroughtKeys,
  skip: number,
): boolean {
  let current: unknown = root;
  let asked: BroughtKeys | undefined = brings;
  for (let index = skip; index < error.below.length; index += 1) {
    const key = error.below[index] as PathKey; // below the length
    if (!canHold(current, key) || (typeof key === 'string' && !asked?.has(key))) return false;
    const holder = current as Record<PathKey, unknown>;
    const value = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (value === null || value === undefined || value instanceof Failure) {
      holder[key] = withReason(value, { ...error, below: error.below.slice(index + 1) });
      return true;
    }
    current = value;
    if (typeof key === 'string') asked = asked?.get(key);
  }
  return false;
}

/** A list is never lengthened, and no key of an object has the power to change its prototype. */
function canHold(value: unknown, key: PathKey): boolean {
  if (Array.isArray(value)) return typeof key === 'number' && key >= 0 && key < value.length;
  return typeof value === 'object' && value !== null && typeof key === 'string' && key !== '__proto__';
}

function withReason(value: unknown, reason: FailureReason): Failure {
  return new Failure(value instanceof Failure ? [...value.reasons, reason] : [reason]);
}
