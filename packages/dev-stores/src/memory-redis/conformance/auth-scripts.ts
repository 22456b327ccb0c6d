import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

const AUTH_SERVER = new URL('../../../../../auth-server/src/', import.meta.url);

/** A script of the auth-server; the number in its name is that of its keys. */
export interface AuthScript {
  readonly name: string;
  readonly keyCount: number;
  readonly source: string;
}

/** One call of a script. */
export interface ScriptStep {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

const RECORD = 'issued\nsecret\nclient\nrest';
const GRANT = '3\n1700000000\nclient\n1700009999\nuser\nscope';

/** Every *.lua below the auth-server's sources. */
export function readAuthScripts(): AuthScript[] {
  return readdirSync(AUTH_SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.lua'))
    .toSorted()
    .map((file) => ({
      name: file.replace(/^.*\/|-\d+\.lua$/g, ''),
      keyCount: Number(/-(\d+)\.lua$/.exec(file)?.[1] ?? 0),
      source: readFileSync(new URL(file, AUTH_SERVER), 'utf8'),
    }));
}

/**
 * Calls that lead a script through its cases: with nothing there, with records of the right shape, with others. Which case
 * it is does not matter here; what both servers make of it does.
 */
export function stepsFor({ name, keyCount }: AuthScript): ScriptStep[] {
  const keys = Array.from({ length: keyCount }, (_, index) => `{g}:${index + 1}`);
  const argumentLists = [
    ['secret', GRANT, '100', '50', '20', '0'],
    ['2', 'client', '1700000005', '100', '50', '10'],
    ['3', 'client', '1700000005', '100', '50', '10'],
    ['9', 'client', '1700000005', '100', '50', '0'],
    ['3', 'other', '1700000005', '100', '50', '10'],
    ['1', 'client', '1700099999', '100', '50', '0'],
    ['2', '60', '1700000005', '100', '50', '0'],
  ];
  return argumentLists.flatMap((args) => [
    { script: name, keys, args },
    { script: name, keys, args },
  ]);
}

/** What the keys hold when a script is called, one state after another. */
export const states: readonly (readonly string[])[] = [
  [],
  [RECORD, GRANT],
  [GRANT, ''],
  ['2'],
  ['0', 'x', 'y'],
];

/** Sets the keys up: those without a value are gone. */
export async function prepare(redis: Redis, state: readonly string[]): Promise<void> {
  await redis.flushall();
  for (const [index, value] of state.entries()) await redis.set(`{g}:${index + 1}`, value, 'EX', 1_000);
}

/** The keys with their values, and their times to live in minutes: seconds may have passed. */
export async function dump(redis: Redis): Promise<unknown[]> {
  const keys = (await redis.keys('*')).toSorted();
  return Promise.all(
    keys.map(async (key) => [key, await redis.get(key), Math.ceil((await redis.ttl(key)) / 60)]),
  );
}
