import {
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';

/** A feature of the gateway that no type of the schema shows. */
export interface ServiceCapability {
  readonly identifier: string;
  readonly description: string;
  readonly value: string | null;
}

const text = { type: GraphQLString };

const capabilityType = new GraphQLObjectType<ServiceCapability>({
  name: '__Capability',
  description: 'A feature of the service.',
  fields: {
    identifier: { type: new GraphQLNonNull(GraphQLString) },
    description: text,
    value: text,
  },
});

const serviceType = new GraphQLObjectType<readonly ServiceCapability[]>({
  name: '__Service',
  description: 'What the service is able to do beside its schema.',
  fields: {
    capabilities: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(capabilityType))),
      resolve: (capabilities) => capabilities,
    },
  },
});

/**
 * The types of `__service`. `__type` answers for them, as clients probe for them by name. `__schema` does not list them: tools
 * that build a schema of what it lists reject names with two underscores that they do not know.
 */
export const serviceTypes: ReadonlyMap<string, GraphQLObjectType> = new Map<string, GraphQLObjectType>([
  [serviceType.name, serviceType],
  [capabilityType.name, capabilityType],
]);

/** What is asked by `{ __service { … } }`. @see GraphQL specification, working draft of graphql-spec#1163, "Service Capabilities" */
export const SERVICE_FIELD = '__service';

/** The field itself. Its value is what {@link capabilitiesOf} gives. */
export const ServiceMetaFieldDef: GraphQLField<unknown, unknown> = {
  name: SERVICE_FIELD,
  description: 'The capabilities of the service.',
  type: new GraphQLNonNull(serviceType),
  args: [],
  deprecationReason: undefined,
  extensions: {},
  astNode: undefined,
};

/** The fields that no type declares, by their names. All but `__typename` are fields of the schema's queries alone. */
export const metaFields: ReadonlyMap<string, GraphQLField<unknown, unknown>> = new Map(
  [SchemaMetaFieldDef, TypeMetaFieldDef, TypeNameMetaFieldDef, ServiceMetaFieldDef].map((field) => [
    field.name,
    field,
  ]),
);

/** Whether a name is that of `__service`, at the root of the schema's queries. */
export function isServiceField(schema: GraphQLSchema, parent: unknown, name: string): boolean {
  return name === SERVICE_FIELD && parent !== undefined && parent === schema.getQueryType();
}

/** @param defaultErrorBehavior of requests without `onError` */
export function capabilitiesOf(defaultErrorBehavior: string): readonly ServiceCapability[] {
  return [
    {
      identifier: 'graphql.onError',
      description: 'A request may say by onError what an error does to a non-null position.',
      value: null,
    },
    {
      identifier: 'graphql.defaultErrorBehavior',
      description: 'What an error does in requests without onError.',
      value: defaultErrorBehavior,
    },
  ];
}
