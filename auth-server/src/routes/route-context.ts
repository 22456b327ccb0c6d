import type { Cookies } from '../http/cookies.ts';
import type { Services } from '../app/services.ts';

/** What every route works with. */
export interface RouteContext {
  readonly services: Services;
  readonly cookies: Cookies;
}
