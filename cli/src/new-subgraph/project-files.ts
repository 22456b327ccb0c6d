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

const PACKAGES = ['events', 'postgres', 'runtime', 'subgraph-kit', 'subgraph-protocol'];
const LIBRARIES = { dataloader: '2.2.3', graphql: '16.15.0' };

/** What makes the folder of a new subgraph a project, by path. In the repository it is a package of the workspace. */
export function projectFiles(template: SubgraphTemplate): Readonly<Record<string, string>> {
  const { version } = template;
  if (version === undefined)
    return {
      'package.json': jsonOf(workspaceManifest(template)),
      'tsconfig.json': jsonOf(workspaceCompiler()),
    };
  return {
    'package.json': jsonOf(ownManifest(template, version)),
    'tsconfig.json': jsonOf(ownCompiler()),
    'vitest.config.ts': VITEST_CONFIG,
    '.gitignore': 'dist\nnode_modules\n',
  };
}

function jsonOf(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function packagesOf(version: string): Readonly<Record<string, string>> {
  return Object.fromEntries(PACKAGES.map((one) => [`@trellis/${one}`, version]));
}

function workspaceManifest({ name }: SubgraphTemplate): object {
  return {
    name: `@trellis/${name}`,
    version: '0.1.0',
    private: true,
    description: `The ${name} subgraph.`,
    license: 'Apache-2.0',
    type: 'module',
    dependencies: { ...packagesOf('workspace:*'), ...LIBRARIES },
  };
}

function ownManifest({ name }: SubgraphTemplate, version: string): object {
  return {
    name,
    version: '0.1.0',
    private: true,
    description: `The ${name} subgraph.`,
    type: 'module',
    engines: { node: '>=20.19.0' },
    scripts: { build: 'tsc', start: 'node dist/main.js', test: 'vitest run' },
    dependencies: { ...packagesOf(`^${version}`), ...LIBRARIES },
    devDependencies: {
      '@trellis/testkit': `^${version}`,
      '@types/node': '^20.19.0',
      typescript: '^5.9.0',
      vitest: '4.1.12',
    },
  };
}

function workspaceCompiler(): object {
  return {
    extends: '../../tsconfig.base.json',
    compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
    include: ['src'],
    exclude: ['src/**/*.test.ts'],
    references: PACKAGES.map((one) => ({ path: `../../packages/${one}` })),
  };
}

function ownCompiler(): object {
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
    exclude: ['src/**/*.test.ts'],
  };
}

/** Tests get a PostgreSQL that starts with them. */
const VITEST_CONFIG = `import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['src/**/*.test.ts'], globalSetup: ['@trellis/testkit/global-setup'] },
});
`;
