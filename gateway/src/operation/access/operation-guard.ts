import { own } from '@trellis/runtime/own-property';
import type { FieldNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import {
  NOTHING_DENIED,
  type Denial,
  type Denied,
  type SignIn,
  requirementKey,
  type AnyOf,
  type Requirement,
} from './requirement.ts';
import { itemsOf, type Gathered } from '../fold/gathered.ts';
import type { GuardedPlace } from './guarded-places.ts';
import type { Caller } from '../../identity/caller.ts';
import type { ClaimPolicy, Policies } from '../../settings/authorization.ts';
import { holdsPolicy } from '../../identity/policies.ts';

/** What guards one operation. */
export interface OperationGuard {
  /** The same object for callers with the same denials, so that it can be a cache key. */
  deniedTo(caller: Caller): Denied;
}

/** All of an operation with one requirement. */
interface Guarded {
  readonly requirement: Requirement;
  readonly fields: FieldNode[];
  /** Of objects that may stand where others may stand as well. */
  readonly types: Set<string>;
}

interface Rejected {
  readonly guarded: Guarded;
  readonly denial: Denial;
}

const MAX_COMBINATIONS = 64;

/** Groups what is guarded in an operation once; each request then judges each different requirement once. */
export function createOperationGuard(found: Gathered<GuardedPlace>, policies: Policies): OperationGuard {
  const guarded = groupsOf(itemsOf(found));
  if (guarded.length === 0) return NOTHING_GUARDED;
  const denials = new LRUCache<string, Denied>({ max: MAX_COMBINATIONS });
  return {
    deniedTo(caller) {
      const rejected = guarded.filter(({ requirement }) => !isMet(requirement, caller, policies));
      if (rejected.length === 0) return NOTHING_DENIED;
      const all = rejected.map((group) => ({
        guarded: group,
        denial: denialOf(group.requirement, caller, policies),
      }));
      const key = keyOf(all, guarded);
      const denied = denials.get(key) ?? deny(all, key);
      denials.set(key, denied);
      return denied;
    },
  };
}

const NOTHING_GUARDED: OperationGuard = Object.freeze({ deniedTo: () => NOTHING_DENIED });

/** With the texts: what a caller lacks of a requirement is not what another one lacks. */
function keyOf(rejected: readonly Rejected[], guarded: readonly Guarded[]): string {
  return JSON.stringify(rejected.map(({ guarded: group, denial }) => [guarded.indexOf(group), denial]));
}

function isMet(requirement: Requirement, caller: Caller, policies: Policies): boolean {
  if (!caller.authenticated) return false;
  return (
    requirement.scopes.every((clause) => meetsAny(clause, (scope) => caller.scopes.has(scope))) &&
    requirement.policies.every((clause) => meetsAny(clause, (name) => holdsPolicy(caller, name, policies)))
  );
}

function meetsAny(clause: AnyOf, holds: (name: string) => boolean): boolean {
  return clause.some((names) => names.every(holds));
}

function deny(rejected: readonly Rejected[], key: string): Denied {
  const entriesOf = <Key>(keys: Iterable<Key>, denial: Denial): [Key, Denial][] =>
    [...keys].map((key) => [key, denial]);
  return {
    key,
    fields: new Map(rejected.flatMap(({ guarded, denial }) => entriesOf(guarded.fields, denial))),
    types: new Map(rejected.flatMap(({ guarded, denial }) => entriesOf(guarded.types, denial))),
  };
}

function denialOf(requirement: Requirement, caller: Caller, policies: Policies): Denial {
  if (!caller.authenticated)
    return { code: 'UNAUTHENTICATED', message: 'This field needs a valid access token.' };
  const missing = requirement.scopes
    .map((clause) => missingOf(clause, caller))
    .filter((clause) => clause !== undefined);
  if (missing.length === 0) return denialOfPolicies(requirement, caller, policies);
  const needed = [...new Set(requirement.scopes.flatMap(([names = []]) => names))];
  return { code: 'FORBIDDEN', message: `This field needs the ${listScopes(missing)}.`, scopes: needed };
}

/** A policy that asks for another sign-in can be met by the user; of others nothing is said. */
function denialOfPolicies(requirement: Requirement, caller: Caller, policies: Policies): Denial {
  const unmet = requirement.policies.filter(
    (clause) => !meetsAny(clause, (name) => holdsPolicy(caller, name, policies)),
  );
  const lacking = unmet.flatMap(([names = []]) =>
    names.filter((name) => !holdsPolicy(caller, name, policies)),
  );
  const signIn = signInFor(lacking.map((name) => own(policies, name)));
  if (!signIn) return { code: 'FORBIDDEN', message: 'Access to this field is denied.' };
  return {
    code: 'FORBIDDEN',
    message: 'This field needs another sign-in: a stronger or a more recent one.',
    signIn,
  };
}

/** @returns nothing where another sign-in would not do */
function signInFor(policies: readonly (ClaimPolicy | undefined)[]): SignIn | undefined {
  const asked = policies.filter((policy) => policy !== undefined);
  const isEnough = asked.length === policies.length && asked.every(asksForSignIn);
  if (!isEnough || asked.length === 0) return undefined;
  const ages = asked.flatMap(({ maxAgeS }) => maxAgeS ?? []);
  const acrValues = asked.filter(({ claim }) => claim === 'acr').map(({ value }) => String(value));
  return { acrValues, ...(ages.length > 0 && { maxAgeS: Math.min(...ages) }) };
}

function asksForSignIn({ claim, maxAgeS }: ClaimPolicy): boolean {
  return claim === 'acr' || maxAgeS !== undefined;
}

/** Of each alternative what the caller lacks; undefined where one of them is met. */
function missingOf(clause: AnyOf, { scopes }: Caller): AnyOf | undefined {
  const lacking = clause.map((names) => names.filter((name) => !scopes.has(name)));
  return lacking.some((names) => names.length === 0) ? undefined : lacking;
}

/** `scope a`, `scopes a and b`, `scopes a and b, or c`. */
function listScopes(missing: readonly AnyOf[]): string {
  const isCertain = missing.every((clause) => clause.length === 1);
  if (isCertain) {
    const names = [...new Set(missing.flat(2))];
    return `${names.length === 1 ? 'scope' : 'scopes'} ${names.join(' and ')}`;
  }
  const clauses = missing.map((clause) => clause.map((names) => names.join(' and ')).join(', or '));
  return `scopes ${clauses.join('; and ')}`;
}

function groupsOf(places: readonly GuardedPlace[]): readonly Guarded[] {
  const groups = new Map<string, Guarded>();
  for (const { requirement, place } of places) {
    const key = requirementKey(requirement);
    const group = groups.get(key) ?? { requirement, fields: [], types: new Set<string>() };
    groups.set(key, group);
    if (typeof place === 'string') group.types.add(place);
    else group.fields.push(place);
  }
  return [...groups.values()];
}
