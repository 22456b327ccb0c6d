import type { JWTPayload } from 'jose';
import { InvalidAccessToken } from './invalid-access-token.ts';
import { audiencesIn, quoted } from './read-claims.ts';
import type { TokenRules } from './token-rules.ts';

/**
 * A token for others as well is good only for issuers whose tokens have lists. Specification: Authentication 2.
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
