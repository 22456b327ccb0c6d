import {
  baseType,
  ObjectType,
  ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  Supergraph,
  type DirectiveDefinition,
  type FieldDefinition,
  type Schema,
} from '@apollo/federation-internals';

const GUARDS: ReadonlyMap<string, string> = new Map([
  ['authenticated', 'https://specs.apollo.dev/authenticated'],
  ['requiresScopes', 'https://specs.apollo.dev/requiresScopes'],
  ['policy', 'https://specs.apollo.dev/policy'],
]);

/**
 * The root fields that callers without a token may ask for: neither they, nor their type, nor what they return has
 * `@authenticated`, `@requiresScopes` or `@policy`, under whatever names these were imported.
 *
 * @returns coordinates, in the order of the schema
 * @throws Error when the text is not a supergraph
 */
export function openRootFields(supergraphSdl: string): readonly string[] {
  const { schema } = Supergraph.build(supergraphSdl, {
    supportedFeatures: ROUTER_SUPPORTED_SUPERGRAPH_FEATURES,
  });
  const guards = schema.directives().filter((definition) => isGuard(schema, definition));
  const hidden = schema.directive('inaccessible');
  return schema.schemaDefinition
    .roots()
    .flatMap(({ type }) => (isMarked(type, guards) ? [] : type.fields()))
    .filter((field) => isOpen(field, guards) && !(hidden && isMarked(field, [hidden])))
    .map(({ coordinate }) => coordinate);
}

function isGuard(schema: Schema, definition: DirectiveDefinition): boolean {
  const source = schema.coreFeatures?.sourceFeature(definition);
  if (!source) return GUARDS.has(definition.name);
  const { nameInFeature, feature } = source;
  return nameInFeature !== null && GUARDS.get(nameInFeature) === feature.url.identity;
}

function isOpen(field: FieldDefinition<ObjectType>, guards: readonly DirectiveDefinition[]): boolean {
  const returned = field.type && baseType(field.type);
  return !isMarked(field, guards) && !(returned instanceof ObjectType && isMarked(returned, guards));
}

function isMarked(
  element: Pick<ObjectType | FieldDefinition<ObjectType>, 'appliedDirectivesOf'>,
  directives: readonly DirectiveDefinition[],
): boolean {
  return directives.some((directive) => element.appliedDirectivesOf(directive).length > 0);
}
