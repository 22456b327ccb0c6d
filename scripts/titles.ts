import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import { parseFlags } from '@trellis/runtime/parse-flags';
import { compareTitles, type TitleComparison, type TitleRecord } from './titles/compare-titles.ts';
import { listTitles, type FiledTitle } from './titles/list-titles.ts';

const USAGE = `npm run titles -- [--since REVISION] [--json]

Lists the title of every test, read from the sources; nothing runs. A table of rows is one title.
  --since  a revision of git: prints which of its titles are missing today, and are explained neither as renamed nor as gone by
           scripts/titles/record.json. Exit status 1 where there are any
  --json   prints one document
`;
const root = fileURLToPath(new URL('..', import.meta.url));

const { since, json, help } = readFlags();
if (help) process.stdout.write(USAGE);
else if (since === undefined) printTitles(listTitles(root));
else printComparison(since);

function readFlags(): {
  readonly since?: string | undefined;
  readonly json: boolean;
  readonly help: boolean;
} {
  try {
    const options = {
      since: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseFlags({ options }).values;
  } catch (error) {
    process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(EXIT_USAGE);
  }
}

function printTitles(titles: readonly FiledTitle[]): void {
  const all = titles.map(({ file, line, title }) => ({ file, line, title }));
  const lines = all.map(({ file, line, title }) => `${file}:${line}: ${title}\n`);
  process.stdout.write(json ? `${JSON.stringify(all)}\n` : lines.join(''));
}

function printComparison(revision: string): void {
  const text = readFileSync(new URL('titles/record.json', import.meta.url), 'utf8');
  const record = JSON.parse(text) as TitleRecord; // this repository's own file
  const comparison = compareTitles(listTitles(root, revision), listTitles(root), record);
  process.stdout.write(json ? `${JSON.stringify(comparison)}\n` : format(comparison));
  process.exitCode = comparison.unexplained.length === 0 ? 0 : 1;
}

function format({ before, after, renamed, gone, unexplained }: TitleComparison): string {
  const lines = unexplained.map(({ title, nearest }) => {
    const like = nearest === undefined ? '' : `\n  like ${nearest.file}: ${nearest.title}`;
    return `${title.file}:${title.line}: ${title.title}${like}\n`;
  });
  const counts = `${before} titles before, ${after} today: ${renamed} renamed, ${gone} gone with a reason`;
  return `${lines.join('')}${counts}, ${unexplained.length} missing\n`;
}
