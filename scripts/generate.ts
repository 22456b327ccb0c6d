import { createMissingTables } from './generate/sql/missing-tables.ts';
import { repository } from './programs/run-program.ts';

// A package whose statements were never generated could not be loaded otherwise, and what is generated loads all packages.
createMissingTables(repository);
const { generateFiles } = await import('./generate/generate-files.ts');
const written = await generateFiles();
process.stdout.write(written.length === 0 ? 'Everything is up to date.\n' : `${written.join('\n')}\n`);
