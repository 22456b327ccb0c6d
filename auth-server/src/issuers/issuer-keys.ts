import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { createFetchedKeySet, KEY_SET_TYPES } from '../outbound/fetched-key-set.ts';
import { readDocument } from '../outbound/read-document.ts';
import { isFetchable, type TrustedIssuer } from './trusted-issuer.ts';

/** Finds the key that an issuer has signed with. */
export type FindIssuerKey = JWTVerifyGetKey;

/** Settings of {@link createIssuerKeys}. */
export interface IssuerKeysOptions {
  /** Where requests may go. */
  readonly guard: AddressGuard;
  /** Whether addresses on this machine may do without TLS. */
  readonly loopback: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Aborts what is being fetched. */
  readonly signal: AbortSignal;
  /** Called after each fetch. @param problem undefined where it has succeeded */
  readonly onFetched: (issuer: string, problem: string | undefined) => void;
}

/** Longest document that is read. */
const MAX_BYTES = 262_144;

/**
 * The keys of an issuer: those of its declaration, or those that it publishes.
 *
 * @returns a function that throws KeysUnavailable while those that it publishes can't be had
 */
export function createIssuerKeys(issuer: TrustedIssuer, options: IssuerKeysOptions): FindIssuerKey {
  if (issuer.jwks) return createLocalJWKSet(issuer.jwks as JSONWebKeySet); // of public keys, as checked with the declaration
  return createFetchedKeySet({
    load: async () => read(await findAddress(issuer, options), KEY_SET_TYPES, options),
    onLoaded: (problem) => options.onFetched(issuer.issuer, problem),
    clock: options.clock,
  }).find;
}

async function findAddress(
  { issuer, jwks_uri: declared }: TrustedIssuer,
  options: IssuerKeysOptions,
): Promise<string> {
  if (declared !== undefined) return declared;
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { issuer: named, jwks_uri: address } = toRecord(
    JSON.parse(await read(url, 'application/json', options)),
  );
  if (named !== issuer) throw new Error('Its metadata are of another issuer.'); // OpenID Connect Discovery §4.3
  if (typeof address === 'string' && isFetchable(address, options.loopback)) return address;
  throw new Error('Its metadata name no jwks_uri that can be fetched.');
}

async function read(url: string, accept: string, { guard, signal }: IssuerKeysOptions): Promise<string> {
  try {
    return await readDocument({ url, accept, maxBytes: MAX_BYTES, signal }, guard);
  } catch (error) {
    throw new Error(`${url}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function toRecord(value: unknown): { readonly issuer?: unknown; readonly jwks_uri?: unknown } {
  return typeof value === 'object' && value !== null ? value : {};
}
