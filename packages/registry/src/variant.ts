import { z } from 'zod';
import { blobReference, type BlobReference } from './blob.ts';
import { RegistryError } from './registry-error.ts';

/** `typ` of a token that opens a variant to its holder, so that no other JWT passes for one (RFC 8725 §3.11). */
export const PREVIEW_TOKEN_TYPE = 'trellis-preview+jwt';

/** Which requests a variant serves. */
export type VariantRule =
  | {
      readonly kind: 'header';
      /** In lower case. */
      readonly header: string;
      readonly value: string;
      /** OAuth clients that may ask for it. Empty: only with a signed preview token. */
      readonly clients: readonly string[];
    }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'claim'; readonly claim: string; readonly value: string }
  | {
      readonly kind: 'percent';
      /** 0 to 100, of callers. */
      readonly percent: number;
    };

/** Another release for some of the requests: a preview, a feature, a canary. */
export interface Variant {
  /** `canary`, `preview-123`. */
  readonly name: string;
  readonly release: BlobReference;
  readonly rule: VariantRule;
  /** Whether gateways stop it by themselves when errors or latency rise. */
  readonly abortsItself: boolean;
}

/** So many variants a record has at most: each is a generation in the memory of every gateway. */
export const MAX_VARIANTS = 8;

const shortText = z.string().min(1).max(256);

const header = {
  kind: z.literal('header'),
  header: z.string().regex(/^[a-z0-9-]{1,64}$/, 'a name of a header has at most 64 of a-z, 0-9 and -'),
  value: shortText,
  clients: z.array(shortText).max(100),
};
const host = { kind: z.literal('host'), host: shortText };
const claim = { kind: z.literal('claim'), claim: shortText, value: shortText };
const percent = { kind: z.literal('percent'), percent: z.number().min(0).max(100) };

const rule: z.ZodType<VariantRule> = z.discriminatedUnion('kind', [
  z.object(header),
  z.object(host),
  z.object(claim),
  z.object(percent),
]);

/** What a request can have in `Host`, less the port, which is not compared. RFC 3986 §3.2.2 */
const sendableHost = z
  .string()
  .regex(
    /^(?:[a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])$/i,
    'the name or the address of a host, without a port',
  );
/** RFC 9110 §5.5 */
const sendableValue = z
  .string()
  .max(256)
  .regex(
    /^[!-~](?:[\t -~]*[!-~])?$/,
    'a value of a header has visible characters of ASCII, and spaces between them',
  );

/** As they are declared: what no request can have is a mistake. Records of before keep theirs. */
const declaredRule: z.ZodType<VariantRule> = z.discriminatedUnion('kind', [
  z.strictObject({ ...header, value: sendableValue }),
  z.strictObject({ ...host, host: sendableHost }),
  z.strictObject(claim),
  z.strictObject(percent),
]);

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'a lower-case letter or digit, then at most 63 of a-z, 0-9, _ and -');

/** Reads a {@link Variant}. */
export const variant: z.ZodType<Variant> = z.object({
  name,
  release: blobReference,
  rule,
  abortsItself: z.boolean(),
});

/** A variant as an operator asks for it. */
export type DeclaredVariant = Omit<Variant, 'release'>;

/** The members of a {@link DeclaredVariant}. A rule has no member that is not known: it may say to whom the variant goes. */
export const declaredVariantShape: {
  readonly name: z.ZodType<string>;
  readonly rule: z.ZodType<VariantRule>;
  readonly abortsItself: z.ZodType<boolean>;
} = { name, rule: declaredRule, abortsItself: z.boolean() };

const declaredVariant = z.object(declaredVariantShape);

/**
 * Looks whether a record may have a variant, before anything is compared for it.
 *
 * @throws RegistryError INVALID_NAME, with what is wrong of its name or its rule
 */
export function assertDeclarable(declared: DeclaredVariant): void {
  const { error } = declaredVariant.safeParse(declared);
  if (!error) return;
  const problems = error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  throw new RegistryError('INVALID_NAME', `The variant is invalid: ${problems.join('; ')}.`);
}
