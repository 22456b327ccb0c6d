import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSubgraphClient } from '../../src/subgraphs/subgraph-client.ts';
import { createPlannerPool } from '../../src/planning/threads/planner-pool.ts';
import { createOperationPlanner } from '../../src/planning/plan-operation.ts';
import { breakableFields } from './breakable-fields.ts';
import { differenceOfParts, executeInParts } from './compare-parts.ts';
import {
  difference,
  differenceOfAny,
  executeFederated,
  type Engine,
  type FederatedResponses,
} from './compare.ts';
import { createFaultPlan, noFaults } from './field-resolution.ts';
import { createRandom, hashOf, type Random } from '@trellis/testkit/random';
import { startGatewayOver, type AskedGateway } from './over-http.ts';
import { randomOperation, type RandomOperation } from './random-operation.ts';
import { startGraph, type RunningGraph } from './start-graph.ts';
import type { GraphDefinition } from './subgraph-definition.ts';

/** What a run of the fuzzer found. */
export interface FuzzFindings {
  readonly operations: number;
  /** Operations whose right response has errors. */
  readonly withErrors: number;
  /** Right responses of more than a hundred characters: the others prove little. */
  readonly substantial: number;
  /** Responses that the compiled writer could make too. */
  readonly written: number;
  /** Responses that a subgraph had written just so. */
  readonly passthrough: number;
  /** Deferred parts that were put together again. */
  readonly parts: number;
  /** Items of streamed lists among them. */
  readonly items: number;
  /** Operations that were sent to a whole gateway as well. */
  readonly sent: number;
  /** Each with the operation, its variables and both responses. */
  readonly differences: readonly string[];
}

/** Settings of {@link fuzzGraph}. */
export interface FuzzOptions {
  readonly operations: number;
  readonly seed: number;
  /** In how many of 100 cases a field fails, in operations that have faults at all: every third. */
  readonly faultPercent: number;
}

/** It is about responses, and not about how soon a busy machine has them. */
const PLANNING_MS = 60_000;

/** Answers random operations by the gateway and by one executor over the whole schema, and compares. */
export async function fuzzGraph(definition: GraphDefinition, options: FuzzOptions): Promise<FuzzFindings> {
  const graph = await startGraph(definition);
  const source = createPlannerPool({ deadlineMs: () => PLANNING_MS });
  const engine: Engine = {
    planner: createOperationPlanner({ source }),
    subgraphClient: createSubgraphClient(),
  };
  const asked = await startGatewayOver(graph);
  try {
    return await fuzz(graph, engine, asked, options);
  } finally {
    await asked.close();
    await engine.planner.close();
    await engine.subgraphClient.close();
    await graph.close();
  }
}

/** Of so many operations one is sent over HTTP: what comes before and after execution differs less from one to the next. */
const SENT_OF = 8;

async function fuzz(
  graph: RunningGraph,
  engine: Engine,
  asked: AskedGateway,
  options: FuzzOptions,
): Promise<FuzzFindings> {
  const random = createRandom(options.seed);
  const breakable = breakableFields(graph);
  const differences: string[] = [];
  let withErrors = 0;
  let substantial = 0;
  let written = 0;
  let passthrough = 0;
  let parts = 0;
  let items = 0;
  let sent = 0;
  for (let count = 0; count < options.operations; count += 1) {
    const operation = nextOperation(graph, random);
    const faulty = count % 3 === 2;
    graph.setFaults(faulty ? createFaultPlan(breakable, options.faultPercent, random.below(1000)) : noFaults);
    const whole = await graph.executeWhole(operation.document, operation.variables);
    if (whole.errors) withErrors += 1;
    if (JSON.stringify(whole.data).length > 100) substantial += 1;
    const found = await checkResponses(engine, graph, operation, whole);
    if (found.responses?.written !== undefined) written += 1;
    if (found.responses?.passthrough !== undefined) passthrough += 1;
    const inParts = await checkParts(engine, graph, operation, whole);
    parts += inParts.parts;
    items += inParts.items;
    differences.push(...[found.difference, inParts.difference].filter((text) => text !== undefined));
    if (count % SENT_OF > 0) continue;
    sent += 1;
    const answered = difference(await asked.ask(operation), whole);
    if (answered !== undefined) differences.push(reportOf(operation, `over HTTP: ${answered}`));
  }
  const { operations } = options;
  return { operations, withErrors, substantial, written, passthrough, parts, items, sent, differences };
}

function nextOperation(graph: RunningGraph, random: Random): RandomOperation {
  const { schema } = graph.supergraph;
  const root = schema.getMutationType() && random.chance(15) ? 'mutation' : 'query';
  return randomOperation(schema, random, { maxDepth: 2 + random.below(3), defer: true, root });
}

interface ResponsesCheck {
  /** Absent where there was none. */
  readonly responses?: FederatedResponses;
  readonly difference: string | undefined;
}

/** The operation in one piece, in each way that a response is made. */
async function checkResponses(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
  whole: Parameters<typeof differenceOfAny>[1],
): Promise<ResponsesCheck> {
  try {
    const responses = await executeFederated(engine, graph, operation);
    const found = differenceOfAny(responses, whole);
    return { responses, difference: found && reportOf(operation, found) };
  } catch (error) {
    return { difference: reportOf(operation, error instanceof Error ? String(error.stack) : String(error)) };
  }
}

interface PartsCheck {
  readonly parts: number;
  readonly items: number;
  readonly difference: string | undefined;
}

/** The same operation in parts: put together, they are the whole response. */
async function checkParts(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
  whole: Parameters<typeof differenceOfAny>[1],
): Promise<PartsCheck> {
  let parts = 0;
  let items = 0;
  let found: string | undefined;
  shuffleResponses(graph, operation.text);
  try {
    const together = await executeInParts(engine, graph, operation);
    ({ parts, items } = together);
    found = differenceOfParts(together, whole);
  } catch (error) {
    found = error instanceof Error ? error.stack : String(error);
  } finally {
    for (const server of graph.servers.values()) server.intercept(undefined);
  }
  return { parts, items, difference: found && reportOf(operation, `in parts: ${found}`) };
}

const MAX_TURNS = 30;

/** Each call is answered some turns of the event loop late, so that what is asked first does not always come first. */
function shuffleResponses(graph: RunningGraph, salt: string): void {
  for (const server of graph.servers.values()) {
    server.intercept(async ({ query, variables }) => {
      const turns = hashOf(`${salt} ${query} ${JSON.stringify(variables)}`) % MAX_TURNS;
      for (let turn = 0; turn < turns; turn += 1) await nextTurn();
      return false;
    });
  }
}

function reportOf({ text, variables }: RandomOperation, found: string): string {
  return `${text}\n${JSON.stringify(variables)}\n${found}`;
}
