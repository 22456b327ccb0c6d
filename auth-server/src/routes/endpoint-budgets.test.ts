import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { addEndpoint } from '../http/endpoint.ts';
import { createRequestLimits, limitRequests } from '../http/request-limits.ts';
import { budgetOf, endpointBudgets } from './endpoint-budgets.ts';
import { paths } from '../paths.ts';

describe('H2: the table of budgets', () => {
  it('keeps a server from starting with an endpoint that is not in it', () => {
    const server = Fastify();
    limitRequests(server, createRequestLimits(1_000), budgetOf);
    const response = (): string => 'answered';
    expect(() => addEndpoint(server, '/new', { POST: response })).toThrow(
      'The budget of POST /new is not decided.',
    );
    expect(() => addEndpoint(server, paths.token, { PUT: response })).toThrow('PUT /token');
    expect(() => addEndpoint(server, '/constructor', { GET: response })).toThrow('GET /constructor');
    expect(() => addEndpoint(server, paths.token, { POST: response })).not.toThrow();
  });

  it('decides for every path that this server knows', () => {
    const decided = Object.keys(endpointBudgets).map((endpoint) => endpoint.split(' ')[1]);
    for (const path of Object.values(paths)) {
      if (path !== paths.admin && path !== paths.console) expect(decided).toContain(path);
    }
  });

  it('lets one address ask for less of what hashes, stores or sends than of what reads', () => {
    const amountOf = (endpoint: string): number => {
      const decision = endpointBudgets[endpoint];
      if (decision === undefined || decision === 'free') return Infinity;
      const limits = createRequestLimits(1_000, () => 0);
      let amount = 0;
      try {
        for (;;) {
          limits.admit(decision, '192.0.2.1');
          amount += 1;
        }
      } catch {
        return amount;
      }
    };
    expect(amountOf('GET /login')).toBe(1_000);
    expect(amountOf('POST /login')).toBe(200);
    expect(amountOf('POST /par')).toBe(200);
    expect(amountOf('POST /forgotten')).toBe(50);
  });
});
