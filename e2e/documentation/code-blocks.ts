import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a page. */
export interface CodeBlock {
  /** Relative to the repository. */
  readonly page: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The first word behind the fence. */
  readonly language: string;
  /** What stands behind the language: why a block is not run, or what it is a file of. */
  readonly note: string;
  readonly text: string;
}

/** The pages whose examples are run: what readers see first, and everything below docs/. */
export function documentationPages(): readonly string[] {
  const docs = readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' });
  return [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...docs
      .filter((file) => file.endsWith('.md'))
      .map((file) => relative(repository, join(repository, 'docs', file))),
  ];
}

/** The fenced blocks of a page, in order. */
export function codeBlocks(page: string): readonly CodeBlock[] {
  const text = readFileSync(join(repository, page), 'utf8');
  return [...text.matchAll(/^```(\w*)[ \t]*(.*)\n([^]*?)^```$/gm)].map((match) => {
    const [, language = '', note = '', content = ''] = match;
    const line = text.slice(0, match.index).split('\n').length;
    return { page, line, language, note, text: content };
  });
}
