import { spawn, type ChildProcess } from 'node:child_process';
import { runInGroup } from '../process-group.ts';

/** A developer's own program, which runs as long as `trellis dev` does. */
export interface RunningCommand {
  /** Asks it and all that it has started to end, and kills what has not ended 5 s later. */
  close(): Promise<void>;
}

/**
 * Runs a command, with all that it starts. Its output goes to the terminal.
 *
 * @param onEnd called when it ends by itself
 */
export function runCommand(
  [command = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  onEnd: (reason: string) => void,
): RunningCommand {
  const child: ChildProcess = spawn(command, args, { env: environment, stdio: 'inherit', detached: true });
  const group = runInGroup(child);
  let isClosing = false;
  const report = (reason: string): void => {
    if (!isClosing) onEnd(reason);
  };
  child.once('error', ({ message }) => report(`${command} can't be started: ${message}`));
  child.once('exit', (code, signal) => report(`${command} has ended with ${signal ?? `status ${code}`}`));
  return {
    close: () => {
      isClosing = true;
      return group.end();
    },
  };
}
