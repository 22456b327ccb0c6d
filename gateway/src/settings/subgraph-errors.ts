import type { InForce } from './setting.ts';

/** What clients see of the errors of subgraphs, of all or of one. */
export const errorDisclosure = {
  messages: {
    type: 'choice',
    choices: ['all', 'coded', 'none'],
    default: 'coded',
    reload: 'live',
    doc: 'Whose messages clients see: all; coded, those of errors with a code other than INTERNAL_SERVER_ERROR; or none. The log has every message that clients do not see.',
  },
  extensions: {
    type: 'list',
    form: 'errorExtension',
    default: ['code', 'field', 'invalidValue', 'limit'],
    reload: 'live',
    doc: 'Members of extensions that clients see. Without code, and for a code that only the gateway gives, the error is an INTERNAL_SERVER_ERROR.',
  },
  redactedMessage: {
    type: 'text',
    form: 'name',
    reload: 'live',
    doc: 'In the place of a message that clients do not see. Absent: Internal server error.',
  },
} as const;

/** What clients see of the errors that subgraphs report. */
export const subgraphErrors: {
  readonly type: 'group';
  readonly doc: string;
  readonly members: typeof errorDisclosure & {
    readonly subgraphs: {
      readonly type: 'groups-by-name';
      readonly doc: string;
      readonly reload: 'live';
      readonly members: typeof errorDisclosure;
    };
  };
} = {
  type: 'group',
  doc: 'What clients see of the errors that subgraphs report, in responses, deferred parts, events and live queries.',
  members: {
    ...errorDisclosure,
    subgraphs: {
      type: 'groups-by-name',
      doc: 'In the place of the rules for all, by the name of the subgraph: each of the keys above.',
      reload: 'live',
      members: errorDisclosure,
    },
  },
};

/** The rules for all subgraphs, and those of single ones as an operator gives them. */
export type SubgraphErrorSettings = InForce<typeof subgraphErrors.members>;

/** What clients see of the errors of one subgraph. */
export type ErrorDisclosure = InForce<typeof errorDisclosure>;
