import { SharedExecutions } from '../load/shared-executions.ts';
import type { ClientHeaders } from '../request/context.ts';
import { Explanation, EXPLANATION_KINDS } from './explanation.ts';
import type { PipelineServices } from './services.ts';

/** The request header that asks for an explanation. */
const EXPLAIN_HEADER = 'trellis-explain';

/**
 * The services of a request: those of all, unless it asks for an explanation and the operator lets clients have one. An operation
 * that is explained shares no execution with others, so that its own requests are seen.
 */
export function servicesFor(headers: ClientHeaders, services: PipelineServices): PipelineServices {
  const asked = headers[EXPLAIN_HEADER];
  if (asked === undefined || !services.responsePolicy.explains) return services;
  const kind = EXPLANATION_KINDS.find((one) => one === asked);
  if (kind === undefined) return services;
  const explanation = new Explanation(kind);
  return {
    ...services,
    subgraphClient: explanation.record(services.subgraphClient),
    sharedExecutions: new SharedExecutions(),
    responsePolicy: {
      ...services.responsePolicy,
      shows: { cost: true, plan: true, timings: true },
      showsAny: true,
      explanation,
    },
  };
}
