import type { Report } from '@trellis/composition';

/** The report of a command that found nothing. */
export function emptyReport(command: Report['command']): Report {
  return { command, diagnostics: [], changes: [], plans: [], openRootFields: [] };
}
