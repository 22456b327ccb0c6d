import { observeOutages, type OutageLog } from '@trellis/runtime/outage-log';
import { MAX_VERDICT_BYTES, type ReleaseVerdict } from '@trellis/release-verdict';
import { createAddressGuard, PRIVATE_NETWORKS, type AddressGuard } from '../outbound/address-guard.ts';
import { sendGuarded, type GuardedRequest, type GuardedResponse } from '../outbound/guarded-request.ts';
import { CoalescedReads } from './coalesced-reads.ts';
import { parseFieldUse, parseGatewayState, type FieldUse, type GatewayState } from './gateway-state.ts';
import { parseRecordVerdict } from './record-verdict.ts';

/** Why nothing is known of a gateway. */
export type GatewayProblem =
  /** It did not respond, or may not be asked at that address. */
  | 'unreachable'
  | 'timed_out'
  /** It sent more than is read. */
  | 'too_large'
  /** What it sent is no state of a gateway: another program, or an older version. */
  | 'not_understood';

/** What one gateway says of itself. */
export type GatewayReport =
  | { readonly name: string; readonly state: GatewayState }
  | { readonly name: string; readonly problem: GatewayProblem };

/** Why it is not known who uses a field. */
export type FieldUseProblem =
  | GatewayProblem
  /** Its supergraph has no such field. */
  | 'unknown_field'
  /** It records nothing that can be searched. */
  | 'not_recorded'
  /** The secret is missing or wrong. */
  | 'denied'
  /** Another search is running, or what was recorded can't be read. */
  | 'unavailable';

/** Who has used a field, or why that is not known. */
export type FieldUseReport = { readonly use: FieldUse } | { readonly problem: FieldUseProblem };

/** Why it is not known what was judged of a record. */
export type VerdictProblem =
  | GatewayProblem
  /** It is not in the history of the gateway. */
  | 'unknown_record'
  /** The gateway can't read it, or others are being read. */
  | 'unavailable';

/** What was judged of a record when it was published, null for one without a verdict; or why that is not known. */
export type VerdictReport =
  { readonly verdict: ReleaseVerdict | null } | { readonly problem: VerdictProblem };

/** The gateways that the operator has named. What is asked for while the same is on its way is asked once. */
export interface Gateways {
  /** As the configuration names them. */
  readonly names: readonly string[];
  /** Asks all of them at once. Does not reject. */
  reports(): Promise<readonly GatewayReport[]>;
  /**
   * Asks one of them who has used a field, as far as it was recorded. Does not reject.
   *
   * @param field `User.name`
   * @param days that are looked through, 1 to 90
   * @returns undefined where none has that name
   */
  fieldUse(name: string, field: string, days: number): Promise<FieldUseReport | undefined>;
  /**
   * Asks one of them what was judged of a record of its registry. Does not reject.
   *
   * @returns undefined where none has that name
   */
  verdict(name: string, sequence: number): Promise<VerdictReport | undefined>;
}

/** What folders that show gateways work with. */
export interface GatewaysFeatures {
  readonly gateways: Gateways;
  /** Page of `trellis history --format html`, where records can be looked at. */
  readonly historyPage: string | undefined;
}

/** What a gateway was asked for. */
export interface AskedGateway {
  readonly gateway: string;
  readonly asked: 'state' | 'field users' | 'verdict';
}

/** Why a gateway can't be read. */
interface GatewayFailure {
  readonly problem: GatewayProblem;
  /** For the log. */
  readonly reason: string;
}

/** Settings of {@link createGateways}. */
export interface GatewaysOptions {
  /** Addresses of operations ports, by name. */
  readonly addresses: Readonly<Record<string, string>>;
  /** What searches bring as a bearer token: a gateway on this machine may need none. */
  readonly secret: string | undefined;
  /** Called with the reason why a gateway can't be read, once for each problem. */
  readonly onProblem: (asked: AskedGateway, failure: GatewayFailure) => void;
  /** Called when it can be read again. */
  readonly onRecovered: (asked: AskedGateway) => void;
  /** Milliseconds for a state. @default 3000 */
  readonly stateDeadlineMs?: number;
}

const MAX_STATE_BYTES = 256 * 1024;
const STATE_DEADLINE_MS = 3_000;
const MAX_USE_BYTES = 4 * 1024 * 1024;
/** A gateway gives up after ten seconds. */
const USE_DEADLINE_MS = 12_000;
const MAX_VERDICT_BODY_BYTES = MAX_VERDICT_BYTES + 1_024;
/** Verdicts that are read at once. */
const MAX_VERDICTS = 16;

/** Asks gateways at their operations ports whenever an operator looks. */
export function createGateways(options: GatewaysOptions): Gateways {
  const { addresses, secret, stateDeadlineMs = STATE_DEADLINE_MS } = options;
  const named = new Map(
    Object.entries(addresses).map(([name, address]) => [name, namedGateway(name, new URL(address), options)]),
  );
  const reports = new CoalescedReads<readonly GatewayReport[]>(1);
  const verdicts = new CoalescedReads<VerdictReport>(MAX_VERDICTS);
  return {
    names: [...named.keys()],
    reports: async () =>
      (await reports.read('', () =>
        Promise.all([...named.values()].map((one) => reportOf(one, stateDeadlineMs))),
      )) ?? [],
    fieldUse: async (name, field, days) => {
      const gateway = named.get(name);
      if (!gateway) return undefined;
      const asked = { field, days };
      const read = gateway.searching.read(JSON.stringify(asked), () => fieldUseOf(gateway, secret, asked));
      return (await read) ?? { problem: 'unavailable' };
    },
    verdict: async (name, sequence) => {
      const gateway = named.get(name);
      if (!gateway) return undefined;
      const read = verdicts.read(`${sequence} ${name}`, () => verdictOf(gateway, sequence));
      return (await read) ?? { problem: 'unavailable' };
    },
  };
}

