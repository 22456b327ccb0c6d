import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { proof, type ProofOptions } from '@trellis/testkit';
import { Pool } from 'undici';
import { buildClientSchema } from '../src/supergraph/build-supergraph.ts';
import { startTokenIssuer } from '../src/testing/token-issuer.ts';
import { startGatewayProcess, type GatewayProcess } from '../test-fixtures/gateway-process.ts';
import { startRespondingSubgraph } from '../test-fixtures/load/responding-subgraph.ts';
import { VariedOperations } from '../test-fixtures/load/varied-operations.ts';

interface Size {
  readonly operations: number;
  readonly maxResidentMb: number;
  /** While they arrive, garbage that is not collected yet and a second query planner worker are counted as well. */
  readonly maxHighestMb: number;
}

const SIZES: Readonly<Record<ProofOptions['size'], Size>> = {
  small: { operations: 300, maxResidentMb: 300, maxHighestMb: 350 },
  full: { operations: 5_000, maxResidentMb: 300, maxHighestMb: 350 },
};
/** After which the second query planner worker has ended. */
const IDLE_WINDOW_MS = 24_000;
const CONNECTIONS = 8;
/** Each of them has a share of planning. */
const USERS = 50;
const SUPERGRAPH = fileURLToPath(new URL('../../graph/supergraph.graphql', import.meta.url));
const SUBGRAPHS = ['users', 'posts', 'comments', 'search'];

/** What a gateway keeps of operations that have nothing in common but the graph, as it is shipped, with its guards. */
proof({
  name: 'distinct-operations',
  description:
    'A gateway that has seen 5,000 operations, all of another text and shape, takes less than 300 MB once it is quiet.',
  async run({ size, seed }) {
    const { operations, maxResidentMb, maxHighestMb } = SIZES[size];
    const stage = await openStage();
    try {
      const startMb = residentMb(stage.gateway);
      let highestMb = 0;
      const lengths: number[] = [];
      const statuses = new Map<string, number>();
      let next = 0;
      const work = async (): Promise<void> => {
        while (next < operations) {
          const number = next++;
          const query = stage.varied.text(seed * operations + number);
          lengths.push(query.length);
          const outcome = await stage.ask(`user ${number % USERS}`, query);
          statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
          highestMb = Math.max(highestMb, residentMb(stage.gateway));
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      const lastMb = residentMb(stage.gateway);
      await sleep(IDLE_WINDOW_MS);
      const quietMb = residentMb(stage.gateway);
      const sorted = lengths.toSorted((left, right) => left - right);
      const answered = statuses.get('data') ?? 0;
      return {
        passed: quietMb < maxResidentMb && highestMb < maxHighestMb && answered >= operations * 0.95,
        figures: {
          operations,
          answered,
          ...Object.fromEntries([...statuses].filter(([outcome]) => outcome !== 'data')),
          characters: [0, 0.25, 0.5, 0.75, 0.99]
            .map((share) => sorted[Math.floor(share * sorted.length)])
            .join('/'),
          startMb,
          highestMb,
          lastMb,
          quietMb,
        },
      };
    } finally {
      await stage.close();
    }
  },
});

function residentMb(gateway: GatewayProcess): number {
  return Math.round(gateway.residentBytes() / 1e6);
}

interface Stage {
  readonly gateway: GatewayProcess;
  readonly varied: VariedOperations;
  /** @returns `data`, or why there is none */
  ask(user: string, query: string): Promise<string>;
  close(): Promise<void>;
}

async function openStage(): Promise<Stage> {
  const sdl = readFileSync(SUPERGRAPH, 'utf8');
  const subgraph = await startRespondingSubgraph(sdl);
  const issuer = await startTokenIssuer();
  const gateway = await startGatewayProcess(
    {
      NODE_ENV: 'production',
      SUPERGRAPH,
      SUBGRAPH_URLS: SUBGRAPHS.map((name) => `${name}=${subgraph.url}`).join(' '),
      GUARDS: 'on',
      ...issuer.environment,
    },
    'compiled',
  );
  const pool = new Pool(gateway.url, { connections: CONNECTIONS });
  const tokens = new Map<string, Promise<string>>();
  return {
    gateway,
    varied: new VariedOperations(buildClientSchema(sdl)),
    async ask(user, query) {
      const token = tokens.get(user) ?? issuer.sign({ sub: user, scope: 'read:data read:profile' });
      tokens.set(user, token);
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${await token}` };
      const body = JSON.stringify({ query });
      const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
      const { data, errors } = (await response.body.json()) as {
        readonly data?: unknown;
        readonly errors?: readonly { readonly message: string }[];
      };
      return errors?.[0]?.message.slice(0, 60) ?? (data ? 'data' : 'nothing');
    },
    async close() {
      await pool.close();
      await gateway.stop();
      await issuer.close();
      subgraph.close();
    },
  };
}
