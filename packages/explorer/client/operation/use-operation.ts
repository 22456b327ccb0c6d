import { useRef, useState } from 'preact/hooks';
import type { GraphResult, ResponsePart } from './graph-result.ts';
import { mergePart } from './merge-part.ts';
import { isStream, type OperationRequest } from './operation-request.ts';
import { runRequest } from './run-request.ts';
import { runStream } from './run-stream.ts';

/** One part or result as it arrived. */
export interface Received {
  readonly number: number;
  readonly part: ResponsePart;
  /** Since the request was sent. */
  readonly milliseconds: number;
  /** Time of day. */
  readonly time: Date;
}

/** What becomes of an operation. */
export interface OperationState {
  readonly status: 'idle' | 'running' | 'reconnecting' | 'done' | 'stopped' | 'failed';
  readonly isStream: boolean;
  /** All parts so far as one response; the last result of a stream. */
  readonly result?: GraphResult | undefined;
  /** The last ones, in the order in which they came. */
  readonly received: readonly Received[];
  /** How many have come. */
  readonly count: number;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly failure?: string;
}

/** How operations are sent. */
export interface OperationSettings {
  readonly graphUrl: string;
  readonly streamUrl: string;
}

/** What {@link useOperation} gives. */
export interface RunningOperation {
  readonly state: OperationState;
  /** @param headers asked for each request */
  readonly run: (request: OperationRequest, headers: () => Promise<Readonly<Record<string, string>>>) => void;
  readonly stop: () => void;
}

const IDLE: OperationState = {
  status: 'idle',
  isStream: false,
  received: [],
  count: 0,
  milliseconds: 0,
  bytes: 0,
};

/** Of a stream, so many results are shown. */
const MAX_RECEIVED = 100;

/** Runs one operation at a time, and draws what comes of it. */
export function useOperation({ graphUrl, streamUrl }: OperationSettings): RunningOperation {
  const [state, setState] = useState(IDLE);
  const running = useRef<AbortController>(undefined);
  const run: RunningOperation['run'] = (request, headers) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    const streams = isStream(request);
    const update = (change: (before: OperationState) => OperationState): void => {
      if (!signal.aborted) setState(change);
    };
    setState({ ...IDLE, status: 'running', isStream: streams });
    const connection = {
      lost: () => update((before) => ({ ...before, status: 'reconnecting' })),
      connected: () => update((before) => ({ ...before, status: 'running' })),
    };
    const parts = streams
      ? runStream(request, { url: streamUrl, headers, signal }, connection)
      : runRequest(request, { url: graphUrl, headers, signal });
    void follow(parts, update);
  };
  const stop = (): void => {
    running.current?.abort();
    setState((before) => (isRunning(before) ? { ...before, status: 'stopped' } : before));
  };
  return { state, run, stop };
}

/** Whether more may come. */
export function isRunning({ status }: OperationState): boolean {
  return status === 'running' || status === 'reconnecting';
}

type Update = (change: (before: OperationState) => OperationState) => void;

async function follow(parts: AsyncIterable<ResponsePart>, update: Update): Promise<void> {
  const startedAt = performance.now();
  try {
    for await (const part of parts) {
      const milliseconds = Math.round(performance.now() - startedAt);
      if (hasContent(part)) update((before) => receive(before, part, milliseconds));
    }
    update((before) => ({ ...before, status: 'done' }));
  } catch (error) {
    update((before) => ({ ...before, status: 'failed', failure: reasonOf(error) }));
  }
}

/** Heartbeats have none. */
function hasContent(part: ResponsePart): boolean {
  return 'data' in part || 'errors' in part || 'incremental' in part || 'extensions' in part;
}

function receive(before: OperationState, part: ResponsePart, milliseconds: number): OperationState {
  const number = before.count + 1;
  const received = { number, part, milliseconds, time: new Date() };
  return {
    ...before,
    status: 'running',
    result: before.isStream ? part : mergePart(before.result, part),
    received: [...before.received.slice(1 - MAX_RECEIVED), received],
    count: number,
    milliseconds,
    bytes: before.bytes + new Blob([JSON.stringify(part)]).size,
  };
}

/** graphql-sse gives errors of the network and lists of errors of the graph. */
function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  const list = Array.isArray(error) ? (error as readonly { readonly message?: string }[]) : [];
  return list.map(({ message }) => message).join(' ') || String(error);
}
