import {
  isAbstractType,
  Kind,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLCompositeType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { NOTHING_DENIED, type Denial, type Denied } from './denial.ts';
import {
  fieldDefinitionOf,
  fieldTypeOf,
  fragmentTypeOf,
  rootTypeOf,
} from '../../supergraph/selection-types.ts';
import type { Fragments } from '../limits/measure-document.ts';
import type { AuthorizationRules } from './authorization-rules.ts';
import type { Caller } from '../../identity/caller.ts';
import type { Policies } from '../../settings/authorization-settings.ts';
import { holdsPolicy } from '../../identity/policies.ts';
import { requirementKey, type AnyOf, type Requirement } from './requirement.ts';

/** What guards one operation. */
export interface OperationGuard {
  /** The same object for callers of whom the same is to be said, so that what is made for it can be kept under it. */
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

/** All of an operation with one requirement. */
interface Guarded {
  readonly requirement: Requirement;
  readonly fields: FieldNode[];
  /** Of objects that may stand where others may stand as well. */
  readonly types: Set<string>;
}

interface Refused {
  readonly guarded: Guarded;
  readonly denial: Denial;
}

const MAX_COMBINATIONS = 64;

/** Finds what is guarded in an operation once; each request then judges each different requirement once. */
export function createOperationGuard(request: GuardRequest): OperationGuard {
  const guarded = findGuarded(request);
  if (guarded.length === 0) return { deniedTo: () => NOTHING_DENIED };
  const denials = new LRUCache<string, Denied>({ max: MAX_COMBINATIONS });
  return {
    deniedTo(caller) {
      const refused = guarded.filter(({ requirement }) => !isMet(requirement, caller, request.policies));
      if (refused.length === 0) return NOTHING_DENIED;
      const all = refused.map((group) => ({ guarded: group, denial: denialOf(group.requirement, caller) }));
      const key = keyOf(all, guarded);
      const denied = denials.get(key) ?? deny(all);
      denials.set(key, denied);
      return denied;
    },
  };
}

/** With the texts: what a caller lacks of a requirement is not what another one lacks. */
function keyOf(refused: readonly Refused[], guarded: readonly Guarded[]): string {
  return JSON.stringify(
    refused.map(({ guarded: group, denial }) => [guarded.indexOf(group), denial.code, denial.message]),
  );
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

function deny(refused: readonly Refused[]): Denied {
  const entriesOf = <Key>(keys: Iterable<Key>, denial: Denial): [Key, Denial][] =>
    [...keys].map((key) => [key, denial]);
  return {
    fields: new Map(refused.flatMap(({ guarded, denial }) => entriesOf(guarded.fields, denial))),
    types: new Map(refused.flatMap(({ guarded, denial }) => entriesOf(guarded.types, denial))),
  };
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

function findGuarded(request: GuardRequest): readonly Guarded[] {
  const { operation, fragments, schema, rules } = request;
  const groups = new Map<string, Guarded>();
  const visited = new Set<string>();
  const abstractTypes = new Set<string>();
  if (rules.fields.size === 0 && rules.types.size === 0) return [];

  function visitSpread(name: string): void {
    if (visited.has(name)) return; // its fields are the same nodes wherever it is spread
    visited.add(name);
    const fragment = fragments.get(name);
    visit(fragment?.selectionSet, fragmentTypeOf(schema, fragment, undefined));
  }

  function visitField(field: FieldNode, parent: GraphQLCompositeType | undefined): void {
    const requirement = rules.fields.get(`${parent?.name}.${field.name.value}`);
    if (requirement && fieldDefinitionOf(parent, field)) groupOf(groups, requirement).fields.push(field);
    visit(field.selectionSet, fieldTypeOf(schema, parent, field));
  }

  function visitSelection(selection: SelectionNode, parent: GraphQLCompositeType | undefined): void {
    if (selection.kind === Kind.FIELD) visitField(selection, parent);
    else if (selection.kind === Kind.FRAGMENT_SPREAD) visitSpread(selection.name.value);
    else visit(selection.selectionSet, fragmentTypeOf(schema, selection, parent));
  }

  function visitPossibleTypes(parent: GraphQLAbstractType): void {
    if (abstractTypes.has(parent.name)) return;
    abstractTypes.add(parent.name);
    for (const { name } of schema.getPossibleTypes(parent)) {
      const requirement = rules.types.get(name);
      if (requirement) groupOf(groups, requirement).types.add(name);
    }
  }

  function visit(selectionSet: SelectionSetNode | undefined, parent: GraphQLCompositeType | undefined): void {
    if (selectionSet && isAbstractType(parent)) visitPossibleTypes(parent);
    for (const selection of selectionSet?.selections ?? []) visitSelection(selection, parent);
  }

  visit(operation.selectionSet, rootTypeOf(schema, operation));
  return [...groups.values()];
}

function groupOf(groups: Map<string, Guarded>, requirement: Requirement): Guarded {
  const key = requirementKey(requirement);
  const group = groups.get(key) ?? { requirement, fields: [], types: new Set<string>() };
  groups.set(key, group);
  return group;
}
