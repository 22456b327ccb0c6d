import type { Pool } from '@trellis/postgres';
import { parseLogName } from '@trellis/registry';
import { createLogger } from '@trellis/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LogWatch } from './log-watch.ts';
import {
  createRegistryTables,
  serverFor,
  silent,
  type RegistryTables,
} from '../../testing/registry-stage.ts';

const log = parseLogName('content@production');
let tables: RegistryTables;
let pool: Pool;

beforeAll(async () => {
  tables = await createRegistryTables();
  ({ pool } = tables);
});

afterAll(() => tables.close());

describe('A registry over HTTP', () => {
  it('ends a wait with its connection', async () => {
    const behind = await serverFor(pool, ['graph:read'], {
      client: 'waiting',
      limits: { waitingOfClient: 1 },
    });
    const base = await behind.listen({ port: 0, host: '127.0.0.1' });
    const wait = (waitS: number, ending?: AbortSignal) =>
      fetch(`${base}/v1/graphs/content/environments/production/head?after=9999&waitS=${waitS}`, {
        ...(ending && { signal: ending }),
      });
    const ending = new AbortController();
    const first = wait(30, ending.signal).catch(() => 'ended');
    await expect.poll(async () => (await wait(0.01)).status).toBe(503);
    ending.abort();
    expect(await first).toBe('ended');
    await expect.poll(async () => (await wait(0.01)).status).toBe(200);
    await behind.close();
  });
});

describe('Readers that wait', () => {
  it('are served by one question for all, and bounded', async () => {
    let [questions, head] = [0, 3];
    const watch = new LogWatch(
      async () => {
        questions += 1;
        return new Map([['content@production', head]]);
      },
      silent,
      { waiting: 100, waitingOfClient: 50 },
    );
    const wait = (client: string) => watch.waitFor(log, 3, AbortSignal.timeout(60_000), client);
    const busy = Array.from({ length: 50 }, () => wait('busy'));
    await expect(wait('busy')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const readers = [...busy, ...Array.from({ length: 50 }, (_, index) => wait(`client ${index}`))];
    await expect(wait('one too many')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    setTimeout(() => (head = 4), 100);
    expect(new Set(await Promise.all(readers))).toEqual(new Set([4]));
    expect(questions).toBeLessThanOrEqual(5);
    expect(await watch.waitFor(log, 4, AbortSignal.timeout(50), 'busy')).toBe(4);
    expect(watch.size).toBe(0);
  });

  it('wait on while the database is gone, which is logged once, and once more when it is back', async () => {
    const lines: string[] = [];
    const logger = createLogger({
      service: 'test',
      level: 'info',
      destination: { write: (line: string) => void lines.push(line) },
    });
    let questions = 0;
    const watch = new LogWatch(async () => {
      questions += 1;
      if (questions < 3) throw new Error('no database');
      return new Map([['content@production', 4]]);
    }, logger);
    expect(await watch.waitFor(log, 3, AbortSignal.timeout(60_000), 'one')).toBe(4);
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'heads of logs unavailable',
      'heads of logs available again',
    ]);
  });
});
