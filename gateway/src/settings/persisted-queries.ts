import type { InForce } from './setting.ts';

/** What clients may send in the place of an operation's text. */
export const persistedQueries = {
  type: 'group',
  rule: 'safelistManifests',
  doc: "What clients may send in the place of an operation's text.",
  members: {
    mode: {
      type: 'choice',
      choices: ['automatic', 'safelist', 'off'],
      default: 'automatic',
      reload: 'live',
      doc: 'automatic: hashes of texts sent before. safelist: operations of the manifests.',
    },
    manifests: {
      type: 'list',
      form: 'name',
      default: [],
      reload: 'live',
      doc: "Files of the safelist, in Apollo's or Relay's format, beside gateway.yaml. A change of a file is loaded as well.",
    },
    lists: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'Folder of the lists that trellis operations publish writes, one for each version of a client, beside gateway.yaml. A client or version with a list of its own may run that and nothing else, until it is retired.',
    },
    clients: {
      type: 'groups-by-name',
      doc: 'Safelists of single clients, by the name that they give themselves, or name@version, which is not proved; or by oauth:CLIENT_ID, the OAuth client of the access token, which is and comes first. Such a client has its own list and no other.',
      reload: 'live',
      members: {
        manifests: {
          type: 'list',
          form: 'name',
          minItems: 1,
          required: true,
          reload: 'live',
          doc: 'Files of its safelist, as those for all.',
        },
      },
    },
    enforce: {
      type: 'flag',
      default: true,
      reload: 'live',
      doc: 'Whether the safelist rejects other operations, or only logs them.',
    },
    textBytes: {
      type: 'int',
      min: 1,
      default: 16_384,
      unit: 'bytes',
      reload: 'live',
      doc: 'Of a text that is stored for its hash; longer ones are served and not stored.',
    },
    memoryBytes: {
      type: 'int',
      min: 1,
      default: 16_777_216,
      unit: 'bytes',
      reload: 'live',
      doc: 'Of the texts in the memory of a process. A change begins with an empty memory.',
    },
    lifetimeS: {
      type: 'int',
      min: 1,
      default: 86_400,
      unit: 'seconds',
      reload: 'live',
      doc: 'After its last use for which a text is stored.',
    },
    perCallerHour: {
      type: 'int',
      min: 1,
      default: 2_097_152,
      unit: 'characters',
      reload: 'live',
      doc: 'Of texts that one caller may have stored in an hour, by each process; further ones are served and not stored.',
    },
  },
} as const;

/** The settings of persisted queries. */
export type PersistedQuerySettings = InForce<typeof persistedQueries.members>;
