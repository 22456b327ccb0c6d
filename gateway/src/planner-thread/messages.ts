import type { QueryPlan } from '@apollo/query-planner';

/** What the thread is asked to do, one thing at a time. */
export type PlannerTask =
  | { readonly kind: 'load'; readonly hash: string; readonly sdl: string }
  | { readonly kind: 'unload'; readonly hash: string }
  | {
      readonly kind: 'plan';
      readonly hash: string;
      readonly operation: string;
      readonly overrideLabels: readonly string[];
    };

/** What the thread answers: `ready` once, when it can be asked, then one answer to each task. Plain data alone. */
export type PlannerReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly plan: QueryPlan | undefined }
  | { readonly kind: 'failed'; readonly message: string };
