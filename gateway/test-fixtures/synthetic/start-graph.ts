import {
  execute,
  isInterfaceType,
  isObjectType,
  print,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLFieldResolver,
  type GraphQLSchema,
} from 'graphql';
import { composeSubgraphs } from '@trellis/composition';
import { buildSupergraph } from '../../src/supergraph/build-supergraph.ts';
import type { Supergraph } from '../../src/supergraph/supergraph.ts';
import { startSubgraphServer, type SubgraphServer } from '../subgraph-server.ts';
import { noFaults, subgraphResolver, wholeResolver, type FaultPlan } from './field-resolution.ts';
import type { GraphDefinition } from './subgraph-definition.ts';
import { canonical, createWorld, type World } from './world.ts';

/** A graph that runs: real servers, their supergraph, and one executor that knows it all. */
export interface RunningGraph {
  readonly name: string;
  readonly sdl: string;
  readonly supergraph: Supergraph;
  readonly servers: ReadonlyMap<string, SubgraphServer>;
  readonly world: World;
  /** Mutations as they were executed, by a subgraph or by the whole; emptied by the test. */
  readonly effects: string[];
  /** What fails from now on, in the subgraphs and in the whole. */
  setFaults(faults: FaultPlan): void;
  /** The right response. */
  executeWhole(
    document: DocumentNode,
    variables: Readonly<Record<string, unknown>>,
  ): Promise<ExecutionResult>;
  close(): Promise<void>;
}

/** The supergraph of a graph, with the addresses of its servers. */
export function composeGraph(graph: GraphDefinition, urlOf: (name: string) => string): string {
  const composition = composeSubgraphs(
    graph.subgraphs.map(({ name, typeDefs }) => ({
      name,
      sdl: print(typeDefs),
      routingUrl: urlOf(name),
      source: `${name}.graphql`,
    })),
  );
  if (composition.kind === 'failed')
    throw new Error(composition.errors.map(({ message }) => message).join('\n'));
  return composition.supergraphSdl;
}

/** Starts a server for each subgraph and composes them. */
export async function startGraph(graph: GraphDefinition): Promise<RunningGraph> {
  const world = createWorld(graph);
  let faults = noFaults;
  const current: FaultPlan = { fails: (...question) => faults.fails(...question) };
  const effects: string[] = [];
  const servers = new Map<string, SubgraphServer>();
  for (const { name } of graph.subgraphs) {
    const schema = world.schemaOf(name);
    resolveReferences(schema, world);
    servers.set(
      name,
      await startSubgraphServer({
        schema,
        fieldResolver: recording(subgraphResolver(world, name, current), effects),
      }),
    );
  }
  const sdl = composeGraph(graph, (name) => servers.get(name)?.url ?? '');
  const supergraph = buildSupergraph(sdl);
  const fieldResolver = recording(wholeResolver(world, current), effects);
  return {
    name: graph.name,
    sdl,
    supergraph,
    servers,
    world,
    effects,
    setFaults(next) {
      faults = next;
    },
    executeWhole: async (document, variableValues) =>
      execute({ schema: supergraph.schema, document, variableValues, fieldResolver }),
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()));
    },
  };
}

/** A resolver that writes down each mutation. */
function recording(
  resolve: GraphQLFieldResolver<unknown, unknown>,
  effects: string[],
): GraphQLFieldResolver<unknown, unknown> {
  return (source, values, context, info) => {
    if (info.parentType === info.schema.getMutationType())
      effects.push(`${info.fieldName}(${canonical(values)})`);
    return resolve(source, values, context, info);
  };
}

function resolveReferences(schema: GraphQLSchema, world: World): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    const resolveReference = (representation: Record<string, unknown>): unknown =>
      isInterfaceType(type)
        ? concrete(world, schema, type.name, representation)
        : world.instanceOf(representation);
    type.extensions = { ...type.extensions, apollo: { subgraph: { resolveReference } } };
  }
}

/** An interface's reference stands for one of its objects: which one follows from the number. */
function concrete(
  world: World,
  schema: GraphQLSchema,
  interfaceName: string,
  representation: Record<string, unknown>,
): unknown {
  const instance = world.instanceOf(representation);
  const type = schema.getType(interfaceName);
  const names = isInterfaceType(type)
    ? schema
        .getPossibleTypes(type)
        .map(({ name }) => name)
        .toSorted()
    : [];
  return { ...instance, __typename: names[instance.number % names.length] };
}
