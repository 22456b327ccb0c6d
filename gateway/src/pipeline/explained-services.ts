import { SharedExecutions } from '../load/shared-executions.ts';
import { Explanation, EXPLANATION_KINDS } from './explanation.ts';
import type { PipelineServices } from './services.ts';

/**
 * The services of a request that asks for an explanation: those of all, where it asks for an unknown one or the operator allows
 * none. An operation that is explained shares no execution with others, so that its own requests are seen.
 *
 * @param asked the header `trellis-explain`
 */
export function explainedServices(
  asked: string | readonly string[],
  services: PipelineServices,
): PipelineServices {
  const kind = EXPLANATION_KINDS.find((one) => one === asked);
  if (kind === undefined || !services.responsePolicy.explains) return services;
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
