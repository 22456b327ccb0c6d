import { spawn } from 'node:child_process';
import { env as inherited } from 'node:process';
import { RegistryError } from '../registry-error.ts';

/** A text of an error or a log, without the passwords of its URLs. */
export function withoutPassword(text: string): string {
  return text.replaceAll(/(:\/\/)[^/\s]+@/g, '$1');
}

/** What git said as it failed, without passwords: causes of errors are logged. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly said: string;

  constructor(command: string, text: string) {
    const said = withoutPassword(text);
    super(`git ${command}: ${said}`);
    this.said = said;
  }
}

/** A run of git. */
export interface GitRun {
  readonly signal: AbortSignal;
  /** What it reads from its standard input. @default nothing */
  readonly input?: Uint8Array;
  /** More of its standard output ends it. @default 64 MB */
  readonly maxBytes?: number;
  /** @default that of this process */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
}

const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SAID_CHARACTERS = 4_000;
/** What it says decides, so that it says it in one language; and no user sits before it to type a password. */
const FIXED = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };

/**
 * Runs git, and returns its standard output.
 *
 * @throws GitFailed; RegistryError STORE_UNAVAILABLE where there is no git, TOO_LARGE; the reason of the signal
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<Buffer> {
  const { signal, input, maxBytes = MAX_BYTES, environment = inherited } = run;
  signal.throwIfAborted();
  const child = spawn('git', [...args], {
    signal,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...environment, ...FIXED },
  });
  const out: Buffer[] = [];
  let [bytes, said] = [0, ''];
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) child.kill();
    else out.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString('utf8')).slice(-MAX_SAID_CHARACTERS);
  });
  child.stdin.on('error', () => undefined); // git has ended before it read all: its status says why
  child.stdin.end(input);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  }).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw new RegistryError('STORE_UNAVAILABLE', 'The program git could not be run.', { cause: error });
  });
  const command = args.find((arg) => /^[a-z-]+$/.test(arg)) ?? '';
  if (bytes > maxBytes)
    throw new RegistryError('TOO_LARGE', `git ${command} wrote more than ${maxBytes} bytes.`);
  if (status === 0) return Buffer.concat(out);
  throw new GitFailed(command, said.trim());
}
