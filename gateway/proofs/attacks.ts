import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryDirectory, proof, type ProofOptions } from '@trellis/testkit';
import { Pool } from 'undici';
import { compose } from '../src/testing/compose.ts';
import { startLibraryGraph } from '../src/testing/library-graph.ts';
import { startTokenIssuer } from '../src/testing/token-issuer.ts';
import { carriers, type Carrier } from '../test-fixtures/attacks/carriers.ts';
import { hostileConnections } from '../test-fixtures/attacks/hostile-connections.ts';
import { hostileOperations, type HostileOperation } from '../test-fixtures/attacks/hostile-operations.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { quantile, startLoad } from '../test-fixtures/load/open-loop.ts';

interface Size {
  /** For how long each attack goes on; 0 is once. */
  readonly attackMs: number;
  readonly canaryPerSecond: number;
  readonly maxP99Ms: number;
  /** How long memory may take to come back. */
  readonly calmMs: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { attackMs: 0, canaryPerSecond: 10, maxP99Ms: 10_000, calmMs: 0 },
  full: { attackMs: 1_000, canaryPerSecond: 50, maxP99Ms: 250, calmMs: 30_000 },
};
const MAX_GROWTH_MB = 200;
/** Of the growth, after a while: what a runtime keeps for the next time. */
const MAX_LEFT_MB = 100;
const SAMPLE_MS = 100;

/** The hostile input of every section, one attack after the other, while someone asks what anybody may ask. */
proof({
  name: 'attacks',
  description:
    'While a gateway is attacked it answers others in time, keeps its memory, and lets nothing in.',
  async run({ size }) {
    const { attackMs, canaryPerSecond, maxP99Ms, calmMs } = SIZES[size];
    const stage = await openStage();
    try {
      const attacks = attacksOn(stage.gateway.url, size);
      if (size === 'full') for (const { once } of attacks) await once().catch(() => undefined); // warms caches and compiler
      const memory = watchMemory(stage.gateway);
      const found: Found[] = [];
      for (const attack of attacks) found.push(await endure(stage, attack, attackMs, canaryPerSecond));
      const { grownMb } = memory;
      const leftMb = await memory.settle(calmMs);
      const worst = found.toSorted((left, right) => right.p99Ms - left.p99Ms)[0];
      const gotIn = found.flatMap(({ reasons }) => reasons);
      const canaryFailures = found.flatMap((each) => each.canaryFailures);
      const isAlive = !stage.gateway.hasEnded();
      return {
        passed:
          isAlive &&
          gotIn.length === 0 &&
          canaryFailures.length === 0 &&
          (worst?.p99Ms ?? 0) <= maxP99Ms &&
          grownMb <= MAX_GROWTH_MB &&
          (calmMs === 0 || leftMb <= MAX_LEFT_MB),
        figures: {
          attacks: attacks.length,
          rounds: found.reduce((sum, { rounds }) => sum + rounds, 0),
          canaryFailed: canaryFailures.length,
          worstCanaryP99Ms: Math.round(worst?.p99Ms ?? 0),
          worstAttack: worst?.attack ?? '',
          grownMb: Math.round(grownMb),
          leftMb: Math.round(leftMb),
          processEnded: isAlive ? 'no' : 'yes',
          gotIn: gotIn.length,
          ...reasonOf(gotIn, canaryFailures),
        },
      };
    } finally {
      await stage.close();
    }
  },
});

interface Attack {
  readonly attack: string;
  /** Rejects when something got in. */
  once(): Promise<void>;
}

/** Operations go by all transports at once, but for the small size: there by one after the other in turn. */
function attacksOn(url: string, size: ProofOptions['size']): readonly Attack[] {
  const operations = hostileOperations.map((operation, index): Attack => {
    const able = carriers.filter((carrier) => carrier.takes(operation));
    const chosen = size === 'full' ? able : able.slice(index % able.length, (index % able.length) + 1);
    return {
      attack: operation.attack,
      async once() {
        await Promise.all(chosen.map((carrier) => sendBy(carrier, url, operation)));
      },
    };
  });
  const connections = hostileConnections.map(({ attack, run }) => ({ attack, once: () => run(url) }));
  return [...operations, ...connections];
}

