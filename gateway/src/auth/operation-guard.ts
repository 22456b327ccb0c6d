import {
  Kind,
  type FieldNode,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Denial } from '../planning/operation-plan.ts';
import { fieldDefinitionOf, fieldTypeOf, fragmentTypeOf, rootTypeOf } from '../supergraph/selection-types.ts';
import type { Fragments } from '../limits/measure-document.ts';
import type { AuthorizationRules } from './authorization-rules.ts';
import type { Caller } from './caller.ts';
import { holdsPolicy, type Policies } from './policies.ts';
import { requirementKey, type AnyOf, type Requirement } from './requirement.ts';

/** The fields of an operation that a caller may not see. */
export type Denied = ReadonlyMap<FieldNode, Denial>;

/** What guards one operation. */
export interface OperationGuard {
  /** The same map for callers with the same rights, so that what is made for it can be kept under it. */
  deniedTo(caller: Caller): Denied;
}

/** What {@link createOperationGuard} reads. */
export interface GuardRequest {
  readonly operation: OperationDefinitionNode;
  readonly fragments: Fragments;
  /** The operation is valid against it. */
  readonly schema: GraphQLSchema;
  readonly rules: AuthorizationRules;
  readonly policies: Policies;
}

/** All fields of an operation with one requirement. */
interface GuardedFields {
  readonly requirement: Requirement;
  readonly fields: FieldNode[];
}

const NOTHING_DENIED: Denied = new Map();
const MAX_COMBINATIONS = 64;

/** Finds the guarded fields of an operation once; each request then judges each different requirement once. */
export function createOperationGuard(request: GuardRequest): OperationGuard {
  const guarded = findGuardedFields(request);
  if (guarded.length === 0) return { deniedTo: () => NOTHING_DENIED };
  const denials = new LRUCache<string, Denied>({ max: MAX_COMBINATIONS });
  return {
    deniedTo(caller) {
      const refused = guarded.filter(({ requirement }) => !isMet(requirement, caller, request.policies));
      if (refused.length === 0) return NOTHING_DENIED;
      const key = `${caller.authenticated} ${refused.map((group) => guarded.indexOf(group)).join()}`;
      const denied = denials.get(key) ?? deny(refused, caller);
      denials.set(key, denied);
      return denied;
    },
  };
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

function deny(refused: readonly GuardedFields[], caller: Caller): Denied {
  return new Map(
    refused.flatMap(({ requirement, fields }) => {
      const denial = denialOf(requirement, caller);
      return fields.map((field): [FieldNode, Denial] => [field, denial]);
    }),
  );
}

function denialOf(requirement: Requirement, caller: Caller): Denial {
  if (!caller.authenticated)
    return { code: 'UNAUTHENTICATED', message: 'This field needs a valid access token.' };
  const missing = requirement.scopes.filter(
    (clause) => !meetsAny(clause, (scope) => caller.scopes.has(scope)),
  );
  if (missing.length === 0) return { code: 'FORBIDDEN', message: 'You may not see this field.' };
  const alternatives = missing.map((clause) => clause.map((names) => names.join(' ')).join(' or '));
  return { code: 'FORBIDDEN', message: `This field needs the scope ${alternatives.join(' and ')}.` };
}

function findGuardedFields(request: GuardRequest): readonly GuardedFields[] {
  const { operation, fragments, schema, rules } = request;
  const groups = new Map<string, GuardedFields>();
  const visited = new Set<string>();
  if (rules.fields.size === 0) return [];

  function visitSpread(name: string): void {
    if (visited.has(name)) return; // its fields are the same nodes wherever it is spread
    visited.add(name);
    const fragment = fragments.get(name);
    visit(fragment?.selectionSet, fragmentTypeOf(schema, fragment, undefined));
  }

  function visitField(field: FieldNode, parent: GraphQLCompositeType | undefined): void {
    const requirement = rules.fields.get(`${parent?.name}.${field.name.value}`);
    if (requirement && fieldDefinitionOf(parent, field)) addTo(groups, requirement, field);
    visit(field.selectionSet, fieldTypeOf(schema, parent, field));
  }

  function visitSelection(selection: SelectionNode, parent: GraphQLCompositeType | undefined): void {
    if (selection.kind === Kind.FIELD) visitField(selection, parent);
    else if (selection.kind === Kind.FRAGMENT_SPREAD) visitSpread(selection.name.value);
    else visit(selection.selectionSet, fragmentTypeOf(schema, selection, parent));
  }

  function visit(selectionSet: SelectionSetNode | undefined, parent: GraphQLCompositeType | undefined): void {
    for (const selection of selectionSet?.selections ?? []) visitSelection(selection, parent);
  }

  visit(operation.selectionSet, rootTypeOf(schema, operation));
  return [...groups.values()];
}

function addTo(groups: Map<string, GuardedFields>, requirement: Requirement, field: FieldNode): void {
  const key = requirementKey(requirement);
  const group = groups.get(key) ?? { requirement, fields: [] };
  group.fields.push(field);
  groups.set(key, group);
}
