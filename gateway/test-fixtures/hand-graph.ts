import { buildSubgraphSchema } from '@apollo/subgraph';
import { getOperationAST, getVariableValues, parse, visit, type DocumentNode, type FieldNode } from 'graphql';
import { runPlan } from '../src/execution/run-plan.ts';
import type { ExecutionResult } from '../src/plan/response-body.ts';
import { createSubgraphClient, type SubgraphClient } from '../src/subgraphs/subgraph-client.ts';
import { NOTHING_DENIED, type Denial } from '../src/operation/access/requirement.ts';
import type { OperationPlanner } from '../src/planning/operation-planner.ts';
import type { Overrides } from '../src/operation/conditions/override-labels.ts';
import { createOperationPlanner, type PlannerOptions } from '../src/planning/plan-operation.ts';
import { createPlannerPool, type QueryPlanSource } from '../src/planning/threads/planner-pool.ts';
import { buildSupergraph } from '../src/supergraph/build-supergraph.ts';
import type { Supergraph } from '../src/supergraph/supergraph.ts';
import { plannableFor } from '../src/testing/plannable-for.ts';
import { startSubgraphServer, type SubgraphServer } from './subgraph-server.ts';
import { startWarmPlanner } from '../src/testing/warm-planner.ts';
import { composeGraph } from './synthetic/start-graph.ts';

type Resolvers = NonNullable<
  Extract<Parameters<typeof buildSubgraphSchema>[0], { resolvers?: unknown }>['resolvers']
>;

/** A subgraph written by hand. */
export interface HandSubgraph {
  readonly typeDefs: DocumentNode;
  readonly resolvers: Resolvers;
}

/** How an operation is run. */
export interface RunOptions {
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly operationName?: string;
  /** Denies every field of these names. */
  readonly denied?: Readonly<Record<string, Denial>>;
  readonly signal?: AbortSignal;
  readonly client?: SubgraphClient;
  /** Requests to subgraphs that it may make. @default any number */
  readonly maxRequests?: number;
  headersFor?(subgraph: string): Readonly<Record<string, string>>;
}

/** A graph of subgraphs written by hand, over real servers. */
export interface HandGraph {
  readonly supergraph: Supergraph;
  readonly planner: OperationPlanner;
  server(name: string): SubgraphServer;
  /** How many plans were made. */
  planned(): number;
  /** Runs an operation, and answers as a client would read it. */
  run(text: string, options?: RunOptions): Promise<ExecutionResult>;
  close(): Promise<void>;
}

/** How progressive overrides are chosen. */
type Overriding = Pick<Overrides, 'percents' | 'random'>;

/** Settings of {@link startHandGraph}. */
export type HandGraphOptions = PlannerOptions & Partial<Overriding>;

export { FEDERATION } from './federation.ts';

/**
 * Starts a server for each subgraph and composes them.
 *
 * @param supergraphOf instead of composing them
 */
export async function startHandGraph(
  subgraphs: Readonly<Record<string, HandSubgraph>>,
  { percents = {}, random = Math.random, ...options }: HandGraphOptions = {},
  supergraphOf: (urlOf: (name: string) => string) => string = (urlOf) => composed(subgraphs, urlOf),
): Promise<HandGraph> {
  const servers = new Map<string, SubgraphServer>();
  for (const [name, { typeDefs, resolvers }] of Object.entries(subgraphs)) {
    const schema = buildSubgraphSchema({ typeDefs, resolvers });
    servers.set(name, await startSubgraphServer({ schema }));
  }
  const supergraph = buildSupergraph(supergraphOf((name) => servers.get(name)?.url ?? ''));
  const source = countingSource();
  const planner = createOperationPlanner({ source, ...options });
  const ownClient = createSubgraphClient();
  return {
    supergraph,
    planner,
    planned: () => source.count,
    server(name) {
      const server = servers.get(name);
      if (!server) throw new RangeError(`There is no subgraph ${name}.`);
      return server;
    },
    run: (text, options = {}) =>
      run(text, options, {
        supergraph,
        planner,
        client: options.client ?? ownClient,
        overriding: { percents, random },
      }),
    async close() {
      await planner.close();
      await ownClient.close();
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

function composed(
  subgraphs: Readonly<Record<string, HandSubgraph>>,
  urlOf: (name: string) => string,
): string {
  const definitions = Object.entries(subgraphs).map(([name, { typeDefs }]) => ({ name, typeDefs }));
  return composeGraph({ name: 'hand', subgraphs: definitions }, urlOf);
}

/** The query planner worker, and how often it was asked. */
function countingSource(): QueryPlanSource & { count: number } {
  const thread = createPlannerPool({ start: startWarmPlanner });
  return {
    count: 0,
    load: (supergraph) => thread.load(supergraph),
    unload: (supergraph) => thread.unload(supergraph),
    introspect: (...question) => thread.introspect(...question),
    close: () => thread.close(),
    plan(...question) {
      this.count += 1;
      return thread.plan(...question);
    },
  };
}

interface Engine {
  readonly supergraph: Supergraph;
  readonly planner: OperationPlanner;
  readonly client: SubgraphClient;
  readonly overriding: Overriding;
}

async function run(text: string, options: RunOptions, engine: Engine): Promise<ExecutionResult> {
  const document = parse(text);
  const { supergraph, planner, client } = engine;
  const { operationName, signal = new AbortController().signal } = options;
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  const { coerced = {}, errors } = getVariableValues(supergraph.schema, definitions, options.variables ?? {});
  if (errors) throw errors[0] ?? new Error('The variables are wrong.');
  const denied = new Map<FieldNode, Denial>();
  const deniedKey = JSON.stringify(options.denied ?? '');
  visit(document, {
    Field(node) {
      const denial = options.denied?.[node.name.value];
      if (denial) denied.set(node, denial);
    },
  });
  const overrides = { labels: supergraph.hints.overrideLabels, ...engine.overriding };
  const operation = plannableFor(document, operationName, overrides);
  const decided = operation.decide(coerced);
  const plan = await planner.planOperation(
    { supergraph, operation, decided, denied: { ...NOTHING_DENIED, key: deniedKey, fields: denied } },
    signal,
  );
  const headersFor = options.headersFor?.bind(options) ?? (() => ({}));
  return runPlan(plan, {
    variables: coerced,
    headersFor,
    subgraphClient: client,
    introspector: planner,
    maxRequests: options.maxRequests,
    signal,
  });
}

/** A response as plain JSON, errors by message, path and code. */
export function plain({ data, errors }: Pick<ExecutionResult, 'data' | 'errors'>): unknown {
  return JSON.parse(
    JSON.stringify({
      data,
      ...(errors && {
        errors: errors.map(({ message, path, extensions }) => ({ message, path, code: extensions['code'] })),
      }),
    }),
  );
}
