import {
  executeSync,
  Kind,
  parse,
  print,
  visit,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';

/** What a client got. */
export interface Received {
  readonly data: unknown;
  /** Codes and messages of errors, in their order. */
  readonly errors: readonly string[];
  readonly cacheControl: string;
  /** Requests that each subgraph had, by address. */
  readonly asked: Readonly<Record<string, number>>;
  /** Whether several users got the events of one stream. Absent: it was no subscription. */
  readonly isShared?: boolean;
}

/**
 * What a change did to a client, the worst first. The first four do harm: to the client, or to whom data belongs. `otherwise`
 * is a difference that a client bears.
 */
export const experiences = [
  'fails',
  'receives what it does not know',
  'is shown what it was denied',
  'may be served what is private',
  'other values',
  'cached otherwise',
  'other requests',
  'nothing',
] as const;

/** One of {@link experiences}. */
export type Experience = (typeof experiences)[number];

const HARM: ReadonlySet<Experience> = new Set(experiences.slice(0, 4));

/** Whether a change that does this is not safe. */
export function isHarm(experience: Experience): boolean {
  return HARM.has(experience);
}

/** The worst of several. */
export function worstOf(all: readonly Experience[]): Experience {
  return experiences.find((one) => all.includes(one)) ?? 'nothing';
}

/** Compares what a client got before and after, with the schema that it was built for. */
export function experienceOf(
  before: Received,
  after: Received,
  document: string,
  schema: GraphQLSchema,
): Experience {
  const found: Experience[] = [];
  const wasDenied = before.errors.some(isDenial) && !after.errors.some(isDenial);
  if (wasDenied) found.push('is shown what it was denied');
  if (before.errors.length === 0 && after.errors.length > 0) found.push('fails');
  if (fits(before.data, document, schema) && !fits(after.data, document, schema))
    found.push('receives what it does not know');
  if (!isForAll(before) && isForAll(after)) found.push('may be served what is private');
  if (JSON.stringify(before.data) !== JSON.stringify(after.data)) found.push('other values');
  if (before.cacheControl !== after.cacheControl) found.push('cached otherwise');
  if (JSON.stringify(before.asked) !== JSON.stringify(after.asked)) found.push('other requests');
  return worstOf(found);
}

function isDenial(error: string): boolean {
  return /^(FORBIDDEN|UNAUTHENTICATED|UNAUTHORIZED)/.test(error);
}

/** What one user got, another one gets. */
function isForAll({ cacheControl, isShared = false }: Received): boolean {
  return isShared || /\bpublic\b/.test(cacheControl);
}

/** Whether data is what the schema lets a client expect: no null where there is none, known enum values and types. */
function fits(data: unknown, document: string, schema: GraphQLSchema): boolean {
  if (data === null || data === undefined) return true; // the errors beside it say why
  const typed = parse(withTypeNames(document));
  const { errors = [] } = executeSync({ schema, document: typed, rootValue: data, fieldResolver: readField });
  return errors.length === 0;
}

/** Responses have names in the place of enum values, and aliases are not used here. */
function readField(
  source: unknown,
  _args: unknown,
  _context: unknown,
  info: { readonly fieldName: string },
): unknown {
  return (source as Readonly<Record<string, unknown>>)[info.fieldName]; // an object of the response
}

/** Asks for the type of every object, as Apollo Client does. */
export function withTypeNames(document: string): string {
  const typeName: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  const typed = visit<DocumentNode>(parse(document), {
    SelectionSet: (node, _key, parent): SelectionSetNode | undefined =>
      parent && 'kind' in parent && (parent.kind === Kind.OPERATION_DEFINITION || hasTypeName(node))
        ? undefined
        : { ...node, selections: [...node.selections, typeName] },
  });
  return print(typed);
}

function hasTypeName({ selections }: SelectionSetNode): boolean {
  return selections.some(
    (selection) => selection.kind === Kind.FIELD && selection.name.value === '__typename',
  );
}