async function sendBy(carrier: Carrier, url: string, operation: HostileOperation): Promise<void> {
  for (const { code, text } of await carrier.send(url, operation)) {
    if (code === 'OVERLOADED') continue; // rejected at the door
    const isExpected = operation.code ? operation.code.test(code ?? '') : code === undefined;
    if (!isExpected) throw new Error(`${operation.attack} by ${carrier.name}: ${text.slice(0, 200)}`);
  }
}

interface Found {
  readonly attack: string;
  readonly rounds: number;
  readonly p99Ms: number;
  readonly canaryFailures: readonly string[];
  readonly reasons: readonly string[];
}

/** Attacks again and again while the canary sings. */
async function endure(
  stage: Stage,
  { attack, once }: Attack,
  attackMs: number,
  canaryPerSecond: number,
): Promise<Found> {
  const canary = startLoad({ perSecond: canaryPerSecond, send: () => stage.ask() });
  const start = performance.now();
  const reasons: string[] = [];
  let rounds = 0;
  do {
    await once().catch((error: unknown) => reasons.push(`${attack}: ${String(error)}`));
    rounds += 1;
  } while (performance.now() - start < attackMs);
  const report = await canary.stop();
  return { attack, rounds, p99Ms: quantile(report, 0.99), canaryFailures: report.reasons, reasons };
}

function reasonOf(...lists: readonly (readonly string[])[]): Readonly<Record<string, string>> {
  const [reason] = lists.flat();
  return reason === undefined ? {} : { reason };
}

interface MemoryWatch {
  /** By how much the process was larger than at the beginning, at most. */
  readonly grownMb: number;
  /** Waits until it has come back, or the time is over. @returns by how much it is larger then */
  settle(withinMs: number): Promise<number>;
}

function watchMemory(gateway: GatewayProcess): MemoryWatch {
  const before = gateway.residentBytes();
  let most = before;
  const grownSince = (bytes: number): number => (bytes - before) / 1e6;
  const timer = setInterval(() => (most = Math.max(most, gateway.residentBytes())), SAMPLE_MS);
  return {
    get grownMb() {
      return grownSince(most);
    },
    async settle(withinMs) {
      const deadline = performance.now() + withinMs;
      while (grownSince(gateway.residentBytes()) > MAX_LEFT_MB && performance.now() < deadline)
        await sleep(SAMPLE_MS);
      clearInterval(timer);
      return grownSince(gateway.residentBytes());
    },
  };
}

interface Stage {
  readonly gateway: GatewayProcess;
  ask(): Promise<void>;
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const [graph, issuer] = await Promise.all([startLibraryGraph(), startTokenIssuer()]);
  const file = join(directory.path, 'supergraph.graphql');
  writeFileSync(file, compose(graph.all));
  const gateway = await startGatewayProcess({
    SUPERGRAPH: file,
    NODE_ENV: 'production',
    ...issuer.environment,
  });
  const pool = new Pool(gateway.url, { connections: 16 });
  const headers = { 'content-type': 'application/json' };
  const stage: Stage = {
    gateway,
    async ask() {
      const body = '{"query":"{ __typename }"}';
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      const text = await response.body.text();
      const retryAfterS = Number(response.headers['retry-after'] ?? 0);
      if (response.statusCode === 503 && retryAfterS > 0) {
        await sleep(retryAfterS * 1_000); // as a client does; it counts as waiting
        return stage.ask();
      }
      if (text !== '{"data":{"__typename":"Query"}}') throw new Error(text);
    },
    async close() {
      await pool.close();
      await gateway.stop();
      await Promise.all([graph.close(), issuer.close()]);
      directory.remove();
    },
  };
  return stage;
}
