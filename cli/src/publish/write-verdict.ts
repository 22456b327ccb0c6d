import { countReport, type Report, type ReportedChange } from '@trellis/composition';
import { writeTextBlob, type BlobReference, type RegistryStore } from '@trellis/registry';
import { encodeVerdict, type ReleaseVerdict, type VerdictChange } from '@trellis/release-verdict';

/**
 * Writes what was judged of a release, for those who look at its record.
 *
 * @returns undefined where nothing was compared, and where it is too large
 */
export async function writeVerdict(
  store: RegistryStore,
  report: Report | undefined,
  signal: AbortSignal,
): Promise<BlobReference | undefined> {
  const text = report?.command === 'check' ? encodeVerdict(verdictOf(report)) : undefined;
  return text === undefined ? undefined : writeTextBlob(store, text, signal);
}

/** What of a report is stored. */
function verdictOf(report: Report): ReleaseVerdict {
  const { breaking, dangerous, unknown, safe, approved } = countReport(report);
  const { changes, window, operations } = report;
  return {
    counts: { breaking, dangerous, unknown, safe, approved },
    changes: changes.map(changeOf),
    order: window?.order && { verdict: window.verdict, steps: window.order },
    operations,
  };
}

function changeOf(change: ReportedChange): VerdictChange {
  const { verdict, code, coordinate, message, operations, approval } = change;
  return { verdict, code, coordinate, message, operations: operations.length, approvedBy: approval?.owner };
}
