import { hash } from 'node:crypto';
import { DEFAULT_SHARES, type QueueCaller } from '@trellis/runtime/admission';
import { ownOf } from '@trellis/runtime/own-property';
import type { OutageLog } from '@trellis/runtime/outage-log';
import { LRUCache } from 'lru-cache';
import type { JWTPayload } from 'jose';
import { ConcurrencyLimit } from '../concurrency/concurrency-limit.ts';
import type { Caller } from './caller.ts';
import { callerOf, type CallerIssuer, type CallerRules } from './caller-of-token.ts';
import { fetchText, type TextResponse } from './fetch-json.ts';
import { INTROSPECTION_JWT, verifyIntrospection } from './verify-introspection.ts';
import { InvalidAccessToken } from './token-rules.ts';
import { IssuerBusy } from './issuer-busy.ts';
import { KeysUnavailable, type KeySet } from './key-set.ts';
import { assertAudience, audiencesIn, quoted } from './read-claims.ts';

/** Asks an issuer about tokens that say nothing themselves. */
export interface TokenIntrospection {
  /**
   * @param sender in whose share of what is asked at a time the question counts
   * @returns rejects with InvalidAccessToken, or KeysUnavailable when the issuer can't be asked now
   */
  introspect(token: string, sender: QueueCaller): Promise<Caller>;
}

/** Settings of {@link createTokenIntrospection}. */
export interface TokenIntrospectionOptions extends CallerIssuer {
  /** Where it is asked. Rejects where that is unknown now. */
  readonly url: () => Promise<string>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Milliseconds for which a caller is good without being asked about again. */
  readonly cacheMs: number;
  /** Milliseconds for which an invalid token is not asked about again. */
  readonly negativeCacheMs: number;
  /** Questions at the same time. */
  readonly maxConcurrent: number;
  readonly leewayS: number;
  /** Milliseconds for an exchange. @default 5_000 */
  readonly timeoutMs?: number;
  /** Milliseconds that a question waits before it is asked. @default 5_000 */
  readonly maxWaitMs?: number;
  /** By whose keys responses have to be signed. @default they need not be. RFC 9701 */
  readonly signedBy?: KeySet | undefined;
  readonly callerRules?: CallerRules;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Hears whether the issuer could be asked. */
  readonly outages?: OutageLog;
}

/** Invalid tokens, by their hash: a flood of long ones takes no more room than one of short ones. */
const MAX_NEGATIVE = 10_000;
/** Default of `maxWaitMs`. */
const MAX_WAIT_MS = 5_000;
/** Questions that wait, for each that is asked. */
const WAITING_PER_TURN = 8;

interface Rejection {
  readonly error: InvalidAccessToken;
  readonly untilMs: number;
}

/**
 * Makes the check of opaque tokens: by the response of their issuer, read as the claims of a token. Those who ask for the same token at
 * the same time have to share one request.
 *
 * @see RFC 7662 §2
 */
export function createTokenIntrospection(options: TokenIntrospectionOptions): TokenIntrospection {
  const { now = Date.now, negativeCacheMs, maxConcurrent, maxWaitMs = MAX_WAIT_MS } = options;
  const negative = new LRUCache<string, Rejection>({ max: MAX_NEGATIVE });
  const limit = new ConcurrencyLimit({
    requests: maxConcurrent,
    queue: maxConcurrent * WAITING_PER_TURN,
    perCaller: DEFAULT_SHARES.ofTotal[0],
  });

  return {
    async introspect(token, sender) {
      const key = hash('sha256', token, 'base64url');
      const rejection = negative.get(key);
      if (rejection && rejection.untilMs > now()) throw rejection.error;
      const response = await inTurn({ limit, sender, maxWaitMs }, () => ask(token, options));
      try {
        return judge(token, response, options, now());
      } catch (error) {
        if (error instanceof InvalidAccessToken)
          negative.set(key, { error, untilMs: now() + negativeCacheMs });
        throw error;
      }
    },
  };
}

interface Turn {
  readonly limit: ConcurrencyLimit;
  readonly sender: QueueCaller;
  readonly maxWaitMs: number;
}

/** Asks when there is a slot for the sender: one network with many unknown tokens waits for its own, and others go ahead. */
async function inTurn<T>({ limit, sender, maxWaitMs }: Turn, work: () => Promise<T>): Promise<T> {
  const slot = limit.tryAcquire(sender)
    ? undefined
    : await limit.acquire(sender, new AbortController().signal, maxWaitMs, (why) => new IssuerBusy(why));
  const from = performance.now();
  try {
    return await work();
  } finally {
    limit.release(sender, performance.now() - from, slot);
  }
}

