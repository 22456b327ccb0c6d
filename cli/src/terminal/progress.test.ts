import { describe, expect, it } from 'vitest';
import { createProgress, createTerminal, createWorkLines, paintVerdicts, wantsColors } from './index.ts';

const ESCAPE = '\u{1B}';

/** A stream that writes down what it is given, and a clock that is set by hand. */
function show(
  isTTY: boolean,
  options: { readonly isTransient?: boolean; readonly environment?: object } = {},
) {
  let written = '';
  let now = 0;
  const stream = { isTTY, columns: 40, write: (text: string) => (written += text) };
  const terminal = createTerminal(stream, { ...options.environment });
  return {
    terminal,
    progress: createProgress(terminal, { ...options, now: () => now }),
    written: () => written,
    pass: (ms: number) => void (now += ms),
  };
}

describe('Colours', () => {
  it.each([
    [{}, true, true],
    [{}, false, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true],
    [{ TERM: 'dumb' }, true, false],
  ])('with %j on a terminal (%j): %j', (environment, isTTY, expected) => {
    expect(wantsColors({ isTTY }, environment)).toBe(expected);
    const { paint } = createTerminal({ isTTY, write: () => undefined }, environment);
    expect(paint.red('x')).toBe(expected ? `${ESCAPE}[31mx${ESCAPE}[39m` : 'x');
    expect(paintVerdicts('breaking: X\n safe', paint).includes(ESCAPE)).toBe(expected);
  });
});

describe('Long work that is shown', () => {
  it('is one line per step where there is no terminal, with name, result and time', async () => {
    const { progress, written, pass } = show(false);
    const first = progress.step('Composing');
    pass(1_234);
    first.update('3 of 50');
    first.done('50 subgraphs');
    first.done();
    await expect(progress.during('Proving', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(written()).toBe('✔ Composing: 50 subgraphs (1.2 s)\n✘ Proving failed (0.0 s)\n');
  });

  it('is a line that is drawn again at a terminal, within its width, and erased before other lines', () => {
    const { progress, written, pass } = show(true, { environment: { NO_COLOR: '1' } });
    const step = progress.step('A name that is longer than the whole line of the terminal');
    const other = progress.step('Other');
    pass(500);
    progress.print('a line');
    step.done();
    other.done();
    const drawn = written().split(`\r${ESCAPE}[2K`);
    for (const text of drawn) expect(text.replace(/[\r\n]$/, '').length).toBeLessThan(80);
    expect(drawn).toContain('a line\n');
    expect(drawn.filter((text) => text.endsWith('\r')).every((text) => text.length <= 40)).toBe(true);
    expect(drawn.at(-1)).toBe('✔ Other (0.5 s)\n');
  });

  it('is not drawn again in CI, nor in a terminal that can do no more than write', () => {
    for (const environment of [{ CI: 'true' }, { TERM: 'dumb' }]) {
      const { progress, written } = show(true, { environment });
      progress.step('Composing').done();
      expect(written()).not.toContain(`${ESCAPE}[2K`);
      expect(written()).toContain(' Composing ');
    }
  });

  it('leaves nothing where it is transient, and only results of work that knows lines', () => {
    const { progress, written } = show(false, { isTransient: true });
    const lines = createWorkLines(progress, 'Preparing');
    lines.begin('users');
    lines.update('10,000 rows');
    lines.print('users: 20,000 rows in 1.0 s');
    lines.end();
    expect(written()).toBe('users: 20,000 rows in 1.0 s\n');
  });
});
