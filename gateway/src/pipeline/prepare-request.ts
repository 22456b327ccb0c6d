import type { PlanningAccount } from '../planning/operation-planner.ts';
import type { PlannerCaller } from '../planning/threads/job-waiters.ts';
import type { Caller } from '../identity/caller.ts';
import type { GraphRequest, RequestContext, CostBudget } from '../request/context.ts';
import { rejectUnfitHeader } from '../request/reject-unfit-texts.ts';
import { rejected, type RequestError } from '../errors.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { admitNewText, type AdmittedText } from './admit-text.ts';
import { authenticateRequest, requireToken } from './authenticate.ts';
import type { OperationRun } from './operation-run.ts';
import { enforceCost } from '../operation/limits/enforce-limits.ts';
import type { Operation } from '../operation/operation.ts';
import { resolvePersistedQuery } from './persisted-query.ts';
import type { ActiveGenerations, PipelineServices, RoutedOperation } from './services.ts';
import type { Decided } from '../operation/document/decided-conditions.ts';

/**
 * The one place where an operation is let in, whatever transport brought it. It waits only where there is something to wait
 * for: mostly there is not, and each wait would cost a turn of the microtasks.
 *
 * @throws RequestError for all that the stages reject; nothing has been asked of any subgraph then
 */
export async function prepareRequest(
  request: GraphRequest,
  context: RequestContext,
  run: OperationRun,
): Promise<AdmittedOperation> {
  const { services } = run;
  const { rateLimiter } = services;
  run.enter('address rate');
  const counted = rateLimiter.countAddress(context.address, 1); // what is rejected has cost something as well
  if (counted) await counted;
  const required = services.requiresToken ? await requireTokenFirst(context, run) : undefined;
  const { active } = services.generations;
  const routed = active && (await chooseGeneration(active, required, context, run));
  const supergraph = routed ? routed.supergraph : services.supergraphs.current();
  run.enter('persisted query');
  const sender = required ?? routed?.caller ?? callerWithList(context, services);
  const known = sender instanceof Promise ? await sender : sender;
  const resolved = resolvePersistedQuery(request, services.persistedQueries, context, known);
  const { text, store } = resolved instanceof Promise ? await resolved : resolved;
  if (routed) routed.text = text;
  const operationCache = services.operationCacheOf(supergraph);
  run.enter('document');
  const cached = operationCache.known(text);
  const admitted: AdmittedText | Promise<AdmittedText> = cached
    ? { operation: cached.operation(request.operationName), caller: undefined }
    : admitNewText(text, request, context, operationCache, services, known); // parse, protect, validate, limits of the text
  const { operation, caller: early } = admitted instanceof Promise ? await admitted : admitted;
  run.enter('transport');
  assertCarried(operation, context);
  rejectUnfitHeaders(context, services);
  run.enter('variables');
  const decided = decideOperation(operation, request.variables);
  if (decided.decided.isLive && !carriesStreams(context)) throw needsStream('A live query (@live)');
  run.enter('limits');
  const measured = measureOperation(operation, decided, services, context.budget);
  const weight = weightOf(operation);
  run.enter('weight rate');
  if (weight > 1) await rateLimiter.countAddress(context.address, weight - 1);
  run.enter('authenticate');
  const authenticated = known ?? early ?? authenticateRequest(context, services);
  const caller = authenticated instanceof Promise ? await authenticated : authenticated;
  run.enter('caller rate');
  const countedToo = rateLimiter.countCaller(caller, weight);
  if (countedToo) await countedToo;
  const countedByName = rateLimiter.countSoftware(context, weight);
  if (countedByName) await countedByName;
  store?.(caller, context.address);
  services.knownOperations.remember({
    text,
    operation,
    variables: decided.variables,
    caller,
    incremental: context.acceptsIncremental,
  });
  run.enter('authorize');
  const denied = operation.guard.deniedTo(caller);
  const { extensions, variables: givenVariables, onError = services.onError } = request;
  return {
    supergraph,
    text,
    operation,
    ...decided,
    ...measured,
    givenVariables,
    extensions,
    onError,
    caller,
    denied,
  };
}

/** Stage: one of several generations. A token is verified once: a proof of possession is good for one time. */
async function chooseGeneration(
  active: ActiveGenerations,
  required: Caller | undefined,
  context: RequestContext,
  run: OperationRun,
): Promise<RoutedOperation> {
  run.enter('generation');
  const caller = required ?? (await authenticateRequest(context, run.services));
  const routed: RoutedOperation = { supergraph: await active.choose(context, caller), caller };
  run.routed = routed;
  return routed;
}

function requireTokenFirst(context: RequestContext, run: OperationRun): Promise<Caller> {
  run.enter('require token');
  return requireToken(context, run.services);
}

