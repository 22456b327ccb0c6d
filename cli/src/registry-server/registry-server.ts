import { setTimeout as wait } from 'node:timers/promises';
import { DEFAULT_CHECK_RULES, type CheckRules } from '@trellis/composition';
import type { TokenCaller, TokenOutcome, TokenRequest } from '@trellis/gateway/token-authentication';
import type { Pool } from '@trellis/postgres';
import {
  parseLogName,
  RegistryError,
  registryErrors,
  type LogName,
  type RecordSigner,
  type TrustedKeys,
} from '@trellis/registry';
import { createHttpServer, type Logger } from '@trellis/runtime';
import { z } from 'zod';
import type { CommandOutcome } from '../publish/command-outcome.ts';
import { promoteRelease, rollbackRelease } from '../publish/move-commands.ts';
import { outcomeOfPublication } from '../publish/publish-command.ts';
import { publishRelease } from '../publish/publish-release.ts';
import { PublicationRejected } from '../publish/publication-rejected.ts';
import { rejection } from '../publish/run-command.ts';
import { toWire } from '../publish/submit.ts';
import type { SigningAccess } from '../registry/registry-access.ts';
import { writeAuditRow } from './audit-log.ts';
import { authorizeRequest, type Wish } from './authorize-request.ts';
import { PostgresStore } from './postgres-store.ts';
import { promotionBody, publicationBody, rollbackBody, type SentApproval } from './request-bodies.ts';

/** What a registry serves with. */
export interface RegistryServerOptions {
  readonly pool: Pool;
  readonly signer: RecordSigner;
  readonly trust: TrustedKeys;
  readonly authenticate: (request: TokenRequest) => Promise<TokenOutcome>;
  readonly logger: Logger;
  /** Files and folders of recorded operations that checks go by. @default none */
  readonly operations?: readonly string[];
}

/** Composing takes memory: one at a time, and no more than these wait. */
const MAX_WAITING = 64;
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const MAX_WAIT_S = 30;
/** Checks of a large graph take seconds. */
const DEADLINE_MS = 300_000;

/** A request, as far as it is read here. */
interface Incoming {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly signal?: AbortSignal;
}

type Authenticated = Incoming & { outcome: TokenOutcome };

/** A registry over HTTP. It does not listen yet. */
export function createRegistryServer(options: RegistryServerOptions): ReturnType<typeof createHttpServer> {
  const server = createHttpServer({ logger: options.logger, maxBodyBytes: MAX_BODY_BYTES });
  const store = new PostgresStore(options.pool);
  const changes = new LogChanges(options, store);
  server.decorateRequest('outcome', null);
  // Before the body is read: who has no token sends none.
  server.addHook('onRequest', async (request) => {
    if (!request.url.startsWith('/v1/')) return;
    const proof = request.headers['dpop'];
    const url = `${request.protocol}://${request.host}${request.url.split('?', 1)[0] ?? ''}`;
    const outcome = await options.authenticate({
      authorization: request.headers.authorization,
      proof: typeof proof === 'string' ? proof : undefined,
      method: request.method,
      url,
    });
    if (outcome.kind !== 'caller') authorizeRequest(outcome, { kind: 'read' });
    (request as unknown as Authenticated).outcome = outcome; // decorated above
  });
  server.setErrorHandler((error, request, reply) => {
    const code = error instanceof RegistryError ? error.code : undefined;
    if (code !== undefined) {
      const isChallenged =
        code === 'NO_RIGHT' && (request as unknown as Partial<Authenticated>).outcome?.kind !== 'caller';
      if (isChallenged) reply.header('www-authenticate', 'Bearer, DPoP');
      const message = error instanceof Error ? error.message : '';
      return reply.status(isChallenged ? 401 : statusOf(code)).send({ error: { code, message } });
    }
    const status = (error as { readonly statusCode?: number }).statusCode ?? 500;
    if (status >= 500) options.logger.error({ err: error }, 'registry request failed');
    return reply
      .status(status)
      .send({ error: { message: status >= 500 ? 'The registry failed.' : String(error) } });
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
    const sequence = await headAfter(store, log, after, waitS);
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
  for (const what of ['publications', 'promotions', 'rollbacks'] as const)
    server.post(`${LOG_PATH}/${what}`, async (request, reply) => {
      const { outcome, body } = request as unknown as Authenticated; // decorated above
      const done = await changes.run(what, logOfPath(request.params), body, outcome);
      return reply.header('cache-control', 'no-store').send(toWire(done));
    });
  return server;
}

const LOG_PATH = '/v1/graphs/:graph/environments/:environment';

const headQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  waitS: z.coerce.number().min(0).max(MAX_WAIT_S).default(0),
});

