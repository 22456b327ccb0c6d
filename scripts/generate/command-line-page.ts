import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describeCommands, type DescribedCommand } from 'trellis/describe-commands';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/command-line.md';

const introduction = `<!-- Generated from cli/src/cli-commands.ts by "npm run generate". -->

# Command line

\`npx trellis COMMAND\` in a checkout, \`trellis COMMAND\` where the package is installed; \`npm run COMMAND -- …\` does the same for
the commands that have a script. \`source <(trellis completion bash)\` completes words.

- **Results** go to standard output, everything else to standard error: a command can stand in a pipe. With \`--json\` the result is
  one JSON value, or one a line where there are many.
- **Progress.** At a terminal, a line says what goes on and for how long. Elsewhere, and in CI (\`CI\` is set), each step of long work
  is one line, written when it ends; \`compose\` and \`check\` are silent there.
- **Colours** are for terminals. \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on; \`TERM=dumb\` has none.
- **Mistyped** commands and options are rejected with the name that comes nearest.

## Exit statuses

The numbers of sysexits(3) where there is one. A script can rely on them.
`;

/** docs/command-line.md: every command with its help, results and exit statuses. */
export async function generateCommandLinePage(): Promise<GeneratedFile> {
  const commands = await describeCommands();
  const text = [introduction, exitList(commands), ...commands.map(sectionOf)].join('\n');
  const options = (await resolveConfig(join(repository, path))) ?? {};
  return { path, content: await format(text, { ...options, parser: 'markdown' }) };
}

function exitList(commands: readonly DescribedCommand[]): string {
  const rows = new Map<
    string,
    { readonly status: number; readonly meaning: string; readonly names: string[] }
  >();
  for (const { name, exits } of commands)
    for (const [status, meaning] of exits) {
      const row = rows.get(`${status} ${meaning}`) ?? { status, meaning, names: [] };
      row.names.push(name);
      rows.set(`${status} ${meaning}`, row);
    }
  const sorted = [...rows.values()].toSorted((left, right) => left.status - right.status);
  const lines = sorted.map(
    ({ status, meaning, names }) =>
      `- **${status}** ${meaning}: ${names.length === commands.length ? 'every command' : names.map((name) => `\`${name}\``).join(', ')}`,
  );
  return [...lines, ''].join('\n');
}

function sectionOf({ name, summary, page, json, help }: DescribedCommand): string {
  return [
    `## trellis ${name}`,
    '',
    `${summary.replace(/^./, (letter) => letter.toUpperCase())}. More: [${page}](${page}).`,
    ...(json === undefined ? [] : ['', `\`--json\`: ${json}.`]),
    '',
    '```text',
    help.replaceAll(/^ +-h, --help .*\n?/gm, '').trimEnd(),
    '```',
    '',
  ].join('\n');
}
