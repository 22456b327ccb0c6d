/** Addresses that every page links to. */
export interface ThemeLinks {
  /** Where users go who have no use for these pages. */
  readonly home?: string | undefined;
  readonly privacy?: string | undefined;
  readonly terms?: string | undefined;
  readonly help?: string | undefined;
}

/** What every page of an operator has. */
export interface Brand {
  readonly name: string;
  /** Addresses of the logo. */
  readonly logo: string | undefined;
  readonly darkLogo: string | undefined;
  readonly links: ThemeLinks;
  /** Address of the page that describes codes of errors, each at the anchor of its name. */
  readonly errorReference?: string | undefined;
  /** Address of the page that users have their account at. */
  readonly account: string;
  readonly stylesheet: string;
  /** The source expression that lets the pages' style in, and no other. CSP Level 3 */
  readonly stylesheetSource: string;
}
