/** A field of a type, as the operations port of a gateway takes it: `User.name`. */
export const FIELD_COORDINATE: RegExp = /^[_A-Za-z]\w{0,254}\.[_A-Za-z]\w{0,254}$/;

/** The sequence of a record in paths of that port: 1 to 999,999,999. */
export const RECORD_SEQUENCE: RegExp = /^[1-9]\d{0,8}$/;
