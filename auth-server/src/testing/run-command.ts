import { Readable, Writable } from 'node:stream';
import { runAuthServerCommand } from '../commands/index.ts';
import { readAuthServerConfig } from '../app/config.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** What a command did. */
export interface CommandOutcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command of the auth-server against the stores of one under test. */
export async function runCommand(
  { environment }: TestAuthServer,
  args: readonly string[],
  stdin = '',
): Promise<CommandOutcome> {
  const out: string[] = [];
  const err: string[] = [];
  const status = await runAuthServerCommand(args, readAuthServerConfig(environment), {
    stdin: Readable.from([stdin]),
    stdout: collect(out),
    stderr: collect(err),
  });
  return { status, out: out.join(''), err: err.join('') };
}

function collect(chunks: string[]): Writable {
  return new Writable({
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
}
