import type { Caller } from '../identity/caller.ts';
import type { GraphRequest, RequestContext } from '../request/context.ts';
import { refused } from '../errors.ts';
import { PLANNING_SPENT } from '../planning/planner-failure.ts';
import { authenticateRequest } from './authenticate.ts';
import type { CataloguedOperation, OperationCatalogue } from '../operation/operation-catalogue.ts';
import type { PipelineServices } from './services.ts';

/** An operation, and who sends it, where that had to be known already. */
export interface AdmittedText {
  readonly operation: CataloguedOperation;
  /** Absent where nobody has asked yet. Rejects as {@link authenticateRequest} does. */
  readonly caller: Promise<Caller> | undefined;
}

/**
 * Stage: text → operation, for one that nobody has sent before. Parsing it, validating it and compiling what it needs takes
 * the event loop some milliseconds: it is done by {@link TextTurns}, and counts in the caller's budget of what is new, and for whoever has used that up nothing is
 * parsed. A token that is not good is told of where its turn comes; until then its sender counts as the network.
 *
 * @throws RequestRefused RATE_LIMITED, and for all that the text is refused for
 */
export async function admitNewText(
  text: string,
  { operationName }: GraphRequest,
  context: RequestContext,
  catalogue: OperationCatalogue,
  services: PipelineServices,
): Promise<AdmittedText> {
  const { planningBudget, shares, textTurns } = services;
  const admit = (): CataloguedOperation => catalogue.document(text, context.address).operation(operationName);
  if (!planningBudget) {
    const network = shares.of(undefined, context.address);
    return { operation: await textTurns.run(network, context.signal, admit), caller: undefined };
  }
  const caller = authenticated(context, services);
  const sharer = shares.of(await caller.catch(() => undefined), context.address);
  const waitMs = planningBudget.waitMs(sharer.keys);
  if (waitMs > 0)
    throw refused('RATE_LIMITED', PLANNING_SPENT, { retryAfterS: Math.max(1, Math.ceil(waitMs / 1_000)) });
  const operation = await textTurns.run(sharer, context.signal, () =>
    planningBudget.measured(sharer.keys, admit),
  );
  return { operation, caller };
}

/** It always returns a promise. */
async function authenticated(context: RequestContext, services: PipelineServices): Promise<Caller> {
  return authenticateRequest(context, services);
}
