import {
  Kind,
  type DirectiveNode,
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { activeDefer, deferLabel, isIncluded } from './directive-conditions.ts';
import type { OperationFacts } from './document-facts.ts';
import type { Denial } from './denial.ts';
import type {
  PreparedDefer,
  PreparedField,
  PreparedFragment,
  PreparedOperation,
  PreparedSelection,
} from './prepared-operation.ts';
import type { ReservedKeys } from './reserved-keys.ts';
import type { Variables } from './variables.ts';

/** What decides how an operation is prepared: the members of a plan's cache key. */
export interface Preparation {
  readonly facts: OperationFacts;
  readonly variables: Variables;
  readonly denied: ReadonlyMap<FieldNode, Denial>;
  readonly reserved: ReservedKeys;
  /** Whether `@defer` has an effect. */
  readonly incremental: boolean;
}

const OUR_PREFIX = 'trellis_';
const DECIDED: ReadonlySet<string> = new Set(['skip', 'include', 'defer']);

/**
 * Decides conditions, writes out fragments, and gives another key to what would clash with the planner's own fields.
 * Its size is bounded by the selections that were counted before.
 */
export function prepareOperation(preparation: Preparation): PreparedOperation {
  const { facts, variables, denied, reserved, incremental } = preparation;
  const defers = new Map<string, PreparedDefer>();
  const ourKeys = new Map<string, string>();

  const ofSet = (set: SelectionSetNode): PreparedSelection[] =>
    set.selections
      .filter((selection) => isIncluded(selection, variables))
      .flatMap((selection) => ofSelection(selection) ?? []);

  const ofSelection = (selection: SelectionNode): PreparedSelection | undefined => {
    if (selection.kind === Kind.FIELD) return ofField(selection);
    return selection.kind === Kind.INLINE_FRAGMENT ? ofInline(selection) : ofSpread(selection);
  };

  const ofField = (node: FieldNode): PreparedField => ({
    kind: 'field',
    node,
    name: node.name.value,
    responseKey: node.alias?.value ?? node.name.value,
    sourceKey: sourceKeyOf(node),
    selections: node.selectionSet && !isMeta(node) ? ofSet(node.selectionSet) : undefined,
    denial: denied.get(node),
  });

  const ofInline = (node: InlineFragmentNode): PreparedFragment =>
    fragment(node, node.typeCondition?.name.value, node.selectionSet);

  const ofSpread = (node: FragmentSpreadNode): PreparedFragment | undefined => {
    const definition = facts.fragments.get(node.name.value);
    return definition && fragment(node, definition.typeCondition.name.value, definition.selectionSet);
  };

  const fragment = (
    node: InlineFragmentNode | FragmentSpreadNode,
    typeCondition: string | undefined,
    selectionSet: SelectionSetNode,
  ): PreparedFragment => ({
    kind: 'fragment',
    typeCondition,
    directives: otherDirectives(node),
    defer: incremental ? deferOf(node) : undefined,
    selections: ofSet(selectionSet),
  });

  const deferOf = (node: SelectionNode): PreparedDefer | undefined => {
    const directive = activeDefer(node, variables);
    if (!directive) return undefined;
    const defer = { id: `d${defers.size}`, label: deferLabel(directive) };
    defers.set(defer.id, defer);
    return defer;
  };

  const sourceKeyOf = (node: FieldNode): string => {
    const key = node.alias?.value ?? node.name.value;
    if (!mustRename(node, key, reserved)) return key;
    let ours = ourKeys.get(key);
    if (ours === undefined) ourKeys.set(key, (ours = `${OUR_PREFIX}${ourKeys.size}`));
    return ours;
  };

  const { operation } = facts;
  return { kind: operation.operation, node: operation, selections: ofSet(operation.selectionSet), defers };
}

/** `__typename`, `__schema`, `__type`: answered here. */
function isMeta(node: FieldNode): boolean {
  return node.name.value.startsWith('__');
}

/** A reserved key is the client's only where it means the very field that the planner would fetch under it. */
function mustRename(node: FieldNode, key: string, reserved: ReservedKeys): boolean {
  if (key.startsWith(OUR_PREFIX)) return true;
  if (isMeta(node) || !reserved.has(key)) return false;
  return key !== node.name.value || (node.arguments?.length ?? 0) > 0 || key in Object.prototype;
}

function otherDirectives(node: SelectionNode): readonly DirectiveNode[] {
  return (node.directives ?? []).filter(({ name }) => !DECIDED.has(name.value));
}
