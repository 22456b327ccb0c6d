import { Readable } from 'node:stream';
import { isLoopbackHost } from '@trellis/runtime';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SupergraphStore } from '../../supergraph/supergraph-store.ts';
import { SAFE_CONTENT, type PageOptions } from './page.ts';

/** Where the explorer hears of the graph that it shows. */
export const GRAPH_EVENTS_PATH = '/explorer/events';

/** Each open explorer has one. */
const MAX_STREAMS = 32;
const HEARTBEAT_MS = 15_000;
/** Composition errors of a large graph; more is of use to no one. */
const MAX_PROBLEM_CHARACTERS = 20_000;

/**
 * Serves an event stream of the supergraph, for the explorer of a developer: its hash, and why a newer one was rejected. Messages of
 * composition name files and schemas, so it is for development alone.
 */
export function addGraphEvents(server: FastifyInstance, { settings, services }: PageOptions): void {
  const streams = new Set<Readable>();
  server.get(GRAPH_EVENTS_PATH, (request, reply) => {
    if (!settings().pages.enabled || isOfOtherOrigin(request)) return reply.callNotFound();
    if (streams.size >= MAX_STREAMS) return reply.status(503).send();
    const stream = openStream(services().supergraphs);
    streams.add(stream);
    stream.once('close', () => streams.delete(stream));
    return reply
      .headers({ ...SAFE_CONTENT, 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      .send(stream);
  });
  server.addHook('preClose', async () => {
    for (const stream of streams) stream.push(null);
  });
}

/** Browsers say where a request comes from (Fetch Metadata), but for a site whose name leads to this machine: that has a host of its own. */
function isOfOtherOrigin({ headers, hostname }: FastifyRequest): boolean {
  if (!isLoopbackHost(hostname)) return true;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

function openStream(supergraphs: SupergraphStore): Readable {
  const stream = new Readable({ read: () => undefined });
  const send = (): void => void stream.push(eventOf(supergraphs));
  const ends = [supergraphs.onChange(send), supergraphs.onProblem(send)];
  const heartbeat = setInterval(() => stream.push(':\n\n'), HEARTBEAT_MS);
  heartbeat.unref();
  stream.once('close', () => {
    clearInterval(heartbeat);
    for (const end of ends) end();
  });
  send();
  return stream;
}

function eventOf(supergraphs: SupergraphStore): string {
  const problem = supergraphs.problem()?.slice(0, MAX_PROBLEM_CHARACTERS) ?? null;
  return `data: ${JSON.stringify({ hash: supergraphs.current().hash, problem })}\n\n`;
}
