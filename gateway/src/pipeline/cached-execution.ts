import { createHash } from 'node:crypto';
import { type Caller, userOf } from '../identity/caller.ts';
import { groupOf } from '../identity/policies.ts';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';
import type { Plan } from '../plan/plan.ts';
import type { ExecutionResult } from '../plan/response-body.ts';
import type { RequestContext } from '../request/context.ts';
import type { Invalidation } from '../response-cache/invalidations.ts';
import type { CachedQuery, ResponseCaching } from '../response-cache/response-cache.ts';
import { contentsOf, type ResponseContents } from '../response-cache/response-contents.ts';
import type { AdmittedOperation } from './admitted-operation.ts';
import { cachePolicyOf } from './respond.ts';
import type { PipelineServices } from './services.ts';

/** In whose name subgraphs are asked, and how the response is stored. */
export interface CachedExecution {
  readonly query: CachedQuery;
  readonly asked: Caller;
}

/**
 * The cache key of a query, where it may be stored: all client data for subgraphs, and the rights of the caller. Where
 * anything is denied to the caller, or the schema forbids it, it is not.
 */
export function cachedExecutionOf(
  plan: Plan,
  admitted: AdmittedOperation,
  context: RequestContext,
  responseCaching: ResponseCaching,
  headersForSubgraphs: PipelineServices['headersForSubgraphs'],
): CachedExecution | undefined {
  const { operation, caller, denied, variables, supergraph, cacheHints, onError } = admitted;
  if (plan.kind !== 'query' || !plan.step) return undefined;
  if (denied !== NOTHING_DENIED || cacheHints.maxAgeS <= 0) return undefined;
  const { rules, configuration } = responseCaching;
  const asked = isShared(admitted, responseCaching) ? groupOf(caller) : caller;
  const key = digest([
    configuration,
    supergraph.hash,
    operation.documentHash,
    operation.name,
    variables,
    ...(onError === 'PROPAGATE' ? [] : [onError]),
    headersForSubgraphs.streamIdentityOf(context.headers, asked),
    asked.context,
  ]);
  const policyOf = (result: ExecutionResult): ReturnType<typeof cachePolicyOf> =>
    cachePolicyOf(result, admitted);
  const isOwn = asked.authenticated && asked === caller;
  const writer = writerOf(caller);
  const { signal, address } = context;
  return { query: { plan, key, writer, caller, address, isOwn, rules, signal, policyOf }, asked };
}

/** Only where the schema says so: what a subgraph says comes when it has been asked already. */
function isShared({ cacheHints, caller }: AdmittedOperation, { sharePublic }: ResponseCaching): boolean {
  const { maxAgeS, isPrivate } = cacheHints;
  return sharePublic && caller.authenticated && Number.isFinite(maxAgeS) && !isPrivate;
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** Pseudonymous id of the caller. */
function writerOf(caller: Caller): string | undefined {
  const user = userOf(caller);
  return user === undefined ? undefined : digest([user]);
}

/**
 * After a mutation, before its client gets the response: its entities may have changed for all callers, and anything for the caller that
 * has sent it.
 *
 * @param result absent where the mutation failed: it may have changed something all the same
 */
export async function invalidateWritten(
  plan: Plan,
  result: ExecutionResult | undefined,
  caller: Caller,
  { cache }: ResponseCaching,
): Promise<void> {
  if (plan.kind !== 'mutation') return;
  const writer = writerOf(caller);
  const written = writer === undefined ? [] : [{ writer }];
  await cache.invalidate([...written, ...(result?.data ? shownIn(plan, result.data) : [])]);
}

function shownIn(plan: Plan, data: Readonly<Record<string, unknown>>): readonly Invalidation[] {
  const keys = plan.supergraph.entityKeys;
  const { entities, unnamed } = contentsOf(plan, data);
  const types = unnamed.filter((type) => keys.has(type)).map((type) => ({ type }));
  return [...types, ...entities.map(entityOf)];
}

/** @param name as a response's contents have it: no type has a colon in its name */
function entityOf(name: ResponseContents['entities'][number]): Invalidation {
  const colon = name.indexOf(':');
  return { type: name.slice(0, colon), id: name.slice(colon + 1) };
}
