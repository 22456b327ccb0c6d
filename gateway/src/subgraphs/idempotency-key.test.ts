import { describe, expect, it } from 'vitest';
import { withIdempotencyKey } from './idempotency-key.ts';

const request = { requestId: 'one', headers: { 'idempotency-key': 'of the header', 'x-tenant': 'a' } };

describe('extensions.idempotencyKey', () => {
  it('stands for the header, also where there is one', () => {
    expect(withIdempotencyKey(request, { idempotencyKey: 'k-1' })).toEqual({
      requestId: 'one',
      headers: { 'idempotency-key': 'k-1', 'x-tenant': 'a' },
    });
    expect(request.headers['idempotency-key']).toBe('of the header');
  });

  it.each([{}, { idempotencyKey: null }, { persistedQuery: {} }])(
    'changes nothing where there is none (%#)',
    (extensions) => {
      expect(withIdempotencyKey(request, extensions)).toBe(request);
    },
  );

  it('S-037 is read where it is the request’s own alone', () => {
    const inherited = Object.create({ idempotencyKey: 'k' }) as Readonly<Record<string, unknown>>;
    expect(withIdempotencyKey(request, inherited)).toBe(request);
  });

  it.each(['', 'a b', 'a\r\nx-user-id: 1', 'é', 'x'.repeat(256), 1, true, [], {}])(
    'is BAD_USER_INPUT when it could not be a header: %j',
    (idempotencyKey) => {
      expect(() => withIdempotencyKey(request, { idempotencyKey })).toThrow(
        expect.objectContaining({
          errors: [
            expect.objectContaining({
              extensions: expect.objectContaining({
                code: 'BAD_USER_INPUT',
                field: 'extensions.idempotencyKey',
              }) as unknown,
            }),
          ],
        }),
      );
    },
  );
});
