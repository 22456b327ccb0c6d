import type { FieldNode } from 'graphql';
import { largest, multiply, type Cost } from './cost-term.ts';
import type { FieldCost } from './graph-costs.ts';
import { compileListLength } from './list-length.ts';

/** List lengths that a field sets for lists directly below it. Cost specification: sizedFields. */
export type SizedFields = ReadonlyMap<string, Cost>;

/** Where nothing is sized from above. */
export const NO_SIZES: SizedFields = new Map();

/** How a field multiplies what it costs. */
export interface Sizing {
  /** Of the field itself; absent where only lists below it carry the length. */
  readonly length: Cost | undefined;
  readonly below: SizedFields;
}

/**
 * How long the lists of a field are. On an interface it is as long as on the implementation that makes it longest. The length
 * of a connection is that of its lists.
 */
export function sizingOf(field: FieldNode, { sizes, innerLength }: FieldCost): Sizing {
  let length: Cost | undefined;
  let below: Map<string, Cost> | undefined;
  for (const size of sizes) {
    const own = multiply(compileListLength(field, size.length), innerLength);
    if (size.carriers.length === 0) length = largest(length, own);
    for (const name of size.carriers) {
      below ??= new Map<string, Cost>();
      below.set(name, largest(below.get(name), own));
    }
  }
  return { length, below: below ?? NO_SIZES };
}
