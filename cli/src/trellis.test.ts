import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cliCommands } from './cli-commands.ts';
import { runTrellis } from './trellis.ts';

let output: string;
let errors: string;

beforeEach(() => {
  [output, errors] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((output += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((errors += String(text)), true));
});

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

function mustBeNamed(subgraph: string): readonly [flags: readonly string[], problem: string] {
  return [['--subgraph', subgraph], `"${subgraph}" must be NAME=http://… or NAME=https://…`];
}

/** Flags of `trellis gateway`, and what it says of them. */
const wrongSubgraphs: readonly (readonly [flags: readonly string[], problem: string])[] = [
  ...['users', '=http://x', 'a b=http://x', 'a/b=http://x', 'a\\b=http://x'].map(mustBeNamed),
  ...['a=', 'a=x', 'a=ftp://x', 'a=http://', 'a=http://x y', 'a=http://x:port'].map(mustBeNamed),
  [['--subgraph', 'a=http://x', '--supergraph', 'x.graphql'], 'Say either --supergraph or --subgraph.'],
  [['--subgraph', 'a=http://x', 'x.graphql'], 'Say either --supergraph or --subgraph.'],
  [
    ['--subgraph', 'a=http://x', '--subgraph', 'b=http://y', '--subgraph', 'a=http://z'],
    'Name each subgraph once: "a" has two addresses.',
  ],
];

describe('trellis', () => {
  it('lists its commands', async () => {
    expect(await runTrellis(['--help'])).toBe(0);
    const list = output.replaceAll(/\s+/g, ' ');
    for (const { name, summary } of cliCommands) expect(list).toContain(` ${name} ${summary} `);
  });

  it.each([[[]], [['--nonsense']], [['nonsense']], [['start', '--nonsense']], [['completion', 'sh']]])(
    'exits with 64 and shows help for a call that makes no sense: %j',
    async (args) => {
      expect(await runTrellis(args)).toBe(64);
      expect(errors).toContain('Usage: trellis');
    },
  );

  it('says its version', async () => {
    const file = new URL('../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await runTrellis(['--version'])).toBe(0);
    expect(output).toBe(`${version}\n`);
  });

  it.each([['--verison'], ['gatway'], ['nonsense']])(
    'says how it is called in two lines after what is wrong with %s',
    async (wrong) => {
      expect(await runTrellis([wrong])).toBe(64);
      const lines = errors.trim().split('\n');
      expect(lines[0]).toContain(`'${wrong}'`);
      expect(lines.slice(-2)).toEqual(['Usage: trellis <command> [options]', 'Help: trellis --help']);
      expect(lines.length).toBeLessThanOrEqual(4); // the second has the one that was meant
    },
  );

  it.each(wrongSubgraphs)('does not serve %j', async (flags, problem) => {
    expect(await runTrellis(['gateway', ...flags])).toBe(64);
    expect(errors).toContain(problem);
  });

  it.each(['gateway', 'dev'])('names the flag that is wrong where %s was given one', async (command) => {
    vi.spyOn(process, 'exit').mockImplementation(() => {
      throw new Error('exit');
    });
    const temporary = createTemporaryDirectory();
    const key = join(temporary.path, 'developer-key.json');
    const graph =
      command === 'gateway' ? ['none.graphql'] : ['--subgraph', 'a=http://127.0.0.1:1', '--key', key];
    await expect(runTrellis([command, ...graph, '--port', 'abc'])).rejects.toThrow('exit');
    temporary.remove();
    expect(errors).toContain('--port: must be a whole number');
  });

  it.each(cliCommands.map(({ name }) => name))('explains %s', async (name) => {
    expect(await runTrellis([name, '--help'])).toBe(0);
    expect(output).toContain(name);
  });

  it('loads every command under the name that it is listed with', async () => {
    for (const { name, load } of cliCommands) expect((await load()).command.name()).toBe(name);
  });

  it('has an npm script for each command that users run', () => {
    const root = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      scripts: Readonly<Record<string, string>>;
    };
    const ofCi = 'publish promote rollback history diff verify status variant registry keys';
    const others = new Set(`completion compose contract check explain lint operations ${ofCi}`.split(' ')); // "npm run supergraph -- compose"
    for (const { name } of cliCommands.filter((command) => !others.has(command.name)))
      expect(root.scripts[name]).toContain(`scripts/run.mjs ${name}`);
  });

  it('completes the commands of the auth-server', async () => {
    await runTrellis(['completion', 'bash']);
    expect(output).toContain("'auth-server accounts') echo 'add ");
    expect(output).toContain('--forward-header');
  });
});
