import { ExportResultCode, hrTime } from '@opentelemetry/core';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import { JsonLogsSerializer, LogsExporterMetricsHelper } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { RecordedInterval } from './usage-lines.ts';
import { NeverStored, type UsageSink } from './usage-queue.ts';

/** Where recorded operations go as logs. */
export interface UsageCollectorOptions {
  /** Of the collector, whole: `http://collector:4318/v1/logs`. */
  readonly endpoint: string;
  /** Those of now: asked for each request. */
  readonly headers: () => Readonly<Record<string, string>>;
}

type LogRecord = Parameters<typeof JsonLogsSerializer.serializeRequest>[0] extends readonly (infer One)[]
  ? One
  : never;

/** Of one request to a collector: most accept 4 MB. */
const [MAX_RECORDS, MAX_CHARACTERS] = [256, 1024 * 1024];
/** Statuses of a collector that will never take the same records. RFC 9110 §15.5 */
const NEVER_TAKEN: ReadonlySet<number> = new Set([400, 413, 422]);
/** For one such request, with the exporter's own attempts. */
const EXPORT_TIMEOUT_MS = 8_000;

const SCOPE = { name: 'trellis.usage' };
const RESOURCE = resourceFromAttributes({ 'service.name': 'trellis-gateway' });

/**
 * An OpenTelemetry collector: a log record `trellis.usage.operation` for each operation of an interval, with the line of the file as its
 * body, then one `trellis.usage.interval`; at the end of the process, `trellis.usage.end`. An attempt goes on where the one before it
 * has ended. Records may come twice, where a response was lost: process and time name them.
 */
export class UsageCollector implements UsageSink {
  readonly name = 'otlp';
  readonly #process: string;
  readonly #exporter: ReturnType<typeof createOtlpHttpExportDelegate<LogRecord[], unknown>>;
  /** What the collector has taken of an interval so far. */
  #taken: TakenRecords | undefined;
  /** Records that it has rejected of the request that was sent last. */
  #rejected = 0;

  constructor({ endpoint, headers }: UsageCollectorOptions, process: string) {
    this.#process = process;
    const options = {
      url: endpoint,
      headers: async () => ({ ...headers() }),
      timeoutMillis: EXPORT_TIMEOUT_MS,
      keepAlive: false, // some requests every few minutes; one that a reload replaces leaves no socket behind
    };
    const serializer: typeof JsonLogsSerializer = {
      serializeRequest: (records) => JsonLogsSerializer.serializeRequest(records),
      deserializeResponse: (data) => {
        const response = JsonLogsSerializer.deserializeResponse(data);
        const rejected: unknown = response.partialSuccess?.rejectedLogRecords; // JSON has it as text
        this.#rejected = Number(rejected) || 0;
        return response;
      },
    };
    this.#exporter = createOtlpHttpExportDelegate(
      convertLegacyHttpOptions(options, 'LOGS', 'v1/logs', { 'Content-Type': 'application/json' }),
      serializer,
      'otlp_http_json_log_exporter',
      LogsExporterMetricsHelper,
      undefined,
    );
  }

  async write(interval: RecordedInterval, signal: AbortSignal): Promise<number> {
    const fromMs = interval.from.getTime();
    const records = operationsOf(interval);
    const sendable = records.filter(({ body }) => body.length <= MAX_CHARACTERS);
    const begun = { fromMs, requests: 0, leftOut: records.length - sendable.length };
    const taken = this.#taken?.fromMs === fromMs ? this.#taken : (this.#taken = begun);
    for (const request of requestsOf(sendable).slice(taken.requests)) {
      taken.leftOut += await this.#send(request, signal);
      taken.requests += 1;
    }
    const isComplete = interval.isComplete && taken.leftOut === 0;
    if ((await this.#send([endOf({ ...interval, isComplete })], signal)) > 0)
      throw new NeverStored('The collector rejects the record that ends an interval.');
    this.#taken = undefined;
    return taken.leftOut;
  }

  async close(signal: AbortSignal): Promise<void> {
    const end = {
      ...commonOf(new Date()),
      eventName: 'trellis.usage.end',
      attributes: { 'trellis.usage.process': this.#process },
    };
    await this.#send([end], signal).catch(() => undefined); // then it looks as if the process had been killed
    await this.#exporter.shutdown().catch(() => undefined); // nothing is under way
  }

  /** What is under way ends by its own deadline: else it would not be known whether it was taken. @returns how many were rejected */
  #send(records: readonly LogRecord[], signal: AbortSignal): Promise<number> {
    signal.throwIfAborted();
    this.#rejected = 0;
    return new Promise((resolve, reject) => {
      this.#exporter.export([...records], ({ code, error }) => {
        if (code === ExportResultCode.SUCCESS) resolve(Math.min(this.#rejected, records.length));
        else reject(failureOf(error));
      });
    });
  }
}

/** How far an interval is. */
interface TakenRecords {
  readonly fromMs: number;
  requests: number;
  /** Records that the collector never takes. */
  leftOut: number;
}

function failureOf(error: Error | undefined): Error {
  if (!error) return new Error('The collector did not take the records.');
  const isNever = 'code' in error && typeof error.code === 'number' && NEVER_TAKEN.has(error.code);
  return isNever
    ? new NeverStored(`The collector rejects the records: ${error.message}`, { cause: error })
    : error;
}

type OperationRecord = LogRecord & { readonly body: string };

function operationsOf(interval: RecordedInterval): readonly OperationRecord[] {
  const [window, common] = [windowOf(interval), commonOf(interval.to)];
  return interval.operations.map(({ id, name, requests, errors, text }) => ({
    ...common,
    eventName: 'trellis.usage.operation',
    body: text,
    attributes: {
      ...window,
      'graphql.document.hash': id,
      ...(name !== undefined && { 'graphql.operation.name': name }),
      'trellis.usage.requests': requests,
      'trellis.usage.errors': errors,
    },
  }));
}

function endOf(interval: RecordedInterval): LogRecord {
  return {
    ...commonOf(interval.to),
    eventName: 'trellis.usage.interval',
    attributes: { ...windowOf(interval), 'trellis.usage.complete': interval.isComplete },
  };
}

function windowOf({ from, to, process }: RecordedInterval): Readonly<Record<string, string>> {
  return {
    'trellis.usage.process': process,
    'trellis.usage.from': from.toISOString(),
    'trellis.usage.to': to.toISOString(),
  };
}

function commonOf(at: Date): Omit<LogRecord, 'attributes'> {
  return {
    hrTime: hrTime(at.getTime() - performance.timeOrigin),
    hrTimeObserved: hrTime(),
    resource: RESOURCE,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
  };
}

/** In their order, as many together as a collector takes. */
function requestsOf(records: readonly OperationRecord[]): readonly (readonly OperationRecord[])[] {
  const requests: OperationRecord[][] = [];
  let characters = Infinity;
  for (const record of records) {
    const { length } = record.body;
    characters += length;
    const last = requests.at(-1);
    if (last && last.length < MAX_RECORDS && characters <= MAX_CHARACTERS) last.push(record);
    else {
      requests.push([record]);
      characters = length;
    }
  }
  return requests;
}
