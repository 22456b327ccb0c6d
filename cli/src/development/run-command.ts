import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A developer's own program, which runs as long as `trellis dev` does. */
export interface RunningCommand {
  /** Asks it to end, and kills it 5 s later. */
  close(): Promise<void>;
}

const PATIENCE_MS = 5_000;

/**
 * Runs a command, in a process group of its own, so that what it starts ends with it. Its output goes to the terminal.
 *
 * @param onEnd called when it ends by itself
 */
export function runCommand(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  onEnd: (reason: string) => void,
): RunningCommand {
  const child = spawn(command, args, { env: environment, stdio: 'inherit', detached: true });
  let isClosing = false;
  const report = (reason: string): void => {
    if (!isClosing) onEnd(reason);
  };
  child.once('error', ({ message }) => report(`${command} can't be started: ${message}`));
  child.once('exit', (code, signal) => report(`${command} has ended with ${signal ?? `status ${code}`}`));
  return {
    async close() {
      isClosing = true;
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      signalGroup(child, 'SIGTERM');
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), PATIENCE_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // it has ended
  }
}
