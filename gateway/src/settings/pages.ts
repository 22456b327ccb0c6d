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
