import type { Bytes } from '../bytes.ts';
import { SortedSet } from './sorted-set.ts';
import { Stream } from './stream.ts';

/** What a key holds; `kind` is the word that TYPE answers. */
export type Value =
  | { readonly kind: 'string'; readonly bytes: Bytes }
  | { readonly kind: 'set'; readonly members: Set<Bytes> }
  | { readonly kind: 'zset'; readonly members: SortedSet }
  | { readonly kind: 'stream'; readonly stream: Stream };

/** The kinds that hold more than one thing, and are made when the first thing comes. */
export type CollectionKind = Exclude<Value['kind'], 'string'>;

/** The value of one kind. */
export type ValueOf<K extends Value['kind']> = Extract<Value, { kind: K }>;

const factories: { readonly [K in CollectionKind]: () => ValueOf<K> } = {
  set: () => ({ kind: 'set', members: new Set() }),
  zset: () => ({ kind: 'zset', members: new SortedSet() }),
  stream: () => ({ kind: 'stream', stream: new Stream() }),
};

/** A collection with nothing in it. */
export function emptyValue<K extends CollectionKind>(kind: K): ValueOf<K> {
  return factories[kind]();
}

/** A collection whose last thing is gone goes with it; a stream stays, for its last id; so does an empty string. */
export function isEmpty(value: Value): boolean {
  switch (value.kind) {
    case 'string':
    case 'stream':
      return false;
    case 'set':
    case 'zset':
      return value.members.size === 0;
    default:
      return value satisfies never;
  }
}
