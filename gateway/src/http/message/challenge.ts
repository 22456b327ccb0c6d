import { PROOF_ALGORITHMS } from '@trellis/admission';
import type { OperationResult } from '../../pipeline/operation-result.ts';
import type { Denial } from '../../operation/access/denial.ts';

/**
 * The challenge for responses that lacked a token, a scope or another sign-in, if they did: `invalid_token` when a token was sent
 * that is not valid, `insufficient_scope` or `insufficient_user_authentication` when it does not suffice.
 *
 * @param resourceMetadata address of the metadata; absent where there are none
 * @see RFC 6750 §3, RFC 9449 §7.1, RFC 9470 §3, RFC 9728 §5.1
 */
export function challengeOf(
  responses: readonly OperationResult[],
  status: number,
  authorization: string | undefined,
  resourceMetadata: string | undefined,
): string | undefined {
  if (responses.every(({ errors }) => errors.length === 0)) return undefined;
  const problem = isRejected(responses, status) ? rejection(authorization) : insufficiency(responses);
  if (!problem) return undefined;
  const isProof = authorization !== undefined && /^dpop /i.test(authorization);
  const parameters = {
    realm: 'graph',
    ...problem,
    ...(isProof && { algs: PROOF_ALGORITHMS.join(' ') }),
    ...(resourceMetadata !== undefined && { resource_metadata: resourceMetadata }),
  };
  const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
  return `${isProof ? 'DPoP' : 'Bearer'} ${written.join(', ')}`;
}

type Problem = Readonly<Record<string, string>>;

function isRejected(responses: readonly OperationResult[], status: number): boolean {
  return (
    status === 401 ||
    responses.some((response) => codeOf(response) === 'UNAUTHENTICATED' && response.data === undefined)
  );
}

function codeOf({ errors: [first] }: OperationResult): unknown {
  return first?.extensions?.['code'];
}

function rejection(authorization: string | undefined): Problem {
  return authorization === undefined ? {} : { error: 'invalid_token' };
}

/** Of the fields that were denied. Scopes first: with them comes a new sign-in as well. */
function insufficiency(responses: readonly OperationResult[]): Problem | undefined {
  const denials = responses
    .filter((response) => codeOf(response) === 'FORBIDDEN')
    .flatMap(({ admitted }) => [...(admitted?.denied.fields.values() ?? [])]);
  return missingScopes(denials) ?? missingSignIn(denials);
}

function missingScopes(denials: readonly Denial[]): Problem | undefined {
  const scopes = [...new Set(denials.flatMap((denial) => denial.scopes ?? []))].filter(isScope);
  return scopes.length === 0 ? undefined : { error: 'insufficient_scope', scope: scopes.join(' ') };
}

/** Others can't stand in a challenge. RFC 6749 §3.3. */
function isScope(name: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name);
}

function missingSignIn(denials: readonly Denial[]): Problem | undefined {
  const asked = denials.flatMap(({ signIn }) => signIn ?? []);
  if (asked.length === 0) return undefined;
  const acrValues = [...new Set(asked.flatMap((signIn) => signIn.acrValues))].filter(isScope);
  const ages = asked.flatMap(({ maxAgeS }) => maxAgeS ?? []);
  return {
    error: 'insufficient_user_authentication',
    ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
    ...(ages.length > 0 && { max_age: String(Math.min(...ages)) }),
  };
}
