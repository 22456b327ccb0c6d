import { readLastEventId } from '@trellis/subgraph-protocol';
import type { Caller } from '../identity/caller.ts';
import { groupOf } from '../identity/policies.ts';
import { keyOfBehavior } from '../pipeline/operation-run.ts';
import type { PipelineServices } from '../pipeline/services.ts';
import type { SharedOperation } from '../pipeline/stream-runs.ts';
import type { Plan } from '../plan/plan.ts';

/** An operation whose results stream. */
export type PlannedOperation = Pick<SharedOperation, 'admitted' | 'plan' | 'context'>;

/** What streams are shared by. */
export interface StreamKey {
  readonly topic: string;
  /** What is forwarded, for whom. */
  readonly shared: string;
  /** In whose name subgraphs are asked. */
  readonly asked: Caller;
  readonly lastEventId: string | undefined;
}

/** Finds what streams are shared by: of equal plans, variables, headers and callers there is one topic. */
export class StreamKeys {
  readonly #planIds = new WeakMap<Plan, number>();
  #plans = 0;

  /** @param headersForSubgraphs what of a request and its caller subgraphs are sent */
  of(
    { admitted, plan, context: { headers } }: PlannedOperation,
    streamId: string,
    headersForSubgraphs: PipelineServices['headersForSubgraphs'],
  ): StreamKey {
    const { caller, variables, extensions, onError } = admitted;
    const asked = isShared(plan) ? groupOf(caller) : caller;
    const forwarded = headersForSubgraphs.streamIdentityOf(headers, asked);
    const lastEventId = readLastEventId(extensions);
    // What is resumed begins with what others have had: it is not shared.
    const shared = lastEventId === undefined ? forwarded : `${forwarded} ${streamId}`;
    const topic = `${this.#planId(plan)} ${JSON.stringify(variables)} ${shared}${keyOfBehavior(onError)}`;
    return { topic, shared, asked, lastEventId };
  }

  #planId(plan: Plan): number {
    let id = this.#planIds.get(plan);
    if (id === undefined) this.#planIds.set(plan, (id = this.#plans += 1));
    return id;
  }
}

/** Whether a subscription is of a field that its team has marked `@sharedSubscription`. */
function isShared({ supergraph, shape }: Plan): boolean {
  const root = shape.onlyType;
  const fields = root === undefined ? undefined : shape.of(root)?.fields;
  return fields?.every(({ fieldName }) => supergraph.sharedSubscriptions.has(fieldName)) ?? false;
}