/** A gateway, and what is logged of it: of states and of searches, as one may fail while the other does not. */
interface NamedGateway {
  readonly name: string;
  readonly address: URL;
  readonly states: OutageLog;
  readonly searches: OutageLog;
  readonly verdicts: OutageLog;
  /** A gateway searches once at a time. */
  readonly searching: CoalescedReads<FieldUseReport>;
}

function namedGateway(gateway: string, address: URL, options: GatewaysOptions): NamedGateway {
  const outages = (asked: AskedGateway['asked']): OutageLog =>
    observeOutages({
      begins: (failure) => options.onProblem({ gateway, asked }, failure as GatewayFailure), // our own
      ends: () => options.onRecovered({ gateway, asked }),
      kindOf: (failure) => (failure as GatewayFailure).problem,
    });
  return {
    name: gateway,
    address,
    states: outages('state'),
    searches: outages('field users'),
    verdicts: outages('verdict'),
    searching: new CoalescedReads(1),
  };
}

async function reportOf(gateway: NamedGateway, deadlineMs: number): Promise<GatewayReport> {
  const { name, address, states } = gateway;
  const sent = await send({
    method: 'GET',
    url: new URL('/gateway', address),
    headers: { accept: 'application/json' },
    maxBytes: MAX_STATE_BYTES,
    deadlineMs,
  });
  const read = logged(states, 'problem' in sent ? sent : understand(sent, parseGatewayState));
  return 'problem' in read ? { name, problem: read.problem } : { name, state: read.value };
}

/** @returns what was read */
function logged<Read extends object>(outages: OutageLog, read: Read): Read {
  if ('problem' in read) outages.failed(read);
  else outages.succeeded();
  return read;
}

async function fieldUseOf(
  { address, searches }: NamedGateway,
  secret: string | undefined,
  asked: { readonly field: string; readonly days: number },
): Promise<FieldUseReport> {
  const body = JSON.stringify(asked);
  const sent = await send({
    method: 'POST',
    url: new URL('/gateway/field-users', address),
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
    },
    body,
    maxBytes: MAX_USE_BYTES,
    deadlineMs: USE_DEADLINE_MS,
  });
  if ('problem' in sent) return { problem: logged(searches, sent).problem };
  if (sent.status !== 200) return { problem: problemOfStatus(sent) };
  const read = logged(searches, understand(sent, parseFieldUse));
  return 'problem' in read ? { problem: read.problem } : { use: read.value };
}

async function verdictOf({ address, verdicts }: NamedGateway, sequence: number): Promise<VerdictReport> {
  const sent = await send({
    method: 'GET',
    url: new URL(`/gateway/records/${sequence}`, address),
    headers: { accept: 'application/json' },
    maxBytes: MAX_VERDICT_BODY_BYTES,
    deadlineMs: STATE_DEADLINE_MS,
  });
  if ('problem' in sent) return { problem: logged(verdicts, sent).problem };
  if (sent.status === 404 && saysWhy(sent)) return { problem: 'unknown_record' };
  if (sent.status === 503) return { problem: 'unavailable' };
  const read = logged(verdicts, understand(sent, parseRecordVerdict));
  return 'problem' in read ? { problem: read.problem } : { verdict: read.value };
}

const PROBLEMS: Readonly<Record<number, FieldUseProblem>> = {
  401: 'denied',
  403: 'denied',
  409: 'not_recorded',
  503: 'unavailable',
};

function problemOfStatus(sent: GuardedResponse): FieldUseProblem {
  if (sent.status === 404 && saysWhy(sent)) return 'unknown_field';
  return PROBLEMS[sent.status] ?? 'not_understood';
}

/** An older gateway has nothing at that address, and says so in other words than for a field or a record. */
function saysWhy({ body }: GuardedResponse): boolean {
  return body.includes('"problems"');
}

type Sent = GuardedResponse | GatewayFailure;

/** Gateways ask nothing of their own accord: what an operator has named may be on this machine. */
async function send(request: Omit<GuardedRequest, 'signal'>): Promise<Sent> {
  const deadline = AbortSignal.timeout(request.deadlineMs ?? STATE_DEADLINE_MS);
  try {
    return await sendGuarded({ ...request, signal: deadline }, guardFor(request.url));
  } catch (error) {
    const reason = reasonOf(error);
    if (deadline.aborted) return { problem: 'timed_out', reason };
    const isTooLarge = error instanceof Error && error.message.includes('more than');
    return { problem: isTooLarge ? 'too_large' : 'unreachable', reason };
  }
}

const everywhere = createAddressGuard({ loopback: true, networks: PRIVATE_NETWORKS });
const publicly = createAddressGuard({ loopback: false, networks: [] });
/** This machine and private networks. */
const nearby: AddressGuard = {
  allows: (address) => everywhere.allows(address) && !publicly.allows(address),
};

/** Operations ports have no TLS of their own: without it nothing leaves for the public internet. */
function guardFor({ protocol }: URL): AddressGuard {
  return protocol === 'https:' ? everywhere : nearby;
}

function understand<Value>(
  { status, body }: GuardedResponse,
  parse: (body: string) => Value,
): { readonly value: Value } | GatewayFailure {
  if (status !== 200) return { problem: 'not_understood', reason: `HTTP ${status}` };
  try {
    return { value: parse(body) };
  } catch (error) {
    return { problem: 'not_understood', reason: reasonOf(error) };
  }
}

const MAX_REASON = 300;

/** An error of a socket has a code; messages may have a piece of what was sent. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, MAX_REASON);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (code || error.message).slice(0, MAX_REASON);
}
