import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { exportJWK, generateKeyPair } from 'jose';
import { Pool } from 'undici';
import { createAuthenticator } from '../src/identity/authenticator.ts';
import { fetchKeySet, createKeySet } from '../src/identity/key-set.ts';
import { ownTokenRules } from '../src/identity/token-rules.ts';
import { createUsedProofs } from '../src/identity/used-proofs.ts';
import { compose } from '../src/testing/compose.ts';
import { startTokenIssuer, type TokenIssuer } from '../src/testing/token-issuer.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { startStockGraph } from '../test-fixtures/load/stock-graph.ts';

interface Size {
  readonly rounds: number;
  /** Of a round, for each of the two. */
  readonly requests: number;
  readonly hits: number;
  readonly maxAddedMicroseconds: number;
  readonly maxHitMicroseconds: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { rounds: 1, requests: 200, hits: 10_000, maxAddedMicroseconds: 5_000, maxHitMicroseconds: 200 },
  full: { rounds: 9, requests: 1_500, hits: 1_000_000, maxAddedMicroseconds: 60, maxHitMicroseconds: 3 },
};
const ARTICLES = 10;
const CALLERS = 32;
const CONNECTIONS = 16;

/** What it costs to know who asks, what for, and how much. */
proof({
  name: 'protection-cost',
  description:
    'Token, scopes, limits and signed context add little processor time to a query, and a token that is known next to none.',
  async run({ size }) {
    const { rounds, requests, hits, maxAddedMicroseconds, maxHitMicroseconds } = SIZES[size];
    const issuer = await startTokenIssuer();
    const tokens = await Promise.all(
      Array.from({ length: CALLERS }, (_, index) => issuer.sign({ sub: `user-${index}` })),
    );
    const stage = await openStage(issuer, tokens);
    try {
      for (const ask of [stage.bare, stage.guarded]) await ask(requests); // warms caches and compiler
      const pairs: Pair[] = [];
      for (let round = 0; round < rounds; round += 1)
        pairs.push({ bare: await stage.bare(requests), guarded: await stage.guarded(requests) });
      const added = medianOf(pairs.map(({ bare, guarded }) => guarded - bare));
      const hit = await measureHit(issuer, tokens, hits);
      return {
        passed: added <= maxAddedMicroseconds && hit <= maxHitMicroseconds,
        figures: {
          rounds,
          requestsPerRound: requests,
          bareMicroseconds: Math.round(medianOf(pairs.map(({ bare }) => bare))),
          guardedMicroseconds: Math.round(medianOf(pairs.map(({ guarded }) => guarded))),
          addedMicroseconds: Math.round(added),
          knownTokenMicroseconds: Number(hit.toFixed(2)),
        },
      };
    } finally {
      await stage.close();
      await issuer.close();
    }
  },
});

/** Microseconds of processor time for a request. */
interface Pair {
  readonly bare: number;
  readonly guarded: number;
}

/** The same requests to two gateways that differ in their protection alone, in turns. */
interface Stage {
  bare(requests: number): Promise<number>;
  guarded(requests: number): Promise<number>;
  close(): Promise<void>;
}

async function openStage(issuer: TokenIssuer, tokens: readonly string[]): Promise<Stage> {
  const common = { NODE_ENV: 'production', FORWARD_HEADERS: 'authorization' };
  const bare = await openSide(false, { ...common, GUARDS: 'off' }, tokens);
  const guarded = await openSide(true, { ...common, ...(await protectionBy(issuer)) }, tokens);
  return {
    bare: (requests) => bare.ask(requests),
    guarded: (requests) => guarded.ask(requests),
    async close() {
      await bare.close();
      await guarded.close();
    },
  };
}

async function protectionBy(issuer: TokenIssuer): Promise<Readonly<Record<string, string>>> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return {
    ...issuer.environment,
    USER_CONTEXT_PRIVATE_KEY: JSON.stringify({ ...(await exportJWK(privateKey)), kid: 'context-1' }),
  };
}

interface Side {
  /** @returns microseconds of processor time for one of the requests */
  ask(requests: number): Promise<number>;
  close(): Promise<void>;
}

async function openSide(
  guarded: boolean,
  environment: Readonly<Record<string, string>>,
  tokens: readonly string[],
): Promise<Side> {
  const directory = createTemporaryDirectory();
  const graph = await startStockGraph({ articles: ARTICLES, guarded });
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose(graph.subgraphs));
  const gateway = await startGatewayProcess({ SUPERGRAPH: file, ...environment });
  const pool = new Pool(gateway.url, { connections: CONNECTIONS });
  const askOnce = async (number: number): Promise<void> => {
    const body = JSON.stringify({ query: graph.query, variables: { page: number } });
    const authorization = `Bearer ${tokens[number % tokens.length]}`;
    const headers = { 'content-type': 'application/json', authorization };
    const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
    const text = await response.body.text();
    if (!text.startsWith('{"data":{"articles":[{')) throw new Error(text.slice(0, 500));
  };
  return {
    ask: (requests) => measureRequests(gateway, requests, askOnce),
    async close() {
      await pool.close();
      await gateway.stop();
      await graph.close();
      directory.remove();
    },
  };
}

async function measureRequests(
  gateway: GatewayProcess,
  requests: number,
  askOnce: (number: number) => Promise<void>,
): Promise<number> {
  const before = gateway.processorTimeMs();
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < requests) await askOnce((next += 1));
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return ((gateway.processorTimeMs() - before) / requests) * 1_000;
}

/** Microseconds of processor time to recognise a token that was verified before. */
async function measureHit(issuer: TokenIssuer, tokens: readonly string[], hits: number): Promise<number> {
  const keys = createKeySet({ fetchKeys: () => fetchKeySet(issuer.jwksUrl) });
  const authenticator = createAuthenticator({
    issuers: [{ issuer: issuer.issuer, rules: ownTokenRules(issuer.audience), keys }],
    proofs: { usedProofs: createUsedProofs({ redis: undefined, lifetimeS: 60 }) },
  });
  const values = tokens.map((token) => `Bearer ${token}`);
  for (const value of values) await authenticator.authenticate(value);
  const before = process.cpuUsage();
  for (let hit = 0; hit < hits; hit += 1) {
    const caller = authenticator.authenticate(values[hit % values.length]);
    if (caller instanceof Promise) throw new Error('A known token was verified again.');
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / hits;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
