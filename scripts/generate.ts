import { generateFiles } from './generate/generate-files.ts';

const written = await generateFiles();
process.stdout.write(written.length === 0 ? 'Everything is up to date.\n' : `${written.join('\n')}\n`);
