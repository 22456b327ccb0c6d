import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findStatementFiles, TABLE, tableText } from './statement-files.ts';

/** Gives each package that defines statements, and has no generated table yet, an empty one, so that it can be loaded. */
export function createMissingTables(repository: string): void {
  for (const { folder } of findStatementFiles(repository)) {
    const file = join(repository, folder, TABLE);
    if (existsSync(file)) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, tableText('{}'));
  }
}
