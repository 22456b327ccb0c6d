/**
 * Flags of Node for a process that serves. Responses are put together from many small objects, which should be gone before
 * garbage collection first looks at them: so new objects get more room, and it does not shrink in quiet times, or what comes
 * next would be moved to the old generation while it grows again. One thread collects them: several, on cores that others
 * need, cost more than they do. What is stored changes little: garbage beside it need not grow to several times its size
 * before it is collected. And V8 chooses no kinds of objects that it places among the old ones from the start: one that is dead there keeps
 * all that it knows alive, and each collection of new objects copies it.
 */
export const HEAP_FLAGS: readonly string[] = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--heap-growing-percent=60',
  '--no-parallel-scavenge',
  '--no-allocation-site-pretenuring',
];
