/** What a new subgraph is made with. */
export interface SubgraphTemplate {
  /** Its name in the supergraph, its schema in the database and, in capitals, the prefix of its variables. */
  readonly name: string;
  /** Of its entity: `Like`. */
  readonly typeName: string;
  readonly port: number;
  /** In the repository of Trellis, packages are linked; elsewhere they are installed by this version. */
  readonly version: string | undefined;
}

const PACKAGES = ['postgres', 'runtime', 'subgraph-kit', 'subgraph-protocol'];

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
    'package.json': `${JSON.stringify(manifestOf(template), undefined, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(compilerOf(template), undefined, 2)}\n`,
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
    [`src/${name}-store.ts`]: `import type { Pool, Transaction } from '@trellis/postgres';
import type { ${typeName}Model } from './resolvers/models.ts';

/** Reads by ids, in one statement. @returns those that exist, in no order */
export async function findByIds(pool: Pool, ids: readonly string[]): Promise<readonly ${typeName}Model[]> {
  const { rows } = await pool.query<${typeName}Model>(
    'SELECT id, text FROM ${table}_entry WHERE id = ANY($1::uuid[])',
    [ids],
  );
  return rows;
}

/** Adds one. */
export async function add(
  transaction: Transaction,
  { id, text }: ${typeName}Model,
  userId: string,
): Promise<void> {
  await transaction.query('INSERT INTO ${table}_entry (id, user_id, text) VALUES ($1, $2, $3)', [id, userId, text]);
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
    'src/main.ts': `import { runDeployable } from '@trellis/runtime';
import { ${name} } from './program.ts';

await runDeployable(${name}, process.env);
`,
  };
}

function manifestOf({ name, version }: SubgraphTemplate): object {
  const packages = Object.fromEntries(
    PACKAGES.map((one) => [`@trellis/${one}`, version === undefined ? 'workspace:*' : `^${version}`]),
  );
  const libraries = { dataloader: '2.2.3', graphql: '16.15.0' };
  return {
    name: version === undefined ? `@trellis/${name}` : name,
    version: '0.1.0',
    private: true,
    description: `The ${name} subgraph.`,
    ...(version === undefined && { license: 'Apache-2.0' }),
    type: 'module',
    ...(version !== undefined && { scripts: { build: 'tsc', start: 'node dist/main.js' } }),
    dependencies: { ...packages, ...libraries },
    ...(version !== undefined && { devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' } }),
  };
}

function compilerOf({ version }: SubgraphTemplate): object {
  if (version === undefined)
    return {
      extends: '../../tsconfig.base.json',
      compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
      include: ['src'],
      references: PACKAGES.map((one) => ({ path: `../../packages/${one}` })),
    };
  return {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      strict: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
      rootDir: 'src',
      outDir: 'dist',
    },
    include: ['src'],
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

const ${field}: GraphQLFieldResolver<unknown, SubgraphContext, { id: string }> = (_root, args, { byId }) => {
  const id = parseId(args.id);
  return id === undefined ? undefined : byId.load(id);
};

const add${typeName}: GraphQLFieldResolver<unknown, SubgraphContext, { text: string }> = (
  _root,
  args,
  { userContext, mutations },
  info,
) => {
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
export const resolvers = {
  Query: { ${field} },
  Mutation: { add${typeName} },
  ${typeName}: {
    __resolveReference: (reference: { readonly id: string }, { byId }: SubgraphContext) => byId.load(reference.id),
  },
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
