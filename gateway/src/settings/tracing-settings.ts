import { z } from 'zod';

/** Where traces are sent. */
export interface TracingSettings {
  readonly endpoint?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly sampleRatio?: number | undefined;
}

/** What is told of the gateway's work. */
export interface TelemetrySettings {
  readonly tracing?: TracingSettings | undefined;
}

/** The part of `gateway.yaml` about telemetry. */
export const telemetrySettings: z.ZodType<TelemetrySettings> = z
  .strictObject({
    tracing: z
      .strictObject({
        endpoint: z
          .string()
          .regex(/^https?:\/\/./, { error: 'must be an absolute http or https URL' })
          .optional()
          .describe('Collector of OTLP over HTTP, whole: http://collector:4318/v1/traces.'),
        headers: z
          .record(z.string(), z.string())
          .optional()
          .describe('Sent to the collector with each request.'),
        sampleRatio: z
          .number()
          .min(0)
          .max(1)
          .optional()
          .describe(
            'The share of requests that are traced, from 0 to 1, of those too whose client wants it (traceparent …-01); none whose client does not (…-00). Default 1.',
          ),
      })
      .optional()
      .describe('OpenTelemetry traces. Default none. A change takes effect at the next start.'),
  })
  .describe('What is told of the work of the gateway.');
