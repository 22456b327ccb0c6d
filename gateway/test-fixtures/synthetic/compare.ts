import type { WholeBody } from '@trellis/http1';
import {
  getVariableValues,
  getOperationAST,
  type ExecutionResult as WholeResult,
  type GraphQLError,
} from 'graphql';
import { PlanRun, type ExecutionContext } from '../../src/execution/plan-run.ts';
import type { ExecutionResult } from '../../src/plan/response-body.ts';
import { runStep, shapeResult, writeRun } from '../../src/execution/run-plan.ts';
import type { SubgraphClient } from '../../src/subgraphs/subgraph-client.ts';
import { passthroughObjects } from '../../src/plan/passthrough.ts';
import { passthroughShape } from '../../src/plan/passthrough-shape.ts';
import type { Plan } from '../../src/plan/plan.ts';
import type { OperationPlanner } from '../../src/planning/operation-planner.ts';
import { plannableFor } from '../../src/testing/plannable-for.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { FAULT_CODE } from './field-resolution.ts';
import type { RandomOperation } from './random-operation.ts';
import type { RunningGraph } from './start-graph.ts';
import { canonical } from './world.ts';

/** What runs an operation as the gateway does. */
export interface Engine {
  readonly planner: OperationPlanner;
  readonly subgraphClient: SubgraphClient;
}

/** The gateway's responses to one run of an operation. */
export interface FederatedResponses {
  /** Made on the slow path. */
  readonly slow: ExecutionResult;
  /** `data` as the compiled writer has it, which answers what is asked often; absent where it leaves the response to the slow path. */
  readonly written: string | undefined;
  /** `data` of the one response that would be passed on as it is if it were large; absent where it would be read. */
  readonly passthrough: string | undefined;
}

/** Runs an operation over the graph's servers once, and answers it in every way that the gateway has. */
export async function executeFederated(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
): Promise<FederatedResponses> {
  const [plan, context] = await prepareToRun(engine, graph, operation, { incremental: false });
  const { client, bodies } = recording(context.subgraphClient);
  const run = new PlanRun(plan, { ...context, subgraphClient: client });
  if (plan.step) await runStep(plan.step, run);
  deepFreeze(run.data.root); // completing it only reads
  const written = run.data.failed ? undefined : writtenText(plan, run);
  const passthrough = passthroughText(plan, bodies);
  return { slow: shapeResult(run), written, passthrough };
}

/** A client that keeps what subgraphs answered. */
function recording({ send, close }: SubgraphClient): { client: SubgraphClient; bodies: Buffer[] } {
  const bodies: Buffer[] = [];
  const client: SubgraphClient = {
    async send(request) {
      const response = await send(request);
      bodies.push(Buffer.from(response.body)); // its memory is used again
      return response;
    },
    close,
  };
  return { client, bodies };
}

/** Of a long response the bytes are what counts. */
function writtenText(plan: Plan, run: PlanRun): string | undefined {
  const result = writeRun(plan.compileWriter(), run);
  return result?.body ? dataTextOf(result.body) : result?.dataText;
}

function passthroughText(plan: Plan, bodies: readonly Buffer[]): string | undefined {
  const [body] = bodies;
  const shape = plan.step?.kind === 'fetch' && passthroughShape(plan.step, plan.shape);
  return body && shape && passthroughObjects(body, shape) !== undefined ? dataTextOf(body) : undefined;
}

function dataTextOf(body: WholeBody): string {
  return JSON.stringify((JSON.parse(body.toString()) as { readonly data: unknown }).data);
}

/** Plans an operation, with or without parts. */
export async function prepareToRun(
  engine: Engine,
  graph: RunningGraph,
  operation: RandomOperation,
  { incremental }: { readonly incremental: boolean },
): Promise<[Plan, ExecutionContext]> {
  const { document } = operation;
  const { signal } = new AbortController();
  const definitions = getOperationAST(document)?.variableDefinitions ?? [];
  const { coerced, errors } = getVariableValues(graph.supergraph.schema, definitions, operation.variables);
  if (!coerced) throw new Error(errors?.[0]?.message);
  const planned = plannableFor(document);
  const plan = await engine.planner.planOperation(
    { supergraph: graph.supergraph, operation: planned, decided: planned.decide(coerced), incremental },
    signal,
  );
  const { subgraphClient } = engine;
  return [
    plan,
    { variables: coerced, headersFor: () => ({}), subgraphClient, introspector: engine.planner, signal },
  ];
}

/**
 * Compares the gateway's responses with the right one.
 *
 * @returns what differs; nothing when they are all equal
 */
export function differenceOfAny(responses: FederatedResponses, whole: WholeResult): string | undefined {
  const { slow, written, passthrough } = responses;
  const right = JSON.stringify(whole.data ?? null);
  for (const [way, text] of Object.entries({ written, passthrough }))
    if (text !== undefined && (text !== right || whole.errors)) return `${way}: ${text}\nexpected: ${right}`;
  return difference(slow, whole);
}

/**
 * Compares two responses: data to the letter, keys in their order; errors by path and message, in any order.
 *
 * Of errors below a value that became null, an executor reports those that it comes to (GraphQL §6.4.4): there both must
 * report one at least for each such null, and the gateway none but of faults that were made.
 *
 * @returns what differs; nothing when they are equal
 */
export function difference(federated: Answered, whole: WholeResult): string | undefined {
  const left = JSON.stringify(federated.data);
  const right = JSON.stringify(whole.data ?? null);
  if (left !== right)
    return `data: ${left}\nexpected: ${right}\nerrors: ${textsOf(federated.errors).join('\n')}`;
  const ours = groupErrors(federated.errors, federated.data);
  const theirs = groupErrors(whole.errors, whole.data);
  const places = new Set([...ours.keys(), ...theirs.keys()]);
  for (const place of places) {
    const mine = ours.get(place) ?? [];
    const other = theirs.get(place) ?? [];
    const agree =
      place === EXACT
        ? mine.join('\n') === other.join('\n')
        : mine.length > 0 && other.length > 0 && mine.every((text) => text.includes(FAULT_CODE));
    if (!agree)
      return `errors: ${textsOf(federated.errors).join('\n')}\nexpected: ${textsOf(whole.errors).join('\n')}`;
  }
  return undefined;
}

/** Errors of a response. */
export type Errors = readonly Pick<GraphQLError, 'path' | 'message' | 'extensions'>[] | undefined;

/** A response, by whomever. */
export interface Answered {
  readonly data?: unknown;
  readonly errors?: Errors;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The group of errors that are below no null. */
export const EXACT = 'at their own place';

/** Errors by the null that they are below of. */
export function groupErrors(errors: Errors, data: unknown): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const error of errors ?? []) {
    const place = nullAbove(error.path ?? [], data);
    groups.set(place, [...(groups.get(place) ?? []), textOf(error)].toSorted());
  }
  return groups;
}

function nullAbove(path: readonly (string | number)[], data: unknown): string {
  let value = data;
  for (const [index, key] of path.entries()) {
    if (value === null || value === undefined) return JSON.stringify(path.slice(0, index));
    value = (value as Record<string | number, unknown>)[key];
  }
  return EXACT;
}

function textsOf(errors: Errors): string[] {
  return (errors ?? []).map(textOf).toSorted();
}

function textOf({ path, message, extensions }: NonNullable<Errors>[number]): string {
  return canonical({ path, message, code: extensions['code'] ?? 'INTERNAL_SERVER_ERROR' });
}
