import type { RedisConnection } from '@trellis/redis';
import { redisNames } from '@trellis/subgraph-protocol/redis-names';
import { entityName, type ResponseContents } from './response-contents.ts';

/** What has changed: one entity, or anything of a type. */
export interface Invalidation {
  /** The name of an object type. */
  readonly type: string;
  /** The value of its key. Absent: all of the type, those that come to be included. */
  readonly id?: string | undefined;
}

/** A change by a writer, of whatever it may be. */
export interface Write {
  /** Names the caller that made it. */
  readonly writer: string;
}

/**
 * A stream, one entry a change: the fields `type` and, for one entity, `id`; or `writer`. Any process that can write to Redis may publish
 * changes.
 */
const STREAM = redisNames.invalidations;
const MAX_ENTRIES = 10_000;
const MAX_REMEMBERED = 100_000;
const BEGINNING = '0-0';

/**
 * The changes that invalidate responses, in the order that Redis gives them. Whatever is stored carries the position that was
 * reached before it was read; a change after that which concerns it invalidates it. No clocks are compared, and nothing has to be
 * found and deleted. Entries of the stream that were missed invalidate everything that is older.
 */
export class Invalidations {
  readonly #redis: RedisConnection;
  readonly #types = new Map<string, string>();
  readonly #entities = new Map<string, string>();
  /** The last change of each writer, which gets nothing that was read before it. */
  readonly #writers = new Map<string, string>();
  /** The last change of any entity of a type. */
  readonly #anyOf = new Map<string, string>();
  #reached = BEGINNING;
  /** What is older is invalid. */
  #voidBefore = BEGINNING;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  /**
   * Reads what has changed since it was last read.
   *
   * @returns the position reached
   * @throws Error when Redis can't be asked
   */
  async catchUp(): Promise<string> {
    const from = this.#reached;
    const entries = await this.#redis.xrange(STREAM, from, '+', 'COUNT', MAX_ENTRIES);
    // The entry that was the last one is read again: where it has been trimmed, so may be others after it.
    const isWhole = entries.length < MAX_ENTRIES && (from === BEGINNING || entries[0]?.[0] === from);
    for (const [position, fields] of entries) this.#note(position, fields);
    const remembered = this.#entities.size + this.#writers.size;
    if (!isWhole || remembered > MAX_REMEMBERED) this.#forget();
    return this.#reached;
  }

  /**
   * Whether nothing is known to have changed of what was read at a position.
   *
   * @param writer who wants it
   */
  isFresh(
    { types, entities, unnamed, absent }: ResponseContents,
    position: string,
    writer: string | undefined,
  ): boolean {
    const isBefore = (change: string | undefined): boolean =>
      change === undefined || !isAfter(change, position);
    return (
      isBefore(this.#voidBefore) &&
      (writer === undefined || isBefore(this.#writers.get(writer))) &&
      types.every((type) => isBefore(this.#types.get(type))) &&
      entities.every((entity) => isBefore(this.#entities.get(entity))) &&
      [...unnamed, ...absent].every((type) => isBefore(this.#anyOf.get(type)))
    );
  }

  /** @throws Error when Redis can't be asked */
  async publish(changes: readonly (Invalidation | Write)[]): Promise<void> {
    await Promise.all(
      changes.map((change) => this.#redis.xadd(STREAM, 'MAXLEN', '~', MAX_ENTRIES, '*', ...fieldsOf(change))),
    );
  }

  #note(position: string, fields: readonly string[]): void {
    const type = fieldOf(fields, 'type');
    if (!isAfter(position, this.#reached) && position !== this.#reached) return;
    this.#reached = position;
    const writer = fieldOf(fields, 'writer');
    if (writer !== undefined) this.#writers.set(writer, position);
    if (type === undefined) return;
    const id = fieldOf(fields, 'id');
    this.#anyOf.set(type, position);
    if (id === undefined) this.#types.set(type, position);
    else this.#entities.set(entityName(type, id), position);
  }

  #forget(): void {
    this.#voidBefore = this.#reached;
    this.#types.clear();
    this.#writers.clear();
    this.#entities.clear();
    this.#anyOf.clear();
  }
}

function fieldsOf(change: Invalidation | Write): readonly string[] {
  if ('writer' in change) return ['writer', change.writer];
  const { type, id } = change;
  return id === undefined ? ['type', type] : ['type', type, 'id', id];
}

function fieldOf(fields: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < fields.length; index += 2)
    if (fields[index] === name) return fields[index + 1];
  return undefined;
}

/** Ids of entries: milliseconds, and a number within the millisecond. */
function isAfter(first: string, second: string): boolean {
  const [firstMs = 0, firstNumber = 0] = first.split('-').map(Number);
  const [secondMs = 0, secondNumber = 0] = second.split('-').map(Number);
  return firstMs > secondMs || (firstMs === secondMs && firstNumber > secondNumber);
}
