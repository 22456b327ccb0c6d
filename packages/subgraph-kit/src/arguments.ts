import { badUserInput } from '@trellis/subgraph-protocol';
import { isTimeOrderedId } from './ids.ts';

/** Bounds of a whole number that a client sends. */
export interface Bounds {
  /** @default 0 */
  readonly min?: number;
  readonly max: number;
  /** Stands for an argument that is absent or null. */
  readonly defaultValue: number;
}

type Nullable<Value> = Value | null | undefined;

/**
 * Reads an argument such as `first`, `limit` or `offset`.
 *
 * @param field the argument's name, for the error
 * @throws GraphQLError BAD_USER_INPUT when it is out of bounds
 */
export function readCount(field: string, value: Nullable<number>, bounds: Bounds): number {
  const { min = 0, max, defaultValue } = bounds;
  const count = value ?? defaultValue;
  if (count >= min && count <= max) return count;
  throw badUserInput(`"${field}" must be a whole number from ${min} to ${max}.`, field, value);
}

/**
 * Reads the argument `after`: an id that carries the time of its entity, and thereby a position in the list. Its entity
 * need not exist any more, and is not looked up, so that no one learns whether it does.
 *
 * @returns the id, or undefined for the beginning of the list
 * @throws GraphQLError BAD_USER_INPUT when it is not a UUID v7
 */
export function readCursor(field: string, value: Nullable<string>): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (isTimeOrderedId(value)) return value.toLowerCase();
  throw badUserInput(`"${field}" must be the id of an item of the list.`, field, value);
}
