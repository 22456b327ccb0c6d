import type { ChildProcess } from 'node:child_process';
import { withDeadline } from './deadline.ts';

/** What a program says. */
export class ProgramOutput {
  #all = '';
  #standard = '';
  #over = false;
  readonly #listeners = new Set<() => void>();

  constructor(child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#standard += text;
      this.#take(text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    child.once('close', () => {
      this.#over = true;
      this.#notify();
    });
  }

  /** Standard output and error, as they came. */
  get all(): string {
    return this.#all;
  }

  /** Standard output alone. */
  get standard(): string {
    return this.#standard;
  }

  /** Resolves with the first match; rejects when the program falls silent for good, or `deadlineMs` pass before. */
  async waitFor(pattern: RegExp, deadlineMs: number): Promise<RegExpExecArray> {
    const report = (what: string): string => `The program ${what} ${pattern}. Its output:\n${this.#all}`;
    const match = new Promise<RegExpExecArray>((resolve, reject) => {
      const look = (): void => {
        const found = pattern.exec(this.#all);
        if (found) resolve(found);
        else if (this.#over) reject(new Error(report('ended without')));
        else return;
        this.#listeners.delete(look);
      };
      this.#listeners.add(look);
      look();
    });
    return withDeadline(match, deadlineMs, () => report(`did not say within ${deadlineMs} ms`));
  }

  #take(text: string): void {
    this.#all += text;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