/** What changes logs: with a right for each, one after the other, each with a row in the audit log. */
class LogChanges {
  readonly #options: RegistryServerOptions;
  readonly #store: PostgresStore;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: RegistryServerOptions, store: PostgresStore) {
    this.#options = options;
    this.#store = store;
  }

  async run(
    what: 'publications' | 'promotions' | 'rollbacks',
    log: LogName,
    body: unknown,
    outcome: TokenOutcome,
  ): Promise<CommandOutcome> {
    const change = this.#read(what, log, body);
    const row = { action: change.action, log, subgraphs: change.subgraphs } as const;
    const audit = (caller: TokenCaller | undefined, said: string, sequence?: number): Promise<void> =>
      writeAuditRow(this.#options.pool, { ...row, caller, outcome: said, sequence });
    let caller: TokenCaller | undefined;
    try {
      caller = outcome.kind === 'caller' ? outcome.caller : undefined;
      const allowed = authorizeRequest(outcome, change.wish);
      const done = await this.#inTurn(() => change.act(this.#accessOf(allowed)));
      await audit(caller, String(done.document['outcome']), sequenceIn(done));
      return done;
    } catch (error) {
      if (error instanceof PublicationRejected) {
        const rejected = rejection(error);
        await audit(caller, String(rejected.document['outcome']));
        return rejected;
      }
      await audit(caller, error instanceof RegistryError ? error.code : 'FAILED');
      throw error;
    }
  }

  #read(what: 'publications' | 'promotions' | 'rollbacks', log: LogName, body: unknown): LogChange {
    if (what === 'publications') {
      const { set, remove, isWhole, approvals } = parsed(publicationBody, body);
      const subgraphs = [...set.map(({ name }) => name), ...remove];
      const { operations = [] } = this.#options;
      const request = { set, remove, isWhole, operations, rules: rulesWith(approvals) };
      return {
        action: 'publish',
        subgraphs,
        wish: { kind: 'publish', subgraphs, isWhole },
        act: async (access) => outcomeOfPublication(await publishRelease(access, log, request, deadline())),
      };
    }
    const wish = { kind: 'move', log } as const;
    if (what === 'rollbacks') {
      const options = parsed(rollbackBody, body);
      return {
        action: 'rollback',
        subgraphs: [],
        wish,
        act: (access) => rollbackRelease(access, log, options, deadline()),
      };
    }
    const from = { graph: log.graph, environment: parsed(promotionBody, body).from };
    const { operations = [] } = this.#options;
    return {
      action: 'promote',
      subgraphs: [],
      wish,
      act: (access) => promoteRelease(access, { from, to: log }, { operations }, deadline()),
    };
  }

  #accessOf({ clientId, subject }: TokenCaller): SigningAccess {
    const { signer, trust } = this.#options;
    return { store: this.#store, signer, trust, actor: clientId ?? subject ?? 'unknown' };
  }

  async #inTurn<Result>(action: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING)
      throw new RegistryError('STORE_UNAVAILABLE', 'Too many publishers wait. Try again later.');
    this.#waiting += 1;
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn.finally(() => {
      this.#waiting -= 1;
    });
  }
}

interface LogChange {
  readonly action: 'publish' | 'promote' | 'rollback';
  readonly subgraphs: readonly string[];
  readonly wish: Wish;
  readonly act: (access: SigningAccess) => Promise<CommandOutcome>;
}

/** Approvals stand in a file of the publisher. */
function rulesWith(approvals: readonly SentApproval[]): CheckRules {
  const location = { source: 'checks.yaml' };
  return { ...DEFAULT_CHECK_RULES, approvals: approvals.map((approval) => ({ ...approval, location })) };
}

function sequenceIn({ document }: CommandOutcome): number | undefined {
  const { sequence } = (document['record'] ?? {}) as { readonly sequence?: number };
  return sequence;
}

async function headAfter(
  store: PostgresStore,
  log: LogName,
  after: number | undefined,
  waitS: number,
): Promise<number> {
  if (after === undefined || waitS === 0) return store.readHead(log, deadline());
  const ended = new AbortController();
  const late = wait(waitS * 1000, undefined, { signal: ended.signal }).then(
    () => after,
    () => after,
  );
  const waiting = store.waitForRecord(log, after, ended.signal);
  try {
    return await Promise.race([waiting, late]);
  } finally {
    ended.abort();
    await waiting.catch(() => undefined); // aborted
  }
}

function logOfPath(params: unknown): LogName {
  const { graph, environment } = z.object({ graph: z.string(), environment: z.string() }).parse(params);
  return parseLogName(`${graph}@${environment}`);
}

function parsed<Shape extends z.ZodType>(shape: Shape, body: unknown): z.infer<Shape> {
  const result = shape.safeParse(body);
  if (result.success) return result.data;
  throw new RegistryError('INVALID_NAME', `The request is invalid: ${z.prettifyError(result.error)}`);
}

function statusOf(code: RegistryError['code']): number {
  if (code === 'NO_RIGHT') return 403;
  if (code === 'INVALID_NAME' || code === 'TOO_LARGE') return 400;
  const { exit } = registryErrors[code];
  if (exit === 1) return 422;
  return exit === 75 ? 409 : 503;
}

function deadline(): AbortSignal {
  return AbortSignal.timeout(DEADLINE_MS);
}
