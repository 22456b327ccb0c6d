import type { ServerResponse } from 'node:http';
import type { TokenOutcome, TokenRequest } from '@trellis/gateway/token-authentication';
import { parseLogName, RegistryError, registryErrors, type LogName } from '@trellis/registry';
import { createHttpServer, discardBody } from '@trellis/runtime';
import { z } from 'zod';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { toWire } from '../publish/submit.ts';
import { ALL_LOGS } from './audit-log.ts';
import { assertNotRevoked, authorizeRequest, type ChangeKind } from './authorize-request.ts';
import { UnboundToken } from './bound-tokens.ts';
import { ClientRates, type ClientRateAmounts } from './client-rates.ts';
import { HeldBodies, MAX_BODY_BYTES, type HeldBodyAmounts, type HeldBytes } from './held-bodies.ts';
import { PostgresStore } from './postgres-store.ts';
import { LogChanges, type LogChangesOptions } from './log-changes.ts';
import { LogWatch, type WaitingReaderAmounts } from './log-watch.ts';

/** What a registry serves with. */
export interface RegistryServerOptions extends LogChangesOptions {
  readonly authenticate: (request: TokenRequest) => Promise<TokenOutcome>;
  /** Where clients reach it: what proofs of possession name. @default what each request says of itself */
  readonly publicUrl?: string | undefined;
  /** @default as `registryLimits` */
  readonly limits?: ClientRateAmounts & HeldBodyAmounts & WaitingReaderAmounts;
}

const MAX_WAIT_S = 30;
/** Allowances come back evenly. */
const RETRY_AFTER_S = 1;
/** A store has that long. */
const DEADLINE_MS = 60_000;

/** A request, as far as it is read here. */
interface Incoming {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

type Authenticated = Incoming & { outcome: TokenOutcome; held: HeldBytes | null };

/** A registry over HTTP. It does not listen yet. */
export function createRegistryServer(options: RegistryServerOptions): ReturnType<typeof createHttpServer> {
  const server = createHttpServer({ logger: options.logger, maxBodyBytes: MAX_BODY_BYTES });
  const store = new PostgresStore(options.pool);
  const changes = new LogChanges(options);
  const watch = new LogWatch(() => store.readHeads(deadline()), options.logger, options.limits);
  const rates = new ClientRates(options.pool, options.limits, options.logger);
  const bodies = new HeldBodies(options.limits);
  server.addHook('onClose', () => changes.close());
  server.decorateRequest('outcome', null);
  server.decorateRequest('held', null);
  // Before the body is read: who has no token, or no right to any change of that kind, sends none.
  server.addHook('onRequest', async (request, reply) => {
    // By the route: an address may spell /v1/ in other ways.
    const { url: route } = request.routeOptions;
    if (route !== undefined && !route.startsWith('/v1/')) return;
    const proof = request.headers['dpop'];
    const origin = options.publicUrl ?? `${request.protocol}://${request.host}`;
    const url = `${origin}${request.url.split('?', 1)[0] ?? ''}`;
    const outcome = await options.authenticate({
      authorization: request.headers.authorization,
      proof: typeof proof === 'string' ? proof : undefined,
      method: request.method,
      url,
      isPublic: options.publicUrl !== undefined,
    });
    if (outcome.kind !== 'caller') authorizeRequest(outcome, { kind: 'read' });
    const client = clientOf(outcome);
    await rates.takeRequest(client);
    const change = changeOfRoute(request.method, route);
    // A token that was revoked is challenged as one that is none: its client may get another.
    await assertNotRevoked(outcome, change !== undefined);
    const decorated = request as unknown as Authenticated; // above
    decorated.outcome = outcome;
    if (!change) return;
    await rates.takeChange(client);
    await changes.admit(change, logOfChange(change, request.params), outcome);
    const held = bodies.hold(client, request.headers['content-length']);
    decorated.held = held;
    reply.raw.once('close', () => held.close());
    if (reply.raw.destroyed) held.close(); // while it was asked who it is
  });
  server.setErrorHandler((error, request, reply) => {
    const code = error instanceof RegistryError ? error.code : undefined;
    if (code !== undefined) {
      const challenge = challengeOf(error, (request as unknown as Partial<Authenticated>).outcome);
      if (challenge !== undefined) reply.header('www-authenticate', challenge);
      const message = error instanceof Error ? error.message : '';
      return reply.status(challenge === undefined ? statusOf(code) : 401).send({ error: { code, message } });
    }
    const { statusCode } = error as { readonly statusCode?: number };
    const status = error instanceof z.ZodError ? 400 : (statusCode ?? 500);
    if (status >= 500) options.logger.error({ err: error }, 'registry request failed');
    if (status === 413) discardBody(request, reply);
    if (status === 429) reply.header('retry-after', String(RETRY_AFTER_S));
    const message = error instanceof Error ? error.message : '';
    return reply
      .status(status)
      .send({ error: { message: status >= 500 ? 'The registry failed.' : message } });
  });
  const reading = (request: unknown): void =>
    void authorizeRequest((request as Authenticated).outcome, { kind: 'read' });

  server.get('/v1/logs', async (request, reply) => {
    reading(request);
    return reply.header('cache-control', 'no-store').send({ logs: await store.listLogs(deadline()) });
  });
  server.get('/v1/blobs/:digest', async (request, reply) => {
    reading(request);
    const { digest } = z.object({ digest: z.string() }).parse(request.params);
    const content = await store.readBlob(digest, MAX_BODY_BYTES, deadline());
    if (!content)
      return reply
        .status(404)
        .header('cache-control', 'no-store')
        .send({ error: { message: 'No such text.' } });
    reply.header('cache-control', 'private, immutable, max-age=31536000');
    return reply.type('application/octet-stream').send(Buffer.from(content));
  });
  server.get(`${LOG_PATH}/head`, async (request, reply) => {
    reading(request);
    const { after, waitS } = headQuery.parse(request.query);
    const log = logOfPath(request.params);
    if (after === undefined || waitS === 0)
      return reply
        .header('cache-control', 'no-store')
        .send({ sequence: await store.readHead(log, deadline()) });
    const client = clientOf((request as unknown as Authenticated).outcome); // decorated above
    const signal = AbortSignal.any([AbortSignal.timeout(waitS * 1000), closingOf(reply.raw)]);
    const sequence = await watch.waitFor(log, after, signal, client);
    return reply.header('cache-control', 'no-store').send({ sequence });
  });
  server.get(`${LOG_PATH}/records/:sequence`, async (request, reply) => {
    reading(request);
    const { sequence } = z
      .object({ sequence: z.coerce.number().int().min(1).max(99_999_999) })
      .parse(request.params);
    const jws = await store.readRecord(logOfPath(request.params), sequence, deadline());
    // A cached 404 would hide the record that comes next.
    if (jws === undefined)
      return reply
        .status(404)
        .header('cache-control', 'no-store')
        .send({ error: { message: 'No such record.' } });
    return reply.type('application/jose').send(jws);
  });
  const addresses = [...CHANGES].map(([name, what]) => [`${LOG_PATH}/${name}`, what] as const);
  for (const [address, what] of [...addresses, [GARBAGE_PATH, 'garbage-collections'] as const])
    server.post(address, async (request, reply) => {
      const { outcome, body, held } = request as unknown as Authenticated; // decorated above
      const log = logOfChange(what, request.params);
      const run = (): Promise<CommandOutcome> => changes.run(what, log, body, outcome);
      const done = await (held ? held.use(run) : run());
      return reply.header('cache-control', 'no-store').send(toWire(done));
    });
  return server;
}

const LOG_PATH = '/v1/graphs/:graph/environments/:environment';

const headQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  waitS: z.coerce.number().min(0).max(MAX_WAIT_S).default(0),
});

