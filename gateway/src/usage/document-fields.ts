import {
  BREAK,
  getNamedType,
  isAbstractType,
  isCompositeType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLCompositeType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

/**
 * The fields that a document selects: `User.name`; of an abstract type, those of the types that may stand there, too.
 *
 * @param schema the one that the document was made for; what it does not know is left out
 */
export function documentFields(document: DocumentNode, schema: GraphQLSchema): ReadonlySet<string> {
  const fields = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = {
    Field: ({ name: { value } }: { readonly name: { readonly value: string } }): void => {
      const parent = types.getParentType();
      const type = parent && getNamedType(parent);
      if (!type || !isCompositeType(type)) return;
      fields.add(`${type.name}.${value}`);
      if (!isAbstractType(type) || value.startsWith('__')) return;
      for (const { name } of schema.getPossibleTypes(type)) fields.add(`${name}.${value}`);
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return fields;
}

/** A field of a type. */
export interface WantedField {
  readonly type: GraphQLObjectType | GraphQLInterfaceType;
  readonly field: string;
}

/**
 * Whether a document selects a field: of its type, or of an abstract type that it may stand for. It stops at the first one.
 *
 * @param schema the one that the document was made for
 */
export function selectsField(document: DocumentNode, schema: GraphQLSchema, wanted: WantedField): boolean {
  let isSelected = false;
  const types = new TypeInfo(schema);
  const visitor = {
    Field: ({ name: { value } }: { readonly name: { readonly value: string } }): unknown => {
      const parent = value === wanted.field ? types.getParentType() : undefined;
      isSelected = Boolean(parent && mayBe(wanted.type, parent, schema));
      return isSelected ? BREAK : undefined;
    },
  };
  visit(document, visitWithTypeInfo(types, visitor));
  return isSelected;
}

function mayBe(type: WantedField['type'], parent: GraphQLCompositeType, schema: GraphQLSchema): boolean {
  return parent === type || (isAbstractType(parent) && schema.isSubType(parent, type));
}
