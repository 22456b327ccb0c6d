/**
 * Flags of Node for a process that answers: answers are put together from many small objects, which should be gone before
 * garbage collection first looks at them. The space does not shrink in quiet times either: what comes next would be moved
 * to the old generation while it grows again.
 */
export const YOUNG_GENERATION: readonly string[] = ['--min-semi-space-size=32', '--max-semi-space-size=32'];
