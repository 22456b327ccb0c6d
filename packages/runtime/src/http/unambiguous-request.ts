import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/**
 * Names of headers that stand once in a request: of several, a proxy in front may go by another one than this process.
 * Node itself rejects a second Content-Length, and takes the first of these.
 */
const ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', 'content-encoding']);

/** Headers of a request. Node reads 2,000 and leaves the rest unread, which a proxy in front may not. */
export const MAX_HEADERS = 256;

/** Where `chunked` is not the last coding Node rejects the body by itself. */
const MORE_THAN_CHUNKED = /,\s*chunked$/i;

/**
 * Has requests answered 400 that two servers may understand differently: with a header twice that may be there once, or in a
 * transfer coding other than `chunked`, as nothing here would decode it. Those with too many headers get 431.
 *
 * @see RFC 9112 §3.2, §6.1; RFC 9110 §5.3; RFC 6585 §5
 */
export function rejectAmbiguousRequests(server: FastifyInstance): void {
  server.addHook('onRequest', ({ raw }, reply, done) => {
    if (hasTooManyHeaders(raw)) {
      const message = `A request may have ${MAX_HEADERS} headers.`;
      const error = 'Request Header Fields Too Large';
      return void reply.status(431).header('connection', 'close').send({ error, message });
    }
    const message = ambiguityOf(raw);
    if (message === undefined) return done();
    void reply.status(400).header('connection', 'close').send({ error: 'Bad Request', message });
  });
}

/** Whether a request has more than {@link MAX_HEADERS}, for those that do not come through the hooks. */
export function hasTooManyHeaders({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * MAX_HEADERS; // names and values
}

/**
 * Why a request is rejected that two servers may understand differently; for those that do not come through the hooks of
 * {@link rejectAmbiguousRequests}, as upgrades do not.
 *
 * @returns what is wrong with it, if anything is
 */
export function ambiguityOf(request: IncomingMessage): string | undefined {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && MORE_THAN_CHUNKED.test(coding))
    return 'No transfer coding but chunked is known here.';
  const name = repeatedHeader(request);
  return name === undefined ? undefined : `The header ${name} may be there once.`;
}

/** Names and values alternate in what has arrived. */
function repeatedHeader({ rawHeaders }: IncomingMessage): string | undefined {
  const seen: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase(); // it is below the length
    if (!ONCE.has(name)) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
}
