import { operationOf } from '../plan/fetch-fields.ts';
import type { DeferredPlan, FetchStep, Plan, PlanStep, SubscriptionPlan } from '../plan/plan.ts';
import type { CacheOutcome, ExplainedCall, Explanation } from './explanation.ts';

/** JSON. */
type Description = Readonly<Record<string, unknown>>;

/**
 * A plan as a client is shown it.
 *
 * @param explanation adds to each fetch the requests that were made for it, and what needed none
 */
export function describePlan(plan: Plan, explanation?: Explanation): Description | null {
  const describe = new PlanDescription(explanation, explanation?.responseCacheOf(plan));
  const { step, parts, subscription } = plan;
  if (parts) return describe.parts(parts);
  if (subscription) return describe.subscription(subscription);
  return step ? describe.step(step) : null;
}

class PlanDescription {
  readonly #explanation: Explanation | undefined;
  readonly #responseCache: CacheOutcome | undefined;

  constructor(explanation: Explanation | undefined, responseCache: CacheOutcome | undefined) {
    this.#explanation = explanation;
    this.#responseCache = responseCache;
  }

  parts({ first, later }: DeferredPlan): Description {
    return {
      kind: 'defer',
      first: first ? this.step(first) : null,
      later: later.map(({ after, plan }) => ({ after, plan: this.parts(plan) })),
    };
  }

  subscription({ primary, rest }: SubscriptionPlan): Description {
    return { kind: 'subscription', primary: this.step(primary), rest: rest ? this.step(rest) : null };
  }

  step(step: PlanStep): Description {
    if (step.kind !== 'fetch') return { kind: step.kind, steps: step.steps.map((inner) => this.step(inner)) };
    const { kind, id, subgraph, path } = step;
    const entities = this.#explanation?.entitiesOf(step);
    const calls = this.#explanation && callsOf(step, this.#explanation).map(describeCall);
    return {
      kind,
      ...(id !== undefined && { id }),
      subgraph,
      path,
      operation: operationOf(step),
      ...(calls && { calls }),
      ...(entities && { entities }),
      ...(this.#responseCache && { responseCache: this.#responseCache }),
    };
  }
}

/** A request says by its operation which fetch it is of; one that lacks what a subgraph did not bring is of none. */
function callsOf(step: FetchStep, explanation: Explanation): readonly ExplainedCall[] {
  const starts = explanation.startsOf(step);
  return explanation.calls.filter(
    ({ subgraph, body }) => subgraph === step.subgraph && starts.some((start) => body.startsWith(start)),
  );
}

function describeCall({ startMs, durationMs, status, bytes, body }: ExplainedCall): Description {
  return { startMs, durationMs, ...(status !== undefined && { status }), bytes, entities: entitiesIn(body) };
}

/** How many objects a request asks about: none where it begins at the root. */
function entitiesIn(body: string): number {
  const { variables } = JSON.parse(body) as { readonly variables?: Readonly<Record<string, unknown>> }; // our own text
  const representations = variables?.['representations'];
  return Array.isArray(representations) ? representations.length : 0;
}
