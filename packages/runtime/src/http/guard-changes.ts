import { hash, timingSafeEqual } from 'node:crypto';
import { isLoopbackHost } from '../config/loopback-host.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Settings of {@link guardChanges}. */
export interface ChangeGuardOptions {
  /** The newest first; any of them will do. */
  readonly secrets: readonly string[] | undefined;
  /** Address that the server listens on. */
  readonly host: string;
}

/** RFC 9110 §9.2.1: safe methods ask for no change. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

const UNREACHABLE =
  'OPERATIONS_SECRET is not set, and the operations port listens on more than a loopback address: nothing can be changed here.';
/** A page of a site whose name leads to this machine can send what its own origin may, with the name of that site. */
const FOREIGN =
  'OPERATIONS_SECRET is not set, so the host of the request has to be localhost or a loopback address.';
const UNKNOWN = 'Authorization has to be Bearer and the secret of OPERATIONS_SECRET.';

/**
 * Lets requests that may change something pass only with a secret, as a bearer token (RFC 6750 §2.1). Without secrets it lets
 * all pass that ask a loopback host where no one but this machine can ask, and none elsewhere. It holds for every route that is added after it.
 */
export function guardChanges(server: FastifyInstance, { secrets, host }: ChangeGuardOptions): void {
  const digests = secrets?.map(digestOf);
  const isOpen = !digests && isLoopbackHost(host);
  server.addHook('onRequest', (request, reply, done) => {
    if (SAFE_METHODS.has(request.method)) return done();
    if (isOpen) return isLoopbackHost(request.hostname) ? done() : reject(reply, 403, FOREIGN);
    if (!digests) return reject(reply, 403, UNREACHABLE);
    if (isAnyOf(digests, request.headers.authorization)) return done();
    reject(reply.header('www-authenticate', 'Bearer realm="operations"'), 401, UNKNOWN);
  });
}

/** In a time that depends neither on what was sent nor on which secret it is. */
function isAnyOf(digests: readonly Buffer[], authorization: string | undefined): boolean {
  const sent = digestOf(secretIn(authorization));
  return digests.filter((digest) => timingSafeEqual(digest, sent)).length > 0;
}

/**
 * All that follows the scheme, which is more than RFC 6750 §2.1 allows: a secret may be a passphrase with blanks. It begins with
 * no blank, so that each character is looked at once.
 */
function secretIn(authorization: string | undefined): string {
  return /^Bearer +(\S.*)$/i.exec(authorization ?? '')?.[1] ?? '';
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const TITLES = { 401: 'Unauthorized', 403: 'Forbidden' } as const;

function reject(reply: FastifyReply, status: keyof typeof TITLES, problem: string): void {
  reply.status(status).send({ error: TITLES[status], problems: [problem] });
}
