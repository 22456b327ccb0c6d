import {
  Kind,
  OperationTypeNode,
  type ArgumentNode,
  type ASTNode,
  type DirectiveNode,
  type ValueNode,
} from 'graphql';
import { nodeText } from '../operation/document/parse-operation.ts';
import { isDecided } from '../operation/document/decided-directives.ts';
import type {
  PreparedField,
  PreparedFragment,
  PreparedOperation,
  PreparedSelection,
} from '../plan/prepared-operation.ts';

/** The name goes with every subgraph request of the operation, and clients choose it. */
const MAX_NAME_CHARACTERS = 128;

/**
 * Writes what is to be planned: without denied fields and without what is answered here. `__typename` is written once
 * and without an alias: the response takes it from the type that was found.
 *
 * @param withDefer whether the planner gets `@defer`
 * @returns nothing when no subgraph has to be asked
 */
export function printForPlanning(operation: PreparedOperation, withDefer = true): string | undefined {
  const printer = new Printer(withDefer);
  const selections = printer.below(rootSelections(operation), true);
  if (selections === '') return undefined;
  const { node } = operation;
  const directives = printer.directives(node.directives);
  const definitions = (node.variableDefinitions ?? [])
    .filter(({ variable }) => printer.usedVariables.has(variable.name.value))
    .map((definition) => nodeText(definition))
    .join(' ');
  const name = node.name?.value.slice(0, MAX_NAME_CHARACTERS) ?? '';
  return `${operation.kind} ${name}${definitions && `(${definitions})`} ${directives} {${selections}}`;
}

/**
 * The planner takes fragments of one type for one, and would so change the order of the fields around them. The fields of a
 * mutation are executed one after the other as they stand (GraphQL §6.2.2): they are written without the fragments.
 */
function rootSelections({ kind, selections }: PreparedOperation): readonly PreparedSelection[] {
  return kind === OperationTypeNode.MUTATION ? selections.flatMap(withoutFragment) : selections;
}

/** Every fragment that applies to the root applies to it always. One with a directive of its own stays as it is. */
function withoutFragment(selection: PreparedSelection): readonly PreparedSelection[] {
  return selection.kind === 'fragment' && selection.directives.length === 0 && !selection.defer
    ? selection.selections.flatMap(withoutFragment)
    : [selection];
}

class Printer {
  readonly usedVariables = new Set<string>();
  readonly #withDefer: boolean;

  constructor(withDefer: boolean) {
    this.#withDefer = withDefer;
  }

  /** The selections of a field, or of the operation. */
  below(selections: readonly PreparedSelection[], isRoot: boolean): string {
    const hoisted = new Set<string>();
    const own = this.#selections(selections, isRoot, hoisted);
    return [...hoisted, own].filter((text) => text !== '').join(' ');
  }

  directives(directives: readonly DirectiveNode[] | undefined): string {
    return (directives ?? [])
      .filter((directive) => !isDecided(directive))
      .map((directive) => this.#withArguments(directive, directive.arguments))
      .join(' ');
  }

  /** @param hoisted gets what is planned on the type around the fragments */
  #selections(selections: readonly PreparedSelection[], isRoot: boolean, hoisted: Set<string>): string {
    const texts = new Set<string>();
    for (const selection of selections) {
      if (selection.kind === 'fragment') texts.add(this.#fragment(selection, isRoot, hoisted));
      else if (!selection.isHoisted) texts.add(this.#field(selection, isRoot));
      else {
        hoisted.add(this.#field(selection, isRoot));
        texts.add('__typename'); // whose field it is to be depends on the type
      }
    }
    texts.delete('');
    return [...texts].join(' ');
  }

  #field(field: PreparedField, isRoot: boolean): string {
    if (field.name === '__typename') return isRoot ? '' : '__typename';
    if (field.denial || field.name.startsWith('__')) return '';
    const { node, sourceKey, name } = field;
    const alias = sourceKey === name ? '' : `${sourceKey}: `;
    const values = (node.arguments ?? []).map((argument) => this.#argument(argument)).join(', ');
    const directives = this.directives(node.directives);
    // Denial may leave an empty selection; whether the object exists is asked all the same.
    const below = field.selections ? ` {${this.below(field.selections, false) || '__typename'}}` : '';
    return `${alias}${name}${values && `(${values})`}${directives && ` ${directives}`}${below}`;
  }

  #fragment(fragment: PreparedFragment, isRoot: boolean, hoisted: Set<string>): string {
    const selections = this.#selections(fragment.selections, isRoot, hoisted);
    if (selections === '') return '';
    const condition = fragment.typeCondition === undefined ? '' : ` on ${fragment.typeCondition}`;
    const defer = fragment.defer && this.#withDefer ? ` @defer(label: "${fragment.defer.id}")` : '';
    const directives = this.directives(fragment.directives);
    return `...${condition}${defer}${directives && ` ${directives}`} {${selections}}`;
  }

  /** Most values are written at once: graphql-js visits the whole node for it, and the text is not known any more. */
  #argument(argument: ArgumentNode): string {
    const { name, value } = argument;
    this.#noteVariables(value);
    switch (value.kind) {
      case Kind.VARIABLE:
        return `${name.value}: $${value.name.value}`;
      case Kind.INT:
      case Kind.FLOAT:
      case Kind.ENUM:
        return `${name.value}: ${value.value}`;
      default:
        return nodeText(argument);
    }
  }

  #withArguments(node: ASTNode, given: readonly ArgumentNode[] | undefined): string {
    for (const { value } of given ?? []) this.#noteVariables(value);
    return nodeText(node);
  }

  #noteVariables(value: ValueNode): void {
    if (value.kind === Kind.VARIABLE) this.usedVariables.add(value.name.value);
    else if (value.kind === Kind.LIST) for (const item of value.values) this.#noteVariables(item);
    else if (value.kind === Kind.OBJECT) for (const field of value.fields) this.#noteVariables(field.value);
  }
}
