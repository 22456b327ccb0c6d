import { growingPauseMs } from '@trellis/runtime/growing-pause';
import { ownOf } from '@trellis/runtime/own-property';
import { authentication } from '../settings/authentication.ts';
import { fetchJson, UnexpectedStatus } from './fetch-json.ts';

/** What an issuer says of itself. RFC 8414 §2, OpenID Connect Discovery §3. */
export interface IssuerMetadata {
  readonly jwksUrl: string | undefined;
  readonly introspectionUrl: string | undefined;
}

/** Finds the metadata of one issuer. */
export interface IssuerDiscovery {
  /** Fetched at first need and again when old. @throws Error where they can't be had now */
  metadata(): Promise<IssuerMetadata>;
}

/** Settings of {@link createIssuerDiscovery}. */
export interface IssuerDiscoveryOptions {
  readonly issuer: string;
  /** Whether what is fetched at an address can be trusted. RFC 8414 §3, §6.1. */
  readonly isTrusted: (url: string) => boolean;
  /** Milliseconds after which they are fetched again; those at hand serve while that fails. @default 3_600_000 */
  readonly maxAgeMs?: number;
  /** Milliseconds between two attempts at most, while there are none. @default that of the setting `authentication.jwksCooldownMs` */
  readonly maxPauseMs?: () => number;
  /** Milliseconds for one exchange. @default 5_000 */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** After a failure; doubled with each further one. */
const FIRST_PAUSE_MS = 250;

/**
 * Holds the metadata of an issuer. One fetch at a time, however many ask; after a failure the next attempt waits, longer each time.
 */
export function createIssuerDiscovery(options: IssuerDiscoveryOptions): IssuerDiscovery {
  const {
    maxAgeMs = 3_600_000,
    maxPauseMs = () => authentication.members.jwksCooldownMs.default,
    now = Date.now,
  } = options;
  let held: IssuerMetadata | undefined;
  let fetchedAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<IssuerMetadata> | undefined;
  let failed: { readonly error: unknown; readonly untilMs: number } | undefined;
  let failures = 0;

  async function fetchAndHold(): Promise<IssuerMetadata> {
    try {
      held = await fetchMetadata(options);
      fetchedAtMs = now();
      failed = undefined;
      failures = 0;
      return held;
    } catch (error) {
      const pauseMs = growingPauseMs(failures, { firstMs: FIRST_PAUSE_MS, longestMs: maxPauseMs() });
      failed = { error, untilMs: now() + pauseMs };
      failures += 1;
      if (held) return held;
      throw error;
    }
  }

  return {
    async metadata() {
      if (held && now() - fetchedAtMs <= maxAgeMs) return held;
      if (failed && now() < failed.untilMs) {
        if (held) return held;
        throw failed.error;
      }
      fetching ??= fetchAndHold().finally(() => (fetching = undefined));
      return fetching;
    },
  };
}

/**
 * Where the metadata of an issuer can be: at the end of its path, as OpenID Connect says, or before it, as RFC 8414 says.
 *
 * @see OpenID Connect Discovery §4, RFC 8414 §3, §5
 */
export function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
    ...(path === '' ? [] : [`${origin}/.well-known/openid-configuration${path}`]),
  ];
}

async function fetchMetadata({
  issuer,
  isTrusted,
  timeoutMs,
}: IssuerDiscoveryOptions): Promise<IssuerMetadata> {
  const tried: string[] = [];
  for (const url of metadataUrls(issuer)) {
    const found = await fetchAt(url, timeoutMs);
    if (found !== undefined) return metadataOf(found, url, { issuer, isTrusted });
    tried.push(url);
  }
  throw new Error(
    `The issuer ${issuer} has no metadata at ${tried.join(' or ')}. Set jwksUrl of authentication.issuers.`,
  );
}

/** @returns nothing where there is no such document, which is not the same as an issuer that is unavailable */
async function fetchAt(url: string, timeoutMs: number | undefined): Promise<unknown> {
  try {
    return await fetchJson(url, {
      what: `issuer metadata at ${url}`,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  } catch (error) {
    if (error instanceof UnexpectedStatus && error.status >= 400 && error.status < 500) return undefined;
    throw error;
  }
}

type Named = Pick<IssuerDiscoveryOptions, 'issuer' | 'isTrusted'>;

/** An issuer may speak for itself alone. RFC 8414 §3.3. */
function metadataOf(document: unknown, url: string, { issuer, isTrusted }: Named): IssuerMetadata {
  const claimed = ownOf(document, 'issuer');
  if (claimed !== issuer)
    throw new Error(
      `The metadata at ${url} are of the issuer ${JSON.stringify(claimed)?.slice(0, MAX_SHOWN) ?? '(none)'}, not of ${issuer}. Set issuer to what the metadata say, character by character.`,
    );
  const addressIn = (name: string): string | undefined => {
    const value = ownOf(document, name);
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && isTrusted(value)) return value;
    throw new Error(`The metadata at ${url} have a ${name} that is no https address.`);
  };
  return {
    jwksUrl: addressIn('jwks_uri'),
    introspectionUrl: addressIn('introspection_endpoint'),
  };
}

const MAX_SHOWN = 200;
