import {
  Kind,
  print,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLSchema,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { Decided } from '../operation/document/decided-conditions.ts';
import { deferLabel, isDecided } from '../operation/document/decided-directives.ts';
import type { PlannableOperation } from '../operation/operation.ts';
import type { Denied } from '../operation/access/requirement.ts';
import { introspectionQuestion } from '../plan/introspection-question.ts';
import type {
  PreparedDefer,
  PreparedField,
  PreparedFragment,
  PreparedOperation,
  PreparedSelection,
} from '../plan/prepared-operation.ts';
import { isIntrospectionRoot } from '../supergraph/type-index.ts';
import { enforceLimit } from '../operation/limits/enforce-limits.ts';
import { PossibleTypes, positionBelow, positionsWithin, type Position } from './possible-types.ts';
import type { SchemaHints } from '../supergraph/schema-hints.ts';

/** What decides how an operation is prepared: the members of a plan's cache key. */
export interface Preparation {
  /** The schema of clients. */
  readonly schema: GraphQLSchema;
  readonly operation: Pick<PlannableOperation, 'definition' | 'fragments'>;
  readonly decided: Decided;
  readonly denied: Denied;
  readonly hints: SchemaHints;
  /** How many selections the operation may have when all is written out. */
  readonly maxSelections: number;
  /** How many fragments may be deferred when all is written out: each makes the plan larger. */
  readonly maxDefers: number;
  /** Whether `@defer` has an effect. */
  readonly incremental: boolean;
}

const OUR_PREFIX = 'trellis_';

/**
 * Decides conditions, writes out fragments, drops those that can't match any object, and gives another key to what would
 * clash with the planner's own fields. Its size is bounded by the selections that were counted before.
 */
export function prepareOperation(preparation: Preparation): PreparedOperation {
  const { definition } = preparation.operation;
  const kind = definition.operation;
  const root = preparation.schema.getRootType(kind);
  if (!root) throw new TypeError(`The schema has no ${kind} type.`);
  const preparer = new Preparer(preparation);
  const selections = preparer.selections(definition.selectionSet, {
    type: root.name,
    possible: new Set([root.name]),
    base: root.name,
  });
  return { kind, node: definition, selections, defers: preparer.defers };
}

class Preparer {
  readonly defers = new Map<string, PreparedDefer>();
  readonly #given: Preparation;
  readonly #types: PossibleTypes;
  readonly #ourKeys = new Map<string, string>();
  #count = 0;

  constructor(preparation: Preparation) {
    this.#given = preparation;
    this.#types = new PossibleTypes(preparation.schema);
  }

  selections(set: SelectionSetNode, position: Position): PreparedSelection[] {
    return set.selections
      .filter((selection) => this.#given.decided.includes(selection))
      .flatMap((selection) => this.#selection(selection, position));
  }

  #selection(selection: SelectionNode, position: Position): PreparedSelection | readonly PreparedSelection[] {
    this.#count += 1;
    enforceLimit('selections', this.#given.maxSelections, this.#count);
    switch (selection.kind) {
      case Kind.FIELD:
        return this.#field(selection, position);
      case Kind.INLINE_FRAGMENT:
        return this.#fragment(selection, selection, position);
      case Kind.FRAGMENT_SPREAD: {
        const definition = this.#given.operation.fragments.get(selection.name.value);
        return definition ? this.#fragment(selection, definition, position) : [];
      }
      default:
        return selection satisfies never;
    }
  }

  #field(node: FieldNode, position: Position): PreparedField {
    const name = node.name.value;
    const key = node.alias?.value ?? name;
    const { type, base } = position;
    const isHoisted = type !== base && this.#given.hints.plannedOnInterface.has(`${base}.${name}`);
    const below = node.selectionSet && positionBelow(this.#types, position, name);
    return {
      kind: 'field',
      node,
      name,
      responseKey: key,
      sourceKey: isHoisted ? this.#ourKey(`${type}.${key}`) : this.#sourceKey(node, key, position),
      selections: node.selectionSet && below ? this.selections(node.selectionSet, below) : undefined,
      denial: this.#given.denied.fields.get(node),
      introspection: isIntrospectionRoot(node)
        ? introspectionQuestion(node, this.#given.operation.fragments, this.#given.decided)
        : undefined,
      isHoisted,
    };
  }

  #fragment(
    node: InlineFragmentNode | FragmentSpreadNode,
    { typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode,
    position: Position,
  ): readonly PreparedFragment[] {
    const { hints, incremental } = this.#given;
    const directives = (node.directives ?? []).filter((directive) => !isDecided(directive));
    return positionsWithin(this.#types, hints, position, typeCondition?.name.value).map((within) => ({
      kind: 'fragment',
      typeCondition: within === position ? undefined : within.type,
      directives,
      defer: incremental ? this.#defer(node) : undefined,
      selections: this.selections(selectionSet, within),
    }));
  }

  #defer(node: SelectionNode): PreparedDefer | undefined {
    const directive = this.#given.decided.deferOf(node);
    if (!directive) return undefined;
    enforceLimit('defers', this.#given.maxDefers, this.defers.size + 1);
    const defer = { id: `d${this.defers.size}`, label: deferLabel(directive) };
    this.defers.set(defer.id, defer);
    return defer;
  }

  #sourceKey(node: FieldNode, key: string, { type, base }: Position): string {
    const { askedOnInterface } = this.#given.hints;
    if (type !== base && hasOwnMeaning(node) && askedOnInterface.has(`${type}.${node.name.value}`))
      return this.#ourKey(meaningOf(node));
    return mustRename(node, key, this.#given.hints.reservedKeys) ? this.#ourKey(key) : key;
  }

  #ourKey(key: string): string {
    let ours = this.#ourKeys.get(key);
    if (ours === undefined) this.#ourKeys.set(key, (ours = `${OUR_PREFIX}${this.#ourKeys.size}`));
    return ours;
  }
}

/** `__typename`, `__schema`, `__type`: answered here. */
function isMeta(node: FieldNode): boolean {
  return node.name.value.startsWith('__');
}

/** Whether its response key can stand for something else on another type. */
function hasOwnMeaning({ alias, arguments: given = [] }: FieldNode): boolean {
  return alias !== undefined || given.length > 0;
}

/** The field with its key and its arguments. */
function meaningOf(node: FieldNode): string {
  const given = (node.arguments ?? []).map((argument) => print(argument));
  return `${node.alias?.value ?? ''}:${node.name.value}(${given.join()})`;
}

/** A reserved key is the client's only where it means the very field that the planner would fetch under it. */
function mustRename(node: FieldNode, key: string, reserved: ReadonlySet<string>): boolean {
  if (key.startsWith(OUR_PREFIX)) return true;
  if (isMeta(node) || !reserved.has(key)) return false;
  return key !== node.name.value || (node.arguments?.length ?? 0) > 0 || key in Object.prototype;
}
