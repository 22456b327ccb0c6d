import { ownOf } from '@trellis/runtime/own-property';
import type { JWTPayload } from 'jose';
import type { ClaimPath } from '../settings/claim-path.ts';
import { InvalidAccessToken, type ClaimKind, type TokenRules } from './token-rules.ts';

/** What is read of a token, whatever its issuer calls it. */
export interface TokenClaims {
  readonly clientId: string | undefined;
  readonly scopes: readonly string[];
  readonly roles: readonly string[];
  readonly groups: readonly string[];
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly tenant: string | undefined;
  /** Kinds whose paths the operator has given, and that find nothing in this token. */
  readonly absent: readonly ClaimKind[];
}

/**
 * Reads a token by the paths of its issuer; what the token inherits is never read.
 *
 * @throws InvalidAccessToken where what decides on rights is of another type than it can be
 */
export function readClaims(payload: JWTPayload, { paths, given }: TokenRules): TokenClaims {
  return {
    clientId: textOf(payload, paths.client, 'client'),
    scopes: [...new Set(textsOf(payload, paths.scopes, 'scopes').flatMap(namesIn))],
    roles: textsOf(payload, paths.roles, 'roles'),
    groups: textsOf(payload, paths.groups, 'groups'),
    name: shownText(payload, paths.name),
    email: shownText(payload, paths.email),
    tenant: textOf(payload, paths.tenant, 'tenant'),
    absent: given.filter((kind) => paths[kind].every((path) => valueAt(payload, path) === undefined)),
  };
}

function namesIn(text: string): readonly string[] {
  return text.split(' ').filter((name) => name !== '');
}

/** The audiences that a token names. */
export function audiencesIn(payload: JWTPayload, { paths }: TokenRules): unknown {
  return firstOf(payload, paths.audience);
}

/** Text for the log: whatever a token says, in bounded length and on one line. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= MAX_QUOTED ? text : `${text.slice(0, MAX_QUOTED)}…`;
}

const MAX_QUOTED = 200;

function valueAt(payload: JWTPayload, path: ClaimPath): unknown {
  return path.reduce<unknown>(ownOf, payload);
}

function firstOf(payload: JWTPayload, paths: readonly ClaimPath[]): unknown {
  for (const path of paths) {
    const value = valueAt(payload, path);
    if (value !== undefined) return value;
  }
  return undefined;
}

function textOf(payload: JWTPayload, paths: readonly ClaimPath[], kind: ClaimKind): string | undefined {
  const value = firstOf(payload, paths);
  if (value === undefined || typeof value === 'string') return value;
  throw new InvalidAccessToken(`The ${kind} of the token is ${quoted(value)}; it has to be a text.`);
}

/** For display alone: of another type it is as if it were absent. */
function shownText(payload: JWTPayload, paths: readonly ClaimPath[]): string | undefined {
  return paths.map((path) => valueAt(payload, path)).find((value) => typeof value === 'string');
}

function textsOf(payload: JWTPayload, paths: readonly ClaimPath[], kind: ClaimKind): readonly string[] {
  const texts = paths.flatMap((path) => textsIn(valueAt(payload, path), kind));
  return paths.length > 1 ? [...new Set(texts)] : texts;
}

function textsIn(value: unknown, kind: ClaimKind): readonly string[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.filter((element) => typeof element === 'string');
  throw new InvalidAccessToken(
    `The ${kind} of the token are ${quoted(value)}; they have to be a text or a list of texts.`,
  );
}

/**
 * A token for others as well is good only for issuers whose tokens have lists. See docs/trusted-issuers.md#what-is-checked.
 *
 * @throws InvalidAccessToken
 */
export function assertAudience(payload: JWTPayload, rules: TokenRules): void {
  const { audiences, hasOneAudience } = rules;
  const audience = audiencesIn(payload, rules);
  const isOne = typeof audience === 'string' && audiences.includes(audience);
  const isAmong =
    !hasOneAudience &&
    Array.isArray(audience) &&
    audience.every((element) => typeof element === 'string') &&
    audience.some((element) => audiences.includes(element));
  if (!isOne && !isAmong)
    throw wrongClaim(rules.paths.audience.map((path) => path.join('.')).join(' or '), audience, audiences);
}

/** A claim that is not what it has to be. */
export function wrongClaim(claim: string, value: unknown, expected: readonly string[]): InvalidAccessToken {
  return new InvalidAccessToken(
    `The claim "${claim}" is ${quoted(value)}; expected is ${expected.join(' or ')}.`,
  );
}
