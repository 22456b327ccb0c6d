import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../identity/caller.ts';
import type { ClientHeaders, RequestContext } from '../request/context.ts';
import { createSubgraphHeaders, type SubgraphHeaderOptions } from './subgraph-headers.ts';

const contextOf = (headers: ClientHeaders, requestId = 'one'): RequestContext => ({
  requestId,
  headers,
  address: '127.0.0.1',
  authorization: undefined,
  signal: new AbortController().signal,
  acceptsIncremental: false,
  accepts: 'any',
});

const forwarding: SubgraphHeaderOptions = {
  rules: { forward: ['X-Tenant'] },
  ofSubgraphs: { stock: { forward: ['X-Shelf'] } },
  contexts: undefined,
};
const signing: SubgraphHeaderOptions = { ...forwarding, contexts: { signedFor: () => 'signed' } };

describe('What subgraphs get of a client', () => {
  const identify = (options: SubgraphHeaderOptions, headers: ClientHeaders, token?: string): string =>
    createSubgraphHeaders(options).identityOf(contextOf(headers), { ...ANONYMOUS, token });

  it('is the same whatever the request id, and whatever is not forwarded', () => {
    const headers = createSubgraphHeaders(forwarding);
    expect(headers.identityOf(contextOf({ 'x-tenant': 'a', cookie: '1' }, 'one'), ANONYMOUS)).toBe(
      headers.identityOf(contextOf({ 'x-tenant': 'a', cookie: '2' }, 'two'), ANONYMOUS),
    );
  });

  it('differs with a header that goes to any subgraph', () => {
    const names = [
      identify(forwarding, { 'x-tenant': 'a' }),
      identify(forwarding, { 'x-tenant': 'b' }),
      identify(forwarding, { 'x-tenant': 'a', 'x-shelf': 'b' }),
      identify(forwarding, { 'x-shelf': 'a' }),
      identify(forwarding, {}),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('differs between callers where subgraphs get the caller', () => {
    expect(identify(signing, {}, 'token a')).not.toBe(identify(signing, {}, 'token b'));
    expect(identify(signing, {}, 'token a')).not.toBe(identify(signing, {}));
    expect(identify(forwarding, {}, 'token a')).toBe(identify(forwarding, {}, 'token b'));
  });

  it('G4: differs between issuers, also for groups of users with the same rights', () => {
    const { streamIdentityOf } = createSubgraphHeaders(signing);
    const of = (issuer: string): string =>
      streamIdentityOf({}, { ...ANONYMOUS, context: { issuer, groupRoles: [], scopes: [] } });
    expect(of('https://a.example')).toBe(of('https://a.example'));
    expect(of('https://a.example')).not.toBe(of('https://b.example'));
  });
});

describe('G6: A header that the operator forwards', () => {
  it.each(['x-tenant', 'close, X-Tenant', 'keep-alive, x-shelf ,x-tenant'])(
    'goes on although the client says Connection: %s',
    async (connection) => {
      const headers = createSubgraphHeaders(forwarding).of(
        contextOf({ 'x-tenant': 'a', 'x-shelf': 'b', connection }),
        ANONYMOUS,
      );
      expect(await headers('stock')).toEqual({ 'x-tenant': 'a', 'x-shelf': 'b', 'x-request-id': 'one' });
    },
  );
});
