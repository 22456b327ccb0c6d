import type { GraphQLError, GraphQLFormattedError } from 'graphql';
import { gatewayErrorCodes, rejected } from '../errors.ts';
import type {
  CompletedPart,
  IncrementalResult,
  IncrementalUpdate,
  PendingPart,
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
  const begun = await run.gated(execution, (context) => executeIncrementally(plan, context));
  const { initial, pending, updates, stop } = begun;
  try {
    clock?.lap('executionMs');
    const result = run.respond(initial, admitted, { plan, clock, objects: initial.objects });
    run.charge(initial.objects, admitted);
    if (pending.length === 0) return result;
    const policy: PartsPolicy = {
      maxCharacters: services.responsePolicy.maxCharacters - initial.dataText.length,
      shown: (errors, untold) => showErrors(errors, run.context.requestId, services, untold),
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
  /** @param untold for the log alone */
  shown(errors: readonly GraphQLError[], untold?: readonly GraphQLError[]): readonly GraphQLFormattedError[];
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
 * is still announced that it failed, and why.
 */
async function* shownUpdates(
  { pending, updates }: Pick<IncrementalResult, 'pending' | 'updates'>,
  policy: PartsPolicy,
): AsyncGenerator<IncrementalUpdate<GraphQLFormattedError>> {
  const outstanding = new Map(pending.map((part) => [part.id, part]));
  let charactersLeft = policy.maxCharacters;
  try {
    for await (const { untold, ...update } of updates) {
      if (untold) policy.shown([], untold);
      charactersLeft -= charactersOf(update);
      if (charactersLeft < 0)
        throw rejected('RESPONSE_TOO_LARGE', gatewayErrorCodes.RESPONSE_TOO_LARGE.summary);
      policy.onObjects(update.completed.reduce((sum, { objects }) => sum + objects, 0));
      for (const part of update.completed) outstanding.delete(part.pending.id);
      for (const part of update.pending) outstanding.set(part.id, part);
      const extensions = update.hasNext ? undefined : policy.explained?.();
      yield { ...update, completed: update.completed.map((part) => shownPart(part, policy)), extensions };
    }
  } catch (failure) {
    yield failedUpdate([...outstanding.values()], policy.errorsOf(failure));
  } finally {
    policy.onEnd?.();
  }
}

function charactersOf({ completed }: IncrementalUpdate): number {
  return completed.reduce((sum, { dataText = '' }) => sum + dataText.length, 0);
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
  const completed = pending.map((part) => ({
    pending: part,
    dataText: undefined,
    added: [],
    errors,
    objects: 0,
  }));
  return { completed, pending: [], hasNext: false };
}
