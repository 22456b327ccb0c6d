import type { Bytes } from '../bytes.ts';
import { SortedSet } from '../keyspace/sorted-set.ts';
import { Stream } from '../keyspace/stream.ts';
import type { Value } from '../keyspace/value.ts';

/** A key of a snapshot. */
export interface SavedKey {
  readonly key: Bytes;
  /** Milliseconds since 1970; undefined for good. */
  readonly expiresAt: number | undefined;
  readonly value: Value;
}

const FORMAT = 'trellis-memory-redis';
const VERSION = 1;

type SavedEntry = readonly [id: string, fields: readonly Bytes[]];
type SavedStream = readonly [
  entries: readonly SavedEntry[],
  lastId: string,
  entriesAdded: number,
  maxDeletedId: string,
];
type Line = readonly [key: Bytes, expiresAt: number | null, kind: Value['kind'], content: unknown];

/**
 * Writes keys as lines of JSON: a head, one line a key, and a tail with their number, by which a file that was cut is
 * known.
 */
export function formatSnapshot(keys: Iterable<SavedKey>): string {
  const lines = [JSON.stringify({ format: FORMAT, version: VERSION })];
  for (const { key, expiresAt, value } of keys)
    lines.push(JSON.stringify([key, expiresAt ?? null, value.kind, contentOf(value)] satisfies Line));
  lines.push(JSON.stringify({ keys: lines.length - 1 }));
  return `${lines.join('\n')}\n`;
}

/** @throws Error, in words, when this is not a whole snapshot */
export function parseSnapshot(text: string): SavedKey[] {
  const lines = text.trimEnd().split('\n');
  const head: unknown = parseLine(lines[0] ?? '', 1);
  if (!isRecord(head) || head['format'] !== FORMAT) throw new Error('it is not a snapshot of this server');
  if (head['version'] !== VERSION)
    throw new Error(`its version is ${String(head['version'])}, not ${VERSION}`);
  const tail: unknown = lines.length > 1 ? parseLine(lines.at(-1) ?? '', lines.length) : undefined;
  if (!isRecord(tail) || tail['keys'] !== lines.length - 2) throw new Error('its end is missing');
  return lines.slice(1, -1).map((line, index) => parseKey(parseLine(line, index + 2), index + 2));
}

function contentOf(value: Value): unknown {
  switch (value.kind) {
    case 'string':
      return value.bytes;
    case 'set':
      return [...value.members];
    case 'zset':
      return value.members.slice(0).map(({ member, score }) => [member, String(score)]);
    case 'stream':
      return streamContent(value.stream);
    default:
      return value satisfies never;
  }
}

function streamContent(stream: Stream): SavedStream {
  const { lastId, entriesAdded, maxDeletedId } = stream.history;
  const entries = stream.range(0n, 2n ** 128n).map(({ id, fields }) => [String(id), fields] as const);
  return [entries, String(lastId), entriesAdded, String(maxDeletedId)];
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new Error(`its line ${number} is not JSON`, { cause: error });
  }
}

function parseKey(line: unknown, number: number): SavedKey {
  if (!Array.isArray(line) || line.length !== 4) throw malformed(number);
  const [key, expiresAt, kind, content] = line as unknown[];
  if (typeof key !== 'string' || (expiresAt !== null && typeof expiresAt !== 'number'))
    throw malformed(number);
  const value = parseValue(kind, content);
  if (value === undefined) throw malformed(number);
  return { key, expiresAt: expiresAt ?? undefined, value };
}

function parseValue(kind: unknown, content: unknown): Value | undefined {
  if (kind === 'string') return typeof content === 'string' ? { kind, bytes: content } : undefined;
  if (!Array.isArray(content)) return undefined;
  if (kind === 'set' && content.every(isString)) return { kind, members: new Set(content) };
  if (kind === 'zset' && content.every(isStringPair)) return { kind, members: sortedSet(content) };
  if (kind === 'stream' && isSavedStream(content)) return { kind, stream: savedStream(content) };
  return undefined;
}

function sortedSet(pairs: readonly (readonly [string, string])[]): SortedSet {
  const members = new SortedSet();
  for (const [member, score] of pairs) members.set(member, Number(score));
  return members;
}

function savedStream([entries, lastId, entriesAdded, maxDeletedId]: SavedStream): Stream {
  return new Stream(
    entries.map(([id, fields]) => ({ id: BigInt(id), fields })),
    { lastId: BigInt(lastId), entriesAdded, maxDeletedId: BigInt(maxDeletedId) },
  );
}

function isSavedStream(content: readonly unknown[]): content is SavedStream {
  const [entries, lastId, entriesAdded, maxDeletedId] = content;
  const numbers = isDigits(lastId) && typeof entriesAdded === 'number' && isDigits(maxDeletedId);
  return numbers && Array.isArray(entries) && entries.every(isSavedEntry);
}

function isSavedEntry(entry: unknown): entry is SavedEntry {
  return Array.isArray(entry) && isDigits(entry[0]) && Array.isArray(entry[1]) && entry[1].every(isString);
}

function isDigits(value: unknown): value is string {
  return isString(value) && /^\d+$/.test(value);
}

function isStringPair(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every(isString);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(number: number): Error {
  return new Error(`its line ${number} is malformed`);
}
