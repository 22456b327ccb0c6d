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
import { deferLabel, initialCountOf, isDecided } from '../operation/document/decided-directives.ts';
import type { PlannableOperation } from '../operation/operation.ts';
import type { Denied } from '../operation/access/requirement.ts';
import { introspectionQuestion } from '../plan/introspection-question.ts';
import type {
  PreparedDefer,
  PreparedField,
  PreparedFragment,
  PreparedOperation,
  PreparedSelection,
  PreparedStream,
} from '../plan/prepared-operation.ts';
import { isIntrospectionRoot } from '../supergraph/type-index.ts';
import { enforceLimit } from '../operation/limits/enforce-limits.ts';
import { PossibleTypes, positionBelow, positionsWithin, type Position } from './possible-types.ts';
import type { SchemaHints } from '../supergraph/schema-hints.ts';

/** What decides how an operation is prepared: the members of a plan's cache key. */
export interface Preparation {
  /** The schema of clients. */
  readonly schema: GraphQLSchema;
  readonly operation: Pick<PlannableOperation, 'definition' | 'fragments' | 'mayDefer'>;
  readonly decided: Decided;
  readonly denied: Denied;
  readonly hints: SchemaHints;
  /** How many selections the operation may have when all is written out. */
  readonly maxSelections: number;
  /** How many fragments may be deferred when all is written out: each makes the plan larger. */
  readonly maxDefers: number;
  /** Whether `@defer` and `@stream` have an effect. */
  readonly incremental: boolean;
}

interface Whereabouts {
  readonly responsePath: string;
  readonly sourcePath: string;
  /** The innermost `@defer` around it. */
  readonly deferId: string | undefined;
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
  return { kind, node: definition, selections, defers: preparer.defers, streams: preparer.streamsOn() };
}

class Preparer {
  readonly defers = new Map<string, PreparedDefer>();
  readonly #given: Preparation;
  readonly #types: PossibleTypes;
  readonly #ourKeys = new Map<string, string>();
  /** By response keys. */
  readonly #streams = new Map<string, PreparedStream>();
  /** How each position is delivered: with which `@defer`, streamed or not. */
  readonly #deliveries = new Map<string, string>();
  /** Where the preparer is. */
  #at: Whereabouts = { responsePath: '', sourcePath: '', deferId: undefined };
  #count = 0;

  constructor(preparation: Preparation) {
    this.#given = preparation;
    this.#types = new PossibleTypes(preparation.schema);
  }

  /** The streams whose items may come later. */
  streamsOn(): ReadonlyMap<string, PreparedStream> {
    return new Map([...this.#streams].filter(([, { isOff }]) => !isOff));
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
    const sourceKey = isHoisted ? this.#ourKey(`${type}.${key}`) : this.#sourceKey(node, key, position);
    const above = this.#at;
    const stream = this.#mayBeInParts ? this.#streamAt(node, key, sourceKey) : undefined;
    const selections = node.selectionSet && below ? this.selections(node.selectionSet, below) : undefined;
    this.#at = above;
    return {
      kind: 'field',
      node,
      name,
      responseKey: key,
      sourceKey,
      selections,
      stream,
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
    return positionsWithin(this.#types, hints, position, typeCondition?.name.value).map((within) => {
      const defer = incremental ? this.#defer(node) : undefined;
      const above = this.#at;
      if (defer) this.#at = { ...above, deferId: defer.id };
      const selections = this.selections(selectionSet, within);
      this.#at = above;
      const typeName = within === position ? undefined : within.type;
      return { kind: 'fragment', typeCondition: typeName, directives, defer, selections };
    });
  }

  get #mayBeInParts(): boolean {
    return this.#given.incremental && this.#given.operation.mayDefer;
  }

  /** Goes on to the field; its caller goes back to where it was. */
  #streamAt(node: FieldNode, key: string, sourceKey: string): PreparedStream | undefined {
    const { responsePath, sourcePath, deferId } = this.#at;
    this.#at = { responsePath: `${responsePath} ${key}`, sourcePath: `${sourcePath} ${sourceKey}`, deferId };
    return this.#stream(node);
  }

  /** One for all fields of a position. Where they are delivered at different times, the list comes whole with each of them. */
  #stream(node: FieldNode): PreparedStream | undefined {
    const { responsePath, sourcePath, deferId } = this.#at;
    const directive = this.#given.decided.streamOf(node);
    const delivery = `${deferId ?? ''} ${directive ? 'streamed' : ''}`;
    const isAlike = (this.#deliveries.get(responsePath) ?? delivery) === delivery;
    this.#deliveries.set(responsePath, delivery);
    const known = this.#streams.get(responsePath);
    if (known && !isAlike) known.isOff = true;
    if (!directive) return undefined;
    const stream: PreparedStream = known ?? {
      label: deferLabel(directive),
      initialCount: initialCountOf(directive),
      deferId,
      sourcePaths: new Set(),
      isOff: !isAlike,
    };
    stream.sourcePaths.add(sourcePath);
    if (!known) {
      enforceLimit('defers', this.#given.maxDefers, this.defers.size + this.#streams.size + 1);
      this.#streams.set(responsePath, stream);
    }
    return stream;
  }

  #defer(node: SelectionNode): PreparedDefer | undefined {
    const directive = this.#given.decided.deferOf(node);
    if (!directive) return undefined;
    enforceLimit('defers', this.#given.maxDefers, this.defers.size + this.#streams.size + 1);
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
