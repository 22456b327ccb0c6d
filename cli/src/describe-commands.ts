import { EXIT_USAGE } from '@trellis/runtime/exit-codes';
import type { CliCommandEntry } from './cli-command.ts';
import { cliCommands } from './cli-commands.ts';
import { createTrellis } from './trellis.ts';

export { commandLineErrors, documentedCodes, pageOfCode } from './supergraph/code-pages.ts';

/** A command as its documentation says it. */
export interface DescribedCommand extends Pick<CliCommandEntry, 'name' | 'summary' | 'page' | 'json'> {
  /** Each exit status with its meaning, lowest first. */
  readonly exits: readonly (readonly [status: number, meaning: string])[];
  /** What `--help` prints, less the link to its page. */
  readonly help: string;
}

const HELP_COLUMNS = 116;

/** Every command of `trellis`, as its table says and as `--help` explains it. */
export async function describeCommands(): Promise<readonly DescribedCommand[]> {
  return Promise.all(
    cliCommands.map(async ({ name, summary, page, json, exits }) => ({
      name,
      summary,
      page,
      ...(json !== undefined && { json }),
      exits: exitsOf(exits),
      help: await helpOf(name),
    })),
  );
}

function exitsOf(exits: CliCommandEntry['exits']): DescribedCommand['exits'] {
  const all = { 0: 'all is well', [EXIT_USAGE]: 'the command line is wrong', ...exits };
  return Object.entries(all).map(([status, meaning]) => [Number(status), meaning]);
}

/** Of commands with commands of their own, the help of each. */
async function helpOf(name: string): Promise<string> {
  const program = await createTrellis(name);
  const command = program.commands.find((one) => one.name() === name);
  const { help } = (await cliCommands.find((entry) => entry.name === name)?.load()) ?? {};
  if (!command || help) return (help?.() ?? '').replace(/^Documentation: .*\n/m, '');
  const all = [command, ...command.commands];
  for (const one of all) one.configureHelp({ helpWidth: HELP_COLUMNS });
  return all.map((one) => one.helpInformation({ error: false }).trim()).join('\n\n');
}
