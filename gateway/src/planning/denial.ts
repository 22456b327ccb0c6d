/** Why a field is refused to a caller. It becomes the field's error. */
export interface Denial {
  readonly code: string;
  readonly message: string;
}
