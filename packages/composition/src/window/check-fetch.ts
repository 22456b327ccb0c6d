import { own } from '@trellis/runtime/own-property';
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isRequiredInputField,
  Kind,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  typeFromAST,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { checkEntities } from './check-entities.ts';
import { checkExternals } from './check-externals.ts';
import { responseProblem } from './check-response.ts';
import type { PlannedFetch } from './planned-operation.ts';
import type { SubgraphVersion } from './subgraph-version.ts';
import type { Violation } from './violation.ts';

/** What a plan was made from. */
export interface PlanOrigin {
  /** Everything that composition wrote down, hidden types included. */
  readonly supergraph: GraphQLSchema;
  /** What clients may send. */
  readonly api: GraphQLSchema;
}

const RULES = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);

/**
 * Checks one fetch of a plan against a version of its subgraph:
 *
 * - its text is valid;
 * - what is returned is what the supergraph of the plan expects: null, enum values, possible types;
 * - the subgraph takes what clients may send;
 * - representations hold a key of this version, and what its fields require;
 * - fields that it only knows from others are provided.
 */
export function checkFetch(
  fetch: PlannedFetch,
  origin: PlanOrigin,
  version: SubgraphVersion,
): readonly Violation[] {
  const document = parse(fetch.operation, { noLocation: true });
  const problems = validate(version.schema, document, RULES, { hideSuggestions: true });
  const text = problems.map(({ message }): Violation => ({ rule: 'text', message }));
  return [
    ...checkRoots(document, version),
    ...text,
    ...checkResponse(document, origin, version),
    ...checkVariables(document, origin, version),
    ...checkEntities(document, fetch.requires, version),
    ...checkExternals(document, version),
  ];
}

/** No other rule looks at an operation whose root type is missing. */
function checkRoots({ definitions }: DocumentNode, { schema }: SubgraphVersion): readonly Violation[] {
  return definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .filter(({ operation }) => !schema.getRootType(operation))
    .map(({ operation }) => ({ rule: 'text', message: `It has no type for a ${operation}.` }));
}

function checkResponse(
  document: DocumentNode,
  { supergraph }: PlanOrigin,
  { schema }: SubgraphVersion,
): readonly Violation[] {
  const violations: Violation[] = [];
  const typeInfo = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field() {
        const [parent, field] = [typeInfo.getParentType(), typeInfo.getFieldDef()];
        if (!parent || !field || field.name.startsWith('_')) return;
        const message = responseProblem({ parent, field, schema, supergraph });
        if (message !== undefined) violations.push({ rule: 'response', message });
      },
    }),
  );
  return violations;
}

function checkVariables(
  document: DocumentNode,
  { api }: PlanOrigin,
  { schema }: SubgraphVersion,
): readonly Violation[] {
  return document.definitions
    .filter((node) => node.kind === Kind.OPERATION_DEFINITION)
    .flatMap(({ variableDefinitions = [] }) => variableDefinitions)
    .flatMap(({ type }) => {
      const sent = getNamedType(typeFromAST(api, type));
      const taken = getNamedType(typeFromAST(schema, type));
      return sent && taken ? compareInputs(sent, taken, schema, new Set()) : [];
    });
}

/** Whether everything that the first allows is taken by the second. */
function compareInputs(
  sent: GraphQLNamedType,
  taken: GraphQLNamedType,
  schema: GraphQLSchema,
  seen: Set<string>,
): readonly Violation[] {
  if (seen.has(sent.name)) return [];
  seen.add(sent.name);
  if (isEnumType(sent) && isEnumType(taken))
    return sent
      .getValues()
      .filter(({ name }) => !taken.getValue(name))
      .map(({ name }) => input(`It does not take ${sent.name}.${name}.`));
  if (!isInputObjectType(sent) || !isInputObjectType(taken)) return [];
  const [sendable, takable] = [sent.getFields(), taken.getFields()];
  const isStricter = taken.isOneOf && !sent.isOneOf;
  return [
    ...(isStricter ? [input(`${sent.name} takes exactly one field: it is @oneOf.`)] : []),
    ...Object.values(takable)
      .filter((field) => isRequiredInputField(field) && !isAlwaysSent(own(sendable, field.name)))
      .map(({ name }) => input(`It requires ${sent.name}.${name}.`)),
    ...Object.values(sendable).flatMap((field) => {
      const other = own(takable, field.name);
      if (!other) return [input(`It does not take ${sent.name}.${field.name}.`)];
      const [mine, theirs] = [getNamedType(field.type), getNamedType(other.type)];
      if (mine.name !== theirs.name)
        return [input(`It takes another type for ${sent.name}.${field.name}: ${String(other.type)}.`)];
      return compareInputs(mine, theirs, schema, seen);
    }),
  ];
}

function isAlwaysSent(
  field: { readonly type: GraphQLInputType; readonly defaultValue: unknown } | undefined,
): boolean {
  return field !== undefined && (String(field.type).endsWith('!') || field.defaultValue !== undefined);
}

function input(message: string): Violation {
  return { rule: 'input', message };
}
