import { describe, expect, it } from 'vitest';
import { DevCallProblem, readDevCall, type DevFlags } from './dev-call.ts';

const read = (flags: DevFlags, command: readonly string[] = []) =>
  readDevCall(flags, command, async () => 7777);

describe('The command line of trellis dev', () => {
  it('reads files, running subgraphs and where they run', async () => {
    const { own, withoutServer, mocked } = await read({
      subgraph: ['posts=a=b.graphql', 'likes=http://localhost:4020/graphql', 'tags=tags.graphql'],
      url: ['posts=https://example.com/graphql'],
      mock: ['users'],
    });
    expect(own).toEqual([
      {
        name: 'posts',
        routingUrl: 'https://example.com/graphql',
        schema: { kind: 'file', path: 'a=b.graphql', file: 'a=b.graphql' },
      },
      {
        name: 'likes',
        routingUrl: 'http://localhost:4020/graphql',
        schema: { kind: 'address', url: 'http://localhost:4020/graphql', headers: {} },
      },
      expect.objectContaining({ name: 'tags' }),
    ]);
    expect([...withoutServer]).toEqual(['tags']);
    expect(mocked).toEqual(new Set(['users']));
  });

  it('gives the command a port for the subgraph that has no address', async () => {
    const call = await read({ subgraph: ['posts=posts.graphql'], mock: ['*'] }, ['npm', 'start']);
    expect(call).toMatchObject({ commandPort: 7777, mocked: 'all', command: ['npm', 'start'] });
    expect(call.own[0]?.routingUrl).toBe('http://127.0.0.1:7777/graphql');
    expect(call.withoutServer.size).toBe(0);
  });

  it.each<[DevFlags, string]>([
    [{ subgraph: ['likes=likes.graphql'], stores: true }, ', and say where it runs by --url likes=http://….'],
    [
      { subgraph: ['a=a.graphql', 'b=b.graphql'] },
      ', and say where it runs by --url a=http://… --url b=http://….',
    ],
    [{ subgraph: ['likes=http://localhost:4020/graphql'] }, '.'],
  ])('rejects a command on Windows in one sentence, with what to do for %j', async (flags, place) => {
    await expect(readDevCall(flags, ['npm', 'start'], async () => 7777, 'win32')).rejects.toThrow(
      new DevCallProblem(`trellis dev runs no command on Windows: start it yourself${place}`),
    );
    await expect(
      readDevCall(flags, ['npm', 'start'], async () => 7777, 'darwin').catch(String),
    ).resolves.not.toContain('Windows');
  });

  it('takes a call without a command on Windows', async () => {
    const flags = { subgraph: ['likes=likes.graphql'], url: ['likes=http://localhost:4020/graphql'] };
    expect(await readDevCall(flags, [], async () => 7777, 'win32')).toMatchObject({ command: [] });
  });

  it.each<[DevFlags, readonly string[], string]>([
    [{}, [], 'Say which subgraph'],
    [{ subgraph: ['posts'] }, [], '"posts" must be NAME=FILE or NAME=URL.'],
    [{ subgraph: ['posts='] }, [], '"posts=" must be'],
    [{ subgraph: ['__proto__=x'] }, [], '"__proto__=x" must be'],
    [{ subgraph: ['a=x', 'a=y'] }, [], 'A subgraph is named twice.'],
    [{ subgraph: ['a=x'], url: ['b=http://x'] }, [], '--url b=… goes with --subgraph b=FILE.'],
    [{ subgraph: ['a=x'], url: ['a=ftp://x'] }, [], '--url a=ftp://x is no http or https URL.'],
    [{ subgraph: ['a=x'], stores: true }, [], '--stores goes with a command'],
    [{ subgraph: ['a=x', 'b=y'] }, ['npm', 'start'], '--url a=http://… --url b=http://…'],
  ])('rejects %j %j', async (flags, command, problem) => {
    await expect(read(flags, command)).rejects.toThrow(problem);
  });
});
