import { CompositionThread } from './composition-thread.ts';

/**
 * The thread of the second composer: one for all compositions of a process, as it takes longer to start than most graphs to compose.
 * A program that is going to compose starts it before it loads the first composer: both load at the same time.
 */
export const secondComposer: CompositionThread = new CompositionThread('guild');
