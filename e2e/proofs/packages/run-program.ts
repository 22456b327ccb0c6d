import { spawn } from 'node:child_process';

/** Where and with what a program runs. */
export interface RunOptions {
  readonly cwd: string;
  /** @default what this process has, but for npm's own variables */
  readonly env?: NodeJS.ProcessEnv;
}

const DEADLINE_MS = 300_000;

/**
 * Runs a program to its end.
 *
 * @returns what it wrote to standard output
 * @throws Error with all that it wrote, where it ends with another status than 0 or takes five minutes
 */
export function runProgram(command: string, args: readonly string[], options: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? plainEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: DEADLINE_MS,
    });
    let output = '';
    let all = '';
    child.stdout.on('data', (chunk: Buffer) => ((output += String(chunk)), (all += String(chunk))));
    child.stderr.on('data', (chunk: Buffer) => (all += String(chunk)));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status === 0) resolve(output);
      else
        reject(new Error(`${command} ${args.join(' ')} ended with status ${status}:\n${all.slice(-4_000)}`));
    });
  });
}

/** That of a shell outside of this repository: nothing that npm or the test runner has added. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const passed = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
  const npm = Object.keys(process.env).filter((name) => /^npm_config_(?!user_agent)/i.test(name));
  return Object.fromEntries([...passed, ...npm].map((name) => [name, process.env[name]]));
}
