import { TraceFlags, type SpanContext } from '@opentelemetry/api';

/** Headers that carry a trace on to a subgraph. W3C Trace Context §3. @returns none where nothing is traced */
export function traceHeadersOf(span: SpanContext | undefined): Readonly<Record<string, string>> {
  if (!span) return {};
  const { traceId, spanId, traceFlags, traceState } = span;
  const flags = (traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, '0');
  const state = traceState?.serialize();
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(state && { tracestate: state }) };
}
