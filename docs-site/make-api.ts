import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Application, type TypeDocOptions } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';

/** The packages that others import, and their entries; docs/packages.md says what each is. */
const PACKAGES: Readonly<Record<string, { readonly folder: string; readonly entries: readonly string[] }>> = {
  gateway: { folder: 'gateway', entries: ['src/index.ts'] },
  'auth-server': { folder: 'auth-server', entries: ['src/index.ts'] },
  'subgraph-kit': { folder: 'packages/subgraph-kit', entries: ['src/index.ts'] },
  'subgraph-protocol': { folder: 'packages/subgraph-protocol', entries: ['src/index.ts'] },
  trellis: { folder: 'cli', entries: ['src/platform/index.ts', 'src/programs.ts', 'src/explain-failure.ts'] },
};

/**
 * Writes the API documentation of the public packages from their docstrings, as Markdown.
 *
 * @param repository the folder of the repository
 * @param out the folder to write, which is emptied before
 * @throws Error when TypeDoc finds no entry
 */
async function makeApi(repository: string, out: string): Promise<void> {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  for (const [name, { folder, entries }] of Object.entries(PACKAGES)) {
    const options: Partial<TypeDocOptions & PluginOptions> = {
      name: name === 'trellis' ? name : `@trellis/${name}`,
      plugin: ['typedoc-plugin-markdown'],
      entryPoints: entries.map((entry) => join(repository, folder, entry)),
      tsconfig: join(repository, folder, 'tsconfig.json'),
      skipErrorChecking: true, // npm run check has done it
      excludePrivate: true,
      excludeExternals: true,
      excludeInternal: true,
      disableSources: true,
      githubPages: false,
      readme: 'none',
      logLevel: 'Error',
      router: 'module',
      hidePageHeader: true,
      hideBreadcrumbs: true,
      parametersFormat: 'table',
      interfacePropertiesFormat: 'table',
      entryFileName: 'README.md',
      outputs: [{ name: 'markdown', path: join(out, name) }],
    };
    const application = await Application.bootstrapWithPlugins(options);
    const project = await application.convert();
    if (!project) throw new Error(`No API documentation could be made of ${folder}.`);
    await application.generateOutputs(project);
  }
  writeFileSync(join(out, 'README.md'), overview());
}

function overview(): string {
  const lines = Object.keys(PACKAGES).map(
    (name) => `- [${name === 'trellis' ? name : `@trellis/${name}`}](${name}/)`,
  );
  return `# API\n\nThe public packages, from their docstrings.\n\n${lines.join('\n')}\n`;
}

const repository = join(import.meta.dirname, '..');
await makeApi(repository, join(repository, 'docs-site/api'));
