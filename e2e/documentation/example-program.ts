import { spawn, type ChildProcess } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { inheritedEnvironment } from '../harness/running-program.ts';
import { codeBlocks, repository } from './code-blocks.ts';

/** A program of a page of the documentation that runs. */
export interface ExampleProgram {
  /** Resolves when the output has a match. @throws Error when the program ends without one */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with the exit status. */
  ended(): Promise<number | null>;
  /** Ends it, and removes its files. */
  stop(): Promise<void>;
}

/** The files of a page: each block of JavaScript, by the name that stands behind the language. */
export function exampleFiles(page: string): ReadonlyMap<string, string> {
  const programs = codeBlocks(page).filter(({ language }) => language === 'javascript');
  return new Map(programs.map(({ note, text }) => [note, text]));
}

/** Runs the last file of a page with Node, with the others beside it and the libraries of this suite. */
export function runExample(page: string, environment: Readonly<Record<string, string>>): ExampleProgram {
  const directory = createTemporaryDirectory();
  const files = exampleFiles(page);
  for (const [name, text] of files) writeFileSync(join(directory.path, name), text);
  writeFileSync(join(directory.path, 'package.json'), '{ "type": "module" }');
  symlinkSync(join(repository, 'e2e/node_modules'), join(directory.path, 'node_modules'));
  const child = spawn(process.execPath, [[...files.keys()].at(-1) ?? ''], {
    cwd: directory.path,
    env: { ...inheritedEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = collect(child);
  return {
    waitFor: (pattern) => output.waitFor(pattern),
    ended: () => output.ended,
    stop: async () => {
      child.kill('SIGKILL');
      await output.ended;
      directory.remove();
    },
  };
}

interface Output {
  readonly ended: Promise<number | null>;
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
}

function collect(child: ChildProcess): Output {
  let text = '';
  const waiting = new Set<() => void>();
  const notify = (): void => {
    for (const wake of waiting) wake();
  };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      notify();
    });
  let hasEnded = false;
  const ended = once(child, 'close').then(([status]) => {
    hasEnded = true;
    notify();
    return status as number | null; // what Node documents for this event
  });
  const waitFor = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(text);
      if (match) return match;
      if (hasEnded) throw new Error(`The program ended without ${pattern}:\n${text}`);
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
      });
    }
  };
  return { ended, waitFor };
}
