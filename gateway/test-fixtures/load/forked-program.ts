import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A program in a process of its own, which has one conversation: what it costs is not counted for anybody else. */
export interface ForkedProgram<Request extends object> {
  readonly pid: number | undefined;
  /** What it says next. Rejects when that takes longer, and when it ends. */
  said(withinMs: number): Promise<unknown>;
  post(request: Request): void;
  /** Posts it a request. @returns what it says next; rejects as `said` does */
  ask(request: Request, withinMs: number): Promise<unknown>;
  stop(): void;
}

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

/**
 * @param program TypeScript
 * @param args of its command line
 * @param flags of Node
 */
export function forkProgram<Request extends object>(
  program: URL,
  args: readonly string[] = [],
  flags: readonly string[] = [],
): ForkedProgram<Request> {
  const child = fork(fileURLToPath(program), args, {
    execArgv: ['--conditions=trellis-source', '--import', loader, ...flags],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code, signal]: unknown[]) => {
    throw new Error(`${program.href} has ended: ${String(code ?? signal)}.`);
  });
  ended.catch(() => undefined); // it is reported to who waits for what it says
  const said = async (withinMs: number): Promise<unknown> => {
    const message = once(child, 'message', { signal: AbortSignal.timeout(withinMs) });
    const [said] = (await Promise.race([message, ended])) as [unknown];
    return said;
  };
  return {
    pid: child.pid,
    said,
    post: (request) => void child.send(request),
    ask(request, withinMs) {
      child.send(request);
      return said(withinMs);
    },
    stop: () => void child.kill('SIGKILL'),
  };
}
