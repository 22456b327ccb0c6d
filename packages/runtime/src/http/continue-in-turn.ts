import type { Server } from 'node:http';

/**
 * Answers `Expect: 100-continue` when the response of the request has its turn, and not before. Node writes `100 Continue` at
 * once: on a connection with pipelined requests it stands in the middle of an earlier response, or between the head and the body
 * of its own. Until then the request waits, so that no response is ready before it.
 *
 * @see RFC 9110 §10.1.1; RFC 9112 §9.3.2
 */
export function continueInTurn(http: Server): void {
  http.on('checkContinue', (request, response) => {
    const begin = (): void => {
      response.writeContinue();
      http.emit('request', request, response);
    };
    if (response.socket) begin();
    else response.once('socket', begin);
  });
}
