import { createLogger, createMetrics } from '@trellis/runtime';
import { createPool, type Pool } from '@trellis/postgres';
import {
  createServiceTokenVerifier,
  createUserContextSigner,
  createUserContextVerifier,
  USER_CONTEXT_HEADER,
} from '@trellis/subgraph-protocol';
import type { SubgraphDependencies, SubgraphServer } from '@trellis/subgraph-kit';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';

/** A statement that a subgraph has sent to its database. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A subgraph over its database that listens, and whose statements are seen. */
export interface MeasuredSubgraph {
  readonly url: string;
  readonly pool: Pool;
  /** Asks over HTTP, signed as the gateway signs, for a user who sees what everybody sees. @throws Error when it answers errors */
  ask(question: Question): Promise<unknown>;
  /** The statements since this was last called. */
  takeStatements(): readonly SentStatement[];
  close(): Promise<void>;
}

/** An operation for a subgraph. */
export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** What is measured. */
export interface MeasuredSubgraphOptions {
  readonly service: string;
  readonly databaseUrl: string;
  /** The services that may call it. */
  readonly callers: JSONWebKeySet;
  readonly buildServer: (dependencies: SubgraphDependencies) => Promise<SubgraphServer>;
}

const DEADLINE_MS = 30_000;

/** Starts it as in production, on a free port. */
export async function startMeasuredSubgraph(options: MeasuredSubgraphOptions): Promise<MeasuredSubgraph> {
  const { service, databaseUrl, callers, buildServer } = options;
  const pool = createPool({ connectionString: databaseUrl, schema: service });
  const statements = recordStatements(pool);
  const { sign, verifier } = await createContexts(service);
  const server = await buildServer({
    pool,
    verifier,
    logger: createLogger({ service, level: 'warn' }),
    metrics: createMetrics(service),
    development: false,
    peers: { verifier: createServiceTokenVerifier(service, callers), client: undefined },
    wakeRelay: () => undefined,
    connectRedis: undefined,
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const context = await sign();
  return {
    url,
    pool,
    ask: (question) => ask(`${url}/graphql`, context, question),
    takeStatements: () => statements.splice(0),
    close: async () => {
      await server.close();
      await pool.end();
    },
  };
}

async function createContexts(service: string) {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const named = { kid: 'measuring', alg: 'ES256', use: 'sig' };
  const signer = await createUserContextSigner({
    privateKey: { ...(await exportJWK(pair.privateKey)), ...named },
    lifetimeS: 3_600,
  });
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(pair.publicKey)), ...named }] });
  return {
    verifier: createUserContextVerifier({ subgraph: service, keys }),
    sign: () => signer.sign({ scopes: ['read:data'] }, service),
  };
}

function recordStatements(pool: Pool): SentStatement[] {
  const statements: SentStatement[] = [];
  pool.on('connect', (client) => {
    const send = client.query.bind(client) as (...args: unknown[]) => unknown; // its overloads matter to callers alone
    const recorded = (...args: unknown[]): unknown => {
      const [text, values] = args;
      if (typeof text === 'string') statements.push({ text, values: Array.isArray(values) ? values : [] });
      return send(...args);
    };
    Object.assign(client, { query: recorded });
  });
  return statements;
}

async function ask(url: string, context: string, { query, variables }: Question): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [USER_CONTEXT_HEADER]: context },
    body: JSON.stringify({ query, variables }),
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`${query} failed: ${JSON.stringify(errors)}`);
  return data;
}
