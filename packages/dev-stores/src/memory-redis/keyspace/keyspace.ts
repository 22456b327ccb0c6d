import type { Bytes } from '../bytes.ts';
import { messages, RedisError } from '../errors.ts';
import { emptyValue, isEmpty, type CollectionKind, type Value, type ValueOf } from './value.ts';

/** A key's value, and until when. */
export interface Entry {
  readonly value: Value;
  /** Milliseconds since 1970; undefined for good. */
  readonly expiresAt: number | undefined;
}

/**
 * The keys and their values. An expired key is gone for all readers, at the latest when `sweep` comes by. Every change
 * is reported to one listener: blocked readers and the snapshot depend on it.
 */
export class Keyspace {
  readonly #entries = new Map<Bytes, Entry>();
  readonly #expiring = new Set<Bytes>();
  readonly #onChange: (key: Bytes) => void;
  #sweeping: IterableIterator<Bytes> = this.#expiring.values();
  #now: number;

  /** @param onChange called for each key that was written, deleted or expired */
  constructor(onChange: (key: Bytes) => void, now: number) {
    this.#onChange = onChange;
    this.#now = now;
  }

  /** Milliseconds since 1970, the same from the start of a command or script to its end. */
  get now(): number {
    return this.#now;
  }

  set now(milliseconds: number) {
    this.#now = milliseconds;
  }

  /** Counts keys that have expired and were not met since. */
  get size(): number {
    return this.#entries.size;
  }

  /** Keys with an expiry. */
  get expiringSize(): number {
    return this.#expiring.size;
  }

  find(key: Bytes): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.expiresAt === undefined || entry.expiresAt > this.#now) return entry;
    this.#remove(key);
    return undefined;
  }

  /**
   * The value of a key that should be of one kind.
   *
   * @throws RedisError WRONGTYPE when it is of another
   */
  read<K extends Value['kind']>(key: Bytes, kind: K): ValueOf<K> | undefined {
    const value = this.find(key)?.value;
    if (value === undefined) return undefined;
    if (value.kind !== kind) throw new RedisError(messages.wrongType);
    return value as ValueOf<K>; // its kind has just been compared
  }

  /**
   * The collection of a key, made when there is none. The caller puts something in and calls `changed`.
   *
   * @throws RedisError WRONGTYPE when the key holds another kind
   */
  obtain<K extends CollectionKind>(key: Bytes, kind: K): ValueOf<K> {
    const present = this.read(key, kind);
    if (present !== undefined) return present;
    const value = emptyValue(kind);
    this.#store(key, value, undefined);
    return value;
  }

  /** Puts a value in the place of whatever the key held. */
  put(key: Bytes, value: Value, expiresAt?: number): void {
    this.#store(key, value, expiresAt);
    this.changed(key);
  }

  /** @returns whether it was there */
  delete(key: Bytes): boolean {
    if (this.find(key) === undefined) return false;
    this.#remove(key);
    return true;
  }

  /** Sets or, with undefined, lifts the expiry of an existing key. */
  expire(key: Bytes, expiresAt: number | undefined): void {
    const entry = this.find(key);
    if (entry === undefined) return;
    this.#store(key, entry.value, expiresAt);
    this.changed(key);
  }

  /** Called after a collection was altered in place. Drops it when nothing is left in it. */
  changed(key: Bytes): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && isEmpty(entry.value)) this.#remove(key);
    else this.#onChange(key);
  }

  clear(): void {
    const keys = [...this.#entries.keys()];
    this.#entries.clear();
    this.#expiring.clear();
    for (const key of keys) this.#onChange(key);
  }

  /** The keys that have not expired, with their values. */
  *entries(): Generator<readonly [Bytes, Entry]> {
    for (const [key, entry] of this.#entries)
      if (entry.expiresAt === undefined || entry.expiresAt > this.#now) yield [key, entry];
  }

  /** Looks at some of the keys with an expiry, in turns, and drops what has expired. */
  sweep(count: number): void {
    for (let checked = 0; checked < count; checked += 1) {
      const { value, done } = this.#sweeping.next();
      if (done === true) {
        this.#sweeping = this.#expiring.values();
        return;
      }
      this.find(value);
    }
  }

  #store(key: Bytes, value: Value, expiresAt: number | undefined): void {
    this.#entries.set(key, { value, expiresAt });
    if (expiresAt === undefined) this.#expiring.delete(key);
    else this.#expiring.add(key);
  }

  #remove(key: Bytes): void {
    this.#entries.delete(key);
    this.#expiring.delete(key);
    this.#onChange(key);
  }
}
