import type { ShareKeys } from '@trellis/runtime/admission';
import type { Caller } from '../identity/caller.ts';
import type { GraphRequest, RequestContext } from '../request/context.ts';
import { rejected } from '../errors.ts';
import type { PlanningBudget } from '../planning/threads/planning-budget.ts';
import { PLANNING_SPENT } from '../planning/planner-failure.ts';
import { authenticateRequest } from './authenticate.ts';
import type { Operation } from '../operation/operation.ts';
import type { OperationCache } from '../operation/operation-cache.ts';
import type { PipelineServices } from './services.ts';

/** An operation, and who sends it, where that had to be known already. */
export interface AdmittedText {
  readonly operation: Operation;
  /** Absent where no one has asked yet. Rejects as {@link authenticateRequest} does. */
  readonly caller: Caller | Promise<Caller> | undefined;
}

/**
 * Stage: text → operation, for one that no one has sent before. Parsing it, validating it and compiling what it needs takes
 * the event loop some milliseconds: it is done by `FairTurns`, and counts in the caller's budget for new texts. When that is used up, nothing is
 * parsed. An invalid token is reported when its turn comes; until then its sender counts as the network.
 *
 * @param known who sends it, where that was found out before
 * @returns at once where there is nothing to wait for: what is sent with it and after it, of the same text, is let in after it
 * @throws RequestError RATE_LIMITED, and for all that the text is rejected for
 */
export function admitNewText(
  text: string,
  { operationName }: GraphRequest,
  context: RequestContext,
  operationCache: OperationCache,
  services: PipelineServices,
  known?: Caller,
): AdmittedText | Promise<AdmittedText> {
  const { planningBudget, shares, textTurns } = services;
  const admit = (): Operation => operationCache.document(text, context.address).operation(operationName);
  if (!planningBudget) {
    const network = shares.of(undefined, context.address);
    return admittedBy(textTurns.run(network, context.signal, admit), undefined);
  }
  const caller = known ?? callerOf(context, services);
  const admitFor = (sender: Caller | undefined): AdmittedText | Promise<AdmittedText> => {
    const sharer = shares.of(sender, context.address);
    enforceBudget(planningBudget, sharer.keys);
    const measured = (): Operation => planningBudget.measured(sharer.keys, text.length, admit);
    return admittedBy(textTurns.run(sharer, context.signal, measured), caller);
  };
  return caller instanceof Promise ? caller.catch(() => undefined).then(admitFor) : admitFor(caller);
}

function enforceBudget(planningBudget: PlanningBudget, keys: ShareKeys): void {
  const waitMs = planningBudget.waitMs(keys);
  if (waitMs > 0)
    throw rejected('RATE_LIMITED', PLANNING_SPENT, { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) });
}

function admittedBy(
  operation: Operation | Promise<Operation>,
  caller: AdmittedText['caller'],
): AdmittedText | Promise<AdmittedText> {
  if (!(operation instanceof Promise)) return { operation, caller };
  return operation.then((admitted) => ({ operation: admitted, caller }));
}

/** At once where the token was verified before; an invalid token always rejects a promise. */
function callerOf(context: RequestContext, services: PipelineServices): Caller | Promise<Caller> {
  try {
    return authenticateRequest(context, services);
  } catch (error) {
    return Promise.reject(error); // RequestError, or what is broken
  }
}
