import {
  getNamedType,
  isCompositeType,
  isInterfaceType,
  isObjectType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { isServiceField, ServiceMetaFieldDef } from '../../supergraph/service-introspection.ts';

/** What the schema says of a selected field. */
export interface SchemaField {
  /** Absent for `__typename`, `__schema`, `__type` and `__service`. */
  readonly definition: GraphQLField<unknown, unknown> | undefined;
  /** The type below it; absent for leaves. */
  readonly type: GraphQLCompositeType | undefined;
}

/** Of a field that a schema does not have. */
export const UNKNOWN_FIELD: SchemaField = Object.freeze({ definition: undefined, type: undefined });

/** The fields of a schema, each looked up once. */
export class SchemaFields {
  readonly schema: GraphQLSchema;
  /** No larger than the schema: what it does not have is not remembered. */
  readonly #known = new Map<GraphQLCompositeType, Map<string, SchemaField>>();

  constructor(schema: GraphQLSchema) {
    this.schema = schema;
  }

  of(parent: GraphQLCompositeType | undefined, name: string): SchemaField {
    if (!parent) return UNKNOWN_FIELD;
    let fields = this.#known.get(parent);
    if (!fields) this.#known.set(parent, (fields = new Map<string, SchemaField>()));
    const known = fields.get(name);
    if (known) return known;
    const field = this.#read(parent, name);
    if (field !== UNKNOWN_FIELD) fields.set(name, field);
    return field;
  }

  #read(parent: GraphQLCompositeType, name: string): SchemaField {
    if (isServiceField(this.schema, parent, name))
      return { definition: undefined, type: getNamedType(ServiceMetaFieldDef.type) as GraphQLObjectType };
    if (name === '__schema' || name === '__type') {
      const meta = this.schema.getType(name === '__schema' ? '__Schema' : '__Type');
      return { definition: undefined, type: isCompositeType(meta) ? meta : undefined };
    }
    // fields are an object without prototype
    const definition = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    if (!definition) return UNKNOWN_FIELD;
    const type = getNamedType(definition.type);
    return { definition, type: isCompositeType(type) ? type : undefined };
  }
}
