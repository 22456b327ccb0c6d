import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const sources = fileURLToPath(new URL('..', import.meta.url));

/** A call that ends something in a store, and the only files that may make it. */
const calls: readonly (readonly [call: RegExp, what: string, allowed: readonly string[]])[] = [
  [/\bsessions\.end\(/, 'a session ends by endSession', ['administration/end-session.ts']],
  [/\bgrants\.revoke\(/, 'a grant ends by the revoker', ['grants/grant-revoker.ts']],
  [/\bclientStore\.remove\(/, 'a client ends by endClient', ['administration/end-client.ts']],
  [/\bfeed\.publish(Stale)?\(/, 'the revoker publishes revocations', ['grants/grant-revoker.ts']],
  [
    /\baccountGrants\.remove\(/,
    'a grant leaves the list of its account when it has ended',
    ['grants/grant-revoker.ts', 'grants/list-grant.ts'],
  ],
  [
    /\bsessions\.removeGrants\(/,
    'a grant leaves the list of its session when it has ended',
    ['grants/grant-revoker.ts'],
  ],
  [/\baccounts\.remove\(/, 'deleteAccount deletes an account', ['administration/accounts.ts']],
  [/\bsessions\.save\(/, 'a session begins, or goes on, by beginSession', ['routes/begin-session.ts']],
  [/\bbackChannelLogout\.notify\(/, 'endSession notifies clients', ['administration/end-session.ts']],
];

/** A key in Redis that is written or deleted, and the only store that may name it. */
const keys: readonly (readonly [key: RegExp, store: string])[] = [
  [/`session:\{/, 'accounts/session-store.ts'],
  [/`session-(clients|grants|seen):\{/, 'accounts/session-store.ts'],
  [/`account-sessions:\{/, 'accounts/session-store.ts'],
  [/`account-grants:\{/, 'grants/account-grant-store.ts'],
  [/`(code|device|grant|revoked):\{/, 'grants/grant-keys.ts'],
  [/`revoked-before:\{/, 'tokens/stale-token-store.ts'],
];

/** SQL that deletes, and the only store that may. */
const statements: readonly (readonly [statement: RegExp, store: string])[] = [
  [/DELETE FROM client\b/, 'clients/client-store.ts'],
  [/DELETE FROM consent\b/, 'accounts/consent-store.ts'],
  [/DELETE FROM account\b/, 'accounts/account-store.ts'],
];

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .map((file) => relative('.', file).replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'));

function filesWith(pattern: RegExp): readonly string[] {
  return files.filter((file) => pattern.test(readFileSync(`${sources}/${file}`, 'utf8')));
}

describe('One function ends a session, one a grant, one a client', () => {
  it.each(calls)('%s: %s', (call, _what, allowed) => {
    expect(filesWith(call).toSorted()).toEqual(allowed.toSorted());
  });

  it.each(keys)('the keys %s are known to %s alone', (key, store) => {
    expect(filesWith(key)).toEqual([store]);
  });

  it.each(statements)('%s is in %s alone', (statement, store) => {
    expect(filesWith(statement)).toEqual([store]);
  });

  it('find no store under another name', () => {
    // What the checks above go by: the stores are called by these names wherever they are handed on.
    const renamed = /\b(sessions|grants|accountGrants|clientStore|feed): (?!string\b)[a-z]\w*[,;})]/;
    const asides = filesWith(renamed).filter((file) => !file.endsWith('-store.ts'));
    expect(asides).toEqual([]);
    const assigned = /\b(?:const|let) [^=;]*=\s*(?:\w+\.)*(sessions|grants|accountGrants|clientStore|feed);/;
    expect(filesWith(assigned)).toEqual([]);
  });
});
