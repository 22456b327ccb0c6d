import { projectFiles, type SubgraphTemplate } from './project-files.ts';

/** `NewsItem` → `newsItem` */
export function fieldNameOf(typeName: string): string {
  return typeName.charAt(0).toLowerCase() + typeName.slice(1);
}

/** The files of a new subgraph, by path: one entity with a table, a query and a mutation that is safe to retry. */
export function subgraphFiles(template: SubgraphTemplate): Readonly<Record<string, string>> {
  const { name, typeName, port } = template;
  const field = fieldNameOf(typeName);
  const table = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return {
    ...projectFiles(template),
    [`migrations/0001_create_${name}.sql`]: `CREATE TABLE ${table}_entry (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL,
  text text NOT NULL CHECK (length(text) BETWEEN 1 AND 1000)
);
`,
    'src/schema.graphql': `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requiresScopes"])

type Query {
  "One by its id."
  ${field}(
    "The id: a UUID."
    id: ID!
  ): ${typeName} @requiresScopes(scopes: [["read:data"]])
}

type Mutation {
  "Adds one. With an Idempotency-Key it is safe to retry."
  add${typeName}(
    "At most 1000 characters."
    text: String!
  ): ${typeName}! @requiresScopes(scopes: [["write:data"]])
}

"What the ${name} subgraph owns."
type ${typeName} @key(fields: "id") {
  "The unique identifier: a UUID v7."
  id: ID!
  "What was written."
  text: String!
}
`,
    'src/resolvers/models.ts': `/** What \`${typeName}\` is resolved from. */
export interface ${typeName}Model {
  readonly id: string;
  readonly text: string;
}
`,
    [`src/${name}-store.ts`]: `import { appendEvent } from '@trellis/events';
import { queryChecked, type Pool, type Transaction } from '@trellis/postgres';
import type { ${typeName}Model } from './resolvers/models.ts';

/** Reads by ids, in one statement. @returns those that exist, in no order */
export async function findByIds(pool: Pool, ids: readonly string[]): Promise<readonly ${typeName}Model[]> {
  const statement = 'SELECT id, text FROM ${table}_entry WHERE id = ANY($1::uuid[])';
  return queryChecked(pool, { id: 'uuid', text: 'text' }, statement, [ids]);
}

/** Adds one, and publishes an event: both are committed, or neither is. */
export async function add(
  transaction: Transaction,
  { id, text }: ${typeName}Model,
  userId: string,
): Promise<void> {
  const statement = 'INSERT INTO ${table}_entry (id, user_id, text) VALUES ($1, $2, $3)';
  await transaction.query(statement, [id, userId, text]);
  await appendEvent(transaction, { type: '${table}.added', subject: id, payload: { id, userId } });
}
`,
    'src/context.ts': `import type { Mutations } from '@trellis/subgraph-kit';
import type { UserContext } from '@trellis/subgraph-protocol';
import type DataLoader from 'dataloader';
import type { ${typeName}Model } from './resolvers/models.ts';

/** What each resolver of a request receives. */
export interface SubgraphContext {
  /** Who is asking, as the gateway has signed it. */
  readonly userContext: UserContext;
  readonly byId: DataLoader<string, ${typeName}Model | undefined>;
  readonly mutations: Mutations;
}
`,
    'src/resolvers/index.ts': resolversOf(typeName, field, name),
    'src/server.ts': serverOf(name),
    'src/program.ts': `import type { DeployableProgram } from '@trellis/runtime';
import {
  createSubgraphProgram,
  startWritingTasks,
  subgraphVariables,
  type SubgraphConfig,
} from '@trellis/subgraph-kit';
import { buildServer } from './server.ts';

/** The ${name} subgraph as a program. */
export const ${name}: DeployableProgram<SubgraphConfig> = createSubgraphProgram({
  service: '${name}',
  variables: subgraphVariables(${port}),
  migrations: new URL('../migrations/', import.meta.url),
  buildServer,
  startBackground: (dependencies) => startWritingTasks(dependencies, '${name}'),
});
`,
    [`src/${name}.test.ts`]: testOf(name, typeName, field),
    'src/main.ts': `import { runDeployable } from '@trellis/runtime';
import { ${name} } from './program.ts';

await runDeployable(${name}, process.env);
`,
  };
}

