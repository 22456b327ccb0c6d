import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  getNullableType,
  isInputObjectType,
  isInputType,
  isListType,
  typeFromAST,
  type GraphQLInputType,
} from 'graphql';
import { badUserInput } from '@trellis/subgraph-protocol';
import { DeadlineSignal, timeLeftMs, whenAborted } from '../abort/deadline-signal.ts';
import { rejected, RequestError } from '../errors.ts';
import type { ExecutionContext } from '../execution/plan-run.ts';
import { fetchesOf, type FetchStep, type Plan } from '../plan/plan.ts';
import { filesIn, type Uploads } from '../request/uploads.ts';
import type { AdmittedOperation } from './admitted-operation.ts';

/** Names of the scalars that stand for files: of the multipart request specification, and of GraphQL Yoga. */
const FILE_SCALARS: ReadonlySet<string> = new Set(['Upload', 'File']);

/**
 * Checks that each file goes to one subgraph request, in the order in which files come, before anything is executed. Files
 * that no request takes (their field is skipped or denied) are dropped when they come.
 *
 * @throws RequestError UPLOAD_NOT_FORWARDABLE, UPLOAD_OUT_OF_ORDER, BAD_USER_INPUT
 */
export function assertForwardable(uploads: Uploads, admitted: AdmittedOperation, plan: Plan): void {
  assertFileTypes(admitted);
  const steps = [...fetchesOf(plan.step)];
  const taken = uploads.keys.flatMap((key) => takerOf(key, steps, admitted) ?? []);
  let last = 0;
  for (const { key, index } of taken) {
    if (index < last)
      throw rejected(
        'UPLOAD_OUT_OF_ORDER',
        `The file "${key}" is used before files that come before it. Order the map as the mutation uses its files.`,
      );
    last = index;
  }
  const wanted = new Set(taken.map(({ key }) => key));
  uploads.drop(uploads.keys.filter((key) => !wanted.has(key)));
}

/** Before planning: what the operation is decides as well. @throws RequestError UPLOAD_NOT_FORWARDABLE */
export function assertTakesFiles({ operation }: Pick<AdmittedOperation, 'operation'>): void {
  if (operation.kind !== 'mutation')
    throw rejected(
      'UPLOAD_NOT_FORWARDABLE',
      `A ${operation.kind} takes no files. Send them with a mutation.`,
    );
}

/** The files go with the execution, which ends when something is wrong with them. */
export function executionWithUploads(uploads: Uploads, execution: ExecutionContext): ExecutionContext {
  const { signal } = execution;
  const ownSignal = new DeadlineSignal(timeLeftMs(signal));
  whenAborted(signal, () => ownSignal.abort(signal.reason));
  uploads.onFailure((failure) => ownSignal.abort(failure));
  return { ...execution, uploads, signal: ownSignal };
}

interface Taker {
  readonly key: string;
  readonly index: number;
}

function takerOf(
  key: string,
  steps: readonly FetchStep[],
  { variables }: AdmittedOperation,
): Taker | undefined {
  const takers = steps.filter(({ variableNames }) =>
    variableNames.some((name) => holds(variables[name], key)),
  );
  const [taker, second] = takers;
  if (!taker) return undefined;
  if (second) {
    const subgraphs = takers.map(({ subgraph }) => `"${subgraph}"`).join(' and ');
    throw rejected(
      'UPLOAD_NOT_FORWARDABLE',
      `The file "${key}" is used by more than one request to subgraphs (${subgraphs}). Send it once for each.`,
    );
  }
  if (!taker.isMutation || taker.requires)
    throw rejected(
      'UPLOAD_NOT_FORWARDABLE',
      `The file "${key}" is used below a field of the mutation. Files are arguments of its root fields.`,
    );
  return { key, index: steps.indexOf(taker) };
}

function holds(value: unknown, key: string): boolean {
  for (const { file } of filesIn(value)) if (file.key === key) return true;
  return false;
}

/** A file stands only where the schema has one. */
function assertFileTypes({ supergraph, operation, variables }: AdmittedOperation): void {
  for (const { variable, type: node } of operation.definition.variableDefinitions ?? []) {
    const name = variable.name.value;
    const type = typeFromAST(supergraph.schema, node);
    for (const { path } of filesIn(variables[name])) {
      const found = isInputType(type) ? typeAt(type, path) : undefined;
      if (found !== undefined && FILE_SCALARS.has(found)) continue;
      const place = [name, ...path].join('.');
      throw new RequestError([
        badUserInput(
          `Variable "$${place}" is of the type ${found ?? 'unknown'}, which takes no file.`,
          place,
          null,
        ),
      ]);
    }
  }
}

/** The name of the type of a value within a value; its path is that of the coerced value. */
function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): string | undefined {
  const [first, ...rest] = path;
  const inner = getNullableType(type);
  if (first === undefined) return getNamedType(inner).name;
  if (isListType(inner)) return typeAt(inner.ofType, rest);
  const field = isInputObjectType(inner) ? own(inner.getFields(), String(first)) : undefined;
  return field ? typeAt(field.type, rest) : undefined;
}
