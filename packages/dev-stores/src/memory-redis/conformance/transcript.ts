import { readFileSync, writeFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { splitInlineRequest } from '../protocol/inline-request.ts';

/** One line that is sent, and what came back. */
interface Exchange {
  readonly sent: string;
  readonly received: string;
}

/** A recorded conversation: lines that begin with `>` are sent, the line after each is the reply. */
export interface Transcript {
  readonly title: string;
  readonly exchanges: readonly Exchange[];
}

/** The transcripts in this directory. */
export const transcriptNames = [
  'connection',
  'keys',
  'expiry',
  'strings',
  'counters',
  'sets',
  'sorted-sets',
  'streams',
  'scripts',
  'script-libraries',
] as const;

/** Reads a transcript. */
export function readTranscript(name: string): Transcript {
  const [title = '', ...lines] = readFileSync(fileOf(name), 'utf8').trimEnd().split('\n');
  const exchanges = lines.flatMap((line, index) => {
    if (!line.startsWith('> ')) return [];
    const next = lines[index + 1] ?? '';
    return [{ sent: line.slice(2), received: next.startsWith('> ') ? '' : next }];
  });
  return { title, exchanges };
}

/** Writes a transcript again with other replies. */
export function writeTranscript(name: string, { title, exchanges }: Transcript): void {
  const lines = exchanges.flatMap(({ sent, received }) => [`> ${sent}`, received]);
  writeFileSync(fileOf(name), `${[title, ...lines].join('\n')}\n`);
}

/** Has the conversation again, from an empty server on. */
export async function replay(redis: Redis, { title, exchanges }: Transcript): Promise<Transcript> {
  await redis.call('FLUSHALL');
  const replayed: Exchange[] = [];
  for (const { sent } of exchanges) replayed.push({ sent, received: await ask(redis, sent) });
  return { title, exchanges: replayed };
}

/** The words of a line, `~` left out. */
export function wordsOf(sent: string): Buffer[] {
  return splitInlineRequest(sent.replace(/^~ /, '')).map((word) => Buffer.from(word, 'latin1'));
}

async function ask(redis: Redis, sent: string): Promise<string> {
  const [name = Buffer.alloc(0), ...args] = wordsOf(sent);
  try {
    const reply = await redis.callBuffer(name.toString('latin1'), args);
    return show(sent.startsWith('~ ') ? sorted(reply) : reply);
  } catch (error) {
    return `!${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A reply on one line; bytes that are not printable ASCII as in JSON. */
export function show(reply: unknown): string {
  if (Buffer.isBuffer(reply)) return quote(reply.toString('latin1'));
  if (reply instanceof Error) return `!${reply.message}`;
  if (Array.isArray(reply)) return `[${reply.map(show).join(', ')}]`;
  return typeof reply === 'string' ? quote(reply) : String(reply);
}

function quote(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sorted(reply: unknown): unknown {
  if (!Array.isArray(reply)) return reply;
  return reply.map(sorted).toSorted((left, right) => (show(left) < show(right) ? -1 : 1));
}

function fileOf(name: string): URL {
  return new URL(`./${name}.transcript`, import.meta.url);
}
