import type { PageTexts } from './page-texts.ts';

/** The pages in German. */
export const german: PageTexts = {
  language: 'de',
  direction: 'ltr',
  landing: {
    intro: 'Unter dieser Adresse läuft ein föderierter GraphQL-Graph.',
    version: 'Version',
    graph: 'Schema',
    types: (types) => `${types} Typen`,
    subgraphs: 'Subgraphen',
    endpoint: 'Endpunkt',
    explore: 'Explorer öffnen',
    tryIt: 'Eine erste Anfrage',
    token: 'Was Rechte braucht, verlangt ein Zugriffstoken: -H "Authorization: Bearer …".',
    links: 'Verweise',
    issuer: 'Anmeldung und Konto',
    health: 'Zustand',
  },
  explorer: { title: 'Explorer', needsScript: 'Der Explorer braucht JavaScript.' },
};
