import type { InForce } from './setting.ts';

/** Pages for browsers. */
export const pages = {
  type: 'group',
  doc: 'Pages for browsers: the landing page at /, and the explorer at /explorer.',
  members: {
    enabled: {
      type: 'flag',
      default: { computed: 'true, in production false' },
      reload: 'live',
      doc: 'Whether browsers get pages. Clients that do not prefer text/html get what they get without.',
    },
    title: {
      type: 'text',
      form: 'name',
      default: { computed: 'Trellis' },
      reload: 'live',
      doc: 'Name of the graph.',
    },
    clientId: {
      type: 'text',
      form: 'name',
      default: { computed: 'trellis-explorer' },
      reload: 'live',
      doc: 'Client as which the explorer signs users in at the first issuer, by authorization code and PKCE. Its redirect URI is /explorer/callback at the origin of the gateway, its redirect URI after sign-out /explorer.',
    },
    scopes: {
      type: 'list',
      form: 'name',
      reload: 'live',
      doc: 'Scopes that the explorer asks for. Absent: openid, profile, offline_access, and those that the schema requires.',
    },
    examples: {
      type: 'text',
      form: 'name',
      default: { computed: 'PAGE_EXAMPLES', optional: true },
      reload: 'live',
      doc: 'Folder with operations that the explorer offers to run: files named *.graphql, in the order of their names, each titled by the comment in its first line.',
    },
    errorReference: {
      type: 'text',
      form: 'httpUrl',
      default: { computed: 'ERROR_REFERENCE', optional: true },
      reload: 'live',
      doc: 'Page that describes codes of errors, such as errors.html of the documentation site. The explorer leads to it, with # and the code. Absent: the explorer has a sentence for each code.',
    },
    links: {
      type: 'map',
      keys: 'name',
      values: { type: 'text', form: 'httpUrl' },
      default: {},
      reload: 'live',
      doc: 'Links on the landing page, by what they are called; those of PAGE_LINKS come first.',
    },
  },
} as const;

/** The settings of the pages. */
export type PageSettings = InForce<typeof pages.members>;
