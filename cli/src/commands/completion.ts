import { Argument, Command } from 'commander';
import type { CliCommand, CliCommandEntry } from '../cli-command.ts';
import { completionScript, shells, type Shell } from '../completion/completion-script.ts';
import { completionWords } from '../completion/completion-words.ts';

/** `trellis completion`: what a shell reads to complete the commands of `trellis`. @param entries all of them */
export function completionCommand(entries: readonly CliCommandEntry[]): CliCommand {
  const command = new Command('completion')
    .description(
      'Prints the completion script of a shell.\nbash: source <(trellis completion bash)\nzsh:  source <(trellis completion zsh)\nfish: trellis completion fish | source',
    )
    .addArgument(new Argument('<shell>').choices(shells))
    .action(async (shell: Shell) => {
      const loaded = await Promise.all(
        entries.map(async ({ name, load }) =>
          name === 'completion' ? { command, phrases: shells } : await load(),
        ),
      );
      process.stdout.write(completionScript(shell, completionWords(loaded)));
    });
  return { command, phrases: shells };
}
