import { FIELD_COORDINATE, RECORD_SEQUENCE, type ReleaseVerdict } from '@trellis/release-verdict';
import { z } from 'zod';
import type {
  FieldUseProblem,
  FieldUseReport,
  GatewayProblem,
  GatewayReport,
  GatewaysFeatures,
  VerdictProblem,
  VerdictReport,
} from '../../gateways/gateways.ts';
import type { FieldUse, GatewayState } from '../../gateways/gateway-state.ts';
import { invalid, required } from './admin-context.ts';
import type { AdminOperation, PerformFeatures } from './admin-operation.ts';

/** What the view of gateways works with. */
export type GatewayApiFeatures = GatewaysFeatures & PerformFeatures;

const problems: readonly GatewayProblem[] = ['unreachable', 'timed_out', 'too_large', 'not_understood'];
const useProblems: readonly FieldUseProblem[] = [
  ...problems,
  'unknown_field',
  'not_recorded',
  'denied',
  'unavailable',
];

/** A gateway as the API shows it: what it serves, or why that is not known. */
export interface GatewayJson {
  readonly name: string;
  readonly problem?: GatewayProblem;
  /** As the gateway itself says it at its operations port. */
  readonly state?: GatewayState;
}

const gatewaySchema = z.object({
  name: z.string(),
  problem: z.enum(problems).optional(),
  state: z.record(z.string(), z.unknown()).optional(),
});

/** Who has used a field, or why that is not known. */
export interface FieldUseJson {
  readonly problem?: FieldUseProblem;
  /** As the gateway itself says it. */
  readonly use?: FieldUse;
}

const useSchema = z.object({
  problem: z.enum(useProblems).optional(),
  use: z.record(z.string(), z.unknown()).optional(),
});

/** Lists the gateways of GATEWAY_OPERATIONS_URLS with what each serves of the graph. */
export const listGateways: AdminOperation<
  GatewayApiFeatures,
  { gateways: readonly GatewayJson[]; history_page?: string | undefined }
> = {
  id: 'listGateways',
  method: 'GET',
  path: '/gateways',
  scope: 'auth:graph:read',
  summary: 'Lists the gateways of GATEWAY_OPERATIONS_URLS with what each serves of the graph.',
  output: z.object({ gateways: z.array(gatewaySchema), history_page: z.string().optional() }),
  statuses: [200],
  run: async ({ gateways, historyPage }) => {
    const reports: readonly GatewayReport[] = await gateways.reports();
    return { status: 200, body: { gateways: reports, history_page: historyPage } };
  },
};

const [DEFAULT_DAYS, MOST_DAYS] = ['7', 90];

/** Whether a text is a field of a type: `User.name`. */
export function isFieldCoordinate(text: string): boolean {
  return FIELD_COORDINATE.test(text);
}

/** Says who has used a field, as far as a gateway has recorded it. */
export const findFieldUse: AdminOperation<GatewayApiFeatures, FieldUseJson> = {
  id: 'findFieldUse',
  method: 'GET',
  path: '/gateways/:id/field-use',
  scope: 'auth:graph:read',
  summary: 'Says who has used a field, as far as a gateway has recorded it.',
  query: {
    field: 'The field of a type: User.name.',
    days: `How many days are looked through, up to ${MOST_DAYS}. Default: ${DEFAULT_DAYS}.`,
  },
  output: useSchema,
  statuses: [200],
  run: async ({ gateways }, { path: { id = '' }, query }) => {
    const [field, days] = [query.get('field') ?? '', Number(query.get('days') ?? DEFAULT_DAYS)];
    if (!isFieldCoordinate(field)) throw invalid(['field: must be a field of a type, such as User.name']);
    if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS)
      throw invalid([`days: must be a whole number from 1 to ${MOST_DAYS}`]);
    const report: FieldUseReport = required(await gateways.fieldUse(id, field, days));
    return { status: 200, body: report };
  },
};

const verdictProblems: readonly VerdictProblem[] = [...problems, 'unknown_record', 'unavailable'];

/** What was judged of a record, or why that is not known. */
export interface RecordVerdictJson {
  readonly problem?: VerdictProblem;
  /** Null: the record was published without one. */
  readonly verdict?: ReleaseVerdict | null;
}

/** Says what a record of the registry changes, and in which order that is deployed. */
export const getRecordVerdict: AdminOperation<GatewayApiFeatures, RecordVerdictJson> = {
  id: 'getRecordVerdict',
  method: 'GET',
  path: '/gateways/:id/records/:sequence/verdict',
  scope: 'auth:graph:read',
  summary: 'Says what a record of the registry changes, and in which order that is deployed.',
  output: z.object({
    problem: z.enum(verdictProblems).optional(),
    verdict: z.record(z.string(), z.unknown()).nullable().optional(),
  }),
  statuses: [200],
  run: async ({ gateways }, { path: { id = '', sequence = '' } }) => {
    if (!RECORD_SEQUENCE.test(sequence)) throw invalid(['sequence: must be a whole number from 1']);
    const report: VerdictReport = required(await gateways.verdict(id, Number(sequence)));
    return { status: 200, body: report };
  },
};
