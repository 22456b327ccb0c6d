import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import { exampleFiles } from '../../documentation/example-program.ts';
import { repository } from '../../documentation/code-blocks.ts';
import { inheritedEnvironment } from '../../harness/running-program.ts';

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** An application whose documents Relay's compiler has compiled, with the network of docs/relay.md. */
export interface RelayApp {
  /** What it has got so far, by what it asked. */
  readonly got: Readonly<Record<string, readonly unknown[]>>;
  /** What the compiler said. */
  readonly compiled: string;
  stop(): void;
}

/** Compiles the application beside this file against docs/api.graphql, and starts it. */
export async function startRelayApp(environment: Readonly<Record<string, string>>): Promise<RelayApp> {
  const directory = createTemporaryDirectory();
  const folder = directory.path;
  cpSync(new URL('src', import.meta.url), join(folder, 'src'), { recursive: true });
  cpSync(join(repository, 'docs/api.graphql'), join(folder, 'api.graphql'));
  for (const [name, text] of exampleFiles('docs/relay.md')) writeFileSync(join(folder, 'src', name), text);
  mkdirSync(join(folder, 'src/__generated__'));
  const config = { src: './src', language: 'javascript', schema: './api.graphql', eagerEsModules: true };
  writeFileSync(join(folder, 'relay.config.json'), JSON.stringify(config));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(repository, 'e2e/node_modules'), join(folder, 'node_modules'));
  const { stdout, stderr } = await run(process.execPath, [require.resolve('relay-compiler/cli.js')], {
    cwd: folder,
  });
  nameArtifactsAsNodeDoes(join(folder, 'src/__generated__'));
  const got: Record<string, unknown[]> = {};
  const child = spawn(process.execPath, ['src/app.js'], {
    cwd: folder,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  collect(child, got);
  return {
    got,
    compiled: stdout + stderr,
    stop: () => {
      child.kill('SIGKILL');
      directory.remove();
    },
  };
}

/** Artifacts import one another as `./name.graphql`, which bundlers complete; Node.js wants the whole name. */
function nameArtifactsAsNodeDoes(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(/from '(\.\/\w+\.graphql)'/g, "from '$1.js'"));
  }
}

function collect({ stdout }: ChildProcess, got: Record<string, unknown[]>): void {
  if (!stdout) throw new Error('The application has no output.');
  createInterface(stdout).on('line', (line) => {
    const { name, value } = JSON.parse(line) as { name: string; value: unknown };
    (got[name] ??= []).push(value);
  });
}
