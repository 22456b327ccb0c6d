import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { describeCommands, type DescribedCommand } from 'trellis/describe-commands';
import { repository } from '../programs/run-program.ts';
import type { GeneratedFile } from './generated-file.ts';

const path = 'docs/command-line.md';
const registryPath = 'docs/command-line-registry.md';

/** One page would be too long to be read. */
const OF_REGISTRIES: ReadonlySet<string> = new Set(['operate-the-registry.md', 'follow-the-registry.md']);

const introduction = `<!-- Generated from cli/src/cli-commands.ts by "npm run generate". -->

# Command line

\`npx trellis COMMAND\` in a checkout, \`trellis COMMAND\` where the package is installed; \`npm run COMMAND -- …\` does the same for
the commands that have a script. \`trellis --version\` prints the version. \`source <(trellis completion bash)\` completes words.

- **Results** go to standard output, everything else to standard error: a command can stand in a pipe. With \`--json\` the result is
  one JSON value, or one a line where there are many.
- **Progress.** At a terminal, a line says what goes on and for how long. Elsewhere, and in CI (\`CI\` is set), each step of long work
  is one line, written when it ends; \`compose\` and \`check\` are silent there.
- **Colours** are for terminals. \`NO_COLOR\` turns them off, \`FORCE_COLOR\` on; \`TERM=dumb\` has none.
- **Mistyped** commands and options are rejected with the name that comes nearest.
- **Links.** Help and errors name the page that explains more: a file of this installation, as the package \`trellis\` brings the pages
  with it. Where a site has them, \`TRELLIS_DOCS_URL=https://docs.example.com\` makes addresses of them. [Errors](command-line-errors.md) has
  the codes. The commands of registries are on [a page of their own](command-line-registry.md).

## Exit statuses

The numbers of sysexits(3) where there is one. A script can rely on them.
`;

const registryIntroduction = `<!-- Generated from cli/src/cli-commands.ts by "npm run generate". -->

# Command line: registries

The commands that read or write a registry. What all commands have in common, and their exit statuses: [command line](command-line.md).
`;

/** docs/command-line.md: every command with its help and results, but those of registries; and the exit statuses of all. */
export async function generateCommandLinePage(): Promise<GeneratedFile> {
  const commands = await describeCommands();
  const sections = commands.filter((command) => !isOfRegistries(command)).map(sectionOf);
  return formatted(path, [introduction, exitList(commands), ...sections]);
}

/** docs/command-line-registry.md: the commands of registries. */
export async function generateRegistryCommandsPage(): Promise<GeneratedFile> {
  const commands = await describeCommands();
  return formatted(registryPath, [registryIntroduction, ...commands.filter(isOfRegistries).map(sectionOf)]);
}

function isOfRegistries({ page }: DescribedCommand): boolean {
  return OF_REGISTRIES.has(page);
}

async function formatted(file: string, parts: readonly string[]): Promise<GeneratedFile> {
  const options = (await resolveConfig(join(repository, file))) ?? {};
  return { path: file, content: await format(parts.join('\n'), { ...options, parser: 'markdown' }) };
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
