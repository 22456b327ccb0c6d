import { readFileSync } from 'node:fs';

/** Commands of pages have words and no quotes: what would need a shell to be read is rejected. */
const COMMAND = /^(?<variables>(?:[A-Z_]+=\S+ )*)npx trellis (?<words>[^"'$`|<>;&]+)$/;

/** A command of a page. */
export interface PageCommand {
  /** Names of the variables before it. */
  readonly variables: readonly string[];
  /** What stands behind `npx trellis`. */
  readonly words: readonly string[];
}

/**
 * The commands of a page's `sh` blocks, in their order; lines of `export` are left to the reader.
 *
 * @param page below docs/
 * @param note what stands behind `sh`
 * @throws Error for a line that is no command of `trellis`
 */
export function pageCommands(page: string, note: 'replayed' | 'long-running'): readonly PageCommand[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`sh ${note}\\n([^]*?)^\`\`\`$`, 'gm'))];
  return blocks
    .flatMap(([, lines = '']) =>
      lines
        .replaceAll(/\\\n\s*/g, '')
        .trim()
        .split('\n'),
    )
    .filter((line) => !line.startsWith('export '))
    .map((line) => readCommand(page, line));
}

function readCommand(page: string, line: string): PageCommand {
  const { variables = '', words } = COMMAND.exec(line)?.groups ?? {};
  if (words === undefined) throw new Error(`${page} has a command that can't be read: ${line}`);
  const names = [...variables.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
  return { variables: names, words: words.trim().split(/\s+/) };
}
