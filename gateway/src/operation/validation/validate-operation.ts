import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { RequestRefused } from '../../errors.ts';
import { DeferLabelsRule, DeferRootRule } from './defer-rules.ts';
import { FiniteNumbersRule } from './finite-numbers-rule.ts';
import { KnownOperationTypesRule } from './known-operation-types-rule.ts';
import { RuleSet } from './rule-set.ts';
import { validateDocument } from './validate-document.ts';

const MAX_ERRORS = 20;
const RULES: readonly ValidationRule[] = [
  ...specifiedRules,
  KnownOperationTypesRule,
  FiniteNumbersRule,
  DeferLabelsRule,
  DeferRootRule,
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
 * @throws RequestRefused GRAPHQL_VALIDATION_FAILED with at most 20 errors and a note that there are more
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
  if (errors.length > 0) throw new RequestRefused(errors.map(withCode));
}

function withCode({ message, nodes, source, positions }: GraphQLError): GraphQLError {
  return new GraphQLError(message, {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  });
}
