import { isLoopbackHost } from '@trellis/runtime';
import { z } from 'zod';
import { assertionAlgorithms } from '../clients/client-metadata.ts';
import { adminScopes, isKnownScope, openidScopes } from '../clients/scopes.ts';

/** What an issuer's tokens may be used for here: as grants of their own (RFC 7523 §2.1), or exchanged (RFC 8693). */
export type IssuerUse = 'assertion' | 'subject_token';

/** An issuer whose word about users is taken, as far as its declaration goes. */
export interface TrustedIssuer {
  /** Equal to the claim `iss`, character by character. */
  readonly issuer: string;
  /** Its public keys; absent where they are fetched. */
  readonly jwks?: { readonly keys: readonly Record<string, unknown>[] } | undefined;
  /** Where its keys are; absent with `jwks`, or where its metadata name the address. */
  readonly jwks_uri?: string | undefined;
  /** With which it signs. */
  readonly algorithms: readonly string[];
  readonly uses: readonly IssuerUse[];
  /** Audiences of tokens that may be exchanged, beside this server's issuer and token endpoint. */
  readonly audiences: readonly string[];
  /** Ids of the clients that may bring its tokens. */
  readonly clients: readonly string[];
  /** Scopes of this server's APIs that come of its tokens, at most. */
  readonly scopes: readonly string[];
  /**
   * Who its users are here: `linked`, those accounts that an operator has linked to them, and no one else; `namespaced`, users
   * without an account, whose id is made of issuer and `sub`.
   */
  readonly subjects: 'linked' | 'namespaced';
}

/** What declarations are checked against. */
export interface IssuerRules {
  /** Every scope there is. */
  readonly scopes: readonly string[];
  /** This server itself, where that is known. */
  readonly ownIssuer: string | undefined;
  /** Whether addresses on this machine may do without TLS. */
  readonly loopback: boolean;
}

/** What {@link parseTrustedIssuers} found. */
export interface TrustedIssuers {
  readonly issuers: readonly TrustedIssuer[];
  /** One sentence each; empty where all of it is usable. */
  readonly problems: readonly string[];
}

const algorithm = z.enum(['ES256', 'RS256', 'PS256', 'EdDSA']);
const name = z.string().min(1).max(2_000);
const publicKey = z
  .record(z.string(), z.unknown())
  .refine((key) => key['kty'] !== 'oct' && !('d' in key), { error: 'must hold public keys only' });

const declared = z.strictObject({
  issuer: name,
  jwks: z.object({ keys: z.array(publicKey).min(1).max(50) }).optional(),
  jwks_uri: name.optional(),
  algorithms: z
    .array(algorithm)
    .min(1)
    .default([...(assertionAlgorithms as z.output<typeof algorithm>[])]), // the same names
  uses: z.array(z.enum(['assertion', 'subject_token'])).min(1),
  audiences: z.array(name).max(20).default([]),
  clients: z.array(name).min(1).max(1_000),
  scopes: z.array(name).min(1).max(100),
  subjects: z.enum(['linked', 'namespaced']),
});

/** Reads declarations. Never throws: what is wrong is listed. */
export function parseTrustedIssuers(value: unknown, rules: IssuerRules): TrustedIssuers {
  if (!Array.isArray(value)) return { issuers: [], problems: ['must hold a JSON array of issuers.'] };
  const parsed = value.map((entry: unknown) => parseIssuer(entry, rules));
  const issuers = parsed.flatMap(({ issuer }) => issuer ?? []);
  const problems = parsed.flatMap(({ problems: found }, index) =>
    found.map((problem) => `issuer ${index + 1}: ${problem}.`),
  );
  return { issuers, problems: [...problems, ...repeatedIssuers(issuers)] };
}

interface ParsedIssuer {
  readonly issuer?: TrustedIssuer;
  readonly problems: readonly string[];
}

function parseIssuer(value: unknown, rules: IssuerRules): ParsedIssuer {
  const parsed = declared.safeParse(value);
  if (parsed.success) {
    const problems = problemsOf(parsed.data, rules);
    return problems.length > 0 ? { problems } : { issuer: parsed.data, problems };
  }
  return {
    problems: parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'issuer'}: ${message}`),
  };
}

function problemsOf(issuer: TrustedIssuer, { scopes, ownIssuer, loopback }: IssuerRules): readonly string[] {
  const unknown = issuer.scopes.filter(
    (scope) => !isKnownScope(scopes, scope) || [...openidScopes, ...adminScopes].includes(scope),
  );
  const fetched = issuer.jwks_uri ?? (issuer.jwks ? undefined : issuer.issuer);
  const problems: [boolean, string][] = [
    [issuer.issuer === ownIssuer, 'issuer: is this server itself'],
    [issuer.jwks !== undefined && issuer.jwks_uri !== undefined, 'jwks_uri: has no use beside jwks'],
    [
      fetched !== undefined && !isFetchable(fetched, loopback),
      `${issuer.jwks_uri === undefined ? 'issuer' : 'jwks_uri'}: keys are fetched by https alone`,
    ],
    [unknown.length > 0, `scopes: are none of an API here: ${unknown.join(' ')}`],
    [
      issuer.audiences.length > 0 && !issuer.uses.includes('subject_token'),
      'audiences: have no use without subject_token',
    ],
  ];
  return problems.filter(([holds]) => holds).map(([, problem]) => problem);
}

/** Whether keys, or what names their address, can come from there. */
export function isFetchable(address: string, loopback: boolean): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash, username } = new URL(address);
  if (hash !== '' || username !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && loopback && isLoopbackHost(hostname));
}

function repeatedIssuers(issuers: readonly TrustedIssuer[]): readonly string[] {
  const names = issuers.map(({ issuer }) => issuer);
  const repeated = names.filter((issuer, index) => names.indexOf(issuer) !== index);
  return [...new Set(repeated)].map((issuer) => `${issuer} is declared more than once.`);
}
