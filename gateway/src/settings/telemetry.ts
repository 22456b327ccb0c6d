/** Logs, metrics and traces. */
export const telemetry = {
  type: 'group',
  doc: 'Reports on the work of the gateway.',
  members: {
    tracing: {
      type: 'group',
      doc: 'OpenTelemetry traces.',
      members: {
        endpoint: {
          type: 'text',
          form: 'httpAddress',
          default: { computed: 'OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces', optional: true },
          reload: 'live',
          doc: 'Collector of OTLP over HTTP, whole: http://collector:4318/v1/traces. Absent: nothing is traced.',
        },
        headers: {
          type: 'map',
          values: { type: 'text' },
          default: {},
          reload: 'live',
          doc: 'Sent to the collector with each request.',
        },
        sampleRatio: {
          type: 'number',
          min: 0,
          max: 1,
          default: 1,
          reload: 'live',
          doc: 'The share of requests that are traced, of those too whose client wants it (traceparent …-01); none whose client does not (…-00).',
        },
      },
    },
  },
} as const;

/** What clients get beside the response. */
export const extensions = {
  type: 'group',
  doc: 'Extensions of responses.',
  members: {
    cost: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'The estimated cost of each operation, the limit, and the objects of the response (of its first part, where it comes in parts).',
    },
    plan: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'The query plan, with subgraph requests: for development.',
    },
    timings: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'Milliseconds for admission, planning and execution.',
    },
    onRequest: {
      type: 'flag',
      default: { computed: 'true, in production false' },
      reload: 'live',
      doc: 'Whether a request may ask for them by the header trellis-explain: run (cost, plan with the requests that were made, timings), estimate (cost and plan, without execution), or schema (with an introspection: subgraphs, costs and rights of each field). The explorer does.',
    },
  },
} as const;
