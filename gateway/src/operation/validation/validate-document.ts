import {
  assertValidSchema,
  GraphQLError,
  Kind,
  TypeInfo,
  ValidationContext,
  visit,
  isInterfaceType,
  isObjectType,
  TypeNameMetaFieldDef,
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLType,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { metaFields } from '../../supergraph/service-introspection.ts';
import { type MergedVisitor, Interests, mergeVisitors } from './merge-visitors.ts';

/** Bounds of {@link validateDocument}. */
export interface ValidationBounds {
  /** What comes after so many errors is not looked for. */
  readonly maxErrors: number;
  /** Whether errors keep to themselves which names of the schema are like the one that is wrong. */
  readonly hideSuggestions: boolean;
}

const TOO_MANY_ERRORS = 'Too many validation errors, error limit reached. Validation aborted.';

/** What ends a validation before its end; it is not seen elsewhere. */
class TooManyErrors extends Error {}

/**
 * Finds what graphql-js's `validate` finds, in the same order and with the same words, in half the time: `validate` takes
 * longer to prepare its visitor than to visit a document of an ordinary size.
 *
 * @param rules none of them may ask to see nodes of the kind `Name`: they are left out
 * @returns at most `maxErrors` and a note that there are more
 * @throws Error when the schema is not valid
 */
export function validateDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: RuleSet,
  { maxErrors, hideSuggestions }: ValidationBounds,
): GraphQLError[] {
  assertValidSchema(schema);
  const errors: GraphQLError[] = [];
  const report = (error: GraphQLError): void => {
    const isLast = errors.length >= maxErrors;
    errors.push(isLast ? new GraphQLError(TOO_MANY_ERRORS) : error);
    if (isLast) throw new TooManyErrors();
  };
  const typeInfo = new TypeInfo(schema, undefined, fieldDefinitionOf);
  const context = new ValidationContext(schema, document, typeInfo, report, hideSuggestions);
  const visitor = rules.visitorFor(context);
  try {
    visit(document, visitTypes(typeInfo, visitor));
  } catch (error) {
    if (error instanceof GraphQLError)
      errors.push(error); // a bound on the work that fragments make
    else if (!(error instanceof TooManyErrors)) throw error;
  }
  return errors;
}

/** As graphql-js looks fields up, and `__service`, which it does not know. */
function fieldDefinitionOf(
  schema: GraphQLSchema,
  parent: GraphQLType,
  { name: { value: name } }: FieldNode,
): GraphQLField<unknown, unknown> | undefined {
  if (name.startsWith('__')) {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (parent !== schema.getQueryType()) return undefined;
    return metaFields.get(name);
  }
  return isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
}

/** Descriptions are no part of what is valid. */
function visitTypes(typeInfo: TypeInfo, { enter, leave }: MergedVisitor): ASTVisitor {
  return {
    enter(node, key, parent, path, ancestors) {
      if (node.kind === Kind.NAME || key === 'description') return false;
      typeInfo.enter(node);
      enter(node, key, parent, path, ancestors);
      return undefined;
    },
    leave(node, key, parent, path, ancestors) {
      leave(node, key, parent, path, ancestors);
      typeInfo.leave(node);
    },
  };
}

/**
 * Rules that documents are held against, one after the other. A rule's visitor has to name the same kinds of nodes for whatever
 * document, as all of graphql-js do: the first document shows which.
 */
export class RuleSet {
  readonly #rules: readonly ValidationRule[];
  #interests: Interests | undefined;

  constructor(rules: readonly ValidationRule[]) {
    this.#rules = rules;
  }

  /** One visitor of all rules, for one document. */
  visitorFor(context: ValidationContext): MergedVisitor {
    const visitors = this.#rules.map((rule) => rule(context));
    this.#interests ??= new Interests(visitors);
    return mergeVisitors(visitors, this.#interests);
  }
}