/** Stage: a list of an OAuth client is for who has a token of that client. Elsewhere no one asks yet. */
function callerWithList(
  context: RequestContext,
  services: PipelineServices,
): Caller | Promise<Caller> | undefined {
  const { persistedQueries: policy } = services;
  const isAsked = policy.kind === 'safelist' && policy.needsCaller;
  return isAsked ? authenticateRequest(context, services) : undefined;
}

/**
 * Lets an operation that runs for longer in again: on another generation of the graph, or for a caller with another token.
 * Everything is judged again but for what was judged of the request as such: its transport, its rate, its token.
 *
 * @throws RequestError when it would not be let in now
 */
export function prepareAgain(
  admitted: AdmittedOperation,
  supergraph: Supergraph,
  caller: Caller,
  services: PipelineServices,
): AdmittedOperation {
  const document = services.operationCacheOf(supergraph).document(admitted.text);
  const operation = document.operation(admitted.operation.name);
  const decided = decideOperation(operation, admitted.givenVariables);
  const measured = measureOperation(operation, decided, services);
  const denied = operation.guard.deniedTo(caller);
  return { ...admitted, supergraph, operation, ...decided, ...measured, caller, denied };
}

type DecidedOperation = Pick<AdmittedOperation, 'variables' | 'decided'>;

/** Stage: variables and conditions; no deferral in subscriptions. */
function decideOperation(operation: Operation, given: GraphRequest['variables']): DecidedOperation {
  const variables = operation.coerceVariables(given);
  const decided = operation.decide(variables);
  rejectDeferredEvents(operation, decided);
  return { variables, decided };
}

/** Stage: limits. */
function measureOperation(
  operation: Operation,
  { variables, decided }: DecidedOperation,
  services: PipelineServices,
  budget?: CostBudget,
): Pick<AdmittedOperation, 'cost' | 'cacheHints'> {
  const cost = operation.costOf(variables, decided);
  enforceCost(cost, services.limits, budget);
  return { cost, cacheHints: operation.cacheHintsOf(decided) };
}

/** How many operations it counts as: a batch of mutations is not one. */
export function weightOf({ measure }: Operation): number {
  return Math.max(1, measure.rootFields);
}

/** What goes on to subgraphs is a text of the client like any other. */
function rejectUnfitHeaders({ headers }: RequestContext, services: PipelineServices): void {
  for (const name of services.headersForSubgraphs.forwarded) {
    const value = headers[name];
    if (typeof value === 'string') rejectUnfitHeader(name, value, services.limits);
  }
}

/** Whether the transport can carry a stream of results, and the client takes it. */
function carriesStreams({ accepts }: RequestContext): boolean {
  return accepts === 'any' || accepts === 'query-subscription';
}

function needsStream(what: string): RequestError {
  return rejected(
    'BAD_REQUEST',
    `${what} needs a stream. Send it alone, with "accept: text/event-stream" or ` +
      '"accept: multipart/mixed;subscriptionSpec=1.0", or over WebSocket.',
  );
}

/** A GET must not change anything, and a plain response can't carry a stream of events. */
function assertCarried({ kind }: Operation, { accepts }: RequestContext): void {
  if (kind === 'query' || accepts === 'any') return;
  if (kind === 'subscription' && accepts !== 'query-subscription') throw needsStream('A subscription');
  if (kind === 'mutation' && accepts !== 'query-mutation')
    throw rejected('METHOD_NOT_ALLOWED', 'Mutations are sent by POST.');
}

/**
 * Stage: each event of a subscription is one response, so nothing of it can be deferred. A `@defer` that is off does no harm.
 *
 * @throws RequestError GRAPHQL_VALIDATION_FAILED
 * @see incremental delivery in the GraphQL specification's working draft, "Defer And Stream Directives Are Used On Valid Operations"
 */
export function rejectDeferredEvents(
  { kind, isDeferred }: Pick<Operation, 'kind' | 'isDeferred'>,
  decided: Decided,
): void {
  if (kind === 'subscription' && isDeferred(decided))
    throw rejected(
      'GRAPHQL_VALIDATION_FAILED',
      "@defer and @stream can't be used in a subscription; give them `if: false`.",
    );
}

type AccountServices = Pick<PipelineServices, 'shares' | 'rateLimiter'>;

/** A caller's share of planning. What is planned for long counts in the caller's rates as well. */
export class CallerPlanningAccount implements PlanningAccount {
  readonly #caller: Caller;
  readonly #address: string;
  readonly #services: AccountServices;

  constructor(caller: Caller, address: string, services: AccountServices) {
    this.#caller = caller;
    this.#address = address;
    this.#services = services;
  }

  plannerCaller(): PlannerCaller {
    const { shares, rateLimiter } = this.#services;
    const { keys, isKnown } = shares.of(this.#caller, this.#address);
    const onSpent = (durationMs: number): void =>
      rateLimiter.chargePlanning(this.#address, this.#caller, durationMs);
    return { keys, isKnown, onSpent };
  }
}
