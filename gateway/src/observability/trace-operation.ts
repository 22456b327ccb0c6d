import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import type { RequestContext } from '../request/context.ts';
import type { PipelineAnswer } from '../pipeline/operation-answer.ts';
import type { Tracing } from './tracing.ts';

const MAX_NAME_CHARACTERS = 100;

/** Records how one operation is answered, up to its first part. */
export function traceOperation(
  tracing: Tracing,
  { headers, requestId }: RequestContext,
  answer: () => Promise<PipelineAnswer>,
): Promise<PipelineAnswer> {
  const about = {
    name: 'graphql.operation',
    kind: SpanKind.SERVER,
    attributes: { 'trellis.request_id': requestId },
  };
  return tracing.traceRequest(headers, about, async (span) => {
    const answered = await answer();
    describe(span, answered);
    return answered;
  });
}

function describe(span: Span, answer: PipelineAnswer): void {
  const { admitted } = answer.kind === 'parts' ? answer.initial : answer;
  if (admitted) {
    const { name, kind } = admitted.operation;
    span.setAttribute('graphql.operation.type', kind);
    if (name !== undefined) span.setAttribute('graphql.operation.name', name.slice(0, MAX_NAME_CHARACTERS));
  }
  const code = codeOf(answer);
  if (code === undefined) return;
  span.setAttribute('trellis.error.code', code);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function codeOf(answer: PipelineAnswer): string | undefined {
  if (answer.kind === 'stream') return undefined;
  const { errors } = answer.kind === 'parts' ? answer.initial : answer;
  const code = errors[0]?.extensions?.['code'];
  return typeof code === 'string' ? code : undefined;
}
