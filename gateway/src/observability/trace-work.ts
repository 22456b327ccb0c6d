import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { SubgraphClient } from '../subgraphs/subgraph-request.ts';
import type { OperationPlanner } from '../planning/operation-planner.ts';
import type { Tracing } from './tracing.ts';

/** Records each planning of an operation, remembered plans included. */
export function tracePlanning(planner: OperationPlanner, tracing: Tracing): OperationPlanner {
  return {
    ...planner,
    planOperation: (request, signal) =>
      tracing.traceStep({ name: 'graphql.plan' }, () =>
        Promise.resolve(planner.planOperation(request, signal)),
      ),
  };
}

const FIRST_SERVER_ERROR = 500;

/** Records each fetch from a subgraph, with its repetitions, and carries the trace on to it. */
export function traceFetches(client: SubgraphClient, tracing: Tracing): SubgraphClient {
  return {
    send: (request) =>
      tracing.traceStep(
        {
          name: `graphql.fetch ${request.subgraph}`,
          kind: SpanKind.CLIENT,
          attributes: { 'graphql.subgraph.name': request.subgraph },
        },
        async ({ span, headers }) => {
          const response = await client.send({ ...request, headers: { ...request.headers, ...headers } });
          span?.setAttribute('http.response.status_code', response.status);
          if (response.status >= FIRST_SERVER_ERROR) span?.setStatus({ code: SpanStatusCode.ERROR });
          return response;
        },
      ),
    close: () => client.close(),
  };
}
