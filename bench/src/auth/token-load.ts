import { Pool } from 'undici';
import type { AuthTarget } from './auth-targets.ts';
import type { Algorithm, SeedKind } from './seed.ts';
import { VERIFIER } from './seed-through-pages.ts';

/** What a round of load on a token endpoint was. */
export interface TokenLoad {
  readonly requests: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

const CONNECTIONS = 16;
const REDIRECT_URI = 'https://app.example/callback';

interface TokenResponse {
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly access_token?: string;
}

/**
 * Exchanges each code once, or uses each refresh token and then its successors, until `requests` were answered.
 *
 * @throws Error for a response without all three tokens: what is not equal is not compared
 */
export async function applyTokenLoad(
  { tokenUrl }: AuthTarget,
  kind: SeedKind,
  algorithm: Algorithm,
  seeds: readonly string[],
  requests: number,
): Promise<TokenLoad> {
  const { origin, pathname } = new URL(tokenUrl);
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const latenciesMs: number[] = [];
  const waiting = [...seeds];
  let sent = 0;
  const send = async (seed: string): Promise<TokenResponse> => {
    const { statusCode, body } = await pool.request({
      method: 'POST',
      path: pathname,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(formOf(kind, algorithm, seed)).toString(),
    });
    const text = await body.text();
    const response = JSON.parse(text) as TokenResponse;
    if (statusCode !== 200 || !response.refresh_token || !response.id_token || !response.access_token)
      throw new Error(`${tokenUrl} answered ${statusCode}: ${text}`);
    return response;
  };
  const work = async (): Promise<void> => {
    while (sent < requests) {
      sent += 1;
      const seed = waiting.pop();
      if (seed === undefined) throw new Error('There are too few seeds.');
      const from = performance.now();
      const response = await send(seed);
      latenciesMs.push(performance.now() - from);
      if (kind === 'refresh') waiting.push(response.refresh_token ?? '');
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const seconds = (performance.now() - begun) / 1_000;
  await pool.close();
  return { requests, seconds, latenciesMs: latenciesMs.toSorted((a, b) => a - b) };
}

function formOf(kind: SeedKind, algorithm: Algorithm, seed: string): Record<string, string> {
  if (kind === 'refresh') return { grant_type: 'refresh_token', client_id: algorithm, refresh_token: seed };
  return {
    grant_type: 'authorization_code',
    client_id: algorithm,
    code: seed,
    code_verifier: VERIFIER,
    redirect_uri: REDIRECT_URI,
  };
}
