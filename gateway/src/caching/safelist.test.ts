import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../config/read-settings.ts';
import {
  createSafelists,
  InvalidManifest,
  readListedOperations,
  type ListedClient,
  type Safelists,
} from './safelist.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-lists-'));
  file = join(folder, 'gateway.yaml');
  writeFileSync(file, JSON.stringify({ persistedQueries: { mode: 'safelist', lists: '.' } }));
  return () => rmSync(folder, { recursive: true });
});

/** Publishes a list. @returns its file */
function publish(name: string, list: object, text = '{ a }'): string {
  const path = join(folder, `${name}.operations.json`);
  const operations = [{ id: '1', body: text }];
  const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  writeFileSync(path, JSON.stringify({ ...manifest, trellis: { list: 1, ...list } }));
  return path;
}

/** Those that were published. */
function readPublished(): Safelists {
  return createSafelists(readListedOperations({ others: [], clients: new Map(), lists: folder }));
}

const NO_ONE = { software: undefined, oauthClient: undefined };
const ios = (version: string): ListedClient => ({ ...NO_ONE, software: { name: 'ios', version } });

describe('Lists of operations', () => {
  it('L3: are read again when one of them is edited in place, where the folder stays as it is', () => {
    const before = statSync(folder);
    const list = publish('ios', { client: 'ios' });
    utimesSync(folder, before.atime, before.mtime);
    expect(readSettings(file, {}).files.map(({ path }) => path)).toEqual([file, folder, list]);
  });

  it('L4: are read once for settings that come into force', () => {
    const list = publish('ios', { client: 'ios', version: '3.1' });
    const { listed } = readSettings(file, {});
    rmSync(list);
    const { of, all } = createSafelists(listed);
    expect(all.has('{ a }')).toBe(true);
    expect(of(ios('3.1')).textOf('1')).toBe('{ a }');
    expect(of(ios('3.2')).size).toBe(0);
    expect(of(NO_ONE).size).toBe(0);
  });

  it('L5: are rejected where two are of one version of a client, and none would say which holds', () => {
    const [first, second] = ['a', 'b'].map((name) => publish(name, { client: 'ios', version: '3.1' }));
    const read = readPublished;
    expect(read).toThrow(InvalidManifest);
    expect(read).toThrow(`${first} and ${second} are both the list of ios@3.1`);
    expect(() => readSettings(file, {})).toThrow('are both the list of ios@3.1');
  });

  it('of a retired version are those of no one else', () => {
    publish('old', { client: 'ios', version: '1', retires: '2020-01-01T00:00:00Z' }, '{ old }');
    publish('new', { client: 'ios' }, '{ new }');
    const { of, all } = readPublished();
    expect([...all.texts()]).toEqual(['{ new }']);
    expect(of(ios('1'))).toMatchObject({ size: 1, retirement: { client: 'ios 1' } });
    expect(of(ios('2')).retirement).toBeUndefined();
  });
});
