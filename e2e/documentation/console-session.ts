import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { repository, type CodeBlock } from './code-blocks.ts';

/** A command of a page, with what the page says that it prints. */
export interface ConsoleCommand {
  /** `README.md:12`, for messages. */
  readonly place: string;
  readonly command: string;
  readonly expected: string;
}

/** What a command did. */
export interface CommandOutcome {
  readonly status: number;
  readonly output: string;
}

const SESSION_DEADLINE_MS = 170_000;

/** The commands of a `console` block: lines behind `$ `, continued by backslashes; what follows is their output. */
export function readCommands({ page, line, text }: CodeBlock): readonly ConsoleCommand[] {
  const commands: { place: string; command: string; expected: string }[] = [];
  let continued = false;
  for (const [index, content] of text.trimEnd().split('\n').entries()) {
    const current = commands.at(-1);
    if (content.startsWith('$ '))
      commands.push({ place: `${page}:${line + index + 1}`, command: content.slice(2), expected: '' });
    else if (continued && current) current.command += `\n${content}`;
    else if (current) current.expected += `${content}\n`;
    continued = content.endsWith('\\') && (continued || content.startsWith('$ '));
  }
  return commands;
}

/**
 * Runs commands in one shell, as someone would who follows the page: variables stay.
 *
 * @returns an outcome for each command
 */
export async function runSession(
  commands: readonly ConsoleCommand[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly CommandOutcome[]> {
  const marker = randomUUID();
  const script = commands
    .map(({ command }) => `${command}\nprintf '\\n%s %d\\n' '${marker}' "$?"\n`)
    .join('');
  const output = await runShell(script, environment);
  const parts = output.split(new RegExp(`\\n${marker} (\\d+)\\n`));
  return commands.map((_command, index) => ({
    output: parts[index * 2] ?? '',
    status: Number(parts[index * 2 + 1] ?? -1),
  }));
}

function runShell(script: string, environment: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-c', script], {
      cwd: repository,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: SESSION_DEADLINE_MS,
      killSignal: 'SIGKILL',
    });
    let output = '';
    shell.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    shell.on('error', reject);
    shell.on('close', () => resolve(output));
  });
}
