import type { IntrospectionInput } from './write-introspection.ts';

/** What each kind of job is given; a job is about one supergraph. Plain data alone. */
export interface JobInputs {
  readonly plan: {
    /** The text of a document with one operation, without conditions on variables. */
    readonly operation: string;
    /** Labels of progressive overrides that are on. */
    readonly overrideLabels: readonly string[];
  };
  readonly introspect: IntrospectionInput;
}

/** What comes of each kind of job. Plain data alone. */
export interface JobResults {
  /** A query plan as JSON: one text costs less to send to another thread than the objects that it consists of. */
  readonly plan: string;
  /** JSON; nothing where it would be too long. */
  readonly introspect: string | undefined;
}

/** What query planner workers can be asked for. */
export type JobKind = keyof JobInputs;

/** A job for a thread that knows the supergraph. */
export type JobTask<Kind extends JobKind = JobKind> = {
  [Each in Kind]: {
    readonly kind: 'job';
    readonly job: Each;
    readonly hash: string;
    readonly input: JobInputs[Each];
  };
}[Kind];

/** What a thread is asked to do, one thing at a time. */
export type PlannerTask =
  | { readonly kind: 'load'; readonly hash: string; readonly sdl: string }
  | { readonly kind: 'unload'; readonly hash: string }
  | JobTask;

/** What a thread answers: `ready` once, when it can be asked, then one response to each task. Plain data alone. */
export type PlannerReply = {
  /** Milliseconds of processor time that the thread has had so far. */
  readonly clockMs: number;
} & (
  | { readonly kind: 'ready'; readonly systemThread: number | undefined }
  | { readonly kind: 'done'; readonly result: unknown; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly message: string; readonly durationMs: number }
);
