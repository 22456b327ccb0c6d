import type { Report } from '@trellis/composition';
import type { RecordedApproval } from '@trellis/registry';

/** The approvals by which a report passes, as records have them. */
export function approvalsOf(report: Report | undefined): readonly RecordedApproval[] {
  return (report?.changes ?? []).flatMap(({ code, coordinate, approval }) =>
    approval ? [{ change: `${code} ${coordinate}`, ...approval }] : [],
  );
}
