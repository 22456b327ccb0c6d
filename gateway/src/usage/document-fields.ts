import {
  getNamedType,
  isAbstractType,
  isCompositeType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
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
