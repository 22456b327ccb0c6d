import type { InForce } from './setting.ts';

/** Which operations clients send. */
export const usage = {
  type: 'group',
  doc: 'Records which operations clients send, for checks of composition: no values of variables, nothing that clients have written into documents, no users, no addresses.',
  members: {
    directory: {
      type: 'text',
      form: 'name',
      reload: 'restart',
      doc: 'Folder for the files. Several processes may share it. Absent: nothing is recorded.',
    },
    intervalS: {
      type: 'int',
      min: 1,
      default: 300,
      unit: 'seconds',
      reload: 'restart',
      doc: 'A file is written so often, and at the end of the process.',
    },
    documents: {
      type: 'int',
      min: 1,
      default: 5_000,
      reload: 'restart',
      doc: 'Operations that are counted in an interval. With more, the interval is incomplete: what it lacks is not taken for unused.',
    },
    rows: {
      type: 'int',
      min: 1,
      default: 20_000,
      reload: 'restart',
      doc: 'Clients of operations that are counted in an interval, all operations together. Further ones are counted as one client, other.',
    },
  },
} as const;

/** The settings of recorded usage. */
export type UsageSettings = InForce<typeof usage.members>;
