import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readOperations } from '@trellis/composition';
import { ConfigError } from '@trellis/runtime/config-error';
import { createTemporaryDirectory, until } from '@trellis/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts';

const QUERY = 'query Counted { public }';
/** Longer than any test. */
const NEVER_S = 86_400;

let graph: LibraryGraph;
let gateway: TestGateway;
let root: ReturnType<typeof createTemporaryDirectory>;

beforeAll(async () => {
  graph = await startLibraryGraph();
});
afterAll(() => graph.close());
beforeEach(async () => {
  root = createTemporaryDirectory();
  gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
});
afterEach(async () => {
  await gateway.close();
  root.remove();
});

const folder = (name: string): string => join(root.path, name);
const to = (name: string, more: object = {}): object => ({ usage: { directory: folder(name), ...more } });
const send = async (): Promise<void> => void (await gateway.post({ query: QUERY }));

/** Marks of those who record there. */
function marksIn(name: string): readonly string[] {
  return existsSync(folder(name)) ? readdirSync(folder(name)).filter((file) => file.endsWith('.open')) : [];
}

async function countedIn(name: string): Promise<number> {
  const { operations } = await readOperations([folder(name)]);
  return operations.flatMap(({ clients }) => clients).reduce((sum, { requests }) => sum + requests, 0);
}

interface Collector {
  readonly server: Server;
  readonly url: string;
  /** Bodies and tokens of the requests that it took. */
  readonly taken: { readonly body: string; readonly token: unknown }[];
}

/** Takes what comes with the token. */
async function startCollector(token: string): Promise<Collector> {
  const taken: Collector['taken'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isAllowed = request.headers['x-token'] === token;
      if (isAllowed)
        taken.push({ body: Buffer.concat(chunks).toString(), token: request.headers['x-token'] });
      response.writeHead(isAllowed ? 200 : 401, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { server, url: `http://127.0.0.1:${port}/v1/logs`, taken };
}

function openConnections({ server }: Collector): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}

describe('Usage that a reload has recorded elsewhere', () => {
  it('is counted once, all of it, while operations are sent', async () => {
    const names = ['a', 'b', 'c'];
    await gateway.reload(to('a'));
    let sent = 0;
    const sending = new AbortController();
    const clients = Array.from({ length: 4 }, async () => {
      while (!sending.signal.aborted) {
        sent += 1;
        await send();
      }
    });
    for (const name of [...names, ...names]) {
      await gateway.reload(to(name));
      await pause(60);
    }
    sending.abort();
    await Promise.all(clients);
    await gateway.close();
    const counted = await Promise.all(names.map(countedIn));
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(sent);
    expect(names.flatMap(marksIn)).toEqual([]); // so nothing is missing
  });

  it('leaves no timer, mark or file behind where it was recorded before', async () => {
    await gateway.reload(to('before', { intervalS: 1 }));
    await send();
    await gateway.reload(to('after', { intervalS: NEVER_S }));
    await until(() => marksIn('before').length === 0);
    const files = readdirSync(folder('before'));
    await pause(2_200); // two of its intervals
    expect(readdirSync(folder('before'))).toEqual(files);
    expect(await countedIn('before')).toBe(1);
    expect(marksIn('after')).toHaveLength(1);
    await gateway.reload({});
    await until(() => marksIn('after').length === 0);
    await send();
    expect(await countedIn('after')).toBe(0);
  });

  it('is recorded on where it was if the new folder cannot be written to', async () => {
    writeFileSync(folder('file'), '');
    await gateway.reload(to('good'));
    await expect(gateway.reload(to('file'))).rejects.toThrow(/usage\.directory: (?:EEXIST|ENOTDIR)/);
    await send();
    await gateway.close();
    expect(await countedIn('good')).toBe(1);
    expect(statSync(folder('file')).size).toBe(0);
  });

  it('leaves no mark in the new folder if something else of the reload is invalid', async () => {
    await gateway.reload(to('good'));
    // Of all that can fail, what is made of the settings is last.
    vi.spyOn(gateway.inside().resources.authenticators, 'of').mockImplementationOnce(() => {
      expect(marksIn('unused')).toHaveLength(1);
      throw new ConfigError('gateway', ['It cannot be made.']); // and so is not tried again
    });
    await expect(gateway.reload(to('unused', { intervalS: 1 }))).rejects.toThrow('It cannot be made.');
    expect(marksIn('unused')).toEqual([]);
    await pause(1_200);
    expect(readdirSync(folder('unused'))).toEqual([]);
  });

  it('is of the same process when only the bounds of an interval change', async () => {
    await gateway.reload(to('same', { intervalS: NEVER_S }));
    const marks = marksIn('same');
    await send();
    await gateway.reload(to('same', { intervalS: NEVER_S, documents: 7 }));
    await until(async () => (await countedIn('same')) === 1);
    expect(marksIn('same')).toEqual(marks);
  });

  it('does not send the headers of one collector to another, and closes what it had open', async () => {
    const [old, next] = [await startCollector('old'), await startCollector('next')];
    const collected = ({ url }: Collector, token: string): object => ({
      usage: { intervalS: NEVER_S, collector: { endpoint: url, headers: { 'x-token': token } } },
    });
    await gateway.reload(collected(old, 'old'));
    await send();
    await gateway.reload(collected(next, 'next'));
    await until(() => old.taken.some(({ body }) => body.includes('trellis.usage.end')));
    await until(async () => (await openConnections(old)) === 0);
    expect(old.taken.some(({ body }) => body.includes('query Counted'))).toBe(true);
    expect(next.taken).toEqual([]);
  });

  it('waits for a collector whose secret has changed, and is sent with the new one', async () => {
    const collector = await startCollector('new');
    const withToken = (token: string): object => ({
      usage: { intervalS: 1, collector: { endpoint: collector.url, headers: { 'x-token': token } } },
    });
    await gateway.reload(withToken('expired'));
    await send();
    await until(() => gateway.logged().some(({ msg }) => msg === 'usage cannot be written'));
    await gateway.reload(withToken('new'));
    await until(() => collector.taken.some(({ body }) => body.includes('query Counted')));
    await gateway.close();
    expect(await gateway.metrics.metrics()).not.toMatch(/usage_lost_total\{.*\} [1-9]/);
  });
});

describe('Usage of several workers', () => {
  it('is recorded elsewhere by all of them after a change of the file', async () => {
    const workers = await startTestGateway({
      subgraphs: graph.all,
      settings: JSON.stringify(to('first')),
      environment: { WORKERS: '2' },
    });
    try {
      await until(() => marksIn('first').length === 2);
      writeFileSync(join(workers.directory, 'gateway.yaml'), JSON.stringify(to('second')));
      await until(() => marksIn('second').length === 2 && marksIn('first').length === 0);
    } finally {
      await workers.close(); // while the folders exist
    }
  });

  it('is recorded where the others record it by a worker that replaces one', async () => {
    const workers = await startTestGateway({
      subgraphs: graph.all,
      settings: JSON.stringify(to('first')),
      environment: { WORKERS: '2' },
    });
    try {
      writeFileSync(join(workers.directory, 'gateway.yaml'), JSON.stringify(to('second')));
      await until(() => marksIn('second').length === 2 && marksIn('first').length === 0);
      Object.values(cluster.workers ?? {})[0]?.process.kill('SIGKILL');
      // The mark of the one that was killed stays: what it had counted is lost, and said to be.
      await until(() => marksIn('second').length === 3 && marksIn('first').length === 0);
    } finally {
      await workers.close();
    }
  });
});
