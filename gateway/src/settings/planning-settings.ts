import { z } from 'zod';

/** How operations that are new are planned. */
export interface PlanningSettings {
  readonly threads?: number | undefined;
  readonly callerMs?: number | undefined;
  readonly windowS?: number | undefined;
}

/**
 * A third of a processor for good, and 20 s at once: more than a server takes that renders pages for everybody and sends a
 * thousand operations anew after a restart. A caller who goes on sending new ones has no honest reason.
 */
export const DEFAULT_CALLER_MS = 20_000;
export const DEFAULT_WINDOW_S = 60;

const whole = (description: string): z.ZodOptional<z.ZodNumber> =>
  z.int().min(1).optional().describe(description);

/** The part of `gateway.yaml` about planning. */
export const planningSettings: z.ZodType<PlanningSettings> = z
  .strictObject({
    threads: whole(
      'Threads that plan, at most, in each process. Default one less than the processors for each of WORKERS, 2 to 4. The first one is always there; the others start under load, and end when they are idle.',
    ),
    callerMs: whole(
      'Milliseconds of processor time that planning for a caller may take in a window; 4 and 16 times that together for the networks around anonymous callers. Default 20,000; without guards, unbounded.',
    ),
    windowS: whole('Seconds of that window. Default 60.'),
  })
  .describe(
    'Planning of operations that are new, with a fair share for each user, else client, else network. A change takes effect at the next start.',
  );
