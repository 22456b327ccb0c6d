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
/** Composition errors of a large graph; more is of no use. */
const MAX_PROBLEM_CHARACTERS = 20_000;

/**
 * Serves an event stream of the supergraph, for the explorer of a developer: its hash, and why a newer one was rejected. Messages of
 * composition name files and schemas, so it is for development alone.
 */
export function addGraphEvents(server: FastifyInstance, { settings, services }: PageOptions): void {
  const streams = new Set<Readable>();
  server.get(GRAPH_EVENTS_PATH, (request, reply) => {
    if (!settings().pages.enabled || !isOfThisMachine(request)) return reply.callNotFound();
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

/**
 * Whether a request names this machine as its host, which no page of another site can, and comes from no page of another origin:
 * browsers say so (Fetch Metadata). The check of hosts lets others in, for the graph: names of an operator's own, and addresses.
 */
export function isOfThisMachine({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const { host, 'sec-fetch-site': site } = headers;
  return namesLoopback(host) && (site === undefined || site === 'same-origin' || site === 'none');
}

/** RFC 6761 §6.3: names below `localhost` are of this machine, too. */
function namesLoopback(host: string | undefined): boolean {
  const url = `http://${host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost');
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
