import {
  proveWindow,
  SupergraphDocument,
  Usage,
  type PlannedOperation,
  type RecordedOperation,
  type WindowSide,
} from '@trellis/composition';
import { createRandom, type Random } from '@trellis/testkit/random';
import {
  Kind,
  print,
  visit,
  type DocumentNode,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { expect, it } from 'vitest';
import { composedGraphs } from '../../test-fixtures/random-graph/composed-graphs.ts';
import { randomChange } from '../../test-fixtures/random-graph/random-change.ts';
import { randomOperation } from '../../test-fixtures/synthetic/random-operation.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import type { GraphDefinition } from '../../test-fixtures/synthetic/subgraph-definition.ts';
import { OfflineGraph } from './offline-graph.ts';
import { readOfflineSettings } from './offline-settings.ts';
import { planRecorded } from './plan-recorded.ts';

const SEEDS = [1, 2, 3, 4];
const CHANGES = 10;
const OPERATIONS = 50;
const TASTE = { maxDepth: 2, defer: false, root: 'query', awkwardAliases: false } as const;

/** A side that plans an operation once, and remembers what it was asked to plan. */
interface Side extends WindowSide {
  readonly asked: Set<string>;
}

function sideOf(graph: GraphDefinition): Side {
  const supergraphSdl = composeGraph(graph, (name) => `http://${name}.example/`);
  const offline = new OfflineGraph(supergraphSdl, readOfflineSettings(undefined, {}), true);
  const plans = new Map<string, Promise<PlannedOperation>>();
  const asked = new Set<string>();
  return {
    supergraph: new SupergraphDocument(supergraphSdl),
    apiSchema: offline.schema,
    subgraphs: new Map(graph.subgraphs.map(({ name, typeDefs }) => [name, print(typeDefs)])),
    asked,
    plan: (operation) => {
      asked.add(operation.document);
      const known = plans.get(operation.document) ?? planRecorded(offline, operation);
      plans.set(operation.document, known);
      return known;
    },
  };
}

function trySideOf(graph: GraphDefinition): Side | undefined {
  try {
    return sideOf(graph);
  } catch {
    return undefined; // it does not compose
  }
}

/** Each field at the root of each operation has an alias of its own, by which parts are known. */
function operationsOn({ apiSchema }: WindowSide, random: Random): readonly RecordedOperation[] {
  const documents: string[] = [];
  while (documents.length < OPERATIONS) {
    const { document } = randomOperation(apiSchema, random, TASTE);
    if (rootSelections(document).every(({ kind }) => kind === Kind.FIELD))
      documents.push(withAliases(document, `op${documents.length}_`));
  }
  return documents.map((document, index) => ({ id: `${index}`, document, clients: [], conditions: [{}] }));
}

function rootSelections({ definitions }: DocumentNode): readonly SelectionNode[] {
  return definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? node.selectionSet.selections : [],
  );
}

function withAliases(document: DocumentNode, prefix: string): string {
  const aliased = (node: OperationDefinitionNode): OperationDefinitionNode => {
    const selections = node.selectionSet.selections.map((one, index) =>
      one.kind === Kind.FIELD
        ? { ...one, alias: { kind: Kind.NAME, value: `${prefix}${index}` } as const }
        : one,
    );
    return { ...node, selectionSet: { ...node.selectionSet, selections } };
  };
  return print(visit(document, { OperationDefinition: aliased }));
}

interface Found {
  readonly changed: number;
  /** Operations of which no part was planned, and whose plan is another one all the same. */
  readonly missed: readonly string[];
}

/** Proves a change as a check does, then plans each operation whatever was selected. */
async function compare(
  before: Side,
  after: Side,
  operations: readonly RecordedOperation[],
  kind: string,
): Promise<Found> {
  before.asked.clear();
  const usage = new Usage({ operations, isComplete: true }, before.apiSchema, after.apiSchema);
  await proveWindow(before, after, usage);
  const planned = [...before.asked].join('\n');
  let changed = 0;
  const missed: string[] = [];
  for (const operation of operations) {
    const [former, latter] = [await before.plan(operation), await after.plan(operation)];
    if (JSON.stringify(former) === JSON.stringify(latter)) continue;
    changed += 1;
    if (!planned.includes(`op${operation.id}_`))
      missed.push(`${kind}: ${operation.document}\n${JSON.stringify([former, latter], undefined, 1)}`);
  }
  return { changed, missed };
}

async function compareChanges(seed: number): Promise<readonly Found[]> {
  const random = createRandom(seed);
  const [graph] = composedGraphs(random, 1).graphs;
  if (!graph) throw new Error('There is a graph.');
  const before = sideOf(graph);
  const operations = operationsOn(before, random);
  const found: Found[] = [];
  while (found.length < CHANGES) {
    const change = randomChange(graph, random);
    const after = trySideOf(change.graph);
    if (after) found.push(await compare(before, after, operations, change.kind));
  }
  return found;
}

it('an operation that the proof of the window does not select has the plan that it had: 40 random changes of random graphs, 50 random operations each', async () => {
  const found: Found[] = [];
  for (const seed of SEEDS) found.push(...(await compareChanges(seed)));
  expect(found.flatMap(({ missed }) => missed)).toEqual([]);
  // Of changes without another plan it would be true in any case.
  expect(found.filter(({ changed }) => changed > 0).length).toBeGreaterThanOrEqual(10);
}, 900_000);
