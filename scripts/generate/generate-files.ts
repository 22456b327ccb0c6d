import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from 'trellis/write-file-atomically';
import { generateTypes } from '../generate-types.ts';
import { repository } from '../programs/run-program.ts';
import { generateAdminApi } from './admin-api-file.ts';
import { generateApiSchema } from './api-schema-file.ts';
import { generateArchitecturePage } from './architecture-page.ts';
import { generateBehavioursPages } from './behaviours-page.ts';
import { generateCommandLineErrorsPage } from './command-line-errors-page.ts';
import { generateCommandLinePage, generateRegistryCommandsPage } from './command-line-page.ts';
import { generateCompatibilityPage } from './compatibility-page.ts';
import { generatePeersPage } from './peers-page.ts';
import { generateCommonPasswords } from './common-passwords-file.ts';
import { generateConfigurationPages } from './configuration-page.ts';
import { generateCuredFlawsPage } from './cured-flaws-page.ts';
import { generateExampleSettings } from './example-settings-file.ts';
import type { GeneratedFile } from './generated-file.ts';
import { generateChangesPage } from './changes-page.ts';
import { generateChecksSection } from './checks-section.ts';
import { generateLimitsSection } from './limits-section.ts';
import { generateObservedChangesPage } from './observed-changes-page.ts';
import { generateProfilesSection } from './profiles-section.ts';
import { generateLifeCycleSection } from './life-cycle-section.ts';
import { generateSettingsSchema } from './settings-schema-file.ts';
import { generateOperationTypes } from './operation-types-files.ts';
import { generateStagesSection } from './stages-section.ts';
import { generateStatementTypes } from './statement-types-file.ts';
import { generateSupergraph } from './supergraph-file.ts';

/** Settings of {@link generateFiles}. */
export interface GenerateFilesOptions {
  /** Writes nothing, and only says what is out of date. @default false */
  readonly check?: boolean;
}

const generators: readonly (() => Promise<GeneratedFile | readonly GeneratedFile[]>)[] = [
  generateSupergraph,
  generateApiSchema,
  generateAdminApi,
  generateCompatibilityPage,
  generatePeersPage,
  generateCommandLinePage,
  generateRegistryCommandsPage,
  generateCommandLineErrorsPage,
  generateConfigurationPages,
  generateSettingsSchema,
  generateExampleSettings,
  generateBehavioursPages,
  generateCommonPasswords,
  generateCuredFlawsPage,
  generateLifeCycleSection,
  generateLimitsSection,
  generateProfilesSection,
  generateArchitecturePage,
  generateStagesSection,
  generateStatementTypes,
  generateChecksSection,
  generateChangesPage,
  generateObservedChangesPage,
  generateOperationTypes,
];

/**
 * Brings the generated files up to date: the subgraphs' resolver types, the
 * types of SQL statements, graph/supergraph.graphql, docs/api.graphql, docs/admin-api.json, docs/compatibility.md, docs/gateways-beside-others.md, docs/command-line.md, docs/command-line-registry.md, docs/command-line-errors.md,
 * gateway.schema.json, gateway-example.yaml, docs/architecture.md, the pages of docs/configuration and docs/authorization-behaviours, the filter
 * of common passwords, docs/cured-flaws.md, docs/what-ends-what.md, the stages in docs/lifecycle.md, the checks in docs/composition.md, docs/changes.md, docs/deployment-orders.md, docs/observed-changes.md, the
 * types of the sample application's operations, the limits in docs/errors.md, and the profiles in docs/trusted-issuers.md.
 *
 * @returns the paths of those that were out of date
 */
export async function generateFiles({ check = false }: GenerateFilesOptions = {}): Promise<
  readonly string[]
> {
  const types = await generateTypes({ check });
  const files = (await Promise.all(generators.map((generate) => generate()))).flat();
  const stale = await staleOf(files);
  if (!check)
    for (const { path, content } of stale) {
      await mkdir(dirname(join(repository, path)), { recursive: true });
      await writeFileAtomically(join(repository, path), content);
    }
  return [...types, ...stale.map(({ path }) => path)];
}

async function staleOf(files: readonly GeneratedFile[]): Promise<readonly GeneratedFile[]> {
  const outcomes = await Promise.all(files.map(async (file) => ({ file, stale: await isStale(file) })));
  return outcomes.filter(({ stale }) => stale).map(({ file }) => file);
}

async function isStale({ path, content }: GeneratedFile): Promise<boolean> {
  const written = await readFile(join(repository, path), 'utf8').catch(() => undefined);
  return written !== content;
}
