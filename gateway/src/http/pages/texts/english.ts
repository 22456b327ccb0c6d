import type { PageTexts } from './page-texts.ts';

/** The pages in English. */
export const english: PageTexts = {
  language: 'en',
  direction: 'ltr',
  landing: {
    intro: 'A federated GraphQL graph is served here.',
    version: 'Version',
    graph: 'Schema',
    types: (types) => `${types} types`,
    subgraphs: 'Subgraphs',
    endpoint: 'Endpoint',
    explore: 'Open the explorer',
    tryIt: 'A first request',
    token: 'What needs rights takes an access token: add -H "Authorization: Bearer …".',
    links: 'Links',
    issuer: 'Sign-in and account',
    health: 'Health',
  },
  explorer: { title: 'explorer', needsScript: 'The explorer needs JavaScript.' },
};
