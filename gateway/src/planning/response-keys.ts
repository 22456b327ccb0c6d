import type { FetchNode } from '@apollo/query-planner';
import { Kind, parse, type FieldNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';
import type { BroughtKeys, ExpectedSelection } from '../plan/fetch-fields.ts';

/** How a rewrite's path names a type condition. */
export const FRAGMENT_PREFIX = '... on ';

/** The response keys of a fetch. */
export interface ResponseKeys {
  /** Those at the top. */
  readonly expected: readonly ExpectedSelection[];
  readonly brings: BroughtKeys;
  /** Whether no field at the top has fields of its own. */
  readonly isFlat: boolean;
}

/** Reads the response keys of a fetch from its operation's text: below `_entities` where it asks for entities. */
export function readResponseKeys(node: FetchNode): ResponseKeys {
  const reader = new KeyReader(node);
  const top = node.requires ? reader.entitySelections() : reader.root;
  const brings = reader.keysBelow(top);
  const expected = reader.expected(top);
  return { expected, brings, isFlat: [...brings.values()].every((below) => below === undefined) };
}

type Fragment = Pick<FragmentDefinitionNode, 'selectionSet'> & { readonly typeCondition: string | undefined };

class KeyReader {
  readonly root: SelectionSetNode | undefined;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #renames: ReadonlyMap<string, string>;

  constructor(node: FetchNode) {
    let root: SelectionSetNode | undefined;
    for (const definition of parse(node.operation, { noLocation: true }).definitions) {
      if (definition.kind === Kind.OPERATION_DEFINITION) root = definition.selectionSet;
      else if (definition.kind === Kind.FRAGMENT_DEFINITION)
        this.#fragments.set(definition.name.value, definition);
    }
    this.root = root;
    this.#renames = topLevelRenames(node);
  }

  entitySelections(): SelectionSetNode | undefined {
    const { fields } = this.#split(this.root);
    return fields.find(({ name }) => name.value === '_entities')?.selectionSet;
  }

  expected(set: SelectionSetNode | undefined, typeCondition?: string): ExpectedSelection[] {
    const { fields, fragments } = this.#split(set);
    const keys = fields.map((field) => this.#renames.get(keyOf(field)) ?? keyOf(field));
    const below = fragments.flatMap((fragment) =>
      this.expected(fragment.selectionSet, fragment.typeCondition ?? typeCondition),
    );
    return keys.length > 0 ? [{ typeCondition, keys }, ...below] : below;
  }

  keysBelow(
    set: SelectionSetNode | undefined,
    keys: Map<string, BroughtKeys | undefined> = new Map(),
  ): BroughtKeys {
    const { fields, fragments } = this.#split(set);
    for (const field of fields) keys.set(keyOf(field), this.#below(field, keys.get(keyOf(field))));
    for (const { selectionSet } of fragments) this.keysBelow(selectionSet, keys);
    return keys;
  }

  #below({ selectionSet }: FieldNode, known: BroughtKeys | undefined): BroughtKeys | undefined {
    return selectionSet ? this.keysBelow(selectionSet, new Map(known)) : undefined;
  }

  #split(set: SelectionSetNode | undefined): { fields: FieldNode[]; fragments: Fragment[] } {
    const fields: FieldNode[] = [];
    const fragments: Fragment[] = [];
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else {
        const definition =
          selection.kind === Kind.INLINE_FRAGMENT ? selection : this.#fragments.get(selection.name.value);
        if (!definition) continue;
        const { selectionSet, typeCondition } = definition;
        fragments.push({ selectionSet, typeCondition: typeCondition?.name.value });
      }
    }
    return { fields, fragments };
  }
}

function keyOf(field: FieldNode): string {
  return field.alias?.value ?? field.name.value;
}

/** What output rewrites make of the keys at the top. */
function topLevelRenames({ outputRewrites = [] }: FetchNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const rewrite of outputRewrites) {
    const isTop = rewrite.path.slice(0, -1).every((step) => step.startsWith(FRAGMENT_PREFIX));
    if (rewrite.kind === 'KeyRenamer' && isTop) names.set(rewrite.path.at(-1) ?? '', rewrite.renameKeyTo);
  }
  return names;
}
