import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder, from its TypeScript as from what is compiled. */
export const packageFolder: string = fileURLToPath(new URL('..', import.meta.url));

/** The sources of the page. */
export const clientFolder: string = join(packageFolder, 'client');

/** Where its files are built to. */
export const builtFolder: string = join(packageFolder, 'dist', 'client');

/** A digest of all that decides what is built: sources, and the exact versions of libraries. */
export function digestOfClient(): string {
  const hash = createHash('sha256').update(readFileSync(join(packageFolder, 'package.json')));
  for (const file of clientFiles()) hash.update(relative(clientFolder, file)).update(readFileSync(file));
  return hash.digest('hex');
}

function clientFiles(): readonly string[] {
  return readdirSync(clientFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
