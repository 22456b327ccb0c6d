import type { Terminal } from './terminal.ts';

/** One step of long work. It ends once; what is called afterwards does nothing. */
export interface Step {
  /** How far it is: `430,000 of 1,000,000 rows`. */
  readonly update: (detail: string) => void;
  /** @param detail what came of it */
  readonly done: (detail?: string) => void;
  readonly fail: (detail?: string) => void;
}

/** Long work, in steps that have names and times. Several may be under way. */
export interface Progress {
  /** Prints a line above the steps that are under way. */
  readonly print: (line: string) => void;
  readonly step: (name: string) => Step;
  /** Runs work as a step, which ends as the work ends. */
  readonly during: <Result>(name: string, work: (step: Step) => Promise<Result>) => Promise<Result>;
}

/** How steps are shown. */
export interface ProgressOptions {
  /** Leave nothing behind: only what is under way is shown, and only at a terminal. @default false */
  readonly isTransient?: boolean;
  /** @default performance.now, in milliseconds */
  readonly now?: () => number;
}

interface Active {
  readonly name: string;
  readonly startedAtMs: number;
  detail: string;
}

const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const ERASE_LINE = '\r\u{1B}[2K';

/**
 * Shows long work on a terminal as a line that is drawn again, with the time that each step takes. Elsewhere each step is one
 * line, written when it ends.
 */
export function createProgress(terminal: Terminal, options: ProgressOptions = {}): Progress {
  const shown = new ShownSteps(terminal, options);
  const step = (name: string): Step => shown.begin(name);
  return {
    print: (line) => shown.print(line),
    step,
    during: async (name, work) => {
      const current = step(name);
      try {
        const result = await work(current);
        current.done();
        return result;
      } catch (error) {
        current.fail();
        throw error;
      }
    },
  };
}

class ShownSteps {
  readonly #terminal: Terminal;
  readonly #isTransient: boolean;
  readonly #now: () => number;
  readonly #active = new Set<Active>();
  #timer: NodeJS.Timeout | undefined;
  #frame = 0;

  constructor(terminal: Terminal, { isTransient = false, now = () => performance.now() }: ProgressOptions) {
    this.#terminal = terminal;
    this.#isTransient = isTransient;
    this.#now = now;
  }

  begin(name: string): Step {
    const active: Active = { name, startedAtMs: this.#now(), detail: '' };
    this.#active.add(active);
    this.#draw(); // at once: the work may leave no moment for a timer
    this.#timer ??= this.#terminal.isInteractive
      ? setInterval(() => this.#draw(), FRAME_MS).unref()
      : undefined;
    return {
      update: (detail) => void (active.detail = detail),
      done: (detail = active.detail) => this.#end(active, detail, true),
      fail: (detail = active.detail) => this.#end(active, detail, false),
    };
  }

  print(line: string): void {
    this.#erase();
    this.#terminal.write(`${line}\n`);
    this.#draw();
  }

  #end(active: Active, detail: string, isDone: boolean): void {
    if (!this.#active.delete(active)) return;
    if (this.#active.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    if (this.#isTransient) this.#redraw();
    else this.print(this.#endedLine(active, detail, isDone));
  }

  #redraw(): void {
    this.#erase();
    this.#draw();
  }

  #endedLine(active: Active, detail: string, isDone: boolean): string {
    const { paint } = this.#terminal;
    const mark = isDone ? paint.green('✔') : paint.red('✘');
    const failed = isDone ? '' : ' failed';
    const time = paint.dim(`(${this.#secondsOf(active)} s)`);
    return `${mark} ${active.name}${failed}${detail && `: ${detail}`} ${time}`;
  }

  #erase(): void {
    if (this.#terminal.isInteractive) this.#terminal.write(ERASE_LINE);
  }

  /** The oldest step, in one line. The cursor stays at its beginning, so that a line by others covers it. */
  #draw(): void {
    const [oldest] = this.#active;
    if (!oldest || !this.#terminal.isInteractive) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    const others = this.#active.size > 1 ? ` and ${this.#active.size - 1} more` : '';
    const text = `${oldest.name}${oldest.detail && `: ${oldest.detail}`}${others} … ${this.#secondsOf(oldest)} s`;
    const line = text.slice(0, Math.max(0, this.#terminal.columns() - 3));
    this.#terminal.write(`${ERASE_LINE}${this.#terminal.paint.cyan(FRAMES[this.#frame] ?? '·')} ${line}\r`);
  }

  #secondsOf({ startedAtMs }: Active): string {
    return ((this.#now() - startedAtMs) / 1_000).toFixed(1);
  }
}
