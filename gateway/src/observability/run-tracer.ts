import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import type { RunKind, RunTracer, TracedRun } from '../pipeline/run-tracer.ts';
import { clientSoftwareOf, type ClientSoftware } from '../request/client-software.ts';
import type { Tracing } from './tracing.ts';

const MAX_NAME_CHARACTERS = 100;

const SPANS: Readonly<Record<RunKind, { readonly name: string; readonly kind: SpanKind }>> = {
  request: { name: 'graphql.operation', kind: SpanKind.SERVER },
  event: { name: 'graphql.event', kind: SpanKind.CONSUMER },
  tick: { name: 'graphql.tick', kind: SpanKind.INTERNAL },
};

/**
 * Records runs. A request's span is below the one that the client names, and ends with the first part of the response. Events and
 * ticks begin traces of their own, linked to the span in which their stream was opened.
 */
export function createRunTracer(tracing: Tracing): RunTracer {
  return {
    trace(run, perform) {
      const { requestId, headers, opened } = run.context;
      const about = { ...SPANS[run.kind], attributes: { 'trellis.request_id': requestId } };
      const record = async (span: Span): ReturnType<typeof perform> => {
        const result = await perform();
        describe(span, run);
        describeClient(span, clientSoftwareOf(headers));
        return result;
      };
      if (run.kind === 'request') return tracing.traceRequest(headers, about, record);
      return tracing.traceLinked(opened, about, record);
    },
    begin: (name) => tracing.begin(name),
    current: () => tracing.current(),
  };
}

function describeClient(span: Span, client: ClientSoftware | undefined): void {
  if (!client) return;
  span.setAttribute('graphql.client.name', client.name);
  if (client.version !== '') span.setAttribute('graphql.client.version', client.version);
}

function describe(span: Span, { admitted, errorCode, stage }: TracedRun): void {
  if (admitted) {
    const { name, kind } = admitted.operation;
    span.setAttribute('graphql.operation.type', kind);
    if (name !== undefined) span.setAttribute('graphql.operation.name', name.slice(0, MAX_NAME_CHARACTERS));
  }
  const clientId = admitted?.caller.context.clientId;
  if (clientId !== undefined) span.setAttribute('trellis.oauth_client', clientId);
  if (errorCode === undefined) return;
  span.setAttribute('trellis.error.code', errorCode);
  if (stage !== undefined) span.setAttribute('trellis.stage', stage);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
