import type { ServerResponse } from 'node:http';
import { CLIENT_CLOSED, gatewayErrorCodes, rejected } from '../../errors.ts';
import { DeadlineSignal } from '../../abort/deadline-signal.ts';
import type { RequestSignal } from './http-exchange.ts';

/** Watches a response: the reasons of the signal are rejections, with their codes. */
export function watchRequest(response: ServerResponse, timeoutMs: number): RequestSignal {
  const signal = new DeadlineSignal(timeoutMs);
  const timer = setTimeout(() => {
    signal.abort(rejected('GATEWAY_TIMEOUT', gatewayErrorCodes.GATEWAY_TIMEOUT.summary));
  }, timeoutMs);
  const onClose = (): void => {
    clearTimeout(timer);
    if (!response.writableFinished) signal.abort(CLIENT_CLOSED);
  };
  response.once('close', onClose);
  const settle = (): void => {
    clearTimeout(timer);
    signal.clearDeadline();
  };
  return { signal, settle };
}
