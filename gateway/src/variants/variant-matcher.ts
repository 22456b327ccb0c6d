import { own } from '@trellis/runtime/own-property';
import type { Variant } from '@trellis/registry';
import type { Caller } from '../identity/caller.ts';
import type { RoutedRequest } from '../pipeline/services.ts';
import type { PreviewTokens } from './preview-tokens.ts';
import { placeOf, StickyCallers } from './sticky-caller.ts';

/** Whether a variant serves a request. */
export interface VariantMatcher {
  readonly variant: Variant;
  matches(request: RoutedRequest, caller: Caller): boolean | Promise<boolean>;
  /** Where a caller stands among those of a variant by percent. Absent for other variants. */
  readonly callers: StickyCallers | undefined;
}

/**
 * Compiles the rule of a variant.
 *
 * @param log `graph@environment`: each places callers by itself
 */
export function createMatcher(variant: Variant, log: string, previews: PreviewTokens): VariantMatcher {
  const { rule, name, release } = variant;
  switch (rule.kind) {
    case 'header':
      return { variant, callers: undefined, matches: headerMatch(variant, rule, previews) };
    case 'host': {
      const host = rule.host.toLowerCase();
      return { variant, callers: undefined, matches: ({ headers }) => hostOf(headers) === host };
    }
    case 'claim': {
      const { claim, value } = rule;
      return {
        variant,
        callers: undefined,
        matches: (_request, { claims }) => hasValue(own(claims, claim), value),
      };
    }
    case 'percent': {
      // With the release: other users try the next one.
      const callers = new StickyCallers(JSON.stringify([log, name, release.digest]));
      const share = rule.percent / 100;
      const matches = ({ address }: RoutedRequest, caller: Caller): boolean =>
        placeOf(callers.hashOf(caller, address)) < share;
      return { variant, callers, matches };
    }
    default:
      return rule satisfies never;
  }
}

type HeaderRule = Extract<Variant['rule'], { readonly kind: 'header' }>;

/** The value that the rule names, of a client that may ask for it; or a preview token in its place. */
function headerMatch(
  { name }: Variant,
  { header, value, clients }: HeaderRule,
  previews: PreviewTokens,
): VariantMatcher['matches'] {
  const allowed = new Set(clients);
  return ({ headers }, { context: { clientId } }) => {
    const sent = headers[header];
    if (typeof sent !== 'string') return false;
    if (sent !== value) return previews.admits(sent, name);
    return clientId !== undefined && allowed.has(clientId);
  };
}

/** Without the port, in lower case. RFC 9110 §7.2 */
function hostOf(headers: RoutedRequest['headers']): string | undefined {
  const host = headers['host'];
  return typeof host === 'string' ? host.replace(/:\d+$/, '').toLowerCase() : undefined;
}

/** A claim may be one value or a list of them. */
function hasValue(claim: unknown, value: string): boolean {
  return Array.isArray(claim) ? claim.some((one) => isValue(one, value)) : isValue(claim, value);
}

function isValue(claim: unknown, value: string): boolean {
  return typeof claim === 'string' ? claim === value : JSON.stringify(claim) === value;
}
