import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createTemporaryDirectory, latencyBudgetMs, type TemporaryDirectory } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSession } from '../documentation/console-session.ts';
import { askGraph, dataOf } from '../harness/ask-graph.ts';
import { choosePorts, startPlatform, type PlatformProcess } from '../harness/platform-process.ts';
import type { Ending } from '../harness/running-program.ts';
import { signIn, type Tokens } from '../harness/sign-in.ts';

const MIB = 1024 * 1024;

/** Something of every subgraph. */
const everything = `{
  me { id name createdAt }
  users(limit: 100) { id name createdAt role }
  posts(first: 100) { id title body tags updatedAt commentCount comments(limit: 1) { id body } }
}`;

describe('npm start, SIGTERM, and npm start again', () => {
  let directory: TemporaryDirectory;
  let first: PlatformProcess;
  let firstResponse: unknown;
  let firstTokens: Tokens;
  let firstEnding: Ending;
  let second: PlatformProcess;

  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const dataDirectory = join(directory.path, 'data');
    const options = { dataDirectory, ports: await choosePorts(), isFromSource: true };
    first = await startPlatform(options);
    firstTokens = await signIn(first.addresses.issuer);
    firstResponse = await read(first, firstTokens.access_token);
    firstEnding = await first.stop();
    second = await startPlatform(options);
  });

  afterAll(async () => {
    await second.stop();
    directory.remove();
  });

  it('says what runs where, who may sign in, and which stores are in use', () => {
    const { graph, issuer, subgraphs, operations } = first.addresses;
    for (const address of [graph, issuer, ...Object.values(subgraphs), operations])
      expect(first.output.standard).toContain(address);
    for (const email of ['ada@example.com', 'ed@example.com', 'vi@example.com'])
      expect(first.output.standard).toContain(email);
    expect(first.output.standard).toMatch(/PostgreSQL +\d+/);
    expect(first.output.standard).toMatch(/Redis +\d+/);
    expect(first.output.standard).toMatch(/Initializing PostgreSQL/);
  });

  it('writes nothing that is not meant for a user, such as warnings of libraries', () => {
    expect(first.output.all).not.toMatch(/Warning|deprecat/i);
  });

  it('ends by itself within 10 s, in order, and leaves no process behind', () => {
    expect(firstEnding.leftBehind).toEqual([]);
    expect([firstEnding.code, firstEnding.signal]).toEqual([0, null]);
    expect(firstEnding.elapsedMs).toBeLessThan(latencyBudgetMs(10_000));
  });

  it('finds the same data the second time, and initializes nothing', async () => {
    expect(second.output.standard).not.toContain('Initializing PostgreSQL');
    const tokens = await signIn(second.addresses.issuer);
    expect(await read(second, tokens.access_token)).toEqual(firstResponse);
  });

  it('publishes its four subgraphs at the first start, and nothing new at the second', async () => {
    const [command = ''] = /npx trellis history .+/.exec(second.output.standard) ?? [];
    expect(first.output.standard).toContain(command);
    const [history] = await runSession([{ place: 'banner', command, expected: '' }], {});
    const [record, ...later] = history?.output.trim().split('\n') ?? [];
    expect(record).toMatch(/^content@development 1: publish, release [0-9a-f]{12}, by npm start, /);
    expect(later).toEqual([]);
  });

  it('goes on accepting tokens from before, and the grants behind them', async () => {
    expect(await read(second, firstTokens.access_token)).toEqual(firstResponse);
    const response = await fetch(`${second.addresses.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'trellis-cli',
        refresh_token: firstTokens.refresh_token ?? '',
      }),
    });
    expect(response.status).toBe(200);
  });

  it('is one process besides its stores, with less than 350 MiB when idle', async () => {
    await delay(3_000); // what a start leaves over is collected meanwhile
    const own = second.processes().filter(({ command }) => !/postgres/.test(command));
    const bytes = own.reduce((sum, { residentBytes }) => sum + residentBytes, 0);
    expect(
      bytes / MIB,
      own.map(({ command, residentBytes }) => `${residentBytes / MIB} ${command}`).join('\n'),
    ).toBeLessThan(350);
    expect(own.filter(({ command }) => /scripts\/run\.mjs/.test(command))).toHaveLength(1);
  });

  it('ends at Ctrl-C too, while clients hold connections open', async () => {
    const sockets = await Promise.all([
      openConnection(second.addresses.gateway, ''),
      openConnection(second.addresses.gateway, 'POST /graphql HTTP/1.1\r\nhost: localhost\r\n'),
      openConnection(second.addresses.issuer, 'GET /authorize'),
    ]);
    const ending = await second.stop('SIGINT');
    for (const socket of sockets) socket.destroy();
    expect([ending.code, ending.signal, ending.leftBehind]).toEqual([0, null, []]);
    expect(ending.elapsedMs).toBeLessThan(latencyBudgetMs(10_000));
  });
});

async function read(platform: PlatformProcess, token: string): Promise<unknown> {
  return dataOf(await askGraph(platform.addresses.graph, { query: everything, token }));
}

/** A connection of a client that says this much and then nothing. */
async function openConnection(address: string, text: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy()); // the server may close it as it likes
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}
