import { ownOf } from '@trellis/runtime/own-property';

/** What a subgraph sends to the address of a subscription. */
export type CallbackMessage = { readonly id: string; readonly verifier: string } & (
  | { readonly action: 'check' }
  /** One event: a response as parsed. */
  | { readonly action: 'next'; readonly payload: unknown }
  /** @property errors why it ends; undefined where it has come to its end */
  | { readonly action: 'complete'; readonly errors: readonly unknown[] | undefined }
);

/** @returns what is wrong with the text where it is no message of the protocol */
export function readCallback(text: string): CallbackMessage | string {
  const body = parsed(text);
  if (ownOf(body, 'kind') !== 'subscription') return 'The body is no message of a subscription.';
  const id = ownOf(body, 'id');
  const verifier = ownOf(body, 'verifier');
  if (typeof id !== 'string' || typeof verifier !== 'string') return 'id and verifier have to be strings.';
  return actionOf(body, { id, verifier });
}

function actionOf(
  body: unknown,
  identity: { readonly id: string; readonly verifier: string },
): CallbackMessage | string {
  const action = ownOf(body, 'action');
  if (action === 'check') return { ...identity, action };
  if (action === 'next') {
    const payload = ownOf(body, 'payload');
    if (typeof payload !== 'object' || payload === null) return 'A message next needs a payload.';
    return { ...identity, action, payload };
  }
  if (action !== 'complete') return 'action has to be check, next or complete.';
  const errors = ownOf(body, 'errors');
  return { ...identity, action, errors: Array.isArray(errors) && errors.length > 0 ? errors : undefined };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // as anything else that is no message
  }
}
