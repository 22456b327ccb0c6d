import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { addEndpoint } from '../http/endpoint.ts';
import { createRequestLimits, limitRequests } from '../http/request-limits.ts';
import { anonymousRequests, notSent } from '../../proofs/attackers/anonymous-requests.ts';
import type { Attacker, OpenForm } from '../../proofs/attackers/attacker.ts';
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

/** Someone who has opened pages that no server has sent. */
function attackerOnPaper(): Attacker {
  const page = (path: string): OpenForm => ({ path, fields: {}, cookie: '' });
  return {
    issuer: 'https://auth.example',
    signIn: page('/login'),
    forgotten: page('/forgotten'),
    signUp: page('/sign-up'),
    proof: () => Promise.resolve('proof'),
    forge: () => Promise.resolve('forged'),
  };
}

describe('H2: the proof of anonymous writing', () => {
  it('has requests of some kind for every endpoint that is limited, or the reason for none', () => {
    const limited = Object.keys(endpointBudgets).filter((endpoint) => endpointBudgets[endpoint] !== 'free');
    const decided = [...Object.keys(anonymousRequests), ...Object.keys(notSent)];
    expect(decided.toSorted()).toEqual(limited.toSorted());
  });

  it('sends what it has for an endpoint there', async () => {
    for (const [endpoint, kinds] of Object.entries(anonymousRequests)) {
      expect(kinds, endpoint).not.toEqual([]);
      for (const kind of kinds) {
        const { method, path } = await kind(attackerOnPaper());
        const { pathname } = new URL(path, 'https://auth.example');
        expect(`${method} ${pathname.replace(/^\/register\/.+/, '/register/:id')}`).toBe(endpoint);
      }
    }
  });
});
