import { Kind, parse, print, type SelectionNode, type SelectionSetNode } from 'graphql';

/** A field set in one form: `b  a { d, c }` becomes `a{c d} b`. A text that is none stays as it is. */
export function normalizeFieldSet(text: string): string {
  const set = parseFieldSet(text);
  return set ? writeSet(set) : text;
}

/** The selections of a field set; undefined where the text is none. */
export function parseFieldSet(text: string): SelectionSetNode | undefined {
  try {
    const [definition] = parse(`{${text}}`, { noLocation: true }).definitions;
    return definition?.kind === Kind.OPERATION_DEFINITION ? definition.selectionSet : undefined;
  } catch {
    return undefined;
  }
}

function writeSet({ selections }: SelectionSetNode): string {
  return selections.map(writeSelection).toSorted().join(' ');
}

function writeSelection(node: SelectionNode): string {
  if (node.kind === Kind.INLINE_FRAGMENT)
    return `... on ${node.typeCondition?.name.value ?? ''} {${writeSet(node.selectionSet)}}`;
  if (node.kind === Kind.FRAGMENT_SPREAD) return print(node);
  const given = (node.arguments ?? [])
    .map((argument) => print(argument))
    .toSorted()
    .join(', ');
  const below = node.selectionSet ? ` {${writeSet(node.selectionSet)}}` : '';
  return `${node.name.value}${given && `(${given})`}${below}`;
}
