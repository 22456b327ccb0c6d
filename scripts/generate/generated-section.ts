import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const END = '<!-- End of what is generated. -->';

/**
 * A page with a generated section between two marks.
 *
 * @param path of the page, relative to the repository
 * @param source what the section is made from, relative to the repository: the opening mark names it
 * @throws Error when the page lacks a mark
 */
export async function withGeneratedSection(
  path: string,
  source: string,
  section: string,
): Promise<GeneratedFile> {
  const opening = `<!-- Generated from ${source} by "npm run generate". -->`;
  const page = readFileSync(join(repository, path), 'utf8');
  const start = page.indexOf(opening);
  const end = page.indexOf(END, start);
  if (start === -1 || end === -1)
    throw new Error(`${path} lacks the marks around what is made from ${source}.`);
  const text = `${page.slice(0, start)}${opening}\n\n${section}\n${page.slice(end)}`;
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}
