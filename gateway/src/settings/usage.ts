import type { InForce } from './setting.ts';

/** Which operations clients send. */
export const usage = {
  type: 'group',
  doc: 'Records which operations clients send, for checks of composition: no values of variables, nothing that clients have written into documents, no users, no addresses.',
  members: {
    directory: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'Folder for the files. Several processes may share it. Without it, collector.endpoint and USAGE_DATABASE_URL, nothing is recorded.',
    },
    collector: {
      type: 'group',
      doc: 'An OpenTelemetry collector that gets what was recorded as logs. Tables in PostgreSQL are named by USAGE_DATABASE_URL.',
      members: {
        endpoint: {
          type: 'text',
          form: 'httpAddress',
          reload: 'live',
          doc: 'Collector of OTLP over HTTP, whole: http://collector:4318/v1/logs. Absent: nothing is sent.',
        },
        headers: {
          type: 'map',
          values: { type: 'text' },
          default: {},
          reload: 'live',
          doc: 'Sent to the collector with each request.',
        },
      },
    },
    intervalS: {
      type: 'int',
      min: 1,
      max: 86_400,
      default: 300,
      unit: 'seconds',
      reload: 'live',
      doc: 'What was counted is written so often, at multiples of it by the clock, at the end of the process, and when a reload records elsewhere.',
    },
    documents: {
      type: 'int',
      min: 1,
      default: 5_000,
      reload: 'live',
      doc: 'Operations that are counted in an interval. With more, the interval is incomplete: what it lacks is not taken for unused.',
    },
    rows: {
      type: 'int',
      min: 1,
      default: 20_000,
      reload: 'live',
      doc: 'Clients of operations that are counted in an interval, all operations together. Further ones are counted as one client, other.',
    },
  },
} as const;

/** The settings of recorded usage. */
export type UsageSettings = InForce<typeof usage.members>;
