import { own } from '@trellis/runtime/own-property';
import { ROLE_POLICY_PREFIX } from '@trellis/subgraph-protocol/user-context';
import type { ClaimPolicy, Policies } from '../settings/authorization.ts';
import type { Caller } from './caller.ts';

/**
 * Whether a policy holds for a caller. `role:X` holds when the claim `roles` contains X; every other name is looked up
 * among the operator's, and what is not among them, or not for the caller's issuer to give, does not hold.
 */
export function holdsPolicy(caller: Caller, name: string, policies: Policies): boolean {
  if (name.startsWith(ROLE_POLICY_PREFIX))
    return claimHas(caller, 'roles', name.slice(ROLE_POLICY_PREFIX.length));
  if (caller.policies && !caller.policies.has(name)) return false;
  const policy = own(policies, name);
  return policy !== undefined && claimHas(caller, policy.claim, policy.value) && isRecent(caller, policy);
}

/** Until when a policy holds that holds now, milliseconds since 1970; forever where it asks for no recent sign-in. */
export function holdsUntilMs({ claims }: Pick<Caller, 'claims'>, { maxAgeS }: ClaimPolicy): number {
  const signedInAtS = own(claims, 'auth_time');
  if (maxAgeS === undefined) return Number.POSITIVE_INFINITY;
  return typeof signedInAtS === 'number' ? (signedInAtS + maxAgeS) * 1_000 : 0;
}

/** By `auth_time`: a token that does not say it is not recent. RFC 9470 §6.1. */
function isRecent(caller: Caller, policy: ClaimPolicy): boolean {
  return policy.maxAgeS === undefined || holdsUntilMs(caller, policy) > Date.now();
}

function claimHas(caller: Caller, claim: string, expected: ClaimPolicy['value']): boolean {
  const actual = own(caller.claims, claim);
  return Array.isArray(actual) ? actual.includes(expected) : actual === expected;
}

/**
 * All users of an issuer with the roles and scopes of a caller, as if they were one. Anonymous callers stay so: there are no roles then, and
 * a right to be asked for is missing.
 */
export function groupOf(caller: Caller): Caller {
  if (!caller.authenticated) return caller;
  const scopes = [...caller.scopes].toSorted();
  const { issuer, policies } = caller.context;
  const groupRoles = [...(caller.context.user?.roles ?? [])].toSorted();
  return {
    authenticated: true,
    scopes: caller.scopes,
    claims: {},
    context: { ...(issuer !== undefined && { issuer }), groupRoles, scopes, ...(policies && { policies }) },
    token: undefined,
    grantId: undefined,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
}
