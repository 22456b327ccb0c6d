import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
  StreamedItems,
} from '../execution/incremental-result.ts';
import type { ExecutionContext } from '../execution/plan-run.ts';
import { executeIncrementally } from '../execution/execute-incrementally.ts';
import type { Plan } from '../plan/plan.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { describePlan } from './describe-plan.ts';
import type { PipelineResult } from './operation-result.ts';
import type { OperationRun } from './operation-run.ts';
import { showErrors } from './respond.ts';
import type { PipelineServices } from './services.ts';

/**
 * Executes an operation whose response may come in parts, and waits for the first of them.
 *
 * @throws what executing throws, and RequestError RESPONSE_TOO_LARGE; nothing goes on then
 */
export async function respondIncrementally(
  plan: Plan,
  execution: ExecutionContext,
  admitted: AdmittedOperation,
  run: OperationRun,
): Promise<PipelineResult> {
  const { services, clock } = run;
  const begun = await run.gatedInParts(execution, (context) => executeIncrementally(plan, context));
  const { initial, pending, updates, stop } = begun;
  try {
    clock?.lap('executionMs');
    const result = run.respond(initial, admitted, { plan, clock, objects: initial.objects });
    run.charge(initial.objects, admitted);
    if (pending.length === 0) return result;
    const policy: PartsPolicy = {
      maxCharacters: services.responsePolicy.maxCharacters - initial.dataText.length,
      shown: (errors, unreported) => showErrors(errors, run.context.requestId, services, unreported),
      errorsOf: (failure) => run.shownErrorsOf(failure),
      onObjects: (objects) => run.charge(objects, admitted),
      onEnd: services.tracer?.begin('graphql.deferred'),
      explained: explainedAfter(plan, services),
    };
    return { kind: 'parts', initial: result, pending, updates: shownUpdates({ pending, updates }, policy) };
  } catch (error) {
    stop();
    throw error;
  }
}

/** How parts are turned into what a client is shown. */
interface PartsPolicy {
  /** Characters of all data as JSON that are left beside the first part. */
  readonly maxCharacters: number;
  /** @param unreported for the log alone */
  shown(
    errors: readonly GraphQLError[],
    unreported?: readonly GraphQLError[],
  ): readonly GraphQLFormattedError[];
  /** Called with what came together. */
  onObjects(objects: number): void;
  /** What a failure of the whole comes to. */
  errorsOf(failure: unknown): readonly GraphQLFormattedError[];
  /** Ends the span of the deferred fragments. Absent where nothing is traced. */
  readonly onEnd: (() => void) | undefined;
  /** What is said beside the last part. Absent where the client wants to know nothing. */
  readonly explained: (() => Readonly<Record<string, unknown>>) | undefined;
}

/** The first part came before most requests were made: the plan comes once more, with all of them. */
function explainedAfter(plan: Plan, { responsePolicy }: PipelineServices): PartsPolicy['explained'] {
  const { explanation } = responsePolicy;
  return explanation && (() => ({ plan: describePlan(plan, explanation) }));
}

/**
 * The updates as a client is shown them. They never reject: when the work ends early, the last update says of every part that
 * is still pending that it failed, and why.
 */
async function* shownUpdates(
  { pending, updates }: Pick<IncrementalResult, 'pending' | 'updates'>,
  policy: PartsPolicy,
): AsyncGenerator<IncrementalUpdate<GraphQLFormattedError>> {
  const outstanding = new Map(pending.map((part) => [part.id, part]));
  let charactersLeft = policy.maxCharacters;
  try {
    for await (const { unreported, ...update } of updates) {
      if (unreported) policy.shown([], unreported);
      charactersLeft -= charactersOf(update);
      if (charactersLeft < 0)
        throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
      policy.onObjects(objectsOf(update.completed) + objectsOf(update.streamed));
      settle(outstanding, update);
      yield {
        ...update,
        completed: update.completed.map((part) => shownPart(part, policy)),
        streamed: update.streamed.map((items) => shownItems(items, policy)),
        extensions: update.hasNext ? undefined : policy.explained?.(),
      };
    }
  } catch (failure) {
    yield failedUpdate([...outstanding.values()], policy.errorsOf(failure));
  } finally {
    policy.onEnd?.();
  }
}

function settle(
  outstanding: Map<string, PendingPart>,
  { completed, streamed, pending }: IncrementalUpdate,
): void {
  for (const part of completed) outstanding.delete(part.pending.id);
  for (const part of pending) outstanding.set(part.id, part);
  for (const { pending: list, itemTexts, isLast } of streamed) {
    const items = (list.items ?? 0) + itemTexts.length;
    if (isLast) outstanding.delete(list.id);
    else outstanding.set(list.id, { ...list, items });
  }
}

function charactersOf({ completed, streamed }: IncrementalUpdate): number {
  let characters = 0;
  for (const { dataText } of completed) characters += dataText?.length ?? 0;
  for (const { itemTexts } of streamed) for (const text of itemTexts) characters += text.length;
  return characters;
}

function objectsOf(parts: readonly { readonly objects: number }[]): number {
  let all = 0;
  for (const { objects } of parts) all += objects;
  return all;
}

function shownItems(
  items: StreamedItems<GraphQLError>,
  policy: PartsPolicy,
): StreamedItems<GraphQLFormattedError> {
  const endedBy = items.endedBy && policy.shown(items.endedBy);
  return { ...items, errors: policy.shown(items.errors), endedBy };
}

function shownPart(
  part: CompletedPart<GraphQLError>,
  policy: PartsPolicy,
): CompletedPart<GraphQLFormattedError> {
  return { ...part, errors: policy.shown(part.errors) };
}

function failedUpdate(
  pending: readonly PendingPart[],
  errors: readonly GraphQLFormattedError[],
): IncrementalUpdate<GraphQLFormattedError> {
  const completed = pending
    .filter(({ items }) => items === undefined)
    .map((part) => ({ pending: part, dataText: undefined, added: [], errors, objects: 0 }));
  const streamed = pending
    .filter(({ items }) => items !== undefined)
    .map((list) => ({ pending: list, itemTexts: [], errors: [], objects: 0, isLast: true, endedBy: errors }));
  return { completed, streamed, pending: [], hasNext: false };
}
