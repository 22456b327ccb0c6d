import type { DirectiveDefinition, NamedType, Schema } from '@apollo/federation-internals';
import { appliedArguments, linkedDirectives, type Annotated } from '../../supergraph/linked-directives.ts';
import { createFieldSetReader, type OutputField } from './field-sets.ts';
import { allOf, isOpen, type AnyOf, type Requirement } from './requirement.ts';
import { federationInternals } from '../../supergraph/apollo-packages.ts';

/** What callers have to bring for the fields and types of a supergraph. */
export interface AuthorizationRules {
  /**
   * For reading a field: what its type, the field itself and the type it returns demand, what the fields demand that
   * its subgraph is fed with (`@requires`, `@fromContext`), and for a field of an interface what any implementation
   * demands of it, as the object may turn out to be of that type. By coordinate, `Post.title`; open where absent.
   */
  readonly fields: ReadonlyMap<string, Requirement>;
  /** For seeing that there is an object: what its type itself demands. By name of the object type; open where absent. */
  readonly types: ReadonlyMap<string, Requirement>;
}

/**
 * Reads `@authenticated`, `@requiresScopes` and `@policy` from a supergraph, under whatever names they were imported.
 * Fields that are hidden from clients are read as well: others may require them.
 */
export function readAuthorizationRules(schema: Schema): AuthorizationRules {
  const readOwn = createDirectiveReader(schema);
  const requirementOf = createRequirementReader(schema, readOwn);
  const fields = schema.types().flatMap(fieldsOf);
  const objects = schema.types().filter((type) => type instanceof federationInternals.ObjectType);
  return {
    fields: guarded(fields.map((field) => [field.coordinate, requirementOf(field)])),
    types: guarded(objects.map((type) => [type.name, readOwn(type)])),
  };
}

function guarded(
  requirements: readonly (readonly [string, Requirement])[],
): ReadonlyMap<string, Requirement> {
  return new Map(requirements.filter(([, requirement]) => !isOpen(requirement)));
}

function fieldsOf(type: NamedType): readonly OutputField[] {
  return type instanceof federationInternals.ObjectType || type instanceof federationInternals.InterfaceType
    ? type.fields()
    : [];
}

type DirectiveReader = (element: Annotated) => Requirement;

function createRequirementReader(
  schema: Schema,
  readOwn: DirectiveReader,
): (field: OutputField) => Requirement {
  const fieldSets = createFieldSetReader(schema);
  const known = new Map<string, Requirement>();

  /** Fields that feed one another in a circle can't be composed, but a supergraph may come from anywhere. */
  function ofField(field: OutputField): Requirement {
    const before = known.get(field.coordinate);
    if (before) return before;
    const own = ownOfField(field);
    known.set(field.coordinate, own);
    const further = [...fieldSets.fieldsFeeding(field), ...implementationsOf(field)];
    const requirement = allOf([own, ...further.map(ofField)]);
    known.set(field.coordinate, requirement);
    return requirement;
  }

  function ownOfField(field: OutputField): Requirement {
    const returned = field.type && federationInternals.baseType(field.type);
    return allOf([readOwn(field.parent), readOwn(field), ...(returned ? [readOwn(returned)] : [])]);
  }

  return ofField;
}

function implementationsOf(field: OutputField): readonly OutputField[] {
  if (!(field.parent instanceof federationInternals.InterfaceType)) return [];
  return field.parent
    .possibleRuntimeTypes()
    .map((type) => type.field(field.name))
    .filter((implementation) => implementation !== undefined);
}

function createDirectiveReader(schema: Schema): DirectiveReader {
  const directives = {
    authenticated: linkedDirectives(schema, 'authenticated', 'https://specs.apollo.dev/authenticated'),
    scopes: linkedDirectives(schema, 'requiresScopes', 'https://specs.apollo.dev/requiresScopes'),
    policies: linkedDirectives(schema, 'policy', 'https://specs.apollo.dev/policy'),
  };
  const read = (element: Annotated): Requirement => ({
    authenticated: appliedArguments(element, directives.authenticated).length > 0,
    scopes: clausesOf(element, directives.scopes, 'scopes'),
    policies: clausesOf(element, directives.policies, 'policies'),
  });
  const known = new Map<Annotated, Requirement>(); // a type is asked for with each of its fields
  return (element) => {
    const before = known.get(element);
    if (before) return before;
    const requirement = read(element);
    known.set(element, requirement);
    return requirement;
  };
}

function clausesOf(
  element: Annotated,
  directives: readonly DirectiveDefinition[],
  argument: string,
): readonly AnyOf[] {
  return appliedArguments(element, directives).map((values) => anyOf(values[argument]));
}

/** Whatever is not a list of lists of names is a requirement that no caller meets. */
function anyOf(value: unknown): AnyOf {
  if (!Array.isArray(value)) return [];
  return value.filter((names) => Array.isArray(names)).map((names) => names.map(String));
}
