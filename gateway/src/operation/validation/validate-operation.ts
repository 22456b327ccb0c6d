import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
  type ASTVisitor,
  type ValidationContext,
  type FloatValueNode,
  type IntValueNode,
} from 'graphql';
import { RequestError } from '../../errors.ts';
import {
  IncrementalLabelsRule,
  IncrementalRootRule,
  StreamedListRule,
  StreamOverlapRule,
} from './incremental-rules.ts';
import { OneOfVariablesRule } from './one-of-rule.ts';
import { RuleSet, validateDocument } from './validate-document.ts';

const MAX_ERRORS = 20;
const RULES: readonly ValidationRule[] = [
  ...specifiedRules,
  KnownOperationTypesRule,
  FiniteNumbersRule,
  IncrementalLabelsRule,
  IncrementalRootRule,
  StreamedListRule,
  StreamOverlapRule,
  OneOfVariablesRule,
];
const WITH_INTROSPECTION = new RuleSet(RULES);
const WITHOUT_INTROSPECTION = new RuleSet([...RULES, NoSchemaIntrospectionCustomRule]);

/** How documents are validated. */
export interface ValidationSettings {
  /** Whether `__schema` and `__type` are answered, and names of the schema suggested in errors. */
  readonly introspection: boolean;
}

/**
 * Stage: document → no errors. It is never asked about a document that protection has not let pass: some of the rules
 * take quadratic time.
 *
 * @throws RequestError GRAPHQL_VALIDATION_FAILED with at most 20 errors and a note that there are more
 */
export function validateOperation(
  document: DocumentNode,
  schema: GraphQLSchema,
  { introspection }: ValidationSettings,
): void {
  const rules = introspection ? WITH_INTROSPECTION : WITHOUT_INTROSPECTION;
  const errors = validateDocument(schema, document, rules, {
    maxErrors: MAX_ERRORS,
    hideSuggestions: !introspection,
  });
  if (errors.length > 0) throw new RequestError(errors.map(withCode));
}

function withCode({ message, nodes, source, positions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}

/**
 * A validation rule: the schema has a root type for each operation of a document. Without one, no other rule looks at its
 * fields.
 *
 * @see GraphQL, September 2025, §5.2.1.1, Operation Type Existence
 */
function KnownOperationTypesRule(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition(node) {
      if (context.getSchema().getRootType(node.operation)) return;
      context.reportError(
        new GraphQLError(`The schema has no operations of the type "${node.operation}".`, { nodes: node }),
      );
    },
  };
}

/**
 * A validation rule: every number of a document fits a double (IEEE 754), those in custom scalars too. A literal such as
 * `1e400` is well-formed, and would reach the subgraph as something else.
 */
function FiniteNumbersRule(context: ValidationContext): ASTVisitor {
  const check = (node: FloatValueNode | IntValueNode): void => {
    if (Number.isFinite(Number(node.value))) return;
    context.reportError(new GraphQLError('A number is too large to be represented.', { nodes: node }));
  };
  return { FloatValue: check, IntValue: check };
}
