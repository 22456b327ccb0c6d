import { execFile } from 'node:child_process';
import { cp, readFile, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '../programs/run-program.ts';
import { parseDockerfile, type Stage } from './dockerfile.ts';

/** The stages of the repository's Dockerfile: one that builds, one that runs. */
export interface ImageRecipe {
  readonly build: Stage;
  readonly final: Stage;
}

const STEP_DEADLINE_MS = 300_000;

/** What .dockerignore leaves out, wherever it lies. */
const IGNORED: ReadonlySet<string> = new Set(['node_modules', 'dist', '.git', '.data', '.env', 'coverage']);

/** Reads the Dockerfile. @throws Error when it has not two stages */
export async function readRecipe(): Promise<ImageRecipe> {
  const [build, final, ...more] = parseDockerfile(await readFile(join(repository, 'Dockerfile'), 'utf8'));
  if (!build || !final || more.length > 0) throw new Error('The Dockerfile has two stages.');
  return { build, final };
}

/**
 * Does in a folder what the build stage does, up to where it becomes different for each deployable. There is no container
 * engine in most places where tests run; what an image holds comes about by the RUN lines, so these are run as they stand.
 */
export async function prepareBuild({ build }: ImageRecipe, folder: string): Promise<void> {
  const isWanted = (path: string): boolean => !IGNORED.has(basename(path));
  for (const entry of (await readdir(repository)).filter(isWanted))
    await cp(join(repository, entry), join(folder, 'build', entry), { recursive: true, filter: isWanted });
  for (const step of stepsOf(build).filter((text) => !isPerDeployable(text))) await runStep(step, folder, '');
}

/** Does the rest for one deployable. @returns the folder that is the image's content */
export async function buildImage(
  { build }: ImageRecipe,
  folder: string,
  deployable: string,
): Promise<string> {
  for (const step of stepsOf(build).filter(isPerDeployable)) await runStep(step, folder, deployable);
  return imageFolder(folder, deployable);
}

function stepsOf({ instructions }: Stage): readonly string[] {
  return instructions.filter(({ keyword }) => keyword === 'RUN').map(({ argument }) => argument);
}

function isPerDeployable(step: string): boolean {
  return step.includes('${DEPLOYABLE');
}

function imageFolder(folder: string, deployable: string): string {
  return join(folder, 'image', deployable);
}

async function runStep(step: string, folder: string, deployable: string): Promise<void> {
  const command = step.replaceAll('/image', imageFolder(folder, deployable));
  await promisify(execFile)('sh', ['-c', command], {
    cwd: join(folder, 'build'),
    env: { ...process.env, DEPLOYABLE: deployable, CI: 'true' },
    timeout: STEP_DEADLINE_MS,
  }).catch((error: Error & { readonly stdout?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ''}`, { cause: error });
  });
}
