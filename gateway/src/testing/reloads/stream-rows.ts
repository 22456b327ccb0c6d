import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@trellis/testkit';
import { RawSocket } from '../raw-socket.ts';
import { startTestGateway } from '../test-gateway.ts';
import type { LiveRow, LiveRows } from './live-row.ts';
import type { ReloadWorld } from './reload-world.ts';

/** A moment passes in steps: on a busy machine the gateway, which shares the event loop, has its turns between them. */
const STEP_MS = 5;

/** What comes over a WebSocket within a moment. */
async function framesAfter(
  { gateway }: ReloadWorld,
  ms: number,
  use: (socket: RawSocket) => void,
  payload?: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`, payload);
  use(socket);
  for (let waitedMs = 0; waitedMs < ms; waitedMs += STEP_MS) await pause(STEP_MS);
  socket.close();
  await socket.closed;
  return socket.frames.map(({ type }) => type);
}

const twoStreams =
  (query: string): LiveRow['see'] =>
  async (world) => {
    const frames = await framesAfter(world, 60, (socket) => {
      for (const id of ['1', '2']) socket.subscribe(id, query);
    });
    return frames.filter((type) => type === 'error').length;
  };

/** Whether a live query is resolved more than once within a moment. */
const ticks =
  (query: string): LiveRow['see'] =>
  async (world) => {
    world.graph.desk.forget();
    await framesAfter(world, 120, (socket) => socket.subscribe('1', query));
    return world.graph.desk.received.length > 1;
  };

const heartbeats: LiveRow['see'] = async ({ gateway }) => {
  const leaving = new AbortController();
  const response = await fetch(`${gateway.url}/graphql/stream`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'subscription { published { id } }' }),
    signal: leaving.signal,
  });
  setTimeout(() => leaving.abort(), 350);
  let text = '';
  try {
    for await (const chunk of response.body ?? [])
      text += Buffer.from(chunk as Uint8Array).toString('latin1');
  } catch {
    // it was left
  }
  return text.split(':\n\n').length > 2;
};

/** Whether a subscription goes on when its upstream has broken. */
const gap: LiveRow['see'] = async ({ gateway, graph: { news } }) => {
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  socket.subscribe('1', 'subscription { published { id } }');
  await until(() => news.open() === 1);
  news.breakSockets();
  await until(() => news.open() === 0);
  await until(() => news.open() === 1 || socket.frames.length > 0);
  const [frame] = socket.frames;
  socket.close();
  await until(() => news.open() === 0);
  return frame?.type;
};

/** Whether a query that runs on a WebSocket is answered while its gateway is stopped. */
const drained: LiveRow['see'] = async ({ graph }, settings) => {
  const gateway = await startTestGateway({ subgraphs: graph.all, settings: '{}' });
  await gateway.reload(settings);
  const socket = await RawSocket.connect(`${gateway.url}/graphql`);
  graph.desk.forget();
  socket.subscribe('1', '{ slow(ms: 600) }');
  await until(() => graph.desk.received.length === 1);
  await gateway.close();
  return socket.frames.map(({ type }) => type);
};

const fromPayload: LiveRow['see'] = async (world) => {
  world.graph.desk.forget();
  await framesAfter(world, 60, (socket) => socket.subscribe('1', '{ open }'), {
    'x-tenant': 'of the payload',
  });
  return world.graph.desk.received[0]?.headers['x-tenant'];
};

/** What subscribers meet: subscriptions, live queries and WebSockets. */
export const streamRows: LiveRows = {
  'headers.fromPayload': {
    beside: { headers: { forward: ['x-tenant'] } },
    to: ['x-tenant'],
    see: fromPayload,
  },
  'live.intervalMs': { beside: { live: { minIntervalMs: 1 } }, to: 20, see: ticks('query @live { open }') },
  'live.minIntervalMs': { to: 1, see: ticks('query @live(throttle: 1) { open }') },
  'live.maxIntervalMs': {
    beside: { live: { minIntervalMs: 1 } },
    to: 20,
    see: ticks('query @live(throttle: 100000) { open }'),
  },
  'live.maxPerUser': { to: 1, see: twoStreams('query @live { open }') },
  'subscriptions.maxPerUser': { to: 1, see: twoStreams('subscription { published { id } }') },
  'subscriptions.afterGap': { from: 'end', to: 'continue', see: gap },
  'subscriptions.heartbeatMs': { to: 100, see: heartbeats },
  'subscriptions.drainMs': { to: 1, see: drained },
};
