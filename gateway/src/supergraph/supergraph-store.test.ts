import { gql } from 'graphql-tag';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { print } from 'graphql';
import { until } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { InvalidSupergraph } from './build-supergraph.ts';
import { createSupergraphStore, type SupergraphStore } from './supergraph-store.ts';
import type { Supergraph, SupergraphText } from './supergraph.ts';

function graphWith(...fields: string[]): string {
  const typeDefs = gql`type Query { ${fields.map((name) => `${name}: Int`).join(' ')} }`;
  return composeGraph(
    { name: 'g', subgraphs: [{ name: 'a', typeDefs }] },
    () => 'http://127.0.0.1:9/graphql',
  );
}

function fieldsOf(supergraph: Supergraph): string[] {
  return Object.keys(supergraph.schema.getQueryType()?.getFields() ?? {});
}

interface Rejection {
  readonly source: string;
  readonly error: Error;
}

let directory: string;
let file: string;
let store: SupergraphStore;
let rejections: Rejection[];
let swaps: Supergraph[];

const observer = {
  serving: (next: Supergraph) => void swaps.push(next),
  rejected: (source: string, error: Error) => void rejections.push({ source, error }),
};

beforeEach(async () => {
  rejections = [];
  swaps = [];
  directory = await mkdtemp(join(tmpdir(), 'supergraph-'));
  file = join(directory, 'supergraph.graphql');
  await writeFile(file, graphWith('one'));
});
afterEach(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

describe('a supergraph file', () => {
  it('serves although no subgraph is up', async () => {
    store = await createSupergraphStore({ file });
    expect(fieldsOf(store.current())).toEqual(['one']);
  });

  it('that is written again is served, by the watcher', async () => {
    store = await createSupergraphStore({ file, pollMs: 1_000_000, observer });
    await writeFile(file, graphWith('one', 'two'));
    await until(() => fieldsOf(store.current()).length === 2);
    expect(swaps).toEqual([expect.anything(), store.current()]);
  });

  it('that is replaced by a rename is served, again and again', async () => {
    store = await createSupergraphStore({ file, pollMs: 1_000_000, observer });
    for (const name of ['two', 'three', 'four']) {
      await writeFile(`${file}.next`, graphWith(name));
      await rename(`${file}.next`, file);
      await until(() => fieldsOf(store.current())[0] === name);
    }
  });

  it('behind links is served when they lead elsewhere, as Kubernetes replaces what it mounts', async () => {
    for (const [folder, name] of [
      ['v1', 'two'],
      ['v2', 'three'],
    ] as const) {
      await mkdir(join(directory, folder));
      await writeFile(join(directory, folder, 'graph'), graphWith(name));
    }
    await symlink('v1', join(directory, '..data'));
    await symlink(join('..data', 'graph'), join(directory, 'mounted'));
    store = await createSupergraphStore({ file: join(directory, 'mounted'), pollMs: 1_000_000, observer });
    await symlink('v2', join(directory, '..data_next'));
    await rename(join(directory, '..data_next'), join(directory, '..data'));
    await until(() => fieldsOf(store.current())[0] === 'three');
  });

  it('F-12 that is broken, empty, cut short or gone leaves the old one serving, and is reported once', async () => {
    store = await createSupergraphStore({ file, pollMs: 20, observer });
    const before = store.current();
    for (const text of ['', 'type Query {', graphWith('two').slice(0, 300)]) {
      const earlier = rejections.length;
      await writeFile(`${file}.new`, text);
      await rename(`${file}.new`, file); // at once: while it is being written it would be reported as well
      await until(() => rejections.length > earlier);
    }
    const earlier = rejections.length;
    await rm(file);
    await until(() => rejections.length > earlier);
    await new Promise((resolve) => {
      setTimeout(resolve, 150);
    });
    expect(rejections.length).toBe(earlier + 1);
    expect(store.current()).toBe(before);
    expect(rejections[0]?.source).toBe(file);
    await writeFile(file, graphWith('better'));
    await until(() => fieldsOf(store.current())[0] === 'better');
  });

  it('is prepared before it serves, and serves the old one if that fails', async () => {
    let ready = (): void => {};
    let prepared = 0;
    const warming = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const warm = async (next: Supergraph): Promise<void> => {
      prepared += 1;
      if (fieldsOf(next).includes('bad')) throw new Error('It can not be prepared.');
      if (fieldsOf(next).includes('two')) await warming;
    };
    store = await createSupergraphStore({ file, pollMs: 20, warm, observer });
    expect(prepared).toBe(1);
    await writeFile(file, graphWith('two'));
    await until(() => prepared === 2);
    expect(fieldsOf(store.current())).toEqual(['one']);
    ready();
    await until(() => fieldsOf(store.current())[0] === 'two');
    await writeFile(file, graphWith('bad'));
    await until(() => rejections.some(({ error }) => error.message === 'It can not be prepared.'));
    expect(fieldsOf(store.current())).toEqual(['two']);
  });

  it('that is composed here is prepared for beside building it, until it serves or is rejected', async () => {
    let text = graphWith('one');
    let changed = (): void => {};
    const source = {
      description: 'composed here',
      settleMs: 0,
      isComposedHere: true,
      read: () => Promise.resolve(text),
      watch: (listener: () => void) => {
        changed = listener;
        return () => undefined;
      },
    };
    const seen: string[] = [];
    const prepare = ({ hash }: SupergraphText) => {
      seen.push(hash);
      return () => void seen.push('released');
    };
    const warm = ({ hash }: Supergraph) => Promise.resolve(void seen.push(`built ${hash}`));
    store = await createSupergraphStore({ source, prepare, warm, observer });
    seen.length = 0;
    text = graphWith('two');
    changed();
    await until(() => seen.includes('released'));
    const { hash } = store.current();
    expect(seen).toEqual([hash, `built ${hash}`, 'released']);
    text = print(gql`
      type Query {
        nothing: Int
      }
    `);
    changed();
    await until(() => rejections.length === 1);
    expect(seen.slice(3)).toEqual([expect.not.stringContaining('built'), 'released']);
  });

  it('says which generation no longer serves', async () => {
    store = await createSupergraphStore({ file, observer });
    const seen: string[][] = [];
    const stop = store.onChange(
      (retired) => void seen.push([...retired.flatMap(fieldsOf), ...fieldsOf(store.current())]),
    );
    await writeFile(file, graphWith('two'));
    await until(() => seen.length === 1);
    expect(seen).toEqual([['one', 'two']]);
    stop();
  });

  it('that can not be read at the start is an error in words', async () => {
    store = await createSupergraphStore({ file });
    const none = join(directory, 'none');
    const started = createSupergraphStore({ file: none });
    await expect(started).rejects.toThrow(InvalidSupergraph);
    await expect(started).rejects.toThrow(
      `The supergraph at ${none} can't be served. There is no file or directory for ${none}.`,
    );
  });

  it('that is none at the start is an error in words', async () => {
    store = await createSupergraphStore({ file });
    await writeFile(file, 'type {');
    const started = createSupergraphStore({ file });
    await expect(started).rejects.toThrow(InvalidSupergraph);
    await expect(started).rejects.toThrow(`The supergraph at ${file} can't be served. The text is not`);
  });
});

describe('a supergraph behind a URL', () => {
  let server: Server;
  let url: string;
  let text = graphWith('one');
  let statuses: number[];

  beforeEach(async () => {
    statuses = [];
    text = graphWith('one');
    server = createServer((request, response) => {
      const etag = `"${text.length}"`;
      const status = request.headers['if-none-match'] === etag ? 304 : 200;
      statuses.push(status);
      response.writeHead(status, { etag });
      response.end(status === 200 ? text : undefined);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/supergraph?token=secret`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('is polled, and sent again only when it has changed', async () => {
    store = await createSupergraphStore({ url, pollMs: 20, observer });
    await until(() => statuses.filter((status) => status === 304).length > 2);
    text = graphWith('one', 'two');
    await until(() => fieldsOf(store.current()).length === 2);
    expect(statuses.filter((status) => status === 200)).toHaveLength(2);
  });

  it('that is down leaves the old one serving, and its query stays out of the log', async () => {
    store = await createSupergraphStore({ url, pollMs: 20, observer });
    server.closeAllConnections();
    server.close();
    await until(() => rejections.length > 0);
    expect(fieldsOf(store.current())).toEqual(['one']);
    expect(rejections[0]?.source).not.toContain('secret');
  });
});
