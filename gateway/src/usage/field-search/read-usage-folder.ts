import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { z } from 'zod';
import { clientsSchema, type ReadUsage } from './recorded-interval.ts';

const inflate = promisify(gunzip);

/** A file's bytes, packed and unpacked: more than an interval can have. */
const [MAX_PACKED_BYTES, MAX_BYTES] = [32 * 1024 * 1024, 64 * 1024 * 1024];
/** A process renews its mark with each file: this many intervals without are an end. */
const MISSED_INTERVALS = 3;
const FILE = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3}Z)\.[\w-]+\.jsonl\.gz$/;
const MARK = /^[\w-]+\.open$/;

const markSchema = z.object({ intervalMs: z.number() });
const headerSchema = z.object({
  format: z.literal('trellis-operations/1'),
  from: z.coerce.date(),
  to: z.coerce.date(),
  complete: z.boolean().optional(),
});
const lineSchema = z.object({ id: z.string(), document: z.string(), clients: clientsSchema.default([]) });

/**
 * Reads what gateways have written into a folder, the newest interval first.
 *
 * @param sinceMs intervals that ended before are passed over
 * @throws Error of node:fs where the folder can't be read
 */
export async function* readUsageFolder(directory: string, sinceMs: number): AsyncGenerator<ReadUsage> {
  const names = await readdir(directory);
  for (const name of names)
    if (MARK.test(name) && (await isLeftBehind(join(directory, name), sinceMs))) yield 'missing';
  for (const name of names
    .filter((one) => FILE.test(one))
    .toSorted()
    .toReversed()) {
    if (beganMs(name) + LONGEST_INTERVAL_MS <= sinceMs) return; // all further ones began before
    const read = await tryReadFile(join(directory, name));
    if (read === 'missing' || read.to.getTime() > sinceMs) yield read;
  }
}

/** An interval has a day at most. */
const LONGEST_INTERVAL_MS = 86_400_000;

function beganMs(name: string): number {
  const [, day = '', hours = '', minutes = '', seconds = ''] = FILE.exec(name) ?? [];
  return Date.parse(`${day}${hours}:${minutes}:${seconds}`);
}

/** A process that ended before the time that is asked for has left nothing out of it. */
async function isLeftBehind(mark: string, sinceMs: number): Promise<boolean> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(mark, 'utf8'), stat(mark)]);
    const { intervalMs } = markSchema.parse(JSON.parse(text));
    const endedMs = mtimeMs + MISSED_INTERVALS * intervalMs;
    return endedMs > sinceMs && endedMs < Date.now();
  } catch (error) {
    return !isAbsent(error); // its process has ended meanwhile
  }
}

async function tryReadFile(path: string): Promise<ReadUsage> {
  try {
    return await readInterval(path);
  } catch {
    return 'missing'; // damaged, or pruned meanwhile
  }
}

async function readInterval(path: string): Promise<ReadUsage> {
  const { size } = await stat(path);
  if (size > MAX_PACKED_BYTES) return 'missing';
  const text = (await inflate(await readFile(path), { maxOutputLength: MAX_BYTES })).toString('utf8');
  const [first = '', ...lines] = text.split('\n');
  const { from, to, complete = true } = headerSchema.parse(JSON.parse(first));
  const operations = lines.filter((line) => line !== '').map((line) => lineSchema.parse(JSON.parse(line)));
  const texts = new Map(operations.map(({ id, document }) => [id, document]));
  return { from, to, isComplete: complete, operations, documents: async () => texts };
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
