import type { Logger } from '@trellis/runtime';
import { createOutageLog, type OutageLog } from '@trellis/runtime/outage-log';
import { ExportResultCode, W3CTraceContextPropagator, type ExportResult } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type ReadableSpan,
  type Sampler,
  type SamplingResult,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { createTracing, type Tracing } from './tracing.ts';

/** Where traces go, and how many of them. */
export interface TracingOptions {
  /** Of the collector, whole. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** 0 to 1, asked for each request. */
  readonly sampleRatio: () => number;
}

/** Milliseconds for what is left to be sent when the gateway ends. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Spans that wait to be sent; more are dropped. */
const MAX_QUEUE = 4_096;

/**
 * Begins to record traces, which go to a collector in the background: an unavailable one costs nothing but the traces.
 */
export function openTracing({ endpoint, headers, sampleRatio }: TracingOptions, logger: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: endpoint, headers: { ...headers } });
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'trellis-gateway' }),
    sampler: new ParentBasedSampler({
      root: new RatioSampler(sampleRatio),
      remoteParentSampled: new ShareSampler(sampleRatio),
    }),
    spanProcessors: [
      new BatchSpanProcessor(new ReportingExporter(exporter, logger), { maxQueueSize: MAX_QUEUE }),
    ],
  });
  return createTracing(provider.getTracer('trellis-gateway'), new W3CTraceContextPropagator(), async () => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  });
}

/**
 * Records a share of the requests whose client wants them recorded. Any client can send `traceparent` with that wish, and with an id of
 * its choice, so neither decides.
 */
class ShareSampler implements Sampler {
  readonly #ratio: () => number;

  constructor(ratio: () => number) {
    this.#ratio = ratio;
  }

  shouldSample(): SamplingResult {
    const isSampled = Math.random() < this.#ratio();
    return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
  }
}

/** Records a share of the traces that begin here, by their ids. */
class RatioSampler implements Sampler {
  readonly #ratio: () => number;
  #sampler: { readonly ratio: number; readonly of: Sampler } | undefined;

  constructor(ratio: () => number) {
    this.#ratio = ratio;
  }

  shouldSample(...asked: Parameters<Sampler['shouldSample']>): SamplingResult {
    const ratio = this.#ratio();
    if (this.#sampler?.ratio !== ratio) this.#sampler = { ratio, of: new TraceIdRatioBasedSampler(ratio) };
    return this.#sampler.of.shouldSample(...asked);
  }
}

/** Logs when the collector begins to be unavailable, and when it is available again. */
class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #outages: OutageLog;

  constructor(exporter: SpanExporter, logger: Logger) {
    this.#exporter = exporter;
    this.#outages = createOutageLog({
      logger,
      failure: 'trace export failed',
      success: 'trace export works again',
      isTransient: () => true,
    });
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.FAILED) this.#outages.failed(result.error);
      else this.#outages.succeeded();
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }
}
