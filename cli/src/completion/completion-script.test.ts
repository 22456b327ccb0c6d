import { execFileSync, spawnSync } from 'node:child_process';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { completionScript, type Shell } from './completion-script.ts';
import { completionWords } from './completion-words.ts';

const words = completionWords([
  { command: new Command('start').option('--split') },
  { command: new Command('gateway').option('--port <N>').option('--host <H>') },
  { command: new Command('auth-server'), phrases: ['accounts add', 'accounts show', 'keys list'] },
]);

/** Shell programs that load the script, and print what completes a line; the last word is what was begun. */
const asked: Readonly<Record<Shell, (line: string) => readonly string[]>> = {
  bash: (line) => [
    'bash',
    '-c',
    `${completionScript('bash', words)}
    COMP_WORDS=(${quoted(line)}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _trellis; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (line) => [
    'zsh',
    '-f',
    '-c',
    `compdef() { : }; compadd() { shift; print -l -- \${(M)@:#\${words[CURRENT]}*}; }
    ${completionScript('zsh', words)}
    words=(${quoted(line)}); CURRENT=\${#words}; _trellis`,
  ],
  fish: (line) => [
    'fish',
    '--no-config',
    '-c',
    `${completionScript('fish', words)}
    complete --do-complete '${line}'`,
  ],
};

function quoted(line: string): string {
  return line
    .split(' ')
    .map((word) => `'${word}'`)
    .join(' ');
}

function complete(shell: Shell, line: string): readonly string[] {
  const [program = '', ...args] = asked[shell](line);
  return execFileSync(program, args, { encoding: 'utf8' }).split('\n').filter(Boolean).toSorted();
}

describe.each<Shell>(['bash', 'zsh', 'fish'])('Completion in %s', (shell) => {
  it('offers commands, options, and what follows a command', ({ skip }) => {
    const isInstalled = spawnSync(shell, ['--version']).status === 0;
    skip(!isInstalled, `There is no ${shell} on this machine.`);
    expect(complete(shell, 'trellis st')).toEqual(['start']);
    expect(complete(shell, 'trellis auth-server ')).toEqual(expect.arrayContaining(['accounts', 'keys']));
    expect(complete(shell, 'trellis auth-server accounts s')).toEqual(['show']);
    expect(complete(shell, 'trellis gateway --port 4000 --ho')).toEqual(['--host']);
    expect(complete(shell, 'trellis gateway --h')).toEqual(['--help', '--host']);
  });
});
