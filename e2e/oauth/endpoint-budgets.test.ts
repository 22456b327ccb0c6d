import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { exactClient } from '../harness/registered-clients.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const { issuer } = sharedPlatform().addresses;
/** In networks of their own, so that other tests keep their budgets. Linux has all of 127.0.0.0/8. */
const [FLOODING, OTHER] = ['127.77.0.1', '127.78.0.1'];
/** Twice as many as the budget allows at once: some of it comes back meanwhile. */
const MOST_REQUESTS = 400;

interface Pushed {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Pushes an authorization request that is right in every way. */
function push(localAddress: string): Promise<Pushed> {
  const body = new URLSearchParams({
    response_type: 'code',
    client_id: exactClient.client_id,
    redirect_uri: exactClient.redirect_uris[0] ?? '',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    request(`${issuer}/par`, { method: 'POST', headers, localAddress }, (response) => {
      const { statusCode: status } = response;
      const retryAfter = response.headers['retry-after'];
      text(response).then((read) => resolve({ status, retryAfter, body: read }), reject);
    })
      .on('error', reject)
      .end(body);
  });
}

describe('What one address may ask for', () => {
  it.runIf(process.platform === 'linux')(
    'H2: is bounded by default: POST /par is 429 with Retry-After and a sentence beyond it, and 201 for others',
    async () => {
      let sent: readonly Pushed[] = [];
      while (sent.length < MOST_REQUESTS && !sent.some(({ status }) => status === 429))
        sent = [...sent, ...(await Promise.all(Array.from({ length: 20 }, () => push(FLOODING))))];
      expect(sent[0]?.status).toBe(201);
      const rejected = sent.find(({ status }) => status === 429);
      expect(Number(rejected?.retryAfter)).toBeGreaterThan(0);
      expect(JSON.parse(rejected?.body ?? '{}')).toEqual({
        error: 'too_many_requests',
        error_description: expect.stringMatching(
          /^Too many requests from this network\. Try again in \d+ s\.$/,
        ),
      });
      expect((await push(OTHER)).status).toBe(201);
    },
  );
});