async function ask(token: string, options: TokenIntrospectionOptions): Promise<unknown> {
  const { clientId, clientSecret, timeoutMs, signedBy } = options;
  const credentials = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`; // RFC 6749 §2.3.1
  try {
    const response = await fetchText(await options.url(), {
      ...(signedBy && { accept: INTROSPECTION_JWT }),
      what: 'introspection endpoint',
      form: {
        body: new URLSearchParams({ token, token_type_hint: 'access_token' }).toString(),
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
        },
      },
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    const introspection = await read(response, options);
    options.outages?.succeeded();
    return introspection;
  } catch (error) {
    options.outages?.failed(error);
    throw new KeysUnavailable('The issuer of the token could not be asked.');
  }
}

function read(response: TextResponse, options: TokenIntrospectionOptions): unknown {
  const { signedBy: keys, issuer, clientId, leewayS, now = Date.now } = options;
  if (!keys) return JSON.parse(response.text);
  const { algorithms } = options.rules;
  return verifyIntrospection(response, { issuer, keys, algorithms, clientId, leewayS }, now());
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function judge(token: string, response: unknown, options: TokenIntrospectionOptions, nowMs: number): Caller {
  if (ownOf(response, 'active') !== true)
    throw new InvalidAccessToken('The issuer says that the token is not active.');
  const payload = { ...(response as JWTPayload) }; // an object, as it has a member
  assertAccessToken(payload, options);
  assertTimes(payload, nowMs / 1_000, options.leewayS);
  if (typeof (payload.sub ?? payload['client_id']) !== 'string')
    throw new InvalidAccessToken('The issuer says neither "sub" nor "client_id" of the token.');
  const claims = payload.iss === undefined ? { ...payload, iss: options.issuer } : payload;
  const caller = callerOf(token, claims, options, options.callerRules);
  const expiresAtMs = payload.exp === undefined ? Number.POSITIVE_INFINITY : payload.exp * 1_000;
  return Object.freeze({
    ...caller,
    expiresAtMs,
    judgedUntilMs: Math.min(nowMs + options.cacheMs, caller.judgedUntilMs ?? Number.POSITIVE_INFINITY),
  });
}

/** What marks other tokens than access tokens, by the name of the member. A refresh token is active as well. RFC 7662 §2.2. */
const ACCESS_TOKEN_MARKS: Readonly<Record<string, RegExp>> = {
  token_type: /^(?:bearer|dpop|access_token)$/i,
  token_use: /^access(?:_token)?$/i,
  typ: /^(?:bearer|dpop|at\+jwt)$/i,
};

function assertAccessToken(payload: JWTPayload, { issuer, rules }: CallerIssuer): void {
  if (payload.iss !== undefined && payload.iss !== issuer)
    throw new InvalidAccessToken(`The issuer calls itself ${quoted(payload.iss)} here.`);
  if (payload.sub !== undefined && (typeof payload.sub !== 'string' || payload.sub === ''))
    throw new InvalidAccessToken(`The claim "sub" is ${quoted(payload.sub)}.`);
  if (audiencesIn(payload, rules) !== undefined) assertAudience(payload, rules); // else it is for who may ask: RFC 7662 §4
  for (const [name, mark] of Object.entries(ACCESS_TOKEN_MARKS)) {
    const value = ownOf(payload, name);
    if (value !== undefined && value !== null && !(typeof value === 'string' && mark.test(value)))
      throw new InvalidAccessToken(
        `The issuer says that its "${name}" is ${quoted(value)}, which is no access token.`,
      );
  }
}

function assertTimes({ exp, nbf, iat }: JWTPayload, nowS: number, leewayS: number): void {
  for (const [name, value] of Object.entries({ exp, nbf, iat }))
    if (value !== undefined && typeof value !== 'number')
      throw new InvalidAccessToken(`The claim "${name}" is ${quoted(value)}; it has to be a number.`);
  if (exp !== undefined && exp <= nowS - leewayS)
    throw new InvalidAccessToken('"exp" is in the past.', 'The access token has expired.');
  if (nbf !== undefined && nbf > nowS + leewayS) throw new InvalidAccessToken('"nbf" is in the future.');
  if (iat !== undefined && iat > nowS + leewayS) throw new InvalidAccessToken('"iat" is in the future.');
}
