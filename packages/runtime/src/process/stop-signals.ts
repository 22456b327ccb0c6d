import { EXIT_INTERRUPTED } from '../command-line/exit-codes.ts';

/** Settings of {@link onStopSignal}. */
export interface StopSignalOptions {
  /** Began by npm, a process ends with it: npm can be killed without passing the signal on. */
  readonly endsWithParent: boolean;
}

/** Ctrl-C under npm arrives twice, from the terminal and from npm: within this time the second one is ignored. */
const SIGNAL_DEBOUNCE_MS = 500;
const PARENT_CHECK_MS = 500;

/**
 * Calls back once when the process is asked to end: by SIGTERM, by SIGINT, or by the end of its parent. Asking
 * again while it is ending makes the process exit at once.
 */
export function onStopSignal(stop: () => void, { endsWithParent }: StopSignalOptions): void {
  let askedAtMs: number | undefined;
  const ask = (): void => {
    if (askedAtMs === undefined) {
      askedAtMs = performance.now();
      stop();
    } else if (performance.now() - askedAtMs > SIGNAL_DEBOUNCE_MS) {
      process.exit(EXIT_INTERRUPTED);
    }
  };
  process.on('SIGTERM', ask);
  process.on('SIGINT', ask);
  if (endsWithParent) watchParent(ask);
}

/** An orphan is given another parent. */
function watchParent(onGone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_CHECK_MS);
  timer.unref();
}
