import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type DocumentNode,
  type GraphQLNamedType,
  type SelectionSetNode,
} from 'graphql';
import type { SubgraphVersion } from './subgraph-version.ts';
import type { Violation } from './violation.ts';

/** Checks that fields which this version only knows from others are provided on the path where they are asked for. */
export function checkExternals(document: DocumentNode, version: SubgraphVersion): readonly Violation[] {
  const walk = new ExternalWalk(document, version);
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const root = version.schema.getRootType(node.operation);
    if (root) walk.read(node.selectionSet, root, []);
  }
  return walk.violations;
}

type Provided = readonly SelectionSetNode[];

class ExternalWalk {
  readonly violations: Violation[] = [];
  readonly #document: DocumentNode;
  readonly #version: SubgraphVersion;

  constructor(document: DocumentNode, version: SubgraphVersion) {
    this.#document = document;
    this.#version = version;
  }

  read({ selections }: SelectionSetNode, parent: GraphQLNamedType, provided: Provided): void {
    for (const node of selections) {
      if (node.kind === Kind.FIELD) this.#field(node.name.value, node.selectionSet, parent, provided);
      else if (node.kind === Kind.INLINE_FRAGMENT) {
        const type = node.typeCondition
          ? this.#version.schema.getType(node.typeCondition.name.value)
          : parent;
        if (type) this.read(node.selectionSet, type, provided);
      } else this.#spread(node.name.value, provided);
    }
  }

  #spread(name: string, provided: Provided): void {
    for (const node of this.#document.definitions) {
      if (node.kind !== Kind.FRAGMENT_DEFINITION || node.name.value !== name) continue;
      const type = this.#version.schema.getType(node.typeCondition.name.value);
      if (type) this.read(node.selectionSet, type, provided);
    }
  }

  #field(
    name: string,
    below: SelectionSetNode | undefined,
    parent: GraphQLNamedType,
    provided: Provided,
  ): void {
    if (!isObjectType(parent) && !isInterfaceType(parent)) return;
    const field = own(parent.getFields(), name);
    if (!field) return;
    const coordinate = `${parent.name}.${name}`;
    const inner = provided.flatMap((set) => fieldsNamed(set, name));
    if (this.#version.isExternal(coordinate) && inner.length === 0)
      this.violations.push({
        rule: 'external',
        message: `${coordinate} is @external, and not provided here.`,
      });
    const provides = this.#version.providesOf(coordinate);
    const passed = [...inner.filter((set) => set !== undefined), ...(provides ? [provides] : [])];
    if (below) this.read(below, getNamedType(field.type), passed);
  }
}

/** What is below each field of a name in a field set; undefined for a leaf. */
function fieldsNamed(
  { selections }: SelectionSetNode,
  name: string,
): readonly (SelectionSetNode | undefined)[] {
  return selections.flatMap((node) => {
    if (node.kind === Kind.FIELD) return node.name.value === name ? [node.selectionSet] : [];
    return node.kind === Kind.INLINE_FRAGMENT ? fieldsNamed(node.selectionSet, name) : [];
  });
}
