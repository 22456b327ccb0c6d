import type { ServerResponse } from 'node:http';
import { CLIENT_CLOSED, gatewayErrorCodes, refused } from '../errors.ts';
import { clearDeadline, setDeadline } from '../traffic/deadline.ts';
import { endAdmission } from './admit-requests.ts';

/** The life of one HTTP request. */
export interface RequestSignal {
  /** Aborts when the client goes away, or when the time to the first byte is over. */
  readonly signal: AbortSignal;
  /** To be called when the answer is there: the time no longer counts. */
  settle(): void;
}

/** Watches a response: the reasons of the signal are refusals, with their codes. */
export function watchRequest(response: ServerResponse, timeoutMs: number): RequestSignal {
  const controller = new AbortController();
  setDeadline(controller.signal, timeoutMs);
  const timer = setTimeout(() => {
    controller.abort(refused('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
  }, timeoutMs);
  const onClose = (): void => {
    clearTimeout(timer);
    if (!response.writableFinished) controller.abort(CLIENT_CLOSED);
  };
  response.once('close', onClose);
  const settle = (): void => {
    clearTimeout(timer);
    clearDeadline(controller.signal);
    endAdmission(response);
  };
  return { signal: controller.signal, settle };
}
