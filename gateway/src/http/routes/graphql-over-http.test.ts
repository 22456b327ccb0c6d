import { serverAudits, type AuditResult } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLibraryGraph, type LibraryGraph } from '../../testing/library-graph.ts';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let graph: LibraryGraph;
let gateway: TestGateway;

beforeAll(async () => {
  graph = await startLibraryGraph();
  gateway = await startTestGateway({ subgraphs: graph.all });
});
afterAll(async () => {
  await gateway.close();
  await graph.close();
});

/** The audit knows no CSRF prevention. */
const fetchWithPreflight: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('apollo-require-preflight', 'audit');
  return fetch(input, { ...init, headers });
};

const audits = serverAudits({ url: () => `${gateway.url}/graphql`, fetchFn: fetchWithPreflight });

describe('GraphQL over HTTP: the audit of graphql-http', () => {
  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))(
    '%s %s',
    async (_id, _name, audit) => {
      const result: AuditResult = await audit.fn();
      expect(result.status === 'ok' ? 'ok' : `${result.status}: ${result.reason}`).toBe('ok');
    },
  );
});
