import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { abortBody, garbageBody, keysBody, variantBody } from './operator-bodies.ts';
import { promotionBody, publicationBody, rollbackBody } from './request-bodies.ts';

const rules = {
  excludedClients: [],
  usagePeriodDays: 30,
  contracts: [{ name: 'a', include: [], exclude: [] }],
};
const approvals = [{ change: 'FIELD_REMOVED A.b', reason: 'a', owner: 'a', expires: '2099-01-01' }];
const setOf = (rule: object) => ({ set: { name: 'a', rule, abortsItself: false }, approvals, rules });

/** A body of each kind, with all that it may have. Records by names of the client's are no level of their own. */
const BODIES: Readonly<Record<string, readonly [reader: z.ZodType, body: object]>> = {
  publication: [
    publicationBody,
    {
      set: [{ name: 'a', sdl: '', source: '' }],
      remove: [],
      isWhole: false,
      contracts: { set: rules.contracts, remove: [], isWhole: false },
      approvals,
      rules,
    },
  ],
  promotion: [promotionBody, { from: 'staging', approvals, rules }],
  rollback: [rollbackBody, { to: '1' }],
  'variant by percent': [variantBody, setOf({ kind: 'percent', percent: 1 })],
  'variant by header': [variantBody, setOf({ kind: 'header', header: 'a', value: 'a', clients: [] })],
  'variant by host': [variantBody, setOf({ kind: 'host', host: 'a' })],
  'variant by claim': [variantBody, setOf({ kind: 'claim', claim: 'a', value: 'a' })],
  'end of a variant': [variantBody, { remove: 'a' }],
  keys: [keysBody, { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'a'.repeat(43) }] }],
  abort: [abortBody, { name: 'a', release: { digest: 'a'.repeat(64) } }],
  'garbage collection': [garbageBody, { olderThanHours: 1, isDry: true }],
};

/** A body with one more member: in each of its objects in turn. */
function* widened(body: unknown): Iterable<unknown> {
  if (typeof body !== 'object' || body === null) return;
  if (!Array.isArray(body)) yield { ...body, unknown: 1 };
  for (const [key, value] of Object.entries(body))
    for (const wider of widened(value))
      yield Array.isArray(body) ? body.with(Number(key), wider) : { ...body, [key]: wider };
}

describe('The body of a change', () => {
  it.each(Object.entries(BODIES))('(%s) has no unknown member at any level', (kind, [reader, body]) => {
    expect(reader.safeParse(body).error).toBeUndefined();
    const taken = [...widened(body)].filter((wider) => reader.safeParse(wider).success);
    // RFC 7517 §4: members of a JWK that are not understood are ignored.
    const [isKeys, jwk] = [kind === 'keys', { keys: [{ unknown: 1 }] }];
    expect(taken).toMatchObject(isKeys ? [jwk] : []);
  });

  it('removes no variant where one is set in vain', () => {
    const body = { set: { name: 'canary', rule: { kind: 'percent', percent: 101 } }, remove: 'canary' };
    expect(variantBody.safeParse(body).success).toBe(false);
  });

  it('may say where an approval stands, as clients do', () => {
    const placed = approvals.map((one) => ({ ...one, location: { source: 'checks.yaml', line: 1 } }));
    expect(promotionBody.safeParse({ from: 'staging', approvals: placed }).success).toBe(true);
  });
});
