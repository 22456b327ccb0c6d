import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { beforeEach, describe, expect, it } from 'vitest';
import { findFieldUsers } from './find-field-users.ts';
import type { FieldSearch, RecordedUse } from './recorded-use.ts';
import { searchInThread } from './search-thread.ts';

const SDL = print(gql`
  interface Node {
    id: ID!
  }
  type User implements Node {
    id: ID!
    name: String
  }
  type Query {
    me: User
    node: Node
  }
`);
const HOUR_MS = 3_600_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-field-search-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

interface Line {
  readonly id: string;
  readonly document: string;
  readonly clients: readonly object[];
}

const web = (requests: number, lastUsed = '2026-11-20T10:30:00Z'): object => ({
  name: 'web',
  version: '1',
  requests,
  lastUsed,
});

/** Writes an interval of an hour as a gateway does. @param hoursAgo when it began */
function record(hoursAgo: number, lines: readonly Line[], { complete = true, process = 'p1' } = {}): void {
  const from = new Date(NOW - hoursAgo * HOUR_MS);
  const to = new Date(from.getTime() + HOUR_MS);
  const header = { format: 'trellis-operations/1', from, to, complete, process };
  const text = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  const name = `${from.toISOString().replaceAll(':', '-')}.${process}.jsonl.gz`;
  writeFileSync(join(folder, name), gzipSync(text));
}

const searchFor = (field: string, changes: Partial<FieldSearch> = {}): FieldSearch => {
  const [type = '', name = ''] = field.split('.');
  const sinceMs = NOW - 24 * HOUR_MS;
  return { type, field: name, sdl: SDL, sinceMs, budgetMs: 60_000, directory: folder, ...changes };
};

async function usersOf(field: string, changes?: Partial<FieldSearch>): Promise<RecordedUse> {
  const outcome = await findFieldUsers(searchFor(field, changes));
  if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome));
  return outcome.use;
}

const named: Line = { id: 'a', document: 'query Me { me { name } }', clients: [web(3)] };
const other: Line = { id: 'b', document: '{ me { id } }', clients: [web(1)] };

describe('Who has used a field, as it was recorded', () => {
  it('adds up intervals and processes: operations, clients with versions, requests, last use', async () => {
    record(3, [named, other]);
    record(2, [{ ...named, clients: [web(2, '2026-11-20T11:00:00Z'), { name: 'ios', requests: 9 }] }]);
    record(2, [named], { process: 'p2' });
    expect(await usersOf('User.name')).toEqual({
      field: 'User.name',
      from: '2026-11-20T09:00:00.000Z',
      to: '2026-11-20T11:00:00.000Z',
      complete: true,
      requests: 18,
      requestsWithField: 17,
      operations: [
        {
          id: 'a',
          name: 'Me',
          requests: 17,
          clients: [
            { name: 'ios', version: '', requests: 9, lastUsed: undefined },
            { name: 'web', version: '1', requests: 8, lastUsed: '2026-11-20T11:00:00Z' },
          ],
        },
      ],
      further: 0,
    });
  });

  it('counts what is selected by an interface for the types that may stand there', async () => {
    record(2, [{ ...other, document: '{ node { id } }' }]);
    expect((await usersOf('User.id')).requestsWithField).toBe(1);
    expect((await usersOf('Node.id')).requestsWithField).toBe(1);
    expect((await usersOf('User.name')).requestsWithField).toBe(0);
  });

  it('passes over intervals that ended before', async () => {
    record(30, [named]);
    record(100, [named]);
    record(2, [other]);
    expect(await usersOf('User.name')).toMatchObject({ complete: true, requestsWithField: 0, requests: 1 });
  });

  it.each<[string, () => void]>([
    ['nothing was recorded', () => undefined],
    ['an interval is incomplete', () => record(2, [other], { complete: false })],
    ['a file is cut off', () => writeFileSync(join(folder, '2026-11-20T10-00-00.000Z.p.jsonl.gz'), 'x')],
    ['a file is a folder', () => mkdirSync(join(folder, '2026-11-20T10-00-00.000Z.p.jsonl.gz'))],
    ['a document is none', () => record(2, [{ ...other, document: '{' }])],
    ['a process was killed', () => writeFileSync(join(folder, 'p.open'), '{"intervalMs":-1}')],
    ['the mark of a process is damaged', () => writeFileSync(join(folder, 'p.open'), '{')],
  ])('is incomplete where %s', async (_what, happen) => {
    record(3, _what === 'nothing was recorded' ? [] : [named]);
    if (_what === 'nothing was recorded') rmSync(join(folder, '2026-11-20T09-00-00.000Z.p1.jsonl.gz'));
    happen();
    expect((await usersOf('User.name')).complete).toBe(false);
  });

  it('is incomplete where its deadline passes, and has the newest interval then', async () => {
    record(3, [named]);
    record(2, [other]);
    expect(await usersOf('User.id', { budgetMs: 0 })).toMatchObject({
      from: '2026-11-20T10:00:00.000Z',
      complete: false,
      requestsWithField: 1,
    });
  });

  it('ends within an interval: what is found by then stays, and it is incomplete', async () => {
    record(2, [named, { ...named, id: 'c' }, other]);
    expect(await usersOf('User.name', { budgetMs: 0 })).toMatchObject({
      complete: false,
      requests: 3,
      requestsWithField: 3,
      operations: [{ id: 'a' }],
    });
  });

  it('is complete where a process was killed before the time that is asked for', async () => {
    record(2, [named]);
    const mark = join(folder, 'p.open');
    writeFileSync(mark, '{"intervalMs":1000}');
    utimesSync(mark, new Date(NOW), new Date(NOW - 48 * HOUR_MS));
    expect((await usersOf('User.name')).complete).toBe(true);
    expect((await usersOf('User.name', { sinceMs: NOW - 72 * HOUR_MS })).complete).toBe(false);
  });

  it('names 100 operations with 50 clients each at most', async () => {
    const clients = Array.from({ length: 60 }, (_, index) => ({ name: `c${index}`, requests: 1 }));
    record(
      2,
      Array.from({ length: 120 }, (_, index) => ({ ...named, id: `id${index}`, clients })),
    );
    const { operations, further, requestsWithField } = await usersOf('User.name');
    expect([operations.length, further, requestsWithField]).toEqual([100, 20, 7_200]);
    expect(new Set(operations.map((one) => one.clients.length))).toEqual(new Set([50]));
  });

  it.each(['User.missing', 'Missing.name', 'User.__proto__', 'User.constructor', 'ID.name'])(
    'knows no field %s',
    async (field) => {
      expect(await findFieldUsers(searchFor(field))).toEqual({ kind: 'unknown field' });
    },
  );

  it('is unreadable where the folder is', async () => {
    expect(await findFieldUsers(searchFor('User.name', { directory: join(folder, 'none') }))).toMatchObject({
      kind: 'unreadable',
    });
  });

  it('is searched in a thread, which ends with its signal', async () => {
    record(2, [named]);
    const found = await searchInThread(searchFor('User.name'), AbortSignal.timeout(60_000));
    expect(found).toMatchObject({ kind: 'found', use: { requestsWithField: 3 } });
    await expect(searchInThread(searchFor('User.name'), AbortSignal.abort())).rejects.toThrow('too long');
  });
});
