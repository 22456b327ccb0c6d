import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWTHeaderParameters,
  type JWTVerifyGetKey,
} from 'jose';
import { isFetchable, type TrustedIssuer } from './trusted-issuer.ts';
import { fetchIssuerJson, IssuerUnavailable } from './fetch-issuer-json.ts';

/** Finds the key that an issuer has signed with. */
export type FindIssuerKey = JWTVerifyGetKey;

/** Settings of {@link createIssuerKeys}. */
export interface IssuerKeysOptions {
  /** Whether addresses on this machine may do without TLS. */
  readonly loopback: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Milliseconds after which keys are fetched again. */
const MAX_AGE_MS = 300_000;
/** Milliseconds between two fetches, whatever tokens name and whether they succeed. */
const COOLDOWN_MS = 10_000;

/**
 * Holds the keys of an issuer: those of its declaration, or those that it publishes, which are fetched at first need, again when
 * they are old, and when a token names one that is not among them. However many ask, one fetch runs; those at hand serve while it fails.
 */
export function createIssuerKeys(issuer: TrustedIssuer, options: IssuerKeysOptions): FindIssuerKey {
  if (issuer.jwks) return createLocalJWKSet(issuer.jwks as JSONWebKeySet); // of public keys, as checked with the declaration
  const { clock } = options;
  let keys: FindIssuerKey | undefined;
  let fetching: Promise<void> | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let fetchedAt = Number.NEGATIVE_INFINITY;

  const fetchKeys = async (): Promise<void> => {
    triedAt = clock();
    keys = toKeySet(await fetchIssuerJson(await findAddress(issuer, options)));
    fetchedAt = triedAt;
  };
  const refresh = async (): Promise<void> => {
    if (!fetching && clock() - triedAt < COOLDOWN_MS) return;
    fetching ??= fetchKeys().finally(() => (fetching = undefined));
    await fetching.catch((error: unknown) => {
      if (!keys) throw error; // those at hand are as good as a minute ago
    });
  };
  return async (header: JWTHeaderParameters, token: FlattenedJWSInput) => {
    if (!keys || clock() - fetchedAt > MAX_AGE_MS) await refresh();
    try {
      return await held(keys)(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return held(keys)(header, token);
    }
  };
}

function held(keys: FindIssuerKey | undefined): FindIssuerKey {
  if (keys) return keys;
  throw new IssuerUnavailable('Its keys could not be fetched a moment ago.');
}

function toKeySet(value: unknown): FindIssuerKey {
  try {
    return createLocalJWKSet(value as JSONWebKeySet); // throws for what is none
  } catch (error) {
    throw new IssuerUnavailable('What it publishes is no key set.', { cause: error });
  }
}

async function findAddress(
  { issuer, jwks_uri: declared }: TrustedIssuer,
  { loopback }: IssuerKeysOptions,
): Promise<string> {
  if (declared !== undefined) return declared;
  const metadata = await fetchIssuerJson(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  const { issuer: named, jwks_uri: address } = toRecord(metadata);
  if (named !== issuer) throw new IssuerUnavailable('Its metadata are of another issuer.'); // OpenID Connect Discovery §4.3
  if (typeof address === 'string' && isFetchable(address, loopback)) return address;
  throw new IssuerUnavailable('Its metadata name no jwks_uri that can be fetched.');
}

function toRecord(value: unknown): { readonly issuer?: unknown; readonly jwks_uri?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
