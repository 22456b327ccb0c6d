import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getIntrospectionQuery,
  parse,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createRandom } from '@trellis/testkit/random';
import { questionVariables, randomQuestion } from '../../../test-fixtures/introspection/random-question.ts';
import { randomSchema } from '../../../test-fixtures/introspection/random-schema.ts';
import { introspectionQuestion, questionText } from '../../plan/introspection-question.ts';
import { writeIntrospection } from '../../planning/threads/write-introspection.ts';
import { DEFAULT_COSTS } from '../../settings/cost.ts';
import { DEFAULT_LIMITS } from '../../settings/limits.ts';
import { buildSupergraph } from '../../supergraph/build-supergraph.ts';
import { decidedFor } from '../../testing/decided-for.ts';
import { fragmentsOf } from '../document/parse-operation.ts';
import { Analyzer } from '../fold/selection-fold.ts';
import { costAnalysis, costFunctionOf } from './enforce-limits.ts';
import { GraphCosts } from './graph-costs.ts';
import { valuesOfField, valuesOfQuestion } from './introspection-cost.ts';
import { introspectionRoots } from './introspection-roots.ts';

const SEEDS = [1, 2, 3];
const SCHEMAS = 12;
const QUESTIONS = 40;
/** Averages are fractions. */
const ROUNDING = 0.001;
/** Longer responses say nothing new. */
const MAX_CHARACTERS = 2_000_000;

const annotations = {
  weights: new Map<string, number>(),
  listSizes: new Map<string, never>(),
  depthAllowances: new Map<string, number>(),
  keys: new Map<string, readonly string[]>(),
  inputsHaveWeights: false,
};

/** What questions about one schema cost, and what they are answered. */
function questionsAbout(schema: GraphQLSchema): {
  cost(text: string): number;
  counted(text: string): number;
  values(text: string): number | undefined;
} {
  const costs = new GraphCosts({ schema, annotations, settings: DEFAULT_COSTS });
  const costAnalyses = costAnalysis(costs);
  const roots = introspectionRoots(schema);
  const field: typeof costAnalyses.field = (selected, below) =>
    selected.isIntrospection ? valuesOfQuestion(selected, below, roots) : valuesOfField(selected, below);
  const count = (text: string, analysis: typeof costAnalyses): number => {
    const { document, operation, fragments } = read(text);
    const fold = new Analyzer({ analysis }, schema).fold({ fragments });
    const found = fold.ofOperation(operation.selectionSet, schema.getQueryType() ?? undefined);
    return costFunctionOf(found.analysis)(questionVariables, decidedFor(document, questionVariables));
  };
  return {
    cost: (text) => count(text, costAnalyses),
    /** Before it is rounded. */
    counted: (text) => count(text, { ...costAnalyses, field }),
    values(text) {
      const { document, fields, fragments } = read(text);
      const decided = decidedFor(document, questionVariables);
      let values = 0;
      for (const field of fields) {
        const question = questionText(introspectionQuestion(field, fragments, decided));
        const input = { text: question, variables: {}, maxCharacters: MAX_CHARACTERS };
        const response = writeIntrospection(schema, input);
        if (response === undefined) return undefined;
        values += valuesIn(JSON.parse(response));
      }
      return values;
    },
  };
}

function read(text: string): {
  readonly document: ReturnType<typeof parse>;
  readonly operation: OperationDefinitionNode;
  readonly fields: readonly FieldNode[];
  readonly fragments: ReturnType<typeof fragmentsOf>;
} {
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode; // operations of tests come first
  const fields = operation.selectionSet.selections as readonly FieldNode[]; // and ask for fields
  return { document, operation, fields, fragments: fragmentsOf(document) };
}

/** Objects, lists, leaves and nulls. */
function valuesIn(json: unknown): number {
  if (json === null || typeof json !== 'object') return 1;
  return Object.values(json).reduce<number>((sum, value) => sum + valuesIn(value), 1);
}

/** As many types as asked for: most lead to others, some have many implementations. */
function wideSchema(types: number): GraphQLSchema {
  const objects = Array.from({ length: types / 2 }, (_, index) => {
    const fields = Array.from(
      { length: 12 },
      (__, field) =>
        `f${field}(first: Int = 10, after: String): [Wide${(index * 7 + field) % (types / 2)}!]!`,
    );
    return `type Wide${index} implements Node { id: ID! ${fields.join(' ')} }`;
  });
  const inputs = Array.from(
    { length: types / 4 },
    (_, index) => `input In${index} { a: ID!, b: [String!]!, c: Int }`,
  );
  const enums = Array.from({ length: types / 4 }, (_, index) => `enum Enum${index} { A B C D E F }`);
  const roots = Array.from(
    { length: 300 },
    (_, index) => `q${index}(in: In${index % (types / 4)}): Wide${index % (types / 2)}`,
  );
  const query = `interface Node { id: ID! } type Query { ${roots.join(' ')} }`;
  return buildSchema([...objects, ...inputs, ...enums, query].join('\n'));
}

