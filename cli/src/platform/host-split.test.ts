import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GuardedProcess, GuardedProcessOptions, ProcessExit } from '@trellis/dev-stores';
import type { Environment } from '@trellis/runtime';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { prefixes, type Prefix } from '../programs.ts';
import type { Host } from './host.ts';
import { hostSplit, type SplitOptions } from './host-split.ts';
import { readPlatformConfig } from './platform-config.ts';

const MAINS = ['auth-server', 'users', 'posts', 'comments', 'search', 'gateway'];
const signal = new AbortController().signal;

/** A process in name only: it serves where {@link ready} or {@link unready} listens, and ends when it is asked to. */
interface StandIn {
  readonly prefix: string;
  readonly options: GuardedProcessOptions;
  readonly end: (exit: ProcessExit) => void;
}

let ready: Server;
let unready: Server;

beforeAll(async () => {
  [ready, unready] = await Promise.all([listen(200), listen(503)]);
});
afterAll(() => {
  for (const server of [ready, unready]) server.close();
});

/** @param unreadyOf which does not become ready */
function world(unreadyOf?: Prefix, firstPort = 9464) {
  const started: StandIn[] = [];
  const stopped: string[] = [];
  const lines: string[] = [];
  const gate = deferred<void>();
  const start = (options: GuardedProcessOptions): Promise<GuardedProcess> => {
    const prefix = options.environment['NAME'] ?? '';
    const exited = deferred<ProcessExit>();
    started.push({ prefix, options, end: exited.resolve });
    const stop = async (): Promise<void> => {
      stopped.push(prefix);
      if (prefix === 'GATEWAY') await gate.promise;
      exited.resolve({ code: 0, signal: null });
    };
    return Promise.resolve({ guardPid: 0, exited: exited.promise, stop });
  };
  const ports = Object.fromEntries(
    [...prefixes, 'WEB', 'DOCS'].map((name) => [name, portOf(name === unreadyOf ? unready : ready)]),
  ) as SplitOptions['ports']; // one a name
  const environments = Object.fromEntries(
    prefixes.map((prefix) => [prefix, { NAME: prefix, ABSENT: undefined }]),
  ) as unknown as Readonly<Record<Prefix, Environment>>; // one a prefix
  const host = (given: Partial<SplitOptions> = {}): Promise<Host> =>
    hostSplit({
      config: readPlatformConfig({ OPERATIONS_PORT: `${firstPort}` }),
      environments,
      ports,
      signal,
      print: (line) => void lines.push(line),
      start,
      ...given,
    });
  return { host, started, stopped, lines, gate };
}

/** Ends with the test. */
async function running(made: ReturnType<typeof world>, given?: Partial<SplitOptions>): Promise<Host> {
  const host = await made.host(given);
  onTestFinished(() => {
    made.gate.resolve();
    return host.close();
  });
  return host;
}

describe('Deployables in processes of their own', () => {
  it('are started once each, by their main, with an operations port of their own', async () => {
    const made = world();
    const host = await running(made);
    expect(made.started.map(({ options }) => options.args.at(-1))).toEqual(
      MAINS.map((name) => expect.stringMatching(new RegExp(`/${name}/src/main\\.ts$`)) as string),
    );
    expect(made.started.map(({ options }) => options.environment)).toEqual(
      prefixes.map((prefix, index) => ({ NAME: prefix, OPERATIONS_PORT: String(9464 + index) })),
    );
    expect(host.operations).toBe('ports 9464 to 9469, /metrics each');
    expect([host.unavailable, made.lines]).toEqual([[], []]);
  });

  it('have a free operations port each where that is configured', async () => {
    const made = world(undefined, 0);
    expect((await running(made)).operations).toBe('a free port each');
    for (const { options } of made.started) expect(options.environment['OPERATIONS_PORT']).toBe('0');
  });

  it('are started again when they end, and named when they did so before they served', async () => {
    const made = world('POSTS');
    const hosting = running(made);
    await expect.poll(() => made.started.length).toBe(prefixes.length);
    made.started.find(({ prefix }) => prefix === 'POSTS')?.end({ code: 1, signal: null });
    expect((await hosting).unavailable).toEqual(['posts']);
    await expect.poll(() => made.started.filter(({ prefix }) => prefix === 'POSTS').length).toBe(2);
    expect(made.lines).toEqual(['posts has ended (status 1); it is started again.']);
    expect(made.started).toHaveLength(prefixes.length + 1);
  });

  it('are waited for until the start is aborted', async () => {
    const made = world('SEARCH');
    const abort = new AbortController();
    const hosting = running(made, { signal: abort.signal });
    await expect.poll(() => made.started.length).toBe(prefixes.length);
    abort.abort();
    expect((await hosting).unavailable).toContain('search');
  });

  it('end after the gateway has', async () => {
    const made = world();
    const host = await made.host();
    const closing = host.close();
    expect(made.stopped).toEqual(['GATEWAY']);
    made.gate.resolve();
    await closing;
    expect(made.stopped[0]).toBe('GATEWAY');
    expect(made.stopped.toSorted()).toEqual(prefixes.toSorted());
  });
});

/** A promise that is resolved from outside. */
function deferred<Value>(): { readonly promise: Promise<Value>; readonly resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((settle) => void (resolve = settle));
  return { promise, resolve };
}

async function listen(status: number): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/health/ready' ? status : 404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
