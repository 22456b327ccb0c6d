import { jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createClientKey } from '../testing/key-set-server.ts';
import { createFetchedKeySet, KeysUnavailable } from './fetched-key-set.ts';

const [known, added] = await Promise.all([createClientKey('known'), createClientKey('added')]);

describe('A key set that someone else publishes', () => {
  it('is fetched by the times that it is made with, and by no one while there are too many fetches', async () => {
    let now = 1_900_000_000_000;
    let published = [known.publicJwk];
    let loads = 0;
    let mayLoad = false;
    let isReachable = true;
    const { find } = createFetchedKeySet({
      load: async () => {
        loads += 1;
        if (!isReachable) throw new Error('It is unreachable.');
        return JSON.stringify({ keys: published });
      },
      mayLoad: () => mayLoad,
      onLoaded: () => undefined,
      clock: () => now,
      freshMs: 100,
      usableMs: 1_000,
      pauseMs: 10,
    });
    const judge = async ({ publicJwk, privateKey }: typeof known): Promise<unknown> => {
      const { kid = '', alg = '' } = publicJwk;
      const token = await new SignJWT({}).setProtectedHeader({ alg, kid }).sign(privateKey);
      return jwtVerify(token, find).then(
        () => 'good',
        (error: unknown) => error,
      );
    };
    expect(await judge(known)).toEqual(
      new KeysUnavailable('The key set is unavailable. No fetch may begin now.'),
    );
    mayLoad = true;
    expect([await judge(known), loads]).toEqual(['good', 1]);
    published = [known.publicJwk, added.publicJwk];
    expect([await judge(added), loads]).toEqual([
      expect.objectContaining({ code: 'ERR_JWKS_NO_MATCHING_KEY' }),
      1,
    ]);
    now += 10;
    expect([await judge(added), loads]).toEqual(['good', 2]);
    isReachable = false;
    now += 999;
    expect([await judge(added), loads]).toEqual(['good', 3]);
    now += 1;
    expect(await judge(added)).toEqual(new KeysUnavailable('The key set is unavailable. It is unreachable.'));
    isReachable = true;
    now += 10;
    expect(await judge(added)).toBe('good');
  });
});
