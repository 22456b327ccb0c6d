import { writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof } from '@trellis/testkit';
import { Pool } from 'undici';
import { gql } from 'graphql-tag';
import { compose } from '../src/testing/compose.ts';
import { startSubgraph } from '../src/testing/subgraph-server.ts';
import { startGatewayProcess } from '../test-fixtures/gateway-process.ts';
import { quantile, startLoad, type Load } from '../test-fixtures/load/open-loop.ts';

const SIZES = {
  small: { slow: 10, unread: 5, canaryPerSecond: 20, maxP99Ms: 5_000 },
  full: { slow: 1_000, unread: 20, canaryPerSecond: 50, maxP99Ms: 250 },
} as const;

const REQUEST_MS = 1_500;
const STALLED_MS = 1_500;
/** Node gives a connection with something unsent the same time once more. */
const CLOSED_WITHIN_MS = 2 * (REQUEST_MS + STALLED_MS) + 6_000;
/** Who did not read finds out what had become of the connection. */
const READ_WITHIN_MS = 60_000;
/** More than the buffers of two sockets hold. */
const RESPONSE_CHARACTERS = 12_000_000;

/**
 * S-055: connections that send or read slowly, or not at all. What this process and its machine delay by themselves is measured by requests
 * that go straight to the subgraph, and allowed for, at most once more what others may wait.
 */
proof({
  name: 'slow-consumers',
  description: 'Clients that send or read too slowly are cut off, and no one else waits for them.',
  async run({ size }) {
    const { slow, unread, canaryPerSecond, maxP99Ms } = SIZES[size];
    const stage = await openStage();
    try {
      const unreading = await openMany(unread, () => readNothing(stage.port));
      await untilResponsesBegin(unreading);
      const [canary, control] = [stage.ask, stage.askSubgraph].map((send) =>
        startLoad({ perSecond: canaryPerSecond, send }),
      ) as [Load, Load];
      const sockets = [
        ...(await openMany(slow, () => sendHeadersSlowly(stage.port))),
        ...(await openMany(slow, () => sendBodySlowly(stage.port))),
      ];
      const start = performance.now();
      await Promise.race([Promise.all(sockets.map(closed)), sleep(CLOSED_WITHIN_MS)]);
      const closedMs = performance.now() - start;
      await sleep(CLOSED_WITHIN_MS - closedMs);
      for (const socket of unreading) socket.resume();
      await Promise.race([Promise.all(unreading.map(closed)), sleep(READ_WITHIN_MS)]);
      const left = [
        ...sockets.filter(({ closed: isClosed }) => !isClosed),
        ...unreading.filter((socket) => !socket.closed || socket.bytesRead >= RESPONSE_CHARACTERS),
      ];
      for (const socket of [...sockets, ...unreading]) socket.destroy();
      const [report, controlReport] = await Promise.all([canary.stop(), control.stop()]);
      const [p99Ms, controlP99Ms] = [quantile(report, 0.99), quantile(controlReport, 0.99)];
      const failed = report.failed + controlReport.failed;
      return {
        passed: left.length === 0 && failed === 0 && p99Ms <= maxP99Ms + Math.min(controlP99Ms, maxP99Ms),
        figures: {
          sockets: sockets.length + unreading.length,
          leftOpen: left.length,
          closedMs: Math.round(closedMs),
          canaryRequests: report.sent,
          canaryFailed: failed,
          canaryP99Ms: Math.round(p99Ms),
          controlP99Ms: Math.round(controlP99Ms),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

/** Making megabytes delays others, however they are read: that is not what is measured. */
async function untilResponsesBegin(sockets: readonly Socket[]): Promise<void> {
  const deadline = performance.now() + CLOSED_WITHIN_MS;
  while (sockets.some(({ bytesRead, closed: isClosed }) => bytesRead === 0 && !isClosed)) {
    if (performance.now() > deadline) throw new Error('The large responses did not begin.');
    await sleep(10);
  }
}

const OPENED_AT_ONCE = 20;
const OPENED_EVERY_MS = 10;

/** A few at a time: what is measured is how long the gateway makes others wait, not this process. */
async function openMany(count: number, openOne: () => Socket): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    for (let index = 0; index < OPENED_AT_ONCE && sockets.length < count; index += 1) sockets.push(openOne());
    await sleep(OPENED_EVERY_MS);
  }
  return sockets;
}

/** A line of a header every now and then. */
function sendHeadersSlowly(port: number): Socket {
  const socket = open(port);
  socket.write('POST /graphql HTTP/1.1\r\nhost: localhost\r\n');
  const timer = setInterval(() => socket.write('x-more: 1\r\n'), 200);
  socket.once('close', () => clearInterval(timer));
  socket.resume();
  return socket;
}

/** A byte of the body every now and then. */
function sendBodySlowly(port: number): Socket {
  const socket = open(port);
  socket.write(
    'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
  );
  const timer = setInterval(() => socket.write(' '), 200);
  socket.once('close', () => clearInterval(timer));
  socket.resume();
  return socket;
}

/** Asks for megabytes and reads none of them: only when it does will it see that it was cut off. */
function readNothing(port: number): Socket {
  const socket = open(port);
  const body = '{"query":"{ big }"}';
  socket.write(
    `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

function open(port: number): Socket {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined); // being cut off is what is to happen
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });
}

interface Stage {
  readonly port: number;
  ask(): Promise<void>;
  askSubgraph(): Promise<void>;
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const subgraph = await startSubgraph({
    name: 'big',
    typeDefs: gql`
      type Query {
        big: String
        small: String
      }
    `,
    resolvers: { Query: { big: () => 'x'.repeat(RESPONSE_CHARACTERS), small: () => 'y' } },
  });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose([subgraph]));
  const settings = join(directory.path, 'gateway.yaml');
  writeFileSync(settings, `{timeouts: {requestMs: ${REQUEST_MS}, stalledMs: ${STALLED_MS}}}`);
  const running = await startGatewayProcess({ SUPERGRAPH: file, CONFIG: settings, GUARDS: 'off' });
  const pool = new Pool(running.url, { connections: 16 });
  const { origin, pathname } = new URL(subgraph.url);
  const direct = new Pool(origin, { connections: 16 });
  return {
    port: Number(new URL(running.url).port),
    ask: () => askTypename(pool, '/graphql'),
    askSubgraph: () => askTypename(direct, pathname),
    async close() {
      await Promise.all([pool.close(), direct.close()]);
      await running.stop();
      await subgraph.close();
      directory.remove();
    },
  };
}

async function askTypename(pool: Pool, path: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = '{"query":"{ __typename }"}';
  const response = await pool.request({ path, method: 'POST', headers, body });
  const text = await response.body.text();
  if (text.trim() !== '{"data":{"__typename":"Query"}}') throw new Error(text);
}
