import type { Caller } from '../auth/caller.ts';
import type { Denied } from '../auth/operation-guard.ts';
import type { GraphRequest, RequestContext } from '../context.ts';
import { refused } from '../errors.ts';
import type { Variables } from '../planning/operation-plan.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import { authenticate } from './authenticate.ts';
import { enforceLimits } from './enforce-limits.ts';
import type { CataloguedOperation } from './operation-catalogue.ts';
import { resolvePersistedQuery } from './persisted-query.ts';
import { refuseDeferredEvents } from './refuse-deferred-events.ts';
import type { PipelineServices } from './services.ts';

/** An operation that may run, for a caller who is known. */
export interface AdmittedOperation {
  /** The generation of the graph that it runs on to its end. */
  readonly supergraph: Supergraph;
  readonly operation: CataloguedOperation;
  readonly variables: Variables;
  readonly cost: number;
  readonly caller: Caller;
  /** What this caller may not see of it. */
  readonly denied: Denied;
}

/**
 * The one place where an operation is let in, whatever transport brought it.
 *
 * @throws RequestRefused for all that the stages refuse; nothing has been asked of any subgraph then
 */
export async function admitOperation(
  request: GraphRequest,
  context: RequestContext,
  services: PipelineServices,
): Promise<AdmittedOperation> {
  const supergraph = services.supergraphs.current();
  const { text, store } = await resolvePersistedQuery(request, services.persistedQueries);
  const document = services.catalogueOf(supergraph).document(text); // parse, protect, validate
  store?.();
  const operation = document.operation(request.operationName);
  assertCarried(operation, context);
  const variables = operation.coerceVariables(request.variables);
  refuseDeferredEvents(operation, variables);
  const cost = operation.costOf(variables);
  enforceLimits({ ...operation.measure, cost }, services.limits);
  const operations = Math.max(1, operation.measure.rootFields);
  await services.rateLimiter.countAddress(context.address, operations);
  const caller = await authenticate(context.authorization, services.authenticator, (reason) =>
    services.observer.invalidToken(context.requestId, reason),
  );
  await services.rateLimiter.countCaller(caller, operations);
  services.knownOperations.remember({ text, operation, variables, caller, incremental: context.takesParts });
  const denied = operation.guard.deniedTo(caller);
  return { supergraph, operation, variables, cost, caller, denied };
}

/** A GET must not change anything, and a plain response can't carry a stream of events. */
function assertCarried({ kind }: CataloguedOperation, { accepts }: RequestContext): void {
  if (kind === 'query' || accepts === 'any') return;
  if (kind === 'subscription')
    throw refused('BAD_REQUEST', 'Subscriptions are served over WebSocket, SSE or multipart responses.');
  if (accepts === 'query') throw refused('METHOD_NOT_ALLOWED', 'Mutations are sent by POST.');
}
