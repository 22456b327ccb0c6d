import { describe, expect, it } from 'vitest';
import type { Authenticator } from '../identity/authenticator.ts';
import { IssuerBusy } from '../identity/issuer-busy.ts';
import { KeysUnavailable } from '../identity/key-set.ts';
import type { RequestError } from '../errors.ts';
import { authenticate } from './authenticate.ts';
import type { PipelineServices } from './services.ts';

/** What a client learns when its token could not be checked for this reason. */
async function extensionsFor(reason: Error): Promise<unknown> {
  const authenticator: Pick<Authenticator, 'authenticate'> = {
    authenticate: async () => Promise.reject(reason),
  };
  const services = { authenticator } as PipelineServices; // no more is read of them
  const credentials = { authorization: 'Bearer x', address: '203.0.113.7' };
  try {
    return await authenticate(credentials, services, () => undefined);
  } catch (error) {
    return (error as RequestError).errors[0]?.extensions; // as the stage throws
  }
}

describe('A token that can not be checked now', () => {
  it.each([
    ['the issuer is unavailable', new KeysUnavailable('x'), 'AUTHENTICATION_UNAVAILABLE'],
    ['too many wait', new IssuerBusy('total'), 'AUTHENTICATION_UNAVAILABLE'],
    ['it has waited too long', new IssuerBusy('timeout'), 'AUTHENTICATION_UNAVAILABLE'],
    ['its network has its share of those that wait', new IssuerBusy('share'), 'RATE_LIMITED'],
  ])('as %s: %s says when to come again', async (_why, error, code) => {
    expect(await extensionsFor(error)).toEqual({ code, retryAfterS: expect.any(Number) as number });
  });
});
