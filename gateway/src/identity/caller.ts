import { shareKeysOf, type ShareKeys, type QueueCaller } from '@trellis/runtime/admission';
import { own } from '@trellis/runtime/own-property';
import type { UserContext } from '@trellis/subgraph-protocol';

/** Who sends a request, and what may be done in that name. */
export interface Caller {
  /** Whether a valid access token came with the request. */
  readonly authenticated: boolean;
  readonly scopes: ReadonlySet<string>;
  /** All claims of the access token, with those roles that its issuer may give; empty for anonymous callers. Own properties only may be read. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Names of the operator's policies that the claims may meet; absent: all. */
  readonly policies?: ReadonlySet<string> | undefined;
  /** Names the user, or the client that acts for itself, among those of all issuers; absent for anonymous callers. */
  readonly actor?: string | undefined;
  /** What subgraphs get. */
  readonly context: UserContext;
  /** The raw access token; absent for anonymous callers. Never logged. */
  readonly token: string | undefined;
  /** The grant behind the token, as revocation names it. */
  readonly grantId: string | undefined;
  /** Thumbprint of the key that the token is bound to; absent for bearer tokens. RFC 9449 §6.1. */
  readonly keyThumbprint?: string | undefined;
  /** Thumbprint of the certificate that the token is bound to, `x5t#S256`. RFC 8705 §3.1. */
  readonly certificateThumbprint?: string | undefined;
  /** What the operator has named paths for that find nothing in the token. */
  readonly absentClaims?: readonly string[];
  /** From when on the token has to be judged again, milliseconds since 1970; absent: not before it expires. */
  readonly judgedUntilMs?: number;
  /** When the token expires, milliseconds since 1970; never for anonymous callers. */
  readonly expiresAtMs: number;
}

/** One user, whatever the token: issuers may use the same `sub`. Undefined for anonymous callers. */
export function userOf({ actor }: Caller): string | undefined {
  return actor;
}

/** The OAuth client among those of all issuers; undefined where there is none. */
export function clientOf({ context: { issuer, clientId } }: Caller): string | undefined {
  return clientId === undefined ? undefined : JSON.stringify([issuer, clientId]);
}

/** A caller without an access token. */
export const ANONYMOUS: Caller = Object.freeze({
  authenticated: false,
  scopes: new Set<string>(),
  claims: Object.freeze({}),
  context: Object.freeze({ scopes: Object.freeze([]) }),
  token: undefined,
  grantId: undefined,
  expiresAtMs: Number.POSITIVE_INFINITY,
});

/**
 * What a caller's share is counted under: the user, else the client, else the network.
 *
 * @param caller absent where it is not known yet
 */
export function shareKeysOfCaller(caller: Caller | undefined, address: string): ShareKeys {
  const user = caller && userOf(caller);
  return shareKeysOf({ user, client: caller && clientOf(caller), address });
}

/** Addresses whose networks are remembered; when there are more, all are read again. */
const MAX_REMEMBERED = 10_000;

/** Says in whose share a caller's work is counted: the user's, else the client's, else the network's. */
export class CallerShares {
  readonly #ofNetworks = new Map<string, QueueCaller>();

  /** @param caller absent where it is not known yet */
  of(caller: Caller | undefined, address: string): QueueCaller {
    if (!caller?.authenticated) return this.#ofNetwork(address);
    return { keys: shareKeysOfCaller(caller, address), isKnown: true };
  }

  #ofNetwork(address: string): QueueCaller {
    const known = this.#ofNetworks.get(address);
    if (known) return known;
    const made: QueueCaller = { keys: shareKeysOf({ address }), isKnown: false };
    if (this.#ofNetworks.size >= MAX_REMEMBERED) this.#ofNetworks.clear();
    this.#ofNetworks.set(address, made);
    return made;
  }
}

/** What a client says of its program. Nothing of it is proved. */
export interface ClientSoftware {
  readonly name: string;
  /** Empty where it says none. */
  readonly version: string;
}

/** A request, as far as its client names itself in it. */
export interface NamesItself {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** What it says where its headers say nothing. */
  readonly software?: ClientSoftware | undefined;
}

/** Headers by which clients name themselves: those of Apollo's clients, and those of others. The first that says it counts. */
const clientHeaders = {
  name: ['apollographql-client-name', 'graphql-client-name', 'x-graphql-client-name'],
  version: ['apollographql-client-version', 'graphql-client-version', 'x-graphql-client-version'],
} as const;

/** Printable, and short enough for logs and labels. */
const PLAIN = /^[\x20-\x7e]{1,100}$/;

/**
 * Which program has sent a request.
 *
 * @returns nothing where there is no name, or one that is no short text
 */
export function clientSoftwareOf({ headers, software }: NamesItself): ClientSoftware | undefined {
  return softwareNamedIn((name) => own(headers, name)) ?? software;
}

/** @param valueOf a header, or what stands for it; its name is in lower case */
export function softwareNamedIn(valueOf: (name: string) => unknown): ClientSoftware | undefined {
  const name = firstPlain(clientHeaders.name, valueOf);
  return name === undefined ? undefined : { name, version: firstPlain(clientHeaders.version, valueOf) ?? '' };
}

function firstPlain(names: readonly string[], valueOf: (name: string) => unknown): string | undefined {
  for (const name of names) {
    const value = valueOf(name);
    if (typeof value === 'string' && PLAIN.test(value)) return value;
  }
  return undefined;
}
