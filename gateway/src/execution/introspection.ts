import { executeSync, Kind, OperationTypeNode, visit, type DocumentNode, type GraphQLSchema } from 'graphql';
import type { OperationFacts } from '../planning/document-facts.ts';
import type { Variables } from '../planning/variables.ts';
import type { FieldShape } from './response-shape.ts';

interface IntrospectionDocument {
  readonly document: DocumentNode;
  readonly usesVariables: boolean;
}

const documents = new WeakMap<FieldShape, IntrospectionDocument>();
const answers = new WeakMap<FieldShape, unknown>();

/** Answers `__schema` or `__type` from the schema of clients. What does not depend on variables is answered once per plan. */
export function introspect(
  field: FieldShape,
  schema: GraphQLSchema,
  facts: OperationFacts,
  variables: Variables,
): unknown {
  const { document, usesVariables } = documentOf(field, facts);
  if (usesVariables) return run(document, schema, field, variables);
  if (!answers.has(field)) answers.set(field, run(document, schema, field, {}));
  return answers.get(field);
}

function run(
  document: DocumentNode,
  schema: GraphQLSchema,
  field: FieldShape,
  variables: Variables,
): unknown {
  const { data, errors } = executeSync({ schema, document, variableValues: variables });
  if (errors) throw errors[0];
  return data?.[field.responseKey];
}

function documentOf(field: FieldShape, facts: OperationFacts): IntrospectionDocument {
  let made = documents.get(field);
  if (!made) documents.set(field, (made = makeDocument(field, facts)));
  return made;
}

/** The field alone, as a query of its own; fragments of data fields stay out. */
function makeDocument(field: FieldShape, facts: OperationFacts): IntrospectionDocument {
  const fragments = new Set<string>();
  const variables = new Set<string>();
  const collect = (node: Parameters<typeof visit>[0]): void => {
    visit(node, {
      Variable: ({ name }) => void variables.add(name.value),
      FragmentSpread({ name }) {
        const definition = facts.fragments.get(name.value);
        if (!definition || fragments.has(name.value)) return;
        fragments.add(name.value);
        collect(definition);
      },
    });
  };
  for (const node of field.nodes) collect(node);
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [
      {
        kind: Kind.OPERATION_DEFINITION,
        operation: OperationTypeNode.QUERY,
        variableDefinitions: (facts.operation.variableDefinitions ?? []).filter(({ variable }) =>
          variables.has(variable.name.value),
        ),
        selectionSet: { kind: Kind.SELECTION_SET, selections: [...field.nodes] },
      },
      ...[...facts.fragments].filter(([name]) => fragments.has(name)).map(([, definition]) => definition),
    ],
  };
  return { document, usesVariables: variables.size > 0 };
}