function resolversOf(typeName: string, field: string, name: string): string {
  return `import { createId, parseId, requireUserId } from '@trellis/subgraph-kit';
import { badUserInput } from '@trellis/subgraph-protocol';
import type { GraphQLFieldResolver } from 'graphql';
import type { SubgraphContext } from '../context.ts';
import { add } from '../${name}-store.ts';
import type { ${typeName}Model } from './models.ts';

const MAX_CHARACTERS = 1000;

type Resolver<Args> = GraphQLFieldResolver<unknown, SubgraphContext, Args>;

interface Resolvers {
  readonly Query: { readonly ${field}: Resolver<{ id: string }> };
  readonly Mutation: { readonly add${typeName}: Resolver<{ text: string }> };
  readonly ${typeName}: {
    readonly __resolveReference: (
      reference: { readonly id: string },
      context: SubgraphContext,
    ) => Promise<${typeName}Model | undefined>;
  };
}

const ${field}: Resolver<{ id: string }> = (_root, args, { byId }) => {
  const id = parseId(args.id);
  return id === undefined ? undefined : byId.load(id);
};

const add${typeName}: Resolver<{ text: string }> = (_root, args, { userContext, mutations }, info) => {
  const userId = requireUserId(userContext);
  if (args.text.length === 0 || args.text.length > MAX_CHARACTERS)
    throw badUserInput(\`"text" must have 1 to \${MAX_CHARACTERS} characters.\`, 'text', args.text);
  const revive = (stored: unknown): ${typeName}Model => stored as ${typeName}Model; // as it was returned below
  return mutations.run({ userId, args, info, revive }, async (transaction) => {
    const added = { id: createId(), text: args.text };
    await add(transaction, added, userId);
    return added;
  });
};

/** All resolvers of the subgraph. */
export const resolvers: Resolvers = {
  Query: { ${field} },
  Mutation: { add${typeName} },
  ${typeName}: { __resolveReference: ({ id }, { byId }) => byId.load(id) },
};
`;
}

function serverOf(name: string): string {
  return `import { buildSubgraphServer, createMutations } from '@trellis/subgraph-kit';
import type { SubgraphDependencies, SubgraphServer } from '@trellis/subgraph-kit';
import DataLoader from 'dataloader';
import type { SubgraphContext } from './context.ts';
import { findByIds } from './${name}-store.ts';
import { resolvers } from './resolvers/index.ts';

/** Builds the ${name} subgraph over its database. It does not listen yet. */
export function buildServer(dependencies: SubgraphDependencies): Promise<SubgraphServer> {
  const { pool, wakeRelay } = dependencies;
  return buildSubgraphServer<SubgraphContext>({
    ...dependencies,
    typeDefs: new URL('../src/schema.graphql', import.meta.url),
    resolvers,
    createContext: ({ userContext, idempotencyKey }) => {
      const byId = new DataLoader(async (ids: readonly string[]) => {
        const found = new Map((await findByIds(pool, ids)).map((one) => [one.id, one]));
        return ids.map((id) => found.get(id));
      });
      const onCommit = (): void => {
        byId.clearAll();
        wakeRelay();
      };
      return { userContext, byId, mutations: createMutations({ pool, idempotencyKey, onCommit }) };
    },
    readiness: { database: async () => void (await pool.query('SELECT 1')) },
  });
}
`;
}

function testOf(name: string, typeName: string, field: string): string {
  return `import { startTestSubgraph, type TestSubgraph } from '@trellis/subgraph-kit/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildServer } from './server.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', roles: [], tokenIssuedAt: 0 };
let subgraph: TestSubgraph;
beforeAll(async () => {
  const migrations = new URL('../migrations/', import.meta.url);
  subgraph = await startTestSubgraph({ service: '${name}', migrations, buildServer });
});
afterAll(() => subgraph.close());

it('adds one, and reads many in one statement', async () => {
  const caller = { user, scopes: ['read:data', 'write:data'] };
  const mutation = 'mutation { add${typeName}(text: "hello") { id } }';
  const added = await subgraph.ask<{ add${typeName}: { id: string } }>({ query: mutation, as: caller });
  const { id } = added.data.add${typeName};
  subgraph.takeStatements();
  const query = 'query ($id: ID!) { first: ${field}(id: $id) { text } second: ${field}(id: $id) { id } }';
  const { data } = await subgraph.ask({ query, variables: { id }, as: caller });
  expect(data).toEqual({ first: { text: 'hello' }, second: { id } });
  expect(subgraph.takeStatements()).toHaveLength(1);
});

it('adds nothing without the scope', async () => {
  const mutation = 'mutation { add${typeName}(text: "hello") { id } }';
  const { errors } = await subgraph.ask({ query: mutation, as: { user, scopes: ['read:data'] } });
  expect(errors).toHaveLength(1);
});
`;
}