const sdl = readFileSync(new URL('../../../../graph/supergraph.graphql', import.meta.url), 'utf8');
const GRAPHS: readonly (readonly [string, GraphQLSchema])[] = [
  ['the demo graph', buildSupergraph(sdl).schema],
  ['a graph of 2,000 types', wideSchema(2_000)],
];
const QUERIES: readonly (readonly [string, string])[] = [
  ['graphql-js', getIntrospectionQuery()],
  [
    'GraphiQL, with all that it may ask for',
    getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  ],
  ['Apollo, of possible types', '{ __schema { types { kind name possibleTypes { name } } } }'],
  [
    'a search for a type',
    '{ __type(name: "Query") { fields { name args { name type { name inputFields { name } } } type { name fields { name } } } } }',
  ],
];

describe('G8: Introspection', () => {
  it.each(SEEDS)('never has more values than are counted: random schemas and questions, seed %i', (seed) => {
    const random = createRandom(seed);
    let answered = 0;
    for (let number = 0; number < SCHEMAS; number += 1) {
      const text = randomSchema(random);
      const schema = buildSchema(text);
      const questions = questionsAbout(schema);
      for (let index = 0; index < QUESTIONS; index += 1) {
        const question = randomQuestion(random, schema);
        const values = questions.values(question);
        if (values === undefined) continue;
        const most = questions.counted(question);
        if (values > most + ROUNDING) expect({ text, question, values }).toEqual({ most });
        answered += values;
      }
    }
    expect(answered).toBeGreaterThan(20_000);
  });

  describe.each(GRAPHS)('of %s', (_graph, schema) => {
    const questions = questionsAbout(schema);

    it.each(QUERIES)('costs no more than the default allows: %s', (_tool, query) => {
      expect(questions.cost(query)).toBeLessThan(DEFAULT_LIMITS.cost / 3);
    });
  });

  it.each(QUERIES.slice(0, 3))(
    'is counted as it is answered where the whole schema is read: %s',
    (_tool, query) => {
      const schema = wideSchema(200);
      const { counted, values } = questionsAbout(schema);
      expect(values(query)).toBeGreaterThan(500);
      expect(counted(query)).toBeCloseTo(values(query) ?? 0, 3);
    },
  );

  it('counts a schema for the first question about it, and once: what serves does not wait for that', () => {
    const schema = wideSchema(20);
    let possibleTypesRead = 0;
    const { getPossibleTypes } = schema;
    schema.getPossibleTypes = (type) => {
      possibleTypesRead += 1;
      return getPossibleTypes.call(schema, type);
    };
    const analysis = costAnalysis(new GraphCosts({ schema, annotations, settings: DEFAULT_COSTS }));
    const ask = (text: string): number => {
      const { operation, fragments } = read(text);
      const fold = new Analyzer({ analysis }, schema).fold({ fragments });
      fold.ofOperation(operation.selectionSet, schema.getQueryType() ?? undefined);
      return possibleTypesRead;
    };
    expect(ask('{ q0 { id } }')).toBe(0);
    const first = ask('{ __schema { types { name } } }');
    expect(first).toBeGreaterThan(0);
    expect(ask('{ __type(name: "Query") { fields { name } } }')).toBe(first);
  });

  it('of a graph of 2,000 types is asked for by one operation, and not ten times by it', () => {
    const { cost } = questionsAbout(wideSchema(2_000));
    const question = /__schema \{[^]*?\n {6}\}\n/u;
    const ten = getIntrospectionQuery().replace(question, (text) =>
      Array.from({ length: 10 }, (_, index) => `again${index}: ${text}`).join('\n'),
    );
    expect(cost(ten)).toBeGreaterThan(DEFAULT_LIMITS.cost);
    expect(DEFAULT_LIMITS.cost).toBeLessThan(Infinity);
  });

  it('counts names of types, and lists of which a type has none, as often as they are asked for', () => {
    const { counted } = questionsAbout(wideSchema(200));
    const names = Array.from({ length: 50 }, (_, index) => `a${index}: __typename`).join(' ');
    const nulls = names.replaceAll('__typename', 'enumValues { name }');
    expect(counted(`{ __schema { types { ${names} } } }`)).toBeGreaterThan(200 * 50);
    expect(counted(`{ __schema { types { ${nulls} } } }`)).toBeGreaterThan(200 * 50);
  });
});
