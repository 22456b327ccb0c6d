// Exit statuses of all programs: those of sysexits(3), and of shells.

/** It failed, for a reason that has no status of its own. */
export const EXIT_FAILED = 1;

/** EX_USAGE: the call makes no sense. */
export const EXIT_USAGE = 64;

/** EX_UNAVAILABLE: what decides the outcome is unavailable. */
export const EXIT_UNAVAILABLE = 69;

/** EX_CONFIG: the configuration is wrong. */
export const EXIT_CONFIG = 78;

/** 128 + SIGINT: an interrupt has ended it. */
export const EXIT_INTERRUPTED = 130;
