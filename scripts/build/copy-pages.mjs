// @ts-check
// Before `trellis` is packed: copies the pages that its help links to, which users outside of the repository can't read otherwise.
// Decisions and pictures are for readers of the repository.
import { cpSync, rmSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const LEFT_OUT = new Set(['adr', 'pictures']);
const [from, to] = ['docs', 'cli/docs'].map((folder) =>
  fileURLToPath(new URL(`../../${folder}`, import.meta.url)),
);
if (from === undefined || to === undefined) throw new Error('There are no folders.');
rmSync(to, { recursive: true, force: true });
cpSync(from, to, {
  recursive: true,
  filter: (source) => !LEFT_OUT.has(basename(source)) && ['', '.md'].includes(extname(source)),
});