/** Publications with contracts, and changes with guards, are sent to addresses that servers do not have that would drop them. */
const CHANGES: ReadonlyMap<string, ChangeKind> = new Map([
  ['publications', 'publications'],
  ['contract-publications', 'publications'],
  ['guarded-publications', 'publications'],
  ['promotions', 'promotions'],
  ['guarded-promotions', 'promotions'],
  ['rollbacks', 'rollbacks'],
  ['guarded-rollbacks', 'rollbacks'],
  ['variants', 'variants'],
  ['keys', 'keys'],
  ['aborts', 'aborts'],
]);
const GARBAGE_PATH = '/v1/garbage-collections';

function changeOfRoute(method: string, route: string | undefined): ChangeKind | undefined {
  if (method !== 'POST') return undefined;
  if (route === GARBAGE_PATH) return 'garbage-collections';
  if (!route?.startsWith(`${LOG_PATH}/`)) return undefined;
  return CHANGES.get(route.slice(LOG_PATH.length + 1));
}

/** A client that may come again with another token is challenged. */
function challengeOf(error: unknown, outcome: TokenOutcome | null | undefined): string | undefined {
  if (error instanceof UnboundToken) return error.challenge;
  const hasNoToken =
    error instanceof RegistryError && error.code === 'NO_RIGHT' && outcome?.kind !== 'caller';
  return hasNoToken ? 'Bearer, DPoP' : undefined;
}

function clientOf(outcome: TokenOutcome): string {
  return outcome.kind === 'caller' ? (outcome.caller.clientId ?? outcome.caller.subject ?? '') : '';
}

/** Aborted when the response is complete, or its connection has ended. */
function closingOf(response: ServerResponse): AbortSignal {
  const closing = new AbortController();
  response.once('close', () => closing.abort());
  if (response.destroyed) closing.abort();
  return closing.signal;
}

function logOfChange(what: ChangeKind, params: unknown): LogName {
  return what === 'garbage-collections' ? ALL_LOGS : logOfPath(params);
}

function logOfPath(params: unknown): LogName {
  const { graph, environment } = z.object({ graph: z.string(), environment: z.string() }).parse(params);
  return parseLogName(`${graph}@${environment}`);
}

function statusOf(code: RegistryError['code']): number {
  if (code === 'NO_RIGHT') return 403;
  if (code === 'INVALID_NAME' || code === 'INVALID_KEY' || code === 'TOO_LARGE') return 400;
  const { exit } = registryErrors[code];
  if (exit === 1) return 422;
  return exit === 75 ? 409 : 503;
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(DEADLINE_MS);
}
