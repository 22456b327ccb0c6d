import { Kind, print, visit, type ASTNode, type DirectiveNode } from 'graphql';
import type {
  PreparedField,
  PreparedFragment,
  PreparedOperation,
  PreparedSelection,
} from './prepared-operation.ts';

const DECIDED: ReadonlySet<string> = new Set(['skip', 'include', 'defer', 'live']);

/**
 * Writes what is to be planned: without denied fields and without what is answered here. `__typename` is written once
 * and without an alias: the answer takes it from the type that was found.
 *
 * @returns nothing when no subgraph has to be asked
 */
export function printForPlanning(operation: PreparedOperation): string | undefined {
  const used = new Set<string>();
  const selections = printSelections(operation.selections, used, true);
  if (selections === '') return undefined;
  const { node } = operation;
  const definitions = (node.variableDefinitions ?? [])
    .filter(({ variable }) => used.has(variable.name.value))
    .map((definition) => print(definition))
    .join(' ');
  const name = node.name?.value ?? '';
  const directives = printDirectives(node.directives, used);
  return `${operation.kind} ${name}${definitions && `(${definitions})`} ${directives} {${selections}}`;
}

function printSelections(
  selections: readonly PreparedSelection[],
  used: Set<string>,
  isRoot: boolean,
): string {
  const texts = new Set<string>();
  for (const selection of selections) {
    const text =
      selection.kind === 'field'
        ? printField(selection, used, isRoot)
        : printFragment(selection, used, isRoot);
    if (text !== '') texts.add(text);
  }
  return [...texts].join(' ');
}

function printField(field: PreparedField, used: Set<string>, isRoot: boolean): string {
  if (field.name === '__typename') return isRoot ? '' : '__typename';
  if (field.denial || field.name.startsWith('__')) return '';
  const { node, sourceKey, name } = field;
  const alias = sourceKey === name ? '' : `${sourceKey}: `;
  const values = (node.arguments ?? []).map((argument) => printUsing(argument, used)).join(', ');
  const directives = printDirectives(node.directives, used);
  return `${alias}${name}${values && `(${values})`}${directives && ` ${directives}`}${printBelow(field, used)}`;
}

/** What is left of a selection after denial may be nothing; whether the object is there is asked all the same. */
function printBelow(field: PreparedField, used: Set<string>): string {
  if (!field.selections) return '';
  return ` {${printSelections(field.selections, used, false) || '__typename'}}`;
}

function printFragment(fragment: PreparedFragment, used: Set<string>, isRoot: boolean): string {
  const selections = printSelections(fragment.selections, used, isRoot);
  if (selections === '') return '';
  const condition = fragment.typeCondition === undefined ? '' : ` on ${fragment.typeCondition}`;
  const defer = fragment.defer ? ` @defer(label: "${fragment.defer.id}")` : '';
  const directives = printDirectives(fragment.directives, used);
  return `...${condition}${defer}${directives && ` ${directives}`} {${selections}}`;
}

function printDirectives(directives: readonly DirectiveNode[] | undefined, used: Set<string>): string {
  return (directives ?? [])
    .filter(({ name }) => !DECIDED.has(name.value))
    .map((directive) => printUsing(directive, used))
    .join(' ');
}

function printUsing(node: ASTNode, used: Set<string>): string {
  visit(node, { [Kind.VARIABLE]: ({ name }: { name: { value: string } }) => void used.add(name.value) });
  return print(node);
}
